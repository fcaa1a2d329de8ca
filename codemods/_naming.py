"""Gives the value of an expression a name in its own scope, and puts statements behind the naming.

`x = C()` has a name already; `return C()` and `use(C())` get one, where the order of evaluation allows it.
"""

from __future__ import annotations

import re
from typing import Callable, List, NamedTuple, Optional, Sequence, Tuple, Union

import libcst as cst

from rlobs_lint.model import Span, Text

from ._editing import CannotFix, Editing
from ._evaluation import demand_first, is_inert, is_reference, last_name
from ._nodes import Statement

#: Calls that run a coroutine to its end and return what it returns.
_RUNNERS = frozenset({"run", "run_until_complete", "wait_for", "shield"})
_CLIENT_CLASS = re.compile(r"OpenAI$")

_MIXED = Text("the other branch may hold something else", "另一分支可能是别的对象")
_NEVER_NAMED = Text("nothing keeps its result", "其结果没有被保存")

_Display = Union[cst.List, cst.Tuple, cst.Set]


class Value(NamedTuple):
    """An expression whose value is, or holds, what is to be traced.

    Attributes:
        node: The expression.
        holds: Empty where it is the thing itself; `each` for a collection of things, `values` for a
            dictionary of them, `maybe` for a thing or `None`.
    """

    node: cst.BaseExpression
    holds: str = ""

    def lines(self, call: Callable[[str], str], name: str, editing: Editing, place: Statement) -> List[str]:
        """Returns the statements that hand a value, known by a name, to a call.

        Args:
            call: Returns the text of the call for the text of its argument.
            name: How the value is known.
            editing: Finds a name for a loop variable.
            place: The statement beside which they will stand.
        """
        indent = editing.nodes.module.default_indent
        if self.holds == "maybe":
            return [f"if {name} is not None:", f"{indent}{call(name)}"]
        if self.holds in ("each", "values"):
            collection = f"{name}.values()" if self.holds == "values" else name
            singular = name.rpartition(".")[2].strip("_")
            wanted = [singular[:-1]] if singular.endswith("s") and len(singular) > 2 else []
            item = editing.fresh_name([*wanted, "client", "element"], place)
            return [f"for {item} in {collection}:", f"{indent}{call(item)}"]
        return [call(name)]


def trace_value(
    node: cst.BaseExpression, call: Callable[[str], str], wanted: Sequence[str], editing: Editing
) -> None:
    """Hands the value of an expression to a call as soon as it has a name.

    Args:
        node: The expression that makes the value.
        call: Returns the text of the call for the text of its argument.
        wanted: Good names for the value, where it has none.
        editing: Takes the edits.

    Raises:
        CannotFix: The value has no name, and none can be given to it.
    """
    nodes = editing.nodes
    value = _outermost(node, editing)
    parent = nodes.parent(value.node)
    statement = nodes.statement(value.node)
    name = _assigned_name(value, editing)
    if name is not None:
        editing.after(statement, value.lines(call, name, editing, statement))
    elif isinstance(parent, cst.NamedExpr) and isinstance(parent.target, cst.Name):
        _trace_walrus(parent, value, call, editing)
    elif isinstance(parent, cst.WithItem) and _with_name(parent, editing) is not None:
        assert isinstance(statement, cst.With)
        editing.first_in(
            statement.body, value.lines(call, str(_with_name(parent, editing)), editing, statement)
        )
    elif isinstance(parent, cst.For) and value.holds == "each" and isinstance(parent.target, cst.Name):
        editing.first_in(parent.body, [call(parent.target.value)])
    elif isinstance(parent, cst.Expr):
        raise CannotFix(_NEVER_NAMED)
    else:
        bind(value.node, wanted if value.holds in ("", "maybe") else [f"{wanted[0]}s", "clients"], editing,
             lambda name: value.lines(call, name, editing, statement))  # fmt: skip


def bind(
    node: cst.BaseExpression,
    wanted: Sequence[str],
    editing: Editing,
    then: Callable[[str], List[str]],
    text: Optional[str] = None,
) -> None:
    """Gives the value of an expression a name in front of its statement, and writes the name in its place.

    Args:
        node: The expression.
        wanted: Good names, best first.
        editing: Takes the edits.
        then: Returns statements to put behind the naming, for the name.
        text: What to bind, where it is not the expression itself.

    Raises:
        CannotFix: That would change the order of evaluation.
    """
    nodes = editing.nodes
    statement = nodes.statement(node)
    demand_first(nodes, node)
    name = editing.fresh_name(wanted, statement)
    outer = nodes.outer(node)
    if isinstance(statement, cst.Return) and statement.value is node:
        editing.replace(Span(nodes.span(statement).start, outer.start), f"{name} = ")
        if text is not None:
            editing.replace(outer, text)
        editing.after(statement, [*then(name), f"return {name}"])
        return
    written = standing_alone(text if text is not None else nodes.text(node))
    editing.replace(outer, name)
    editing.before(statement, [f"{name} = {written}", *then(name)])


def standing_alone(text: str) -> str:
    """Returns an expression's text in a form that needs no brackets around it to span lines."""
    if "\n" not in text and "\r" not in text:
        return text
    try:
        cst.parse_statement(f"x = {text}")
    except cst.ParserSyntaxError:
        return f"({text})"
    return text


def _outermost(node: cst.BaseExpression, editing: Editing) -> Value:
    """Follows a value outwards through `await`, branches and displays, as long as it can be told what holds it."""
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
        elif isinstance(parent, cst.IfExp) and parent.test is not current and not value.holds:
            other = parent.orelse if parent.body is current else parent.body
            value = Value(parent, _branch(other, node))
        elif isinstance(parent, cst.BooleanOperation) and parent.right is current and not value.holds:
            if not isinstance(parent.operator, cst.Or):
                return value
            value = Value(parent, _branch(parent.left, node))
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


def _branch(other: cst.BaseExpression, maker: cst.BaseExpression) -> str:
    """Says what a value is that may be another expression's instead."""
    if isinstance(other, cst.Name) and other.value == "None":
        return "maybe"
    if is_reference(other) or _is_alike(other, maker):
        return ""
    raise CannotFix(_MIXED)


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


def _assigned_name(value: Value, editing: Editing) -> Optional[str]:
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
        return nodes.text(parent.target) if is_whole else _assigned_name(Value(parent), editing)
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


def _with_name(item: cst.WithItem, editing: Editing) -> Optional[str]:
    """Returns `c` of `with C() as c:`, if nothing uses it before the body."""
    nodes = editing.nodes
    if item.asname is None or not isinstance(item.asname.name, cst.Name):
        return None
    name = item.asname.name.value
    statement = nodes.parent(item)
    assert isinstance(statement, cst.With)
    later = list(statement.items)[list(statement.items).index(item) + 1 :]
    is_used = any(re.search(rf"\b{name}\b", nodes.text(part)) for part in later)
    return None if is_used else name


def _trace_walrus(walrus: cst.NamedExpr, value: Value, call: Callable[[str], str], editing: Editing) -> None:
    """Traces what `x := C()` names: in the block of its `while` or `elif`, else in front of the statement."""
    nodes = editing.nodes
    assert isinstance(walrus.target, cst.Name)
    name = walrus.target.value
    statement = nodes.statement(walrus)
    is_repeated = isinstance(statement, cst.While) or (
        isinstance(statement, cst.If) and isinstance(nodes.parent(statement), cst.If)
    )
    if not is_repeated:
        demand_first(nodes, walrus)
        editing.replace(nodes.outer(walrus), name)
        written = standing_alone(nodes.text(value.node))
        editing.before(statement, [f"{name} = {written}", *value.lines(call, name, editing, statement)])
        return
    assert isinstance(statement, (cst.While, cst.If))
    rest = nodes.text(statement.test).replace(nodes.text(walrus), "")
    otherwise = nodes.text(statement.orelse) if statement.orelse is not None else ""
    is_used = re.search(rf"\b{name}\b", rest + otherwise) is not None
    is_first = isinstance(statement.test, (cst.NamedExpr, cst.Comparison, cst.UnaryOperation))
    if is_used or not is_first or not nodes.text(statement.test).lstrip("( ").startswith((name, "not")):
        raise CannotFix(Text("it is bound inside a condition", "它在条件表达式中绑定"))
    editing.first_in(statement.body, value.lines(call, name, editing, statement))


__all__ = ["Value", "bind", "is_inert", "standing_alone", "trace_value"]
