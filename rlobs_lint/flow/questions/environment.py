"""Where function code sets an environment variable of its own process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, List, NamedTuple, Sequence, Tuple

from rlobs_lint.facts import ir, scopes
from rlobs_lint.flow.domain.observations import EnvironmentChange
from rlobs_lint.flow.domain.values import Constant
from rlobs_lint.model import Scalar, Span

if TYPE_CHECKING:
    from rlobs_lint.facts.module import Module
    from rlobs_lint.flow.run import Run

_READERS = frozenset({"environ", "getenv"})


class VariableSet(NamedTuple):
    """An environment variable set by function code.

    Attributes:
        module: The code.
        at: The value.
        values: What the value may be, each a constant.
    """

    module: Module
    at: Span
    values: Tuple[Scalar, ...]


def variables_set(run: Run, name: str) -> Iterator[VariableSet]:
    """Yields where function code sets a variable through `os.environ` to values that are known.

    Below a condition that looks at the environment itself, the value is meant for some other place than
    the server, or yields to what is set there: such code is passed over.
    """
    for change in run.ledger.of(EnvironmentChange):
        path = change.site.path
        if change.name != name or change.root.is_script or path not in run.function_modules:
            continue
        module = run.machine.workspace.modules[path]
        constants = [atom.value for atom in change.value if isinstance(atom, Constant)]
        is_known = bool(constants) and len(constants) == len(change.value)
        if is_known and not _depends_on_environment(module.facts.body, change.site.span):
            yield VariableSet(module, change.site.span, tuple(constants))


def _depends_on_environment(body: Sequence[ir.Statement], span: Span) -> bool:
    """Tells whether a place lies below an `if` that reads the environment."""
    waiting: List[ir.Statement] = list(body)
    while waiting:
        statement = waiting.pop()
        if not (statement.at.start <= span.start and span.end <= statement.at.end):
            continue
        test = statement.test if isinstance(statement, ir.If) else None
        if test is not None and any(map(_reads_environment, scopes.walk_expression(test))):
            return True
        if isinstance(statement, (ir.FunctionDef, ir.ClassDef)):
            waiting.extend(statement.body)
        for block in scopes.blocks(statement):
            waiting.extend(block)
    return False


def _reads_environment(expression: ir.Expression) -> bool:
    if isinstance(expression, ir.Attribute):
        return expression.name in _READERS
    return isinstance(expression, ir.Name) and expression.identifier in _READERS
