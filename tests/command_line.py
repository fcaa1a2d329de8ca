"""The command line, run in this process."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest

from rlobs_lint.cli import commands
from tests.linting import Project


class Result(NamedTuple):
    """What a run printed and exited with."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


class Tool:
    """Runs the command line in this process, in a folder of its own."""

    def __init__(self, project: Project, capture: pytest.CaptureFixture[bytes]) -> None:
        self.project = project
        self._capture = capture

    def __call__(self, *arguments: str) -> Result:
        self._capture.readouterr()
        status = commands.run(list(arguments))
        out, err = self._capture.readouterr()
        return Result(status, out.decode("utf-8"), err.decode("utf-8"))
