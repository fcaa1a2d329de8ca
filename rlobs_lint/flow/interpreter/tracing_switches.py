"""Conditions that ask whether to trace: on one side of them there is nothing left to trace."""

from __future__ import annotations

import re
from typing import Optional, Sequence

from rlobs_lint.facts import ir, scopes
from rlobs_lint.facts.walks import spelling

#: A flag or function whose name speaks of tracing decides whether there is anything to trace.
_TRACING_NAME = re.compile(
    r"trac(?:e(?!back)|ing)|instrument|observ(?:ability|ed|er|e_)|otel|telemetry|patched|ENABLE_TRAJECTORY",
    re.IGNORECASE,
)


def excused_side(
    test: ir.Expression, body: Sequence[ir.Statement], otherwise: Sequence[ir.Statement]
) -> Optional[bool]:
    """Returns the outcome of a condition in which there is nothing left to trace, or `None`.

    `if tracing_on: trace_client(x)`, `if not is_tracing_enabled(): return x`, and a flag that the
    branch itself sets (`if not self._ready: ...; self._ready = True`) ask whether to trace.
    """
    flag = test.operand if isinstance(test, ir.Unary) and test.operator == "not" else test
    if isinstance(flag, ir.Comparison) and flag.operators[0] in ("is", "is not", "==", "!="):
        flag = flag.left
    if speaks_of_tracing(test):
        for outcome, block in ((True, body), (False, otherwise)):
            if block and isinstance(block[-1], (ir.Return, ir.Raise, ir.Jump)) and not _traces(block):
                return outcome
        if _traces(body) != _traces(otherwise):
            return not _traces(body)
        return None
    if isinstance(flag, (ir.Name, ir.Attribute)):
        if _sets(body, flag):
            return False
        if _sets(otherwise, flag):
            return True
    if isinstance(test, ir.Comparison) and test.operators in (("in",), ("not in",)):
        # `if id(x) not in seen: trace_client(x); seen.add(id(x))`
        is_new = test.operators == ("not in",)
        block = body if is_new else otherwise
        if _adds(block, spelling(test.right[0])) and _traces(block):
            return not is_new
    return None


def speaks_of_tracing(test: ir.Expression) -> bool:
    """Whether a condition speaks of tracing by a name in it."""
    for part in scopes.walk_expression(test):
        if isinstance(part, ir.Name) and _TRACING_NAME.search(part.identifier):
            return True
        if isinstance(part, ir.Attribute) and _TRACING_NAME.search(part.name):
            return True
        if isinstance(part, ir.Literal) and isinstance(part.value, str) and _TRACING_NAME.search(part.value):
            return True
    return False


def _traces(block: Sequence[ir.Statement]) -> bool:
    """Whether a block calls something whose name speaks of tracing."""
    for statement in scopes.walk_statements(block):
        for expression in scopes.own_expressions(statement):
            for part in scopes.walk_expression(expression):
                if isinstance(part, ir.Call) and speaks_of_tracing(part.function):
                    return True
    return False


def _adds(block: Sequence[ir.Statement], collection: str) -> bool:
    """Whether a block calls `collection.add(...)`."""
    wanted = (f"{collection}.add", f"{collection}.append")
    for statement in scopes.walk_statements(block):
        for expression in scopes.own_expressions(statement):
            for part in scopes.walk_expression(expression):
                called = part.function if isinstance(part, ir.Call) else part
                if called is not part and spelling(called) in wanted:
                    return True
    return False


def _sets(block: Sequence[ir.Statement], flag: ir.Expression) -> bool:
    """Whether a block assigns to the variable or attribute that a condition asks about."""
    wanted = spelling(flag)
    for statement in scopes.walk_statements(block):
        targets = statement.targets if isinstance(statement, ir.Assign) else ()
        if any(
            spelling(target) == wanted for target in targets if isinstance(target, (ir.Name, ir.Attribute))
        ):
            return True
    return False
