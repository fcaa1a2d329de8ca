"""Every case under `fixtures/`: what is marked is found and nothing else, and comments can hide it."""

from __future__ import annotations

from pathlib import Path
from typing import Dict

import pytest

from rlobs_lint.rulebook import registry
from rlobs_lint.rulebook.rule import Rule
from tests.checkout import ROOT
from tests.linting import Project, expectations, read_files, suppressed

FIXTURES = ROOT / "fixtures"
CASES = sorted(path for path in FIXTURES.glob("*/*") if path.is_dir())
#: What a file says about findings of these cannot be read: it holds no comments, or they are not found.
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
    # The comments of YAML are found although it cannot be parsed.
    unread = {place for place in wanted if place[2] in _BEYOND_COMMENTS and not place[0].endswith(".yaml")}
    beyond.update({place: wanted[place] for place in unread})
    files.pop("EXPECT", None)
    hidden = {name: suppressed(content) for name, content in files.items()}
    assert dict(Project(tmp_path).write(hidden).lint().places) == beyond


@pytest.mark.parametrize("rule", registry.all_rules(), ids=lambda rule: rule.code)
def test_every_rule_has_cases_of_both_kinds(rule: Rule) -> None:
    kinds = {case.name.startswith("clean_") for case in CASES if case.parent.name == rule.code}
    assert kinds == {True, False}
