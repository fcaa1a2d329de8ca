"""A new rule is laid out by one command, and tests say what is left of it to write."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.scaffold import LEFT, files_of, main, scaffold

CODE, NAME = "RLO999", "name-of-the-mistake"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """What the tests of one rule need of the repository."""
    shutil.copytree(ROOT / "rlobs_lint", tmp_path / "rlobs_lint")
    shutil.copytree(ROOT / "tests" / "rules", tmp_path / "tests" / "rules")
    for path in (ROOT / "pyproject.toml", *(ROOT / "tests").glob("*.py")):
        shutil.copy(path, tmp_path / path.relative_to(ROOT))
    return tmp_path


def test_what_is_left_fails(copy: Path) -> None:
    scaffold(copy, CODE, NAME)
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    files = ("tests/rules/test_rules.py", "tests/rules/test_fixtures.py")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files, "-k", CODE]
    tested = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
    # The example and the case are reported nowhere yet; what is to be clean is.
    failed = re.findall(r"^FAILED tests/rules/(\w+)\.py::\w+\[(\S+)\]", tested.stdout, re.MULTILINE)
    assert set(failed) == {("test_rules", CODE), ("test_fixtures", f"{CODE}/example")}


def test_every_text_that_only_the_author_knows_is_marked() -> None:
    files = files_of(CODE, NAME)
    assert {path for path, text in files.items() if LEFT in text} == {
        "rlobs_lint/rules/rlo999_name_of_the_mistake.py",
        "tests/sdk/claims/RLO999/example/claim.toml",
    }


def test_the_command_says_what_it_has_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tests.scaffold.ROOT", tmp_path)
    monkeypatch.setattr("sys.argv", ["scaffold", CODE, NAME])
    main()
    written = capsys.readouterr().out.splitlines()[:-1]
    assert written == list(files_of(CODE, NAME)) and all((tmp_path / path).is_file() for path in written)
    with pytest.raises(SystemExit, match="already"):
        main()


def test_the_rule_is_laid_out_as_others_are(tmp_path: Path) -> None:
    scaffold(tmp_path, CODE, NAME)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for command in (("check",), ("format", "--check")):
        subprocess.run(
            [sys.executable, "-m", "ruff", *command, "rlobs_lint"],
            cwd=tmp_path,
            check=True,
            capture_output=True,
        )


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("RLO99", NAME),
        ("rlo999", NAME),
        (CODE, "Name-Of-It"),
        (CODE, "name"),
        (CODE, ""),
        ("RLO101", NAME),
        (CODE, "missing-observe-processor"),
    ],
)
def test_what_is_no_new_rule_is_refused(tmp_path: Path, code: str, name: str) -> None:
    folder = tmp_path / "rlobs_lint" / "rules"
    folder.mkdir(parents=True)
    (folder / "rlo101_missing_observe_processor.py").touch()
    with pytest.raises(ValueError, match=r"give a code|already"):
        scaffold(tmp_path, code, name)
    assert len(list(tmp_path.rglob("*.py"))) == 1
