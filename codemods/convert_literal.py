"""Writes a numeric string literal as a number.

Target: the span of the literal. No parameters.
"""

from __future__ import annotations

import ast
import math
import re

import libcst as cst

from rlobs_lint.model import Text

from ._base import Codemod
from ._changes import CannotFixError
from ._editing import Editing

_FLOAT = re.compile(r"\d+\.\d*(e[+-]?\d+)?|\d*\.\d+(e[+-]?\d+)?|\d+e[+-]?\d+", re.IGNORECASE)


class ConvertLiteral(Codemod[cst.BaseExpression]):
    """Replaces `"0.5"` by `0.5`."""

    DESCRIPTION = "Writes a metric that is a numeric string as a float."
    kinds = (cst.SimpleString, cst.ConcatenatedString)

    @classmethod
    def edit(cls, node: cst.BaseExpression, editing: Editing) -> None:
        """Replaces the literal, kept apart from words beside it."""
        span = editing.nodes.span(node)
        editing.comment_free(span)
        text = editing.source.text
        number = _as_float(text[span.start : span.end])
        before, after = text[span.start - 1 : span.start], text[span.end : span.end + 1]
        left = " " if before.isidentifier() or before.isdigit() else ""
        right = " " if after.isidentifier() or after.isdigit() else ""
        editing.replace(span, f"{left}{number}{right}")


def _as_float(literal: str) -> str:
    try:
        written = ast.literal_eval(f"({literal})")
        written = written.decode("ascii") if isinstance(written, bytes) else str(written)
        value = float(written)
    except (SyntaxError, ValueError):
        raise CannotFixError(Text("its text is not a number", "其文本不是数字")) from None
    if not math.isfinite(value):
        raise CannotFixError(Text("it is not finite", "它不是有限数"))
    return written.strip() if _FLOAT.fullmatch(written.strip()) else repr(value)
