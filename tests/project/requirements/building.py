"""Builds workspaces and requirement files for the tests of requirements."""

from __future__ import annotations

from pathlib import Path
from typing import Iterable, List, Mapping, Union

from rlobs_lint.files.source import SourceFile
from rlobs_lint.model import Edit
from rlobs_lint.project.requirements.lines import Line, read_lines
from rlobs_lint.project.requirements.tree import RequirementsFile
from rlobs_lint.rulebook.workspace import Workspace
from tests.project.building import build

PROCESSOR = """\
from dashscope.finetune.reinforcement import AbstractRewardProcessor


class Quality(AbstractRewardProcessor):
    pass
"""


def workspace_of(root: Path, files: Mapping[str, Union[str, bytes]], named: Iterable[str] = ()) -> Workspace:
    """Writes files, a processor beside them, and reads all as a workspace; `named` requirement files too."""
    workspace = build(root, {"functions/reward.py": PROCESSOR, **files})
    workspace.linted_requirements = tuple(str(root / name) for name in named)
    return workspace


def file_of(text: str, path: str = "/w/requirements.txt") -> RequirementsFile:
    """Returns a file that is on no disk."""
    return RequirementsFile(
        path, SourceFile(path, text.encode("utf-8"), text, "utf-8"), tuple(read_lines(text))
    )


def line_of(text: str) -> Line:
    """Returns the only line of a file."""
    (line,) = read_lines(text)
    return line


def applied(text: str, edits: Iterable[Edit]) -> str:
    """Applies edits that do not overlap, those of one place in their order."""
    pieces: List[str] = []
    place = 0
    for edit in sorted(edits, key=lambda edit: edit.span.start):
        pieces += [text[place : edit.span.start], edit.content]
        place = edit.span.end
    return "".join([*pieces, text[place:]])
