"""Takes `@observe_processor` off the wrong thing, and puts it on `process`.

Target: the span of the misplaced decorator (`Decorator.at`, with its `@`). Parameters `process_start` and
`process_end`: the span of the `def process` (`FunctionDef.at`) that is to have it; without them it is
only taken away.
"""

from __future__ import annotations

import libcst as cst

from rlobs_lint import sdk

from ._base import Codemod, find
from ._editing import Editing
from ._evaluation import first_name, last_name
from .add_observe_processor import add_decorator


class MoveObserveProcessor(Codemod[cst.Decorator]):
    """Moves the decorator as it is written, arguments included."""

    DESCRIPTION = "Moves a misplaced @observe_processor to the process method."
    kinds = (cst.Decorator,)
    orphans = True

    @classmethod
    def edit(cls, node: cst.Decorator, editing: Editing) -> None:
        """Removes the decorator's line, and adds one above `process` unless that is decorated."""
        editing.orphan(first_name(_called(node)))
        if editing.target.parameter("process_start") is None:
            editing.comment_free(editing.nodes.span(node))
            remove_decorator(node, editing)
            return
        remove_decorator(node, editing)
        process = find(editing, "process", (cst.FunctionDef,))
        names = {last_name(_called(decorator)) for decorator in process.decorators}
        if not names & sdk.ENTRY_DECORATORS:
            add_decorator(process, f"@{editing.nodes.text(node.decorator)}", editing)


def remove_decorator(node: cst.Decorator, editing: Editing) -> None:
    """Takes a decorator's line away; a comment on it stays, on a line of its own."""
    nodes = editing.nodes
    start = nodes.span(node).start
    comment = node.trailing_whitespace.comment
    if comment is not None:
        editing.replace(nodes.span(node)._replace(end=nodes.span(comment).start), "")
    else:
        editing.remove_lines(start, nodes.span(node.trailing_whitespace.newline).start)


def _called(decorator: cst.Decorator) -> cst.BaseExpression:
    return decorator.decorator.func if isinstance(decorator.decorator, cst.Call) else decorator.decorator
