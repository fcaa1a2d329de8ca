"""Fixtures that several test modules use."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, Mapping, Union

import pytest
from hypothesis import settings

from tests.linting import Project

# How fast an example runs is no property of the code under test.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

BuildProject = Callable[[Mapping[str, Union[str, bytes]]], Project]


@pytest.fixture
def workspace(tmp_path: Path) -> BuildProject:
    """Builds a project of files by relative path: `workspace({"functions/a.py": "..."}).lint().codes`."""
    return Project(tmp_path / "project").write


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-fixtures",
        action="store_true",
        help="rewrite the expected files of the cases under fixtures/",
    )
