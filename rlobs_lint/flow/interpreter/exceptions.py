"""Exceptions: which statements raise none or do not return, and what handlers catch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Tuple

from rlobs_lint import sdk
from rlobs_lint.facts import ir
from rlobs_lint.flow.domain.state import State
from rlobs_lint.flow.domain.values import External, join

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine

_TRACE_CALLS = frozenset({"sdk.trace_client", "sdk.trace_tool"})
_NEVER_RETURN = frozenset({"sys.exit", "os._exit", "builtins.exit", "builtins.quit", "os.abort"})


class Exceptions:
    """Knows what raises, for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def never_returns(self, expression: ir.Expression, state: State) -> bool:
        """Whether a call as a statement ends the program (`sys.exit()`)."""
        if not isinstance(expression, ir.Call):
            return False
        function = expression.function
        if isinstance(function, ir.Name) and function.identifier in ("exit", "quit"):
            return True
        if isinstance(function, ir.Attribute) and isinstance(function.value, ir.Name):
            return f"{function.value.identifier}.{function.name}" in _NEVER_RETURN
        return False

    def cannot_raise(self, statement: ir.Statement, state: State) -> bool:
        """Whether a statement is one that never raises: tracing, logging, importing the SDK, a constant."""
        machine = self._machine
        if isinstance(statement, ir.Evaluate) and isinstance(statement.value, ir.Call):
            function = statement.value.function
            called = machine.conditions.peek(function, state)
            if isinstance(function, ir.Conditional):
                # `(trace_tool if isinstance(x, list) else trace_client)(x)`
                sides = [machine.conditions.peek(it, state) for it in (function.body, function.otherwise)]
                called = join(sides) if all(sides) else ()
            if isinstance(function, ir.Attribute):
                called = called or machine.conditions.peek(function.value, state)
            if called and all(isinstance(atom, External) and atom.name in _TRACE_CALLS for atom in called):
                return True
            is_log = bool(called) and all(machine.world.is_log_call(atom) for atom in called)
            return is_log and all(
                isinstance(one.value, (ir.Literal, ir.Name)) for one in statement.value.arguments
            )
        if isinstance(statement, ir.Import):
            return all(one.name == sdk.OBSERVABILITY for one in statement.names)
        if isinstance(statement, ir.ImportFrom):
            # The SDK is there where the code runs; what a name that it lacks does is for another rule.
            return not statement.level and statement.module == sdk.OBSERVABILITY
        return isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Literal)

    def caught(self, handler: ir.Handler) -> Tuple[str, ...]:
        """Returns the names of the exceptions that a handler catches; a bare one catches all."""
        if handler.exception is None:
            return ("BaseException",)
        parts = (
            handler.exception.elements if isinstance(handler.exception, ir.Display) else (handler.exception,)
        )
        names = [
            part.identifier if isinstance(part, ir.Name) else getattr(part, "name", "?") for part in parts
        ]
        if "ModuleNotFoundError" in names:
            names.append("ImportError")
        return tuple(names)
