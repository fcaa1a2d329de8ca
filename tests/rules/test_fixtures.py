"""Every case under `fixtures/`: what is marked is found and nothing else, comments hide it, fixes mend it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Callable, Dict

import pytest

from rlobs_lint.rulebook import registry
from rlobs_lint.rulebook.rule import Rule
from tests.checkout import ROOT
from tests.linting import Project, expectations, read_files, suppressed
from tests.rules.mending import mended

CASES = sorted(path for path in (ROOT / "fixtures").glob("*/*") if path.is_dir())
#: What a file says about findings of these cannot be read: it holds no comments, or they are not found.
_BEYOND_COMMENTS = frozenset({"RLO801", "RLO802", "RLO803", "RLO901", "RLO902"})
#: Python files written another way; a fix must do the same to them.
VARIANTS: Dict[str, Callable[[bytes], bytes]] = {
    "CRLF": lambda code: re.sub(rb"(?<!\r)\n", b"\r\n", code),
    "no final newline": lambda code: code[:-1] if code.endswith(b"\n") else code,
    "BOM": lambda code: code if code.startswith(b"\xef\xbb\xbf") else b"\xef\xbb\xbf" + code,
}


def _name(case: Path) -> str:
    return f"{case.parent.name}/{case.name}"


def _files(case: Path) -> Dict[str, bytes]:
    return {name: content for name, content in read_files(case).items() if not name.startswith("expected/")}


def _is_recorded(case: Path) -> bool:
    """Returns whether what fixes make of a case is kept beside it.

    Not of the example, which is to look as a user's workspace does: `test_readme` fixes it.
    """
    return case.parent.name.startswith("RLO")


def _expected(case: Path) -> Dict[str, bytes]:
    return read_files(case / "expected") if (case / "expected").is_dir() else {}


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_what_is_marked_is_found_and_fixed_as_recorded(
    case: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    files = _files(case)
    wanted = expectations(files)
    assert bool(wanted) != case.name.startswith("clean_"), "a case has findings, or is called clean_..."
    files.pop("EXPECT", None)
    linted = Project(tmp_path / "before").write(files).lint()
    assert linted.places == wanted
    if not _is_recorded(case):
        return
    changed = mended(linted, files, tmp_path / "after")
    if request.config.getoption("--update-fixtures"):
        shutil.rmtree(case / "expected", ignore_errors=True)
        for name, content in changed.items():
            path = case / "expected" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    assert changed == _expected(case)


def _marked(case: Path) -> bool:
    return any(suppressed(content) != content for content in _files(case).values())


@pytest.mark.parametrize("case", list(filter(_marked, CASES)), ids=_name)
def test_marks_turned_into_suppressions_hide_what_they_mark(case: Path, tmp_path: Path) -> None:
    files = _files(case)
    wanted = expectations(files)
    by_comment = expectations({name: content for name, content in files.items() if name != "EXPECT"})
    beyond = dict(wanted - by_comment)
    # The comments of YAML are found although it cannot be parsed.
    unread = {place for place in wanted if place[2] in _BEYOND_COMMENTS and not place[0].endswith(".yaml")}
    beyond.update({place: wanted[place] for place in unread})
    files.pop("EXPECT", None)
    hidden = {name: suppressed(content) for name, content in files.items()}
    assert dict(Project(tmp_path).write(hidden).lint().places) == beyond


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("case", [case for case in CASES if any(case.glob("expected/**/*.py"))], ids=_name)
def test_a_case_written_another_way_is_fixed_the_same(case: Path, variant: str, tmp_path: Path) -> None:
    def write(files: Dict[str, bytes]) -> Dict[str, bytes]:
        other = VARIANTS[variant]
        return {name: other(code) if name.endswith(".py") else code for name, code in files.items()}

    files = write(_files(case))
    files.pop("EXPECT", None)
    linted = Project(tmp_path / "before").write(files).lint()
    assert mended(linted, files, tmp_path / "after") == write(_expected(case))


@pytest.mark.parametrize("rule", registry.all_rules(), ids=lambda rule: rule.code)
def test_every_rule_has_cases_of_both_kinds(rule: Rule) -> None:
    kinds = {case.name.startswith("clean_") for case in CASES if case.parent.name == rule.code}
    assert kinds == {True, False}
