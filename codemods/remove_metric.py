"""Drops one key from metrics.

Target: the span of the key expression; of a keyword (`dict(k=v)`), the span of its name. No parameters.
"""

from __future__ import annotations

import libcst as cst

from rlobs_lint.model import Text

from ._base import Codemod
from ._changes import CannotFixError
from ._editing import Editing
from ._parts import remove_part

_ELSEWHERE = Text("the key is not written beside its value", "键没有与值写在一起")


class RemoveMetric(Codemod[cst.BaseExpression]):
    """Removes an entry of a dict display, a keyword, or an assignment to the key."""

    DESCRIPTION = "Drops one key from reward_metrics or rollout_metrics."
    kinds = (cst.BaseExpression,)

    @classmethod
    def edit(cls, node: cst.BaseExpression, editing: Editing) -> None:
        """Removes the entry."""
        nodes = editing.nodes
        parent = nodes.parent(node)
        holder = nodes.parent(parent)
        if isinstance(parent, cst.DictElement) and parent.key is node and isinstance(holder, cst.Dict):
            remove_part(editing, holder.elements, parent)
        elif isinstance(parent, cst.Arg) and parent.keyword is node and isinstance(holder, cst.Call):
            remove_part(editing, holder.args, parent)
        else:
            editing.remove(_whole_statement(node, editing))


def _whole_statement(key: cst.BaseExpression, editing: Editing) -> cst.BaseSmallStatement:
    """Returns the statement that does nothing but give the key a value."""
    nodes = editing.nodes
    statement = nodes.statement(key)
    subscript = nodes.enclosing(key, (cst.Subscript,))
    if isinstance(statement, cst.Assign) and [part.target for part in statement.targets] == [subscript]:
        return statement
    if isinstance(statement, (cst.AnnAssign, cst.AugAssign)) and statement.target is subscript:
        return statement
    call = nodes.parent(nodes.parent(key))
    if isinstance(statement, cst.Expr) and statement.value is call and isinstance(call, cst.Call):
        return statement
    raise CannotFixError(_ELSEWHERE)
