"""Conditions that ask whether to trace: on one side of them there is nothing left to trace."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Dict, FrozenSet, Iterator, Optional, Sequence, Set

from rlobs_lint import sdk
from rlobs_lint.facts import ir, scopes
from rlobs_lint.facts.walks import all_expressions, all_statements, last_name, spelling

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine

#: A flag or function whose name speaks of tracing decides whether there is anything to trace.
_TRACING_NAME = re.compile(
    r"trac(?:e(?!back)|ing)|instrument|observ(?:ability|ed|er|e_)|otel|telemetry|patched|ENABLE_TRAJECTORY",
    re.IGNORECASE,
)
#: A function from elsewhere whose name says that it traces, and not that it gives a trace's number.
_TRACING_VERB = re.compile(
    r"(?<![a-z])(?:trace|traced|instrument|observe|observed|patch)"
    r"(?!_?(?:id|header|context|parent|state|span|name|log|url|provider))",
    re.IGNORECASE,
)


_TRACING_FUNCTIONS = sdk.OBSERVABILITY_NAMES - sdk.ENTRY_DECORATORS


class TracingSwitches:
    """Knows which conditions excuse what is not traced, for a machine.

    `if tracing_on: trace_client(x)`, `if not is_tracing_enabled(): return x`, and a flag that the branch
    itself sets (`if not self._ready: ...; self._ready = True`) ask whether to trace. A condition excuses
    only what it keeps from a trace call: without one, `if timeout is None: timeout = 60` is a default.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def off(self, statement: ir.If) -> Optional[bool]:
        """Returns the outcome of a condition in which tracing is off, or `None`."""
        if not speaks_of_tracing(statement.test):
            return None
        body, otherwise = statement.body, statement.otherwise
        for outcome, block, other in ((True, body, otherwise), (False, otherwise, body)):
            leaves = bool(block) and isinstance(block[-1], (ir.Return, ir.Raise, ir.Jump))
            if leaves and not self._traces(block) and self._traces((*other, *self._rest(statement))):
                return outcome
        traces = self._traces(body)
        return not traces if traces != self._traces(otherwise) else None

    def done(self, statement: ir.If) -> Optional[bool]:
        """Returns the outcome of a condition in which all there is was traced before, or `None`."""
        test, body, otherwise = statement.test, statement.body, statement.otherwise
        flag = test.operand if isinstance(test, ir.Unary) and test.operator == "not" else test
        if isinstance(flag, ir.Comparison) and flag.operators[0] in ("is", "is not", "==", "!="):
            flag = flag.left
        if isinstance(flag, (ir.Name, ir.Attribute)):
            for outcome, block in ((False, body), (True, otherwise)):
                if _sets(block, flag) and self._traces(block):
                    return outcome
        if isinstance(test, ir.Comparison) and test.operators in (("in",), ("not in",)):
            # `if id(x) not in seen: trace_client(x); seen.add(id(x))`
            is_new = test.operators == ("not in",)
            block = body if is_new else otherwise
            if _adds(block, spelling(test.right[0])) and self._traces(block):
                return not is_new
        return None

    def excuses(self, test: ir.Expression, others: Sequence[ir.Expression]) -> bool:
        """Whether a condition inside an expression keeps what else stands there from tracing."""
        return speaks_of_tracing(test) and any(
            self._is_tracing(part) for other in others for part in scopes.walk_expression(other)
        )

    def _rest(self, statement: ir.If) -> Iterator[ir.Statement]:
        """Yields what stands behind a statement in its function or module."""
        activation = self._machine.activation
        node = self._machine.definitions[activation.definition].node if activation.definition >= 0 else None
        body = node.body if isinstance(node, ir.FunctionDef) else activation.frame.module.facts.body
        for later in scopes.walk_statements(body):
            if later.at.start >= statement.at.end:
                yield later

    def _traces(self, block: Sequence[ir.Statement]) -> bool:
        """Whether a block traces something, or calls what does."""
        return any(self._is_tracing(part) for part in all_expressions(block))

    def _is_tracing(self, part: ir.Expression) -> bool:
        called = _called(part)
        is_foreign = called is not part and self._is_foreign_trace(last_name(called))
        return is_foreign or last_name(called) in self._tracing_names

    def _is_foreign_trace(self, name: str) -> bool:
        """Whether a function that is not the workspace's traces, as its name says."""
        return name not in self._mentioned and _TRACING_VERB.search(name) is not None

    @cached_property
    def _tracing_names(self) -> FrozenSet[str]:
        """What traces, by name: the SDK's functions, and what of the workspace mentions one."""
        found = _TRACING_FUNCTIONS
        while True:
            more = {name for name, inside in self._mentioned.items() if inside & found}
            if more <= found:
                return found
            found |= more

    @cached_property
    def _mentioned(self) -> Dict[str, Set[str]]:
        """What the functions, classes and aliases of the workspace mention, by their names."""
        found: Dict[str, Set[str]] = {}
        for module in self._machine.workspace.modules.values():
            for statement in all_statements(module.facts.body):
                if isinstance(statement, ir.ImportFrom):
                    for name in statement.names:
                        if name.alias:
                            found.setdefault(name.alias, set()).add(name.name)
                elif isinstance(statement, (ir.FunctionDef, ir.ClassDef)):
                    inside = found.setdefault(statement.name, set())
                    decorators = (decorator.expression for decorator in statement.decorators)
                    inside.update(last_name(_called(expression)) for expression in decorators)
                    inside.update(map(last_name, all_expressions(statement.body)))
        return found


def _called(expression: ir.Expression) -> ir.Expression:
    return expression.function if isinstance(expression, ir.Call) else expression


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
