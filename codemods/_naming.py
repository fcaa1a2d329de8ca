"""Gives the value of an expression a name in its own scope, and puts statements behind the naming.

`x = C()` has a name already; `return C()` and `use(C())` get one, where the order of evaluation allows it.
"""

from __future__ import annotations

import re
from keyword import iskeyword
from typing import Callable, Iterator, List, Optional, Sequence

import libcst as cst

from rlobs_lint.model import Span, Text

from ._changes import CannotFixError
from ._editing import Editing
from ._evaluation import earlier_operands, last_name
from ._nodes import Statement
from ._tracing import Trace, is_checked_repeatedly, is_used_behind, trace_in_condition
from ._values import Value, assigned_name, other_branch, outermost

#: `build_prompt()` makes a prompt.
_MAKING_VERB = re.compile(r"^(?:get|load|build|make|create|read|fetch|init|new|open)_")


def trace_value(node: cst.BaseExpression, trace: Trace, editing: Editing) -> None:
    """Hands the value of an expression to a call as soon as it has a name.

    Args:
        node: The expression that makes the value.
        trace: The call.
        editing: Takes the edits.

    Raises:
        CannotFixError: The value has no name, and none can be given to it.
    """
    nodes = editing.nodes
    value = outermost(node, editing)
    parent = nodes.parent(value.node)
    statement = nodes.statement(value.node)
    name = assigned_name(value, editing)
    if name is not None:
        editing.after(statement, trace.lines(value, name, editing))
    elif isinstance(parent, cst.NamedExpr) and isinstance(parent.target, cst.Name):
        if is_checked_repeatedly(statement, nodes):
            trace_in_condition(parent, value, trace, editing)
        else:
            earlier = name_earlier_operands(parent, editing)
            name = parent.target.value
            editing.replace(nodes.outer(parent), name)
            written = standing_alone(nodes.text(value.node))
            editing.before(statement, [*earlier, f"{name} = {written}", *trace.lines(value, name, editing)])
    elif isinstance(parent, cst.Expr):
        raise CannotFixError(Text("nothing keeps its result", "其结果没有被保存"))
    elif isinstance(parent, cst.BaseExpression) and other_branch(parent, value.node) is not None:
        _part_branches(value, trace, editing)
    elif not _trace_in_block(value, trace, editing):
        is_one = value.holds not in ("each", "values")
        wanted = trace.wanted if is_one else tuple(f"{word}s" for word in trace.wanted)
        bind(value.node, wanted, editing, lambda fresh: trace.lines(value, fresh, editing))


def _trace_in_block(value: Value, trace: Trace, editing: Editing) -> bool:
    """Traces what `with C() as c:` or `for c in [C(), D()]:` names, as the first thing in its block."""
    parent = editing.nodes.parent(value.node)
    statement = editing.nodes.statement(value.node)
    if isinstance(parent, cst.WithItem) and isinstance(statement, cst.With):
        name = _with_name(parent, statement, editing)
        if name is not None:
            editing.first_in(statement.body, trace.lines(value, name, editing))
        return name is not None
    if isinstance(parent, cst.For) and value.holds == "each" and isinstance(parent.target, cst.Name):
        if not isinstance(value.node, cst.GeneratorExp) and is_used_behind(
            parent.target, parent, editing.nodes
        ):
            # The block is one path to that use; in front of the loop all of them are traced.
            return False
        editing.first_in(parent.body, [*trace.above, trace.write(parent.target.value)])
        return True
    return False


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
        CannotFixError: That would change the order of evaluation.
    """
    nodes = editing.nodes
    statement = nodes.statement(node)
    earlier = name_earlier_operands(node, editing)
    name = editing.fresh_name(wanted, statement)
    outer = nodes.outer(node)
    if isinstance(statement, cst.Return) and statement.value is node:
        editing.replace(Span(nodes.span(statement).start, outer.start), f"{name} = ")
        if text is not None:
            editing.replace(outer, text)
        editing.after(statement, [*then(name), f"return {name}"])
        return
    written = standing_alone(text) if text is not None else _moved_text(node, statement, editing)
    editing.replace(outer, name)
    editing.before(statement, [*earlier, f"{name} = {written}", *then(name)])


def name_earlier_operands(node: cst.BaseExpression, editing: Editing) -> List[str]:
    """Gives names to what a statement evaluates before an expression, if that may have effects.

    Returns:
        The assignments, which have to stand in front of the statement.

    Raises:
        CannotFixError: The order of evaluation could not be kept.
    """
    nodes = editing.nodes
    statement = nodes.statement(node)
    lines: List[str] = []
    for part in earlier_operands(nodes, node):
        if any(isinstance(inner, (cst.NamedExpr, cst.Yield)) for inner in _inside(part, editing)):
            raise CannotFixError(
                Text("another part of its statement binds a name", "语句的另一部分会绑定名字")
            )
        name = editing.fresh_name(_name_of_part(part, editing), statement)
        lines.append(f"{name} = {_moved_text(part, statement, editing)}")
        editing.replace(nodes.outer(part), name)
    return lines


def _inside(node: cst.BaseExpression, editing: Editing) -> Iterator[cst.BaseExpression]:
    return editing.nodes.of_kind((cst.BaseExpression,), node)


def _name_of_part(part: cst.BaseExpression, editing: Editing) -> List[str]:
    """Returns names for a part of a statement: its keyword, or what it is an object of."""
    argument = editing.nodes.parent(part)
    if isinstance(argument, cst.Arg) and argument.keyword is not None:
        return [argument.keyword.value, "value"]
    bare = part.expression if isinstance(part, cst.Await) else part
    called = last_name(bare.func) if isinstance(bare, cst.Call) else ""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", called).lower().strip("_")
    noun = _MAKING_VERB.sub("", snake)
    is_telling = called[:1].isupper() or noun != snake
    return [noun, "value"] if is_telling and noun.isidentifier() and not iskeyword(noun) else ["value"]


def _moved_text(node: cst.BaseExpression, statement: Statement, editing: Editing) -> str:
    """Returns an expression's text with its further lines indented for the place of its statement."""
    nodes = editing.nodes
    text = standing_alone(nodes.text(node))
    here = nodes.indentation(nodes.span(node).start)
    there = nodes.indentation(nodes.span(statement).start)
    lines = text.split("\n")
    surplus = here[len(there) :]
    strings = nodes.of_kind((cst.SimpleString, cst.FormattedString, cst.TemplatedString), node)
    is_literal = any("\n" in nodes.text(string) for string in strings)
    if is_literal or not here.startswith(there) or not all(line.startswith(here) for line in lines[1:]):
        return text
    return "\n".join((lines[0], *(line[len(surplus) :] for line in lines[1:])))


def standing_alone(text: str) -> str:
    """Returns an expression's text in a form that needs no brackets around it to span lines."""
    if "\n" not in text and "\r" not in text:
        return text
    try:
        cst.parse_statement(f"x = {text}")
    except cst.ParserSyntaxError:
        return f"({text})"
    return text


def _part_branches(value: Value, trace: Trace, editing: Editing) -> None:
    """Writes `x = C() if t else other()` as an `if` statement, so that only what is made here is traced.

    `x = other() or C()` becomes an assignment and an `if not x:` in the same way; `return` does, too.
    """
    nodes = editing.nodes
    choice = nodes.parent(value.node)
    statement = nodes.statement(choice)
    line, whole = nodes.parent(statement), nodes.span(statement)
    assert isinstance(choice, (cst.IfExp, cst.BooleanOperation))
    name = assigned_name(Value(choice), editing)
    start, end = editing.source.text[whole.start : nodes.outer(choice).start], []
    if isinstance(statement, cst.Return) and statement.value is choice:
        name = editing.fresh_name(trace.wanted, statement)
        end = [f"return {name}"]
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) > 1 or name is None:
        raise CannotFixError(Text("the other branch may hold something else", "另一分支可能是别的对象"))
    editing.comment_free(whole)
    step = nodes.module.default_indent
    bound = f"{name} = " if end else start
    made = [f"{bound}{standing_alone(nodes.text(value.node))}", *trace.lines(value, name, editing)]
    other = standing_alone(nodes.text(other_branch(choice, value.node) or choice))
    if isinstance(choice, cst.BooleanOperation):
        lines = [f"{bound}{other}", f"if not {name}:", *(step + text for text in made), *end]
    else:
        first, second = [*made, *end], [f"{start}{other}"]
        if choice.orelse is value.node:
            first, second = second, first
        lines = [f"if {standing_alone(nodes.text(choice.test))}:", *(step + text for text in first)]
        lines += ["else:", *(step + text for text in second)]
    newline = f"{nodes.newline(whole.start)}{nodes.indentation(whole.start)}"
    editing.replace(whole, newline.join(lines))


def _with_name(item: cst.WithItem, statement: cst.With, editing: Editing) -> Optional[str]:
    """Returns `c` of `with C() as c:`, if nothing uses it before the body."""
    if item.asname is None or not isinstance(item.asname.name, cst.Name):
        return None
    name = item.asname.name.value
    later = statement.items[list(statement.items).index(item) + 1 :]
    is_used = any(re.search(rf"\b{name}\b", editing.nodes.text(part)) for part in later)
    return None if is_used else name
