"""Loops that keep some of their elements: those that are left out need no trace."""

from __future__ import annotations

from typing import Sequence

from rlobs_lint.facts import ir
from rlobs_lint.facts.scopes import walk_statements

_KEEPING_METHODS = frozenset({"append", "appendleft", "add", "insert", "put", "put_nowait"})


def selected_name(loop: ir.For) -> str:
    """Returns the variable of a loop whose body puts it into a container; nothing for other loops.

    `for client in clients: if client.is_closed(): continue; trace_client(client); pool.append(client)`
    """
    target = loop.target
    return target.identifier if isinstance(target, ir.Name) and keeps(loop.body, target.identifier) else ""


def keeps(body: Sequence[ir.Statement], name: str) -> bool:
    """Whether a block puts a variable into a container."""
    return any(_keeps(statement, name) for statement in walk_statements(body))


def _keeps(statement: ir.Statement, name: str) -> bool:
    if isinstance(statement, ir.Assign):
        return _is(statement.value, name) and any(isinstance(one, ir.Subscript) for one in statement.targets)
    call = statement.value if isinstance(statement, ir.Evaluate) else None
    if isinstance(call, ir.Await):
        call = call.value
    if not isinstance(call, ir.Call) or not isinstance(call.function, ir.Attribute):
        return False
    is_keeping = call.function.name in _KEEPING_METHODS
    return is_keeping and any(_is(argument.value, name) for argument in call.arguments)


def _is(expression: ir.Expression, name: str) -> bool:
    return isinstance(expression, ir.Name) and expression.identifier == name
