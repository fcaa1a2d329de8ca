"""Drops one key from metrics.

Target: the span of the key expression; of a keyword (`dict(k=v)`), the span of its name. No parameters.
"""

from __future__ import annotations

from typing import Optional

import libcst as cst

from rlobs_lint.model import Text

from ._base import Codemod
from ._changes import CannotFixError
from ._editing import Editing
from ._items import remove_item
from ._nodes import Nodes
from ._purity import is_pure

_ELSEWHERE = Text("the key is not written beside its value", "键没有与值写在一起")
_HAS_EFFECT = Text("what goes with it does more than make its value", "一同删除的代码不只是计算它的值")
_READ_AGAIN = Text("its value is read again", "它的值之后还会被读取")


class RemoveMetric(Codemod[cst.BaseExpression]):
    """Removes an entry of a dict display, a keyword, or an assignment to the key."""

    DESCRIPTION = "Drops one key from reward_metrics or rollout_metrics."
    kinds = (cst.BaseExpression,)
    orphans = True

    @classmethod
    def edit(cls, node: cst.BaseExpression, editing: Editing) -> None:
        """Removes the entry, unless code would miss what goes with it."""
        nodes = editing.nodes
        parent = nodes.parent(node)
        holder = nodes.parent(parent)
        if isinstance(parent, cst.DictElement) and parent.key is node and isinstance(holder, cst.Dict):
            _demand_pure(nodes, parent.key, parent.value)
            _demand_unread(nodes, holder, node)
            _note_names(editing, parent)
            remove_item(editing, holder.elements, parent)
        elif isinstance(parent, cst.Arg) and parent.keyword is node and isinstance(holder, cst.Call):
            _demand_pure(nodes, parent.value)
            _demand_unread(nodes, holder, node)
            _note_names(editing, parent)
            remove_item(editing, holder.args, parent)
        else:
            statement = _whole_statement(node, editing)
            if isinstance(statement, cst.Expr):
                assert isinstance(statement.value, cst.Call)
                function = statement.value.func
                holds = function.value if isinstance(function, cst.Attribute) else function
                _demand_pure(nodes, holds, *statement.value.args)
            else:
                _demand_pure(nodes, statement)
            _demand_unread(nodes, statement, node)
            _note_names(editing, statement)
            editing.remove(statement)


def _note_names(editing: Editing, gone: cst.CSTNode) -> None:
    """Notes the names that go, which may be the last uses of imports."""
    for name in editing.nodes.of_kind((cst.Name,), gone):
        editing.orphan(name.value)


def _demand_pure(nodes: Nodes, *parts: cst.CSTNode) -> None:
    if not all(is_pure(part, nodes) for part in parts):
        raise CannotFixError(_HAS_EFFECT)


def _demand_unread(nodes: Nodes, holder: cst.CSTNode, key: cst.BaseExpression) -> None:
    """Makes sure that no `metrics["key"]` in the same function fails for want of the key."""
    mapping = _mapping(nodes, holder, key)
    name = str(key.evaluated_value) if isinstance(key, cst.SimpleString) else nodes.text(key)
    spellings = {name, f'"{name}"', f"'{name}'"}
    for subscript in nodes.of_kind((cst.Subscript,), nodes.function(key)):
        is_same = nodes.text(subscript.value) == mapping and len(subscript.slice) == 1
        if not is_same or nodes.text(subscript.slice[0]) not in spellings:
            continue
        is_own = nodes.statement(subscript) is nodes.statement(key)
        if not is_own and not isinstance(nodes.parent(subscript), (cst.AssignTarget, cst.AnnAssign)):
            raise CannotFixError(_READ_AGAIN)


def _mapping(nodes: Nodes, holder: cst.CSTNode, key: cst.BaseExpression) -> Optional[str]:
    """Returns how the mapping that loses a key is written, if it has a name."""
    subscript = nodes.enclosing(key, (cst.Subscript,))
    if isinstance(holder, (cst.Assign, cst.AnnAssign, cst.AugAssign)) and subscript is not None:
        return nodes.text(subscript.value)
    call = holder.value if isinstance(holder, cst.Expr) else holder
    if isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute):
        return nodes.text(call.func.value)
    parent = nodes.parent(holder)
    target: Optional[cst.CSTNode] = None
    if isinstance(parent, cst.Assign):
        target = parent.targets[0].target
    elif isinstance(parent, cst.AnnAssign):
        target = parent.target
    return nodes.text(target) if target is not None else None


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
