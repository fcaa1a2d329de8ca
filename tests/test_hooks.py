"""The hooks for pre-commit: which files they are given, and that their commands do what they promise."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any, Dict

import pytest
import yaml

from rlobs_lint.cli import commands
from tests.checkout import ROOT
from tests.linting import PROCESSOR, REQUIREMENTS, Project

HOOKS: Dict[str, Any] = {
    hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
}
EACH = pytest.mark.parametrize("name", HOOKS)
UNDECORATED = PROCESSOR.replace("    @observe_processor\n", "")


def _run(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, *files: str) -> int:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("RLOBS_NO_CACHE", "1")
    program, *arguments = shlex.split(HOOKS[name]["entry"])
    assert program == commands.PROGRAM
    return commands.run([*arguments, *files])


def test_there_are_two() -> None:
    assert list(HOOKS) == ["rlobs-lint", "rlobs-lint-fix"]


@EACH
def test_one_process_is_given_all_files_of_a_commit(name: str) -> None:
    hook = HOOKS[name]
    assert hook["require_serial"] is True
    assert hook["language"] == "python"
    assert {"name", "description"} <= set(hook)


@EACH
@pytest.mark.parametrize(
    ("path", "is_given"),
    [
        ("functions/rollout/rollout.py", True),
        ("requirements.txt", True),
        ("agent/requirements-dev.txt", True),
        ("job.yaml", True),
        ("agent/rl-job-v2.yml", True),
        ("jobs/other.yaml", False),
        ("notes.txt", False),
        ("functions/rollout.pyi", False),
        ("train.jsonl", False),
    ],
)
def test_the_files_that_it_is_given(name: str, path: str, is_given: bool) -> None:
    assert bool(re.search(HOOKS[name]["files"], path)) is is_given


@EACH
def test_it_fails_a_commit_that_has_findings(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = Project(tmp_path).write({"functions/x.py": "def\n", "requirements.txt": REQUIREMENTS})
    assert _run(name, project.root, monkeypatch, "functions/x.py") == 1


@EACH
def test_it_passes_excluded_files(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = Project(tmp_path).write({"old/x.py": "def\n", "rlobs-lint.toml": 'exclude = ["old/"]\n'})
    assert _run(name, project.root, monkeypatch, "old/x.py") == 0


def test_the_second_one_fixes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = Project(tmp_path).write({"functions/p.py": UNDECORATED, "requirements.txt": REQUIREMENTS})
    path = project.root / "functions/p.py"
    assert _run("rlobs-lint", project.root, monkeypatch, "functions/p.py") == 1
    assert path.read_text(encoding="utf-8") == UNDECORATED
    assert _run("rlobs-lint-fix", project.root, monkeypatch, "functions/p.py") == 0
    assert path.read_text(encoding="utf-8") == PROCESSOR
