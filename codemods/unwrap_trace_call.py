"""Calls `trace_tool` or `trace_client` for itself, where its result, always `None`, was used.

Target: the span of the call. No parameters.
"""

from __future__ import annotations

from typing import Optional

import libcst as cst

from rlobs_lint.model import Span, Text

from ._base import Codemod
from ._changes import CannotFixError
from ._editing import Editing
from ._evaluation import is_reference, last_name, needs_brackets
from ._naming import bind, name_earlier_operands, standing_alone
from ._values import Value, assigned_name
from .add_trace_call import good_names


class UnwrapTraceCall(Codemod[cst.Call]):
    """Puts the argument in the place of the call, and the call on a line of its own."""

    DESCRIPTION = "Separates a trace_tool or trace_client call from the use of its result, which is None."
    kinds = (cst.Call,)

    @classmethod
    def edit(cls, node: cst.Call, editing: Editing) -> None:
        """Separates the call."""
        nodes = editing.nodes
        traced = _traced(node)
        if traced is None:
            raise CannotFixError(Text("it is not plain what it traces", "看不出它追踪的是什么"))
        parent = nodes.parent(node)
        used = parent if isinstance(parent, cst.Await) else node
        statement = nodes.statement(node)
        if isinstance(statement, cst.Expr) and statement.value is used:
            editing.replace(nodes.outer(used), _bare(node, editing))
        elif is_reference(traced):
            _trace_reference(node, used, traced, editing)
        else:
            _trace_expression(node, used, traced, editing)


def _traced(call: cst.Call) -> Optional[cst.BaseExpression]:
    """Returns what a call traces: its first argument, by position or by name."""
    first = call.args[0] if call.args else None
    return None if first is None or first.star else first.value


def _trace_reference(
    call: cst.Call, used: cst.BaseExpression, traced: cst.BaseExpression, editing: Editing
) -> None:
    """`y = trace_tool(x)` becomes `trace_tool(x)` and `y = x`; where `y` is `x`, the call is enough."""
    nodes = editing.nodes
    statement = nodes.statement(call)
    is_alone = isinstance(statement, cst.Assign) and len(statement.targets) == 1 and statement.value is used
    if isinstance(statement, cst.Assign) and is_alone:
        target = statement.targets[0].target
        if nodes.text(target) == nodes.text(traced):
            whole = Span(nodes.span(statement).start, nodes.outer(used).end)
            editing.replace(whole, _bare(call, editing))
            return
    earlier = name_earlier_operands(used, editing)
    editing.comment_free(nodes.outer(used))
    editing.before(statement, [*earlier, _bare(call, editing)])
    editing.replace(nodes.outer(used), nodes.text(traced))


def _bare(call: cst.Call, editing: Editing) -> str:
    """Returns the text of a call without brackets around it, unless they let it span lines."""
    span = editing.nodes.span(call)
    return standing_alone(editing.source.text[span.start : span.end])


def _trace_expression(
    call: cst.Call, used: cst.BaseExpression, traced: cst.BaseExpression, editing: Editing
) -> None:
    """`x = trace_tool(make())` becomes `x = make()` and `trace_tool(x)`; what has no name gets one."""
    nodes = editing.nodes
    inner, outer = nodes.outer(traced), nodes.outer(used)
    editing.comment_free(Span(outer.start, inner.start))
    editing.comment_free(Span(inner.end, outer.end))
    whole = nodes.span(call)
    bare = nodes.text(traced)
    text = f"({bare})" if needs_brackets(traced) else standing_alone(bare)

    def trace(name: str) -> str:
        code = editing.source.text
        return standing_alone(f"{code[whole.start : inner.start]}{name}{code[inner.end : whole.end]}")

    name = assigned_name(Value(used), editing)
    if name is not None:
        editing.replace(outer, text)
        editing.after(nodes.statement(call), [trace(name)])
        return
    wanted = good_names(_maker(traced), last_name(call.func))
    bind(used, wanted, editing, lambda fresh: [trace(fresh)], text)


def _maker(node: cst.BaseExpression) -> cst.BaseExpression:
    return node.expression if isinstance(node, cst.Await) else node
