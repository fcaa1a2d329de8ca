"""Walks a folder for the Python and YAML files in it that belong to the same workspace."""

from __future__ import annotations

import os
from collections import Counter
from typing import Dict, FrozenSet, List, NamedTuple, Optional, Tuple

from rlobs_lint.files.excludes import Excludes, GitIgnores, is_environment
from rlobs_lint.files.source import ReadError
from rlobs_lint.model import Text

#: The folder that makes the one that holds it a workspace.
FUNCTIONS = "functions"
PYTHON_SUFFIX = ".py"
YAML_SUFFIXES = (".yaml", ".yml")


class Walk(NamedTuple):
    """What lies below a folder, as far as it belongs to the same workspace."""

    python: List[str]
    yaml: List[str]
    aliases: Dict[str, str]
    unreadable: List[ReadError]
    nested: List[str]
    ignored: List[str]


#: A folder to visit, the ignore files above it, and whether a link was followed on the way.
_Pending = Tuple[str, Optional[GitIgnores], bool]


class Visitor:
    """Visits every folder below one, without following links out of it or round in circles."""

    def __init__(self, walk: Walk, top: str, excludes: Excludes, left_out: Counter[str]) -> None:
        self._walk = walk
        self._top = top
        self._real_top = os.path.realpath(top)
        self._excludes = excludes
        self._left_out = left_out

    def visit(self, nested_marks: FrozenSet[str], ignores: Optional[GitIgnores], is_flat: bool) -> None:
        """Visits the folders.

        Args:
            nested_marks: Names that make a folder a workspace of its own, besides `functions/`.
            ignores: What holds in the folder by the ignore files above it; `None` to ask none.
            is_flat: Whether only the folder itself is visited.
        """
        pending: List[_Pending] = [(self._top, ignores, False)]
        while pending:
            folder, ignores, is_linked = pending.pop()
            entries = self._list(folder)
            names = {entry.name for entry in entries}
            if folder != self._top:
                if is_environment(names):
                    self._left_out["environment"] += 1
                    continue
                if names & nested_marks or os.path.isdir(os.path.join(folder, FUNCTIONS)):
                    if not is_linked:  # the folder that the link leads to is found by itself
                        self._walk.nested.append(folder)
                    continue
            if ignores is not None:
                ignores = ignores.entering(folder)
            for entry in entries:
                if not (is_flat and os.path.isdir(entry.path)) and not self._is_left_out(entry, ignores):
                    self._take(entry, ignores, is_linked, pending)

    def _list(self, folder: str) -> List[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            text = Text("the folder cannot be listed: {reason}", "无法列出该文件夹的内容：{reason}")
            self._walk.unreadable.append(ReadError(folder, text, (("reason", reason),)))
            return []

    def _is_left_out(self, entry: os.DirEntry[str], ignores: Optional[GitIgnores]) -> bool:
        is_folder = os.path.isdir(entry.path)  # the entry itself would raise for a link to itself
        if not is_folder and not entry.name.endswith((PYTHON_SUFFIX, *YAML_SUFFIXES)):
            return True
        if entry.name == ".git":
            return True  # nobody would look for code there
        for reason, holds in (
            ("hidden", is_folder and entry.name.startswith(".")),
            ("exclude", self._excludes.covers(entry.path, is_folder)),
            ("gitignore", ignores is not None and ignores.cover(entry.path, is_folder)),
        ):
            if holds:
                self._left_out[reason] += 1
                if reason == "gitignore":
                    self._walk.ignored.append(entry.path)
                return True
        return False

    def _take(
        self, entry: os.DirEntry[str], ignores: Optional[GitIgnores], is_linked: bool, pending: List[_Pending]
    ) -> None:
        is_link = entry.is_symlink()
        target = os.path.realpath(entry.path) if is_link else ""
        if is_link and not is_below(target, self._real_top):
            self._left_out["link"] += 1
        elif os.path.isdir(entry.path):
            # One link on the way is followed, unless it leads back up: two could go on for ever.
            if not is_link or not (
                is_linked or is_below(os.path.realpath(os.path.dirname(entry.path)), target)
            ):
                pending.append((entry.path, ignores, is_linked or is_link))
        else:
            (self._walk.python if entry.name.endswith(PYTHON_SUFFIX) else self._walk.yaml).append(entry.path)
            real = os.path.realpath(entry.path) if is_link or is_linked else ""
            if real:
                self._walk.aliases[entry.path] = self._top + real[len(self._real_top) :]


def is_below(path: str, folder: str) -> bool:
    """Whether an absolute path is a folder or lies in it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
