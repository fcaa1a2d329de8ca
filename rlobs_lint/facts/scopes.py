"""Which names a body of statements binds, and which of its calls leave their result unused."""

from __future__ import annotations

from typing import FrozenSet, Iterator, List, NamedTuple, Sequence, Set, Tuple

from rlobs_lint.facts import ir
from rlobs_lint.model import Span


class Scope(NamedTuple):
    """The names of one function, class or module body.

    Attributes:
        local: Names that the body binds, parameters included.
        declared_global: Names declared `global`.
        declared_nonlocal: Names declared `nonlocal`.
        stars: Whether a `from x import *` may bind any name.
    """

    local: FrozenSet[str]
    declared_global: FrozenSet[str]
    declared_nonlocal: FrozenSet[str]
    stars: bool


def scope_of(body: Sequence[ir.Statement], parameters: Sequence[ir.Parameter] = ()) -> Scope:
    """Returns the names that a body binds; those of functions and classes inside are their own."""
    names: Set[str] = {parameter.name for parameter in parameters}
    declared_global: Set[str] = set()
    declared_nonlocal: Set[str] = set()
    stars = False
    for statement in walk_statements(body):
        if isinstance(statement, ir.Declaration):
            (declared_global if statement.keyword == "global" else declared_nonlocal).update(statement.names)
        elif isinstance(statement, ir.ImportFrom):
            stars = stars or statement.star
        names.update(bound_by(statement))
    local = frozenset(names - declared_global - declared_nonlocal)
    return Scope(local, frozenset(declared_global), frozenset(declared_nonlocal), stars)


def bound_by(statement: ir.Statement) -> Set[str]:
    """Returns the names that a statement binds itself, not those that its blocks do."""
    names: Set[str] = set()
    if isinstance(statement, ir.ImportFrom):
        names.update(name.alias or name.name for name in statement.names)
    elif isinstance(statement, ir.Import):
        names.update(name.alias or name.name.split(".")[0] for name in statement.names)
    elif isinstance(statement, (ir.FunctionDef, ir.ClassDef)):
        names.add(statement.name)
    elif isinstance(statement, ir.Match):
        names.update(capture for case in statement.cases for capture in case.captures)
    elif isinstance(statement, ir.Try):
        names.update(handler.name for handler in statement.handlers if handler.name)
    for target in _targets(statement):
        names.update(_bound_names(target))
    for expression in own_expressions(statement):
        for inner in walk_expression(expression, into_functions=False):
            if isinstance(inner, ir.Walrus):
                names.update(_bound_names(inner.target))
    return names


def walk_statements(body: Sequence[ir.Statement]) -> Iterator[ir.Statement]:
    """Yields the statements of a body and of the blocks in it, not those of functions and classes."""
    stack: List[ir.Statement] = list(reversed(body))
    while stack:
        statement = stack.pop()
        yield statement
        for block in reversed(blocks(statement)):
            stack.extend(reversed(block))


def blocks(statement: ir.Statement) -> Tuple[Tuple[ir.Statement, ...], ...]:
    """Returns the blocks of a compound statement that run in the same scope."""
    if isinstance(statement, (ir.If, ir.For, ir.While)):
        return (statement.body, statement.otherwise)
    if isinstance(statement, ir.With):
        return (statement.body,)
    if isinstance(statement, ir.Try):
        handlers = tuple(handler.body for handler in statement.handlers)
        return (statement.body, *handlers, statement.otherwise, statement.final)
    if isinstance(statement, ir.Match):
        return tuple(case.body for case in statement.cases)
    return ()


def own_expressions(statement: ir.Statement) -> Tuple[ir.Expression, ...]:
    """Returns the expressions that a statement holds itself, not those of its blocks."""
    found: List[ir.Expression] = []
    _collect(statement, found)
    return tuple(found)


_NESTED_RECORDS = (ir.Argument, ir.ContextItem, ir.Decorator, ir.DictItem, ir.Clause, ir.Parameter)
_EXPRESSIONS = ir.Expression.__args__  # type: ignore[attr-defined]


def _collect(record: object, found: List[ir.Expression]) -> None:
    for value in record:  # type: ignore[attr-defined]
        if type(value) in _EXPRESSIONS:
            found.append(value)
        elif type(value) in _NESTED_RECORDS:
            _collect(value, found)
        elif type(value) is tuple:
            for part in value:
                if type(part) in _EXPRESSIONS:
                    found.append(part)
                elif type(part) in _NESTED_RECORDS or type(part) in (ir.Handler, ir.Case):
                    _collect(part, found) if type(part) in _NESTED_RECORDS else _collect_clause(part, found)


def _collect_clause(clause: object, found: List[ir.Expression]) -> None:
    """Collects from an `except` or `case`: its own expressions, not its block."""
    if isinstance(clause, ir.Handler) and clause.exception is not None:
        found.append(clause.exception)
    elif isinstance(clause, ir.Case):
        found.extend(clause.values)
        if clause.guard is not None:
            found.append(clause.guard)


def walk_expression(expression: ir.Expression, into_functions: bool = True) -> Iterator[ir.Expression]:
    """Yields an expression and all in it, outermost first; lambdas are entered if asked."""
    stack: List[ir.Expression] = [expression]
    while stack:
        current = stack.pop()
        yield current
        if isinstance(current, ir.Lambda) and not into_functions:
            continue
        stack.extend(reversed(children(current)))


def children(expression: ir.Expression) -> List[ir.Expression]:
    """Returns the expressions directly in another, in order."""
    found: List[ir.Expression] = []
    _collect(expression, found)
    return found


def _targets(statement: ir.Statement) -> Iterator[ir.Expression]:
    if isinstance(statement, ir.Assign):
        yield from statement.targets
    elif isinstance(statement, (ir.AnnotatedAssign, ir.AugmentedAssign, ir.For)):
        yield statement.target
    elif isinstance(statement, ir.Delete):
        yield from statement.targets
    elif isinstance(statement, ir.With):
        for item in statement.items:
            if item.target is not None:
                yield item.target


def _bound_names(target: ir.Expression) -> Iterator[str]:
    if isinstance(target, ir.Name):
        yield target.identifier
    elif isinstance(target, ir.Starred):
        yield from _bound_names(target.value)
    elif isinstance(target, ir.Display):
        for element in target.elements:
            yield from _bound_names(element)


def discarded(expression: ir.Expression) -> Iterator[Span]:
    """Yields the calls in an expression statement whose result nothing uses.

    Those are the call itself, the parts of `a and f(x)`, `f(x) or y` and `f(x) if c else g(x)`, and the
    element of a comprehension that stands alone.
    """
    if isinstance(expression, ir.Call):
        yield expression.at
    elif isinstance(expression, ir.Boolean):
        for value in expression.values:
            yield from discarded(value)
    elif isinstance(expression, ir.Conditional):
        yield from discarded(expression.body)
        yield from discarded(expression.otherwise)
    elif isinstance(expression, ir.Comprehension):
        yield from discarded(expression.element)
    elif isinstance(expression, ir.Display):
        for element in expression.elements:
            yield from discarded(element)


def is_main_guard(test: ir.Expression) -> bool:
    """Whether a condition is `__name__ == "__main__"`, either way round."""
    if not isinstance(test, ir.Comparison) or test.operators != ("==",):
        return False
    sides = (test.left, test.right[0])
    named = any(isinstance(side, ir.Name) and side.identifier == "__name__" for side in sides)
    return named and any(isinstance(side, ir.Literal) and side.value == "__main__" for side in sides)


def is_type_checking(test: ir.Expression) -> bool:
    """Whether a condition is `TYPE_CHECKING` or `typing.TYPE_CHECKING`."""
    if isinstance(test, ir.Name):
        return test.identifier == "TYPE_CHECKING"
    return isinstance(test, ir.Attribute) and test.name == "TYPE_CHECKING"
