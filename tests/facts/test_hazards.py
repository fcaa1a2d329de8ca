"""Code that could kill a parser is told by its measure, before it is parsed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlobs_lint.facts.hazards import is_risky, measure

HARMLESS = {
    "brackets in strings": 'x = "' + "(" * 500 + '"\n',
    "brackets in comments": "# " + "(" * 500 + "\n",
    "brackets in long strings": 'x = """' + "(\n" * 500 + '"""\n',
    "brackets in raw strings": "x = r'" + "(" * 500 + "\\'('\n",
    "many brackets, none deep": "x = [" + "(1, 2), " * 5000 + "]\n",
    "a large table": "x = {" + '"a": 1, ' * 5000 + "}\n",
    "a long list of strings": "x = [" + '"a",\n' * 5000 + "]\n",
    "many lines": "x = a.b + c.d\n" * 5000,
    "negations on many lines": "x = not not y\n" * 1000,
    "200 calls": "x = a" + ".b()" * 200 + "\n",
    "400 elifs": "if a: pass\n" + "elif b: pass\n" * 400,
    "900 terms": "x = " + " + ".join(["a"] * 900) + "\n",
    "99 indents": "".join(" " * depth + "if a:\n" for depth in range(99)) + " " * 99 + "pass\n",
    "200 brackets": "x = " + "(" * 200 + ")" * 200 + "\n",
}
RISKY = {
    "201 brackets": "x = " + "(" * 201 + ")" * 201 + "\n",
    "2,000 brackets": "x = " + "[" * 2000 + "]" * 2000 + "\n",
    "101 indents": "".join("\t" * depth + "if a:\n" for depth in range(101)) + "\t" * 101 + "pass\n",
    "lambdas": "x = " + "lambda: " * 3500 + "1\n",
    "negations": "x = " + "not " * 3500 + "1\n",
    "signs": "x = " + "-" * 3500 + "1\n",
    "a sum": "x = " + " + ".join(["a"] * 2000) + "\n",
    "a sum over lines": "x = (" + "\n + ".join(["a"] * 2000) + ")\n",
    "a chain of calls": "x = a" + ".b(1, 'x')" * 2000 + "\n",
    "a chain of subscripts": "x = a" + "[0]" * 2000 + "\n",
    "calls of calls": "x = a" + "()" * 2000 + "\n",
    "conditions": "x = " + "a if b else " * 2000 + "c\n",
    "a file of megabytes": "x = 1\n" * 200_000,
}


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS.keys())
def test_ordinary_code_is_scanned_here(text: str) -> None:
    assert not is_risky(text)


@pytest.mark.parametrize("text", RISKY.values(), ids=RISKY.keys())
def test_extraordinary_code_is_not(text: str) -> None:
    assert is_risky(text)


@given(st.text(alphabet="()[]{}'\"\\#\n\r\t f.+-lambdnot", max_size=200))
def test_any_text_can_be_measured(text: str) -> None:
    found = measure(text)
    assert 0 <= found.brackets <= len(text)
    assert 0 <= found.indents <= len(text)
    assert not is_risky(text)
