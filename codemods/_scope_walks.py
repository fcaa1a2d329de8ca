"""Walks over the records of a scope: its imports, and what binds a name."""

from __future__ import annotations

from typing import Iterator, Sequence, Tuple, Union

from rlobs_lint.facts import ir
from rlobs_lint.facts.scopes import blocks, is_main_guard, is_type_checking, scope_of


def imports_of(
    body: Sequence[ir.Statement], around: Tuple[ir.Statement, ...] = (), at_run_time: bool = True
) -> Iterator[Tuple[Union[ir.Import, ir.ImportFrom], Tuple[ir.Statement, ...], bool]]:
    """Yields the imports of a scope, the compound statements around each, and whether code runs it."""
    for statement in body:
        if isinstance(statement, (ir.Import, ir.ImportFrom)):
            yield statement, around, at_run_time
            continue
        for index, block in enumerate(blocks(statement)):
            runs = at_run_time and not (isinstance(statement, ir.If) and _never_runs(statement.test, index))
            yield from imports_of(block, (*around, statement), runs)


def _never_runs(test: ir.Expression, block: int) -> bool:
    """Whether a block of an `if` (0 the first, 1 the other) is for type checkers or for scripts only."""
    if isinstance(test, ir.Unary) and test.operator == "not":
        return _never_runs(test.operand, 1 - block)
    return block == 0 and (is_type_checking(test) or is_main_guard(test))


def binders_of(
    body: Sequence[ir.Statement], identifier: str, around: Tuple[ir.Statement, ...] = ()
) -> Iterator[Tuple[ir.Statement, Tuple[ir.Statement, ...]]]:
    """Yields the statements of a scope that bind an identifier, with the compound statements around each."""
    for statement in body:
        inner = blocks(statement)
        # Scope analysis of a compound statement speaks of its blocks too: they are asked one by one.
        names = scope_of((statement,)).local
        if identifier not in names:
            continue
        found = [pair for block in inner for pair in binders_of(block, identifier, (*around, statement))]
        yield from found if found else [(statement, around)]
