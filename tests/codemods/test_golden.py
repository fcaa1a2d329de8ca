from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Callable, Dict, Iterator, Tuple

import pytest
from rlobs_lint.codemods import __path__ as codemods_path

from tests.codemods.golden import CannotFixError, Case, read_cases, run, unmarked

CASES = list(read_cases())
CHANGED = [case for case in CASES if case.after is not None]


def _name(case: Case) -> str:
    return f"{case.codemod}: {case.name}"


def _tabs(code: str) -> str:
    return re.sub(r"^(?: {4})+", lambda match: "\t" * (len(match.group()) // 4), code, flags=re.MULTILINE)


#: The same code written another way; what a codemod does to it must be the same.
VARIANTS: Dict[str, Callable[[str], str]] = {
    "as it is": lambda code: code,
    "CRLF": lambda code: code.replace("\n", "\r\n"),
    "no final newline": lambda code: code[:-1],
    "tabs": _tabs,
}


def _variants() -> Iterator[Tuple[Case, str]]:
    for case in CHANGED:
        for variant, write in VARIANTS.items():
            # Where nothing is indented, four blanks are the file's indentation.
            if variant != "tabs" or write(case.marked) != case.marked:
                yield case, variant


def _identity(value: object) -> object:
    return _name(value) if isinstance(value, Case) else value


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["", "BOM"])
@pytest.mark.parametrize(("case", "variant"), list(_variants()), ids=_identity)
def test_a_change_is_as_recorded(case: Case, variant: str, mark: bytes) -> None:
    assert case.after is not None
    before = VARIANTS[variant](case.marked)
    text, _ = unmarked(before)
    after = run(case, before, mark + text.encode("utf-8"))
    assert after == mark + VARIANTS[variant](case.after).encode("utf-8")


@pytest.mark.parametrize("case", [case for case in CASES if case.after is None], ids=_name)
def test_a_refusal_gives_its_reason(case: Case) -> None:
    text, _ = unmarked(case.marked)
    with pytest.raises(CannotFixError) as refusal:
        run(case, case.marked, text.encode("utf-8"))
    assert refusal.value.reason.en == case.reason
    assert refusal.value.reason.zh


def test_every_codemod_has_at_least_five_cases() -> None:
    count = Counter(case.codemod for case in CHANGED)
    files = {path.stem for path in Path(codemods_path[0]).glob("[a-z]*.py")}
    assert {name for name in files if count[name] < 5} == set()


def test_cases_of_a_codemod_have_names_of_their_own() -> None:
    assert [name for name, count in Counter(map(_name, CASES)).items() if count > 1] == []
