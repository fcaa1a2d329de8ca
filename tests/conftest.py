"""Fixtures that several test modules use."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, Mapping, Union

import pytest

from tests.linting import Project

BuildProject = Callable[[Mapping[str, Union[str, bytes]]], Project]


@pytest.fixture
def workspace(tmp_path: Path) -> BuildProject:
    """Builds a project of files by relative path: `workspace({"functions/a.py": "..."}).lint().codes`."""
    return Project(tmp_path / "project").write
