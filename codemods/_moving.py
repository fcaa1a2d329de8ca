"""Decides whether a trace call may move to where a value is made, and what moves with it."""

from __future__ import annotations

from typing import Iterator, List, Optional, Tuple

import libcst as cst

from rlobs_lint.model import Span, Text

from ._changes import CannotFixError
from ._editing import Editing
from ._nodes import Nodes, Statement
from ._values import assigned_name, outermost
from ._variables import Reference, is_same_source, stores, uses

_COMPOUND = (cst.BaseCompoundStatement,)
_BRANCHES = (cst.If, cst.Match, cst.MatchCase, cst.ExceptHandler, cst.ExceptStarHandler, cst.Else)

_BRANCH = Text("it stands in a branch of its own", "它位于单独的分支中")
_OTHER_FUNCTION = Text("what it traces is made in another function", "被追踪的对象在另一个函数中创建")
_OTHER_SOURCES = Text("what it traces may come from elsewhere, too", "被追踪的对象还可能来自别处")


def guarded(statement: cst.Expr, traced: Reference, nodes: Nodes) -> Statement:
    """Returns the `if x:` around a trace call of `x` that holds nothing else, or the call's statement."""
    line = nodes.parent(statement)
    guard = nodes.parent(nodes.parent(line) if isinstance(line, cst.SimpleStatementLine) else line)
    if isinstance(line, cst.SimpleStatementSuite):
        guard = nodes.parent(line)
    if not isinstance(guard, cst.If) or guard.orelse is not None or isinstance(nodes.parent(guard), cst.If):
        return statement
    is_lone = len(guard.body.body) == 1 and len(getattr(line, "body", ())) == 1
    own = {part.value for part in nodes.of_kind((cst.Name,), traced)} | {"None", "len"}
    asked = {part.value for part in nodes.of_kind((cst.Name,), guard.test)}
    asks_only = nodes.text(traced) in nodes.text(guard.test) and asked <= own
    header = Span(nodes.span(guard).start, nodes.span(guard.body).start)
    has_comment = any(header.start <= comment.start < header.end for comment in nodes.comments())
    return guard if is_lone and asks_only and not has_comment else statement


def _may_change_methods(traced: Reference, source: Statement, name: Optional[str], nodes: Nodes) -> bool:
    """Whether another method of the class assigns to the very attribute that is traced.

    A name that only the one method imports or binds for the call is not known in the other.
    """
    classes = [nodes.enclosing(node, (cst.ClassDef,)) for node in (traced, source)]
    is_attribute = isinstance(traced, cst.Attribute) and isinstance(traced.value, cst.Name)
    if not is_attribute or name != nodes.text(traced) or classes[0] is None or classes[0] is not classes[1]:
        return False
    call = nodes.statement(traced)
    called = {one.value for one in nodes.names(call)} - {one.value for one in nodes.names(traced)}
    bound = {one.value for one in nodes.names(nodes.function(traced)) if stores(one, nodes)}
    return not called & bound


def whole_branch(
    traced: Reference, maker: cst.BaseExpression, unit: Statement, editing: Editing
) -> Optional[Statement]:
    """Decides where a call can go, so that no value loses its trace or is traced later than it was.

    Returns:
        `None` for right behind what makes the value, where all values of the variable come from there or
        nothing comes between; else the branch around that, behind the whole of which the call goes.
    """
    nodes = editing.nodes
    source = nodes.statement(maker)
    name = assigned_name(outermost(maker, editing), editing)
    is_near = nodes.function(source) is nodes.function(unit)
    if not is_near and not _may_change_methods(traced, source, name, nodes):
        raise CannotFixError(_OTHER_FUNCTION)
    is_late = is_near and nodes.span(source).start < nodes.span(unit).start
    around = list(_blocks_around(unit, source, nodes))
    if any(isinstance(block, _BRANCHES) for block in around):
        raise CannotFixError(_BRANCH)
    if not is_late and any(isinstance(block, (cst.For, cst.While)) for block in around):
        raise CannotFixError(_BRANCH)
    places = list(uses(traced, nodes, source))
    if all(is_same_source(use, source, name, nodes) for use in places if stores(use, nodes)):
        return None
    if not is_near or name != nodes.text(traced):
        raise CannotFixError(_OTHER_SOURCES)
    blocks = list(_blocks_around(source, unit, nodes))
    holder = next((block for block in reversed(blocks) if isinstance(block, _COMPOUND)), source)
    if is_late:
        moved_over = Span(nodes.span(holder).end, nodes.span(unit).start)
        unwanted = [use for use in places if stores(use, nodes) and _within(use, moved_over, nodes)]
        since = Span(nodes.span(source).end, nodes.span(holder).end)
    else:
        unwanted = []
        since = Span(nodes.span(unit).end, nodes.span(holder).end)
    unwanted += [use for use in places if _within(use, since, nodes) and not _only_asks(use, nodes)]
    if unwanted or (not is_late and isinstance(traced, cst.Attribute) and holder is not source):
        raise CannotFixError(_OTHER_SOURCES)
    return None if holder is source else holder


def _within(use: Reference, gap: Span, nodes: Nodes) -> bool:
    return gap.start <= nodes.span(use).start < gap.end


def _only_asks(use: Reference, nodes: Nodes) -> bool:
    """Whether a place stores to a variable, or only asks in a condition whether it has a value."""
    if stores(use, nodes):
        return True
    statement = nodes.statement(use)
    return isinstance(statement, cst.If) and nodes.span(use).end <= nodes.span(statement.test).end


def _blocks_around(inner: Statement, other: Statement, nodes: Nodes) -> Iterator[cst.CSTNode]:
    """Yields the compound statements around one statement that do not hold the other."""
    shared = {id(ancestor) for ancestor in nodes.ancestors(other)}
    for ancestor in nodes.ancestors(inner):
        if id(ancestor) in shared:
            return
        yield ancestor


def comments_of(
    statement: cst.Expr, unit: Statement, source: Statement, nodes: Nodes
) -> Tuple[List[Span], str]:
    """Returns the comments that go with a trace call: the lines right above it, and the text behind it.

    Lines above a call that moves just below the next statement stay: they read well for both.
    """
    line = nodes.parent(statement)
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) > 1:
        return [], ""
    trailing = line.trailing_whitespace
    beside = trailing.whitespace.value + trailing.comment.value if trailing.comment is not None else ""
    siblings = list(nodes.siblings(unit))
    place = nodes.parent(unit) if isinstance(nodes.parent(unit), cst.SimpleStatementLine) else unit
    index = siblings.index(place)
    following = siblings[index + 1] if index + 1 < len(siblings) else None
    holds_source = following is not None and following in (source, nodes.parent(source))
    if unit is statement and holds_source:
        return [], beside
    starts = {comment.start: comment for comment in nodes.comments()}
    above: List[Span] = []
    start = nodes.line_start(nodes.span(statement).start)
    while start:
        previous = nodes.line_start(start - 1)
        first = previous + len(nodes.indentation(nodes.line_end(previous)))
        comment = starts.get(first)
        if comment is None or first != comment.start or nodes.source.text[previous:first].strip():
            break
        above.insert(0, comment)
        start = previous
    return above, beside
