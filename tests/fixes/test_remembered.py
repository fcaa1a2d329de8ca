"""Fixes that were worked out before: the same as if they were worked out now, whatever is stored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Callable, List, Tuple

import pytest

from rlobs_lint.checking.checked import Checked
from rlobs_lint.checking.engine import Engine
from rlobs_lint.fixes import fix, remembered
from rlobs_lint.model import Text
from tests.linting import PROCESSOR, REQUIREMENTS, Project

UNDECORATED = PROCESSOR.replace("    @observe_processor\n", "")


@pytest.fixture
def checked(tmp_path: Path) -> Checked:
    """A workspace with a fix that needs the parser, its fixes worked out once."""
    project = Project(tmp_path / "w").write({"functions/p.py": UNDECORATED, "requirements.txt": REQUIREMENTS})
    (one,) = project.lint().checked
    remembered.with_edits(_engine(), one, str(tmp_path / "cache"))
    return one


def _engine() -> Engine:
    return Engine(use_cache=False, jobs=1)


def _again(checked: Checked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tuple[Checked, int]:
    """Works them out again; returns the result, and how often fixes had to be worked out."""
    made: List[Checked] = []
    with_edits: Callable[[Checked], Checked] = fix.with_edits

    def count(one: Checked) -> Checked:
        made.append(one)
        return with_edits(one)

    monkeypatch.setattr(fix, "with_edits", count)
    return remembered.with_edits(_engine(), checked, str(tmp_path / "cache")), len(made)


def _file(tmp_path: Path) -> Path:
    (file,) = (tmp_path / "cache" / "tmp").glob("*.fixes")
    return file


def test_they_come_back_as_they_were(
    checked: Checked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _again(checked, tmp_path, monkeypatch) == (fix.with_edits(checked), 0)
    assert checked.findings[0].fix is not None and checked.findings[0].fix.targets
    assert remembered.with_edits(_engine(), checked, None) == fix.with_edits(checked)


def test_a_reason_comes_back_too(checked: Checked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reason = Text("it cannot be done", "无法完成")
    refused = checked._replace(findings=(checked.findings[0]._replace(fix=None, unfixable=reason),))
    monkeypatch.setattr(fix, "with_edits", lambda _: refused)
    _file(tmp_path).unlink()
    assert remembered.with_edits(_engine(), checked, str(tmp_path / "cache")) == refused
    monkeypatch.setattr(fix, "with_edits", lambda _: pytest.fail("it was known"))
    assert remembered.with_edits(_engine(), checked, str(tmp_path / "cache")) == refused


def test_another_byte_anywhere_makes_them_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"functions/p.py": UNDECORATED, "functions/other.py": "x = 1\n", "requirements.txt": REQUIREMENTS}
    project = Project(tmp_path / "w").write(files)
    remembered.with_edits(_engine(), project.lint().checked[0], str(tmp_path / "cache"))
    (changed,) = project.write({"functions/other.py": "x = 2\n"}).lint().checked
    assert _again(changed, tmp_path, monkeypatch)[1] == 1


@pytest.mark.parametrize(
    "value",
    [
        "nonsense",
        "[]",
        "[null, null]",
        "[[], null]",
        "[[[1, 2, 3, 4]], null]",
        '[[["functions/p.py", "a", 0, ""]], null]',
        '[[["../elsewhere.py", 0, 0, "x"]], null]',
        '[[["/etc/passwd", 0, 0, "x"]], null]',
        '[[], ["only one"]]',
        "[" * 9999,
    ],
)
def test_whatever_else_is_stored_is_a_miss(
    checked: Checked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    store = remembered.Store(str(tmp_path / "cache"), checked.workspace.root, "fixes", remembered.own_code())
    store.put(remembered._key(remembered._state(checked), checked.findings[0]), value.encode())
    store.save()
    assert _again(checked, tmp_path, monkeypatch) == (fix.with_edits(checked), 1)


def test_what_is_stored_is_plain_text_with_relative_paths(checked: Checked, tmp_path: Path) -> None:
    line = _file(tmp_path).read_bytes().split(b"\n")[1].split(b" ", 2)[2]
    edits, reason = json.loads(line)
    assert reason is None
    assert {edit[0] for edit in edits} == {"functions/p.py"}
