"""Takes a suppression comment away, or codes out of it.

Target: the span of the comment, from its `#`. Parameter `content`: what remains of the comment; empty to
remove it, with the blanks before it, or with its line where it stands alone.
"""

from __future__ import annotations

import libcst as cst

from rlobs_lint.model import Span

from ._base import Codemod
from ._editing import Editing


class RemoveSuppression(Codemod[cst.Comment]):
    """Shortens or removes a comment."""

    DESCRIPTION = "Removes a suppression comment, or those of its codes, that hides nothing."
    kinds = (cst.Comment,)

    @classmethod
    def edit(cls, node: cst.Comment, editing: Editing) -> None:
        """Replaces the comment, or takes it away."""
        nodes = editing.nodes
        span = nodes.span(node)
        content = str(editing.target.parameter("content") or "")
        start = nodes.line_start(span.start)
        before = editing.source.text[start : span.start]
        if content:
            editing.replace(span, content)
        elif before.strip():
            editing.delete(Span(start + len(before.rstrip()), span.end))
        else:
            editing.remove_lines(span.start, span.end)
