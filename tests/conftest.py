"""Fixtures that several test modules use."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Callable, Mapping, Union

import pytest
from hypothesis import settings

from tests.command_line import Tool
from tests.linting import Project

# How fast an example runs is no property of the code under test.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

#: Variables that change in which language and colours is spoken.
_VARIABLES = ("LANG", "LC_ALL", "LC_MESSAGES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE")

BuildProject = Callable[[Mapping[str, Union[str, bytes]]], Project]


@pytest.fixture
def workspace(tmp_path: Path) -> BuildProject:
    """Builds a project of files by relative path: `workspace({"functions/a.py": "..."}).lint().codes`."""
    return Project(tmp_path / "project").write


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Tool:
    """The command line in a project of its own, without variables that change what it says."""
    for name in [*_VARIABLES, *(name for name in os.environ if name.startswith("RLOBS_"))]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RLOBS_NO_CACHE", "1")
    project = Project(tmp_path / "project")
    monkeypatch.chdir(project.root)
    return Tool(project, capsysbinary)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-fixtures",
        action="store_true",
        help="rewrite the expected files of the cases under fixtures/",
    )
