"""The call that traces a value, and where it goes when a condition names that: `while not (x := C()):`."""

from __future__ import annotations

import re
from typing import Callable, List, NamedTuple, Optional, Tuple, Union

import libcst as cst

from rlobs_lint.model import Text

from ._changes import CannotFixError
from ._editing import Editing
from ._nodes import Nodes, Statement
from ._values import Value
from ._variables import EMPTY

_IN_CONDITION = Text("it is bound inside a condition", "它在条件表达式中绑定")


class Trace(NamedTuple):
    """What is done with a value once it has a name.

    Attributes:
        write: Returns the text of the call for the text of its argument.
        wanted: Good names for the value, where it has none; best first.
        above: Comment lines that go above the call.
    """

    write: Callable[[str], str]
    wanted: Tuple[str, ...]
    above: Tuple[str, ...] = ()

    def lines(self, value: Value, name: str, editing: Editing) -> List[str]:
        """Returns the statements that hand a value, known by a name, to the call."""
        indent = editing.nodes.module.default_indent
        if value.holds in ("maybe", "true"):
            test = f"{name} is not None" if value.holds == "maybe" else name
            return [*self.above, f"if {test}:", f"{indent}{self.write(name)}"]
        if value.holds in ("each", "values"):
            collection = f"{name}.values()" if value.holds == "values" else name
            singular = name.rpartition(".")[2].strip("_")
            wanted = [singular[:-1]] if singular.endswith("s") and len(singular) > 2 else []
            item = editing.fresh_name([*wanted, *self.wanted], editing.nodes.statement(value.node))
            return [*self.above, f"for {item} in {collection}:", f"{indent}{self.write(item)}"]
        return [*self.above, self.write(name)]


class _Outcomes(NamedTuple):
    """Whether a condition's value is there when the condition holds, and when it does not.

    Each is `yes`, `no` (it is nothing that could be traced) or `maybe`.
    """

    true: str
    false: str


def is_checked_repeatedly(statement: Statement, nodes: Nodes) -> bool:
    """Whether nothing can be put in front of a statement's condition: that of a `while` or an `elif`."""
    is_elif = isinstance(statement, cst.If) and isinstance(nodes.parent(statement), cst.If)
    return is_elif or isinstance(statement, cst.While)


def is_used_behind(name: cst.Name, loop: Union[cst.For, cst.While], nodes: Nodes) -> bool:
    """Whether code behind the block of a loop, its `else` included, may use a name that the loop gives."""
    end = nodes.span(loop.body).end
    names = nodes.names(nodes.function(loop))
    return any(other.value == name.value and nodes.span(other).start >= end for other in names)


def trace_in_condition(walrus: cst.NamedExpr, value: Value, trace: Trace, editing: Editing) -> None:
    """Traces what `x := C()` names in the condition of a `while` or `elif`, where the value is there.

    Raises:
        CannotFixError: There is no such place, or the condition itself uses the value.
    """
    nodes = editing.nodes
    statement = nodes.statement(walrus)
    assert isinstance(statement, (cst.While, cst.If)) and isinstance(walrus.target, cst.Name)
    outcomes = _outcomes(statement.test, walrus, nodes)
    rest = nodes.text(statement.test).replace(nodes.text(walrus), "")
    if outcomes is None or re.search(rf"\b{walrus.target.value}\b", rest):
        raise CannotFixError(_IN_CONDITION)
    if isinstance(statement, cst.While):
        _trace_in_loop(statement, walrus.target, outcomes, value, trace, editing)
        return
    name = walrus.target.value
    otherwise = statement.orelse
    if outcomes == _Outcomes("no", "yes") and isinstance(otherwise, cst.Else):
        editing.first_in(otherwise.body, trace.lines(value, name, editing))
    elif outcomes == _Outcomes("yes", "no"):
        if otherwise is not None and re.search(rf"\b{name}\b", nodes.text(otherwise)):
            raise CannotFixError(_IN_CONDITION)
        editing.first_in(statement.body, trace.lines(value, name, editing))
    else:
        raise CannotFixError(_IN_CONDITION)


def _trace_in_loop(
    loop: cst.While, target: cst.Name, outcomes: _Outcomes, value: Value, trace: Trace, editing: Editing
) -> None:
    nodes, name = editing.nodes, target.value

    def lines(outcome: str) -> List[str]:
        if outcome == "yes":
            return trace.lines(value, name, editing)
        if value.holds in ("each", "values"):
            raise CannotFixError(_IN_CONDITION)
        return trace.lines(value._replace(holds="true"), name, editing)

    is_used_inside = any(one.value == name for one in nodes.names(loop.body))
    is_used_later = is_used_behind(target, loop, nodes)
    if outcomes.true == "yes" or (outcomes.true == "maybe" and is_used_inside):
        editing.first_in(loop.body, lines(outcomes.true))
    if outcomes.true == "no" or (outcomes.false != "no" and is_used_later):
        behind = lines(outcomes.false)
        if loop.orelse is not None:
            editing.first_in(loop.orelse.body, behind)
        elif _may_be_left_otherwise(loop, nodes):
            # What `break` leaves it with was false, or is traced already.
            editing.after(loop, ["else:", *(nodes.module.default_indent + line for line in behind)])
        else:
            editing.after(loop, behind)


def _may_be_left_otherwise(loop: cst.While, nodes: Nodes) -> bool:
    """Whether a `break` of the loop's own leaves it."""
    kinds = (cst.For, cst.While, cst.FunctionDef, cst.ClassDef)
    return any(nodes.enclosing(one, kinds) is loop for one in nodes.of_kind((cst.Break,), loop.body))


def _outcomes(test: cst.BaseExpression, walrus: cst.NamedExpr, nodes: Nodes) -> Optional[_Outcomes]:
    """Tells on which outcomes of a condition a value that it names is there; `None` if that is not plain."""
    if test is walrus:
        return _Outcomes("yes", "no")
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        inner = _outcomes(test.expression, walrus, nodes)
        return _Outcomes(inner.false, inner.true) if inner is not None else None
    if isinstance(test, cst.BooleanOperation):
        # Of `a and b`, `b` may not be evaluated.
        inner = _outcomes(test.left, walrus, nodes)
        if inner is None:
            return None
        is_and = isinstance(test.operator, cst.And)
        return _Outcomes(inner.true, "maybe") if is_and else _Outcomes("maybe", inner.false)
    if isinstance(test, cst.Comparison) and test.left is walrus:
        return _compared(test, nodes)
    return None


def _compared(test: cst.Comparison, nodes: Nodes) -> _Outcomes:
    operator, against = test.comparisons[0].operator, nodes.text(test.comparisons[0].comparator)
    if len(test.comparisons) == 1 and against in EMPTY:
        if isinstance(operator, (cst.Is, cst.Equal)):
            return _Outcomes("no", "yes")
        if isinstance(operator, (cst.IsNot, cst.NotEqual)):
            return _Outcomes("yes", "no")
    return _Outcomes("maybe", "maybe")
