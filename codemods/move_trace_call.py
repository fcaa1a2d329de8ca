"""Moves a trace call right behind the statement that makes what it traces.

Target: the span of the `trace_client(...)` or `trace_tool(...)` call. Parameters `after_start` and
`after_end`: the span of the expression that makes the client or the tools, without its brackets and
without `await`: the constructor's call, the call of `get_tools()`, the call of a function that returns it.
"""

from __future__ import annotations

from typing import Tuple

import libcst as cst

from rlobs_lint.model import Text

from ._base import Codemod, find
from ._changes import CannotFixError
from ._editing import Editing
from ._evaluation import is_reference, last_name
from ._moving import comments_of, guarded, whole_branch
from ._naming import standing_alone, trace_value
from ._nodes import Nodes
from ._tracing import Trace
from ._variables import Reference
from .add_trace_call import good_names

_OPAQUE = Text("it is not plain what it traces", "看不出它追踪的是什么")
_ARGUMENTS = Text("its other arguments may not be known there", "其他参数在那里可能还没有值")


class MoveTraceCall(Codemod[cst.Call]):
    """Moves the call with its comments; `pass` stays where its block would be empty."""

    DESCRIPTION = "Moves trace_client or trace_tool right behind the statement that makes what it traces."
    kinds = (cst.Call,)

    @classmethod
    def edit(cls, node: cst.Call, editing: Editing) -> None:
        """Moves the call, if every value it traced is still traced, and none later than before."""
        nodes = editing.nodes
        maker = find(editing, "after", (cst.BaseExpression,))
        statement, traced = _parts(node, nodes)
        unit = guarded(statement, traced, nodes)
        branch = whole_branch(traced, maker, unit, editing)
        above, beside = comments_of(statement, unit, nodes.statement(maker), nodes)
        whole, argument = nodes.span(node), nodes.outer(traced)
        text = editing.source.text

        def call(name: str) -> str:
            written = f"{text[whole.start : argument.start]}{name}{text[argument.end : whole.end]}"
            return f"{standing_alone(written)}{beside}"

        editing.remove(unit, keep_comment=not beside, comments=above)
        lines = tuple(text[comment.start : comment.end] for comment in above)
        if branch is not None:
            editing.after(branch, [*lines, call(nodes.text(traced))])
        else:
            trace_value(maker, Trace(call, good_names(maker, last_name(node.func)), lines), editing)


def _parts(call: cst.Call, nodes: Nodes) -> Tuple[cst.Expr, Reference]:
    """Returns the statement that is a trace call, and the variable that it traces."""
    statement = nodes.statement(call)
    traced = call.args[0].value if call.args and not call.args[0].star else None
    if not isinstance(statement, cst.Expr) or statement.value is not call:
        raise CannotFixError(_OPAQUE)
    if not isinstance(traced, (cst.Name, cst.Attribute)) or not is_reference(traced):
        raise CannotFixError(_OPAQUE)
    if not all(isinstance(other.value, (cst.SimpleString, cst.BaseNumber)) for other in call.args[1:]):
        raise CannotFixError(_ARGUMENTS)
    return statement, traced
