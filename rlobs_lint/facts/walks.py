"""Walks over all records of a file, those in functions and classes included, and how they are spelled."""

from __future__ import annotations

from typing import Iterator, Sequence

from rlobs_lint.facts import ir, scopes


def last_name(expression: ir.Expression) -> str:
    """Returns the last name of `a.b.c`; nothing for any other expression."""
    if isinstance(expression, ir.Attribute):
        return expression.name
    return expression.identifier if isinstance(expression, ir.Name) else ""


def all_statements(body: Sequence[ir.Statement]) -> Iterator[ir.Statement]:
    """Yields every statement of a body, those of its functions and classes included."""
    for statement in scopes.walk_statements(body):
        yield statement
        if isinstance(statement, (ir.FunctionDef, ir.ClassDef)):
            yield from all_statements(statement.body)


def all_expressions(body: Sequence[ir.Statement]) -> Iterator[ir.Expression]:
    """Yields every expression of a body, those of its functions and classes included."""
    for statement in all_statements(body):
        for expression in scopes.own_expressions(statement):
            yield from scopes.walk_expression(expression)


def spelling(expression: ir.Expression) -> str:
    """Returns a name or a chain of attributes as it is written; `?` stands for anything else."""
    if isinstance(expression, ir.Attribute):
        return f"{spelling(expression.value)}.{expression.name}"
    return expression.identifier if isinstance(expression, ir.Name) else "?"
