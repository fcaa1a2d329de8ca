"""Paths of files: `Path(__file__).parent / "data"`, `os.path.join(...)`.

A path is a constant of the kind `path`. Only its text is computed: nothing is looked up on a disk, and what
is relative stays so. It begins in the workspace, as a job is submitted from there.
"""

from __future__ import annotations

import os.path
from pathlib import PurePath
from typing import Callable, Dict, Optional, Tuple

from rlobs_lint.flow.domain.arguments import Arguments
from rlobs_lint.flow.domain.path_values import path_value
from rlobs_lint.flow.domain.state import State
from rlobs_lint.flow.domain.values import (
    BOUNDED,
    NOTHING,
    UNKNOWN,
    Constant,
    Site,
    Value,
    constant,
    typed,
)
from rlobs_lint.flow.library.part import Part

_CLASSES = frozenset({f"pathlib.{name}" for name in ("Path", "PurePath", "PosixPath", "PurePosixPath")})
#: Functions of `os` that give a text, of one.
_OF_ONE: Dict[str, Callable[[str], str]] = {
    "os.path.dirname": os.path.dirname,
    "os.path.basename": os.path.basename,
    "os.path.normpath": os.path.normpath,
    "os.path.abspath": os.path.normpath,
    "os.path.realpath": os.path.normpath,
    "os.fspath": str,
}
_ATTRIBUTES = frozenset({"name", "stem", "suffix"})
_SAME = frozenset({"resolve", "absolute"})
_CHANGING = frozenset({"joinpath", "with_name", "with_suffix", "with_stem"})
_ASKING = frozenset({"exists", "is_file", "is_dir", "is_absolute", "is_symlink"})


class FilePaths(Part):
    """Computes paths of files from known texts."""

    def call(self, name: str, arguments: Arguments) -> Optional[Value]:
        """Carries out a call of a dotted name; `None` where it is none of these or cannot be followed."""
        if name in ("pathlib.Path.cwd", "os.getcwd"):
            return path_value(".") if name == "pathlib.Path.cwd" else constant(".")
        if name not in _CLASSES and name not in _OF_ONE and name != "os.path.join":
            return None
        texts = _texts(arguments)
        if texts is None or (not texts and name not in _CLASSES):
            return None
        if name in _CLASSES:
            return path_value(str(PurePath(*texts)))
        if name == "os.path.join":
            return constant(os.path.join(*texts))  # noqa: PTH118 - it is what is computed
        return constant(_OF_ONE[name](texts[0]))

    def attribute(self, path: Constant, name: str, site: Site, state: State) -> Optional[Value]:
        """Returns an attribute of a path that is no method, or `None`."""
        known = PurePath(str(path.value))
        if name == "parent":
            return path_value(_parent(known))
        if name == "parents":
            parents = tuple(path_value(_parent(inner)) for inner in (known, *known.parents))
            return self._sequence("tuple", parents, NOTHING, site, state)
        return constant(str(getattr(known, name))) if name in _ATTRIBUTES else None

    def method(self, path: Constant, name: str, arguments: Arguments) -> Value:
        """Carries out a call of a method of a path."""
        known = PurePath(str(path.value))
        if name in _SAME:
            return (path,)
        if name in ("as_posix", "__str__", "__fspath__"):
            return constant(str(known))
        texts = _texts(arguments)
        if name in _CHANGING and texts:
            try:
                return path_value(str(getattr(known, name)(*texts)))
            except (AttributeError, TypeError, ValueError):
                return UNKNOWN
        return typed("bool", BOUNDED) if name in _ASKING else UNKNOWN


def _parent(path: PurePath) -> str:
    """Returns the folder around a path; of the workspace itself the one above it."""
    if path.parts and path.parts[-1] != "..":
        return str(path.parent)
    return str(path / "..") if not path.is_absolute() else str(path)


def _texts(arguments: Arguments) -> Optional[Tuple[str, ...]]:
    """Returns the texts of arguments that are all known, or `None`."""
    texts = []
    for argument in arguments.positional:
        atom = argument.value[0] if len(argument.value) == 1 else None
        if not isinstance(atom, Constant) or not isinstance(atom.value, str):
            return None
        texts.append(atom.value)
    return None if arguments.open or arguments.keywords else tuple(texts)
