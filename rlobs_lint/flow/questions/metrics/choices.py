"""Where a variable gets `None` as one of two choices, and not only until it is set."""

from __future__ import annotations

from typing import FrozenSet, Iterator, List, Optional, Sequence, Set

from rlobs_lint.facts import ir, scopes
from rlobs_lint.model import Span

#: Calls that only tell about it: `logger.warning(...)`, `print(...)`.
_TELLING = frozenset({"debug", "info", "warning", "error", "exception", "log", "print"})


def chooses_none(body: Sequence[ir.Statement], name: ir.Name) -> bool:
    """Whether `None` is what an `else` or `except` gives a variable that the other path gives a value.

    Where the same question is asked again, or something else tells which path was taken, the variable may
    be used on the other path only: then it is not.

    Args:
        body: The statements of a module.
        name: The variable where it is used.
    """
    function = _innermost(body, name.at)
    if function is None or any(one.name == name.identifier for one in function.parameters):
        return False
    given = list(_bindings(function.body, name.identifier))
    if not all(isinstance(one, ir.Assign) and len(one.targets) == 1 for one in given):
        return False
    chosen: Set[Span] = set()
    asked: List[ir.If] = []
    for statement in scopes.walk_statements(function.body):
        if isinstance(statement, ir.If):
            for block, other in (
                (statement.body, statement.otherwise),
                (statement.otherwise, statement.body),
            ):
                found = _only_none(block, name.identifier)
                if found is not None and any(_gives(one, name.identifier) for one in other):
                    chosen.add(found)
                    asked.append(statement)
        elif isinstance(statement, ir.Try):
            tried = (*statement.body, *statement.otherwise)
            if any(_gives(one, name.identifier) for one in tried):
                blocks = (_only_none(handler.body, name.identifier) for handler in statement.handlers)
                chosen.update(found for found in blocks if found is not None)
    nones = {one.at for one in given if isinstance(one, ir.Assign) and _is_none(one.value)}
    if not nones or nones != chosen:
        return False
    names: FrozenSet[str] = frozenset().union(*(_names(one.test) for one in asked)) if asked else frozenset()
    tests = [test for test in _tests(function.body) if all(test is not one.test for one in asked)]
    return not any(names & _names(test) for test in tests)


def _innermost(body: Sequence[ir.Statement], at: Span) -> Optional[ir.FunctionDef]:
    """Returns the function that a place stands in."""
    for statement in scopes.walk_statements(body):
        if not isinstance(statement, (ir.FunctionDef, ir.ClassDef)):
            continue
        if statement.at.start <= at.start and at.end <= statement.at.end:
            inner = _innermost(statement.body, at)
            return inner or (statement if isinstance(statement, ir.FunctionDef) else None)
    return None


def _bindings(body: Sequence[ir.Statement], name: str) -> Iterator[ir.Statement]:
    """Yields the statements that bind a name."""
    for statement in scopes.walk_statements(body):
        # The blocks of a compound statement are walked for themselves.
        if name in scopes.bound_by(statement):
            yield statement


def _only_none(block: Sequence[ir.Statement], name: str) -> Optional[Span]:
    """Returns the `name = None` of a block that does nothing else, except to tell about it."""
    found: Optional[Span] = None
    for statement in block:
        if _gives(statement, name) and isinstance(statement, ir.Assign) and _is_none(statement.value):
            found = statement.at
        elif isinstance(statement, ir.Evaluate) and isinstance(statement.value, ir.Call):
            function = statement.value.function
            called = function.name if isinstance(function, ir.Attribute) else ""
            called = function.identifier if isinstance(function, ir.Name) else called
            if called not in _TELLING:
                return None
        else:
            return None
    return found


def _gives(statement: ir.Statement, name: str) -> bool:
    """Whether a statement is `name = ...`."""
    if not isinstance(statement, ir.Assign) or len(statement.targets) != 1:
        return False
    (target,) = statement.targets
    return isinstance(target, ir.Name) and target.identifier == name


def _is_none(expression: ir.Expression) -> bool:
    return isinstance(expression, ir.Literal) and expression.kind == "None"


def _tests(body: Sequence[ir.Statement]) -> Iterator[ir.Expression]:
    """Yields everything that a body asks."""
    for statement in scopes.walk_statements(body):
        if isinstance(statement, (ir.If, ir.While, ir.Assert)):
            yield statement.test
        elif isinstance(statement, ir.Match):
            yield statement.subject
        for expression in scopes.own_expressions(statement):
            for part in scopes.walk_expression(expression):
                if isinstance(part, ir.Conditional):
                    yield part.test
                elif isinstance(part, ir.Comprehension):
                    for clause in part.clauses:
                        yield from clause.conditions


def _names(expression: ir.Expression) -> FrozenSet[str]:
    """Returns the names and attributes that an expression asks about."""
    parts = list(scopes.walk_expression(expression))
    named = {part.identifier for part in parts if isinstance(part, ir.Name)}
    return frozenset(named | {part.name for part in parts if isinstance(part, ir.Attribute)})
