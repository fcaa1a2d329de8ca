"""Every case under `fixtures/`: what is marked is found and nothing else, and comments can hide it."""

from __future__ import annotations

from pathlib import Path
from typing import Dict

import pytest

from tests.linting import Project, expectations, read_files, suppressed

FIXTURES = Path(__file__).parent.parent / "fixtures"
CASES = sorted(path for path in FIXTURES.glob("*/*") if path.is_dir())
#: What hides a finding of these is not in the file: it cannot be parsed, or holds no comments.
_BEYOND_COMMENTS = frozenset({"RLO801", "RLO802", "RLO803", "RLO901", "RLO902"})


def _files(case: Path) -> Dict[str, bytes]:
    return {name: content for name, content in read_files(case).items() if not name.startswith("expected/")}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_what_is_marked_is_found_and_nothing_else(case: Path, tmp_path: Path) -> None:
    files = _files(case)
    wanted = expectations(files)
    assert bool(wanted) != case.name.startswith("clean_"), "a case has findings, or is called clean_..."
    files.pop("EXPECT", None)
    assert Project(tmp_path).write(files).lint().places == wanted


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_marks_turned_into_suppressions_hide_what_they_mark(case: Path, tmp_path: Path) -> None:
    files = _files(case)
    wanted = expectations(files)
    by_comment = expectations({name: content for name, content in files.items() if name != "EXPECT"})
    beyond = dict(wanted - by_comment)
    beyond.update({place: count for place, count in wanted.items() if place[2] in _BEYOND_COMMENTS})
    files.pop("EXPECT", None)
    hidden = {name: suppressed(content) for name, content in files.items()}
    assert dict(Project(tmp_path).write(hidden).lint().places) == beyond


def test_every_rule_has_cases_of_both_kinds() -> None:
    folders = {case.parent.name for case in CASES}
    flagged = {case.parent.name for case in CASES if not case.name.startswith("clean_")}
    clean = folders - flagged | {case.parent.name for case in CASES if case.name.startswith("clean_")}
    assert flagged == clean == folders
