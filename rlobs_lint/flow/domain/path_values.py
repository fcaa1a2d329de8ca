"""Paths of files as values: constants of the kind `path`, of which only the text is known."""

from __future__ import annotations

from pathlib import PurePath
from typing import Optional

from rlobs_lint.flow.domain.values import Atom, Constant, Value

PATH = "path"


def path_value(text: str) -> Value:
    """Returns the path of a text."""
    return (Constant(PATH, text),)


def joined(left: Atom, right: Atom) -> Optional[Value]:
    """Returns `left / right` where one is a path and both are known, or `None`."""
    sides = (left, right)
    if not all(isinstance(side, Constant) and isinstance(side.value, str) for side in sides):
        return None
    if not any(isinstance(side, Constant) and side.kind == PATH for side in sides):
        return None
    return path_value(str(PurePath(*(str(side.value) for side in sides if isinstance(side, Constant)))))
