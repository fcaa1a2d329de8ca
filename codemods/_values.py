"""Follows a value outwards from the expression that makes it to what holds it, and to its name."""

from __future__ import annotations

import re
from typing import List, NamedTuple, Optional, Tuple, Union

import libcst as cst

from ._editing import Editing
from ._evaluation import is_reference, last_name

#: Calls that run a coroutine to its end and return what it returns.
_RUNNERS = frozenset({"run", "run_until_complete", "wait_for", "shield"})
_CLIENT_CLASS = re.compile(r"OpenAI$")

_Display = Union[cst.List, cst.Tuple, cst.Set]


class Value(NamedTuple):
    """An expression whose value is, or holds, what is to be traced.

    Attributes:
        node: The expression.
        holds: Empty where it is the thing itself; `each` for a collection of things, `values` for a
            dictionary of them, `maybe` for a thing or `None`, `true` for a thing or something false.
    """

    node: cst.BaseExpression
    holds: str = ""


def outermost(node: cst.BaseExpression, editing: Editing) -> Value:
    """Follows a value outwards through `await`, branches and displays, while it is plain what holds it."""
    nodes = editing.nodes
    maker = node
    value = Value(node)
    while True:
        current = value.node
        parent = nodes.parent(current)
        if isinstance(parent, cst.Await):
            value = value._replace(node=parent)
            maker = parent if current is maker else maker
        elif _runs_coroutine(parent, nodes.parent(parent)):
            runner = nodes.parent(parent)
            assert isinstance(runner, cst.Call)
            value = value._replace(node=runner)
        elif _is_last_of_and(parent, current) and not value.holds:
            assert isinstance(parent, cst.BooleanOperation)
            value = Value(parent, "true")
        elif isinstance(parent, (cst.IfExp, cst.BooleanOperation)) and not value.holds:
            other = other_branch(parent, current)
            holds = None if other is None else _holds_beside(other, node)
            if holds is None:
                return value
            value = Value(parent, holds)
        else:
            held = None if value.holds else _collection(current, node, editing)
            if held is None:
                return value
            value = held


def _runs_coroutine(argument: cst.CSTNode, call: cst.CSTNode) -> bool:
    return (
        isinstance(argument, cst.Arg)
        and isinstance(call, cst.Call)
        and call.args[0] is argument
        and not argument.star
        and last_name(call.func) in _RUNNERS
    )


def _is_last_of_and(parent: cst.CSTNode, current: cst.BaseExpression) -> bool:
    if not isinstance(parent, cst.BooleanOperation) or not isinstance(parent.operator, cst.And):
        return False
    return parent.right is current


def other_branch(parent: cst.BaseExpression, current: cst.BaseExpression) -> Optional[cst.BaseExpression]:
    """Returns what the value of `a if t else b` or `a or b` may be instead of one of its parts."""
    if isinstance(parent, cst.IfExp) and parent.test is not current:
        return parent.orelse if parent.body is current else parent.body
    if isinstance(parent, cst.BooleanOperation) and isinstance(parent.operator, cst.Or):
        return parent.left if parent.right is current else None
    return None


def _holds_beside(other: cst.BaseExpression, maker: cst.BaseExpression) -> Optional[str]:
    """Says what a value holds that may be another expression's instead; `None` where that cannot be told."""
    if isinstance(other, cst.Name) and other.value == "None":
        return "maybe"
    return "" if is_reference(other) or _is_alike(other, maker) else None


def _is_alike(other: cst.CSTNode, maker: cst.CSTNode) -> bool:
    """Whether two expressions make the same kind of thing: calls of one name, or of two client classes."""
    while isinstance(other, cst.Await):
        other = other.expression
    while isinstance(maker, cst.Await):
        maker = maker.expression
    if not isinstance(other, cst.Call) or not isinstance(maker, cst.Call):
        return False
    names = (last_name(other.func), last_name(maker.func))
    return names[0] == names[1] or all(map(_CLIENT_CLASS.search, names))


def _collection(node: cst.BaseExpression, maker: cst.BaseExpression, editing: Editing) -> Optional[Value]:
    """Returns the display or comprehension that holds nothing but things like this one, if it has a place."""
    nodes = editing.nodes
    parent = nodes.parent(node)
    holder = nodes.parent(parent)
    found: Optional[Value] = None
    if isinstance(parent, cst.Element) and isinstance(holder, (cst.List, cst.Tuple, cst.Set)):
        if _own_target(parent, holder, editing) is not None:
            return None
        if all(isinstance(part, cst.Element) and _is_alike(part.value, maker) for part in holder.elements):
            found = Value(holder, "each")
    elif isinstance(parent, cst.StarredElement) and isinstance(holder, (cst.List, cst.Tuple)):
        if all(
            isinstance(part, cst.StarredElement) and _is_alike(part.value, maker) for part in holder.elements
        ):
            found = Value(holder)
    elif isinstance(parent, cst.BinaryOperation) and isinstance(parent.operator, cst.Add):
        if _is_alike(parent.left, maker) and _is_alike(parent.right, maker):
            found = Value(parent)
    elif isinstance(parent, cst.DictElement) and parent.value is node and isinstance(holder, cst.Dict):
        if all(
            isinstance(part, cst.DictElement) and _is_alike(part.value, maker) for part in holder.elements
        ):
            found = Value(holder, "values")
    elif (isinstance(parent, (cst.ListComp, cst.SetComp)) and parent.elt is node) or (
        isinstance(parent, cst.GeneratorExp) and parent.elt is node and isinstance(holder, cst.For)
    ):
        found = Value(parent, "each")
    elif isinstance(parent, cst.DictComp) and parent.value is node:
        found = Value(parent, "values")
    return found


def assigned_name(value: Value, editing: Editing) -> Optional[str]:
    """Returns a target of the assignment that a value is the whole right side of, or an element of."""
    nodes = editing.nodes
    parent = nodes.parent(value.node)
    targets: List[cst.BaseExpression] = []
    if isinstance(parent, cst.Assign):
        targets = [target.target for target in parent.targets]
    elif isinstance(parent, cst.AnnAssign) and parent.value is value.node:
        targets = [parent.target]
    elif isinstance(parent, cst.Element):
        holder = nodes.parent(parent)
        if isinstance(holder, (cst.List, cst.Tuple)):
            return _own_target(parent, holder, editing)
    elif isinstance(parent, cst.NamedExpr):
        # `y = (x := C())`: both names are bound when the statement ends.
        is_whole = isinstance(nodes.parent(parent), cst.Expr)
        return nodes.text(parent.target) if is_whole else assigned_name(Value(parent), editing)
    named = [target for target in targets if is_reference(target)]
    named.sort(key=lambda target: not isinstance(target, cst.Name))
    return nodes.text(named[0]) if named else None


def _own_target(element: cst.Element, holder: _Display, editing: Editing) -> Optional[str]:
    """Returns `b` for the second element of `a, b = C(), D()`."""
    nodes = editing.nodes
    statement = nodes.parent(holder)
    if not isinstance(statement, cst.Assign):
        return None
    index = list(holder.elements).index(element)
    for target in (part.target for part in statement.targets):
        if not isinstance(target, (cst.List, cst.Tuple)) or len(target.elements) != len(holder.elements):
            continue
        both: Tuple[cst.BaseElement, ...] = (*target.elements, *holder.elements)
        if all(isinstance(part, cst.Element) for part in both) and is_reference(target.elements[index].value):
            return nodes.text(target.elements[index].value)
    return None
