"""Moves a decorator below another one.

Target: the span of the decorator that stands too high (`Decorator.at`, with its `@`). Parameters
`below_start` and `below_end`: the span of the decorator that it belongs under.
"""

from __future__ import annotations

import libcst as cst

from ._base import Codemod, find
from ._editing import Editing


class ReorderDecorators(Codemod[cst.Decorator]):
    """Moves the decorator's line, with the comment on it; comment lines between decorators stay."""

    DESCRIPTION = "Moves @observe_tool below @tool, so that it wraps the function and not the tool."
    kinds = (cst.Decorator,)

    @classmethod
    def edit(cls, node: cst.Decorator, editing: Editing) -> None:
        """Moves the line."""
        nodes = editing.nodes
        below = find(editing, "below", (cst.Decorator,))
        start = nodes.line_start(nodes.span(node).start)
        end = nodes.span(node.trailing_whitespace.newline).start
        editing.remove_lines(start, end)
        place = nodes.span(below.trailing_whitespace.newline).start
        editing.insert(place, nodes.newline(place) + nodes.source.text[start:end])
