from __future__ import annotations

from typing import Optional, Tuple

import pytest
from rlobs_lint.codemods._changes import apply

from rlobs_lint.facts.scan_file import scan
from rlobs_lint.files.source import SourceFile, decode_python
from rlobs_lint.fixes.verify import complaint
from rlobs_lint.model import Edit, Span

CODE = """\
import os


@first
@second
class A:
    x = 1; y = 2

    def f(self, a):
        if a: return os
        elif not a:
            y = [
                1,
            ]
        return a
"""


def _source(text: str) -> SourceFile:
    source = decode_python("/workspace/a.py", text.encode("utf-8"))
    assert isinstance(source, SourceFile)
    return source


def _complaint(*changes: Tuple[str, str], code: str = CODE) -> Optional[str]:
    """Replaces words of the code, and asks about the result."""
    edits = sorted(
        Edit("/workspace/a.py", Span(code.index(old), code.index(old) + len(old)), new)
        for old, new in changes
    )
    before = _source(code)
    return complaint(before, scan(before), _source(apply(code, edits)), edits)


@pytest.mark.parametrize(
    "changes",
    [
        (("import os\n", "import os\nimport sys\n"),),
        (("@first\n", ""),),
        (("@second\n", "@second\n@third\n"), ("return a\n", "return a\n\n\nB = A\n")),
        (("x = 1; y = 2", "x = 1\n    trace(x)\n    y = 2"),),
        (("if a: return os", "if a:\n            b = os\n            trace(b)\n            return b"),),
        (("        return a\n", ""),),
        (("import os", "import os, sys"), ("1,", "1, 2,"), ("self, a", "self, *, a")),
        (("return a\n", "return a"),),
    ],
)
def test_a_change_of_what_it_touches_is_right(changes: Tuple[Tuple[str, str], ...]) -> None:
    assert _complaint(*changes) is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("y = [", "y = ("), "row"),
        (("import os\n", "import os\nif os:\n"), "row"),
        (("return os\n", "return os\n        if self:\n            pass\n"), "no fix speaks of"),
        (("x = 1; y = 2", '"""x = 1; y = 2'), "row"),
        (("import os\n", "import os\nclass B: pass\nfor x in os:\n  class C:\n    pass\nelse:\n  "), "row"),
    ],
)
def test_a_change_that_reaches_further_is_wrong(change: Tuple[str, str], words: str) -> None:
    found = _complaint(change)
    assert found is not None and words in found


def test_a_statement_that_comes_to_stand_in_another_block_is_wrong() -> None:
    code = "if a:\n    b = 1\nelse:\n    b = 2\nc = 3\n"
    assert "no fix speaks of" in (_complaint(("else:", "for x in y:"), code=code) or "")
    assert "no fix speaks of" in (_complaint(("b = 2\n", "b = 2\nif b:\n "), code=code) or "")


def test_what_python_itself_refuses_is_wrong() -> None:
    code = "def f():\n    x = 1\n    return x\n"
    # The parser takes an argument twice; Python does not.
    assert _complaint(("x = 1", "x = f(a=1, a=2)"), code=code) == "Python does not parse it"


def test_code_that_python_could_not_parse_before_may_stay_so() -> None:
    code = "x = f(a=1, a=2)\ny = 1\n"
    assert _complaint(("y = 1", "y = 2"), code=code) is None
