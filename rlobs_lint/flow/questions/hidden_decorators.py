"""Whether what makes a class may decorate its `process` in a way that the flow does not follow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, List, Sequence, Set, Tuple, Union

from rlobs_lint import sdk
from rlobs_lint.facts import ir, scopes
from rlobs_lint.facts.module import Module
from rlobs_lint.facts.walks import all_expressions, all_statements
from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.state import variable
from rlobs_lint.flow.domain.values import NOTHING, Atom, External, Function, Object, Value, join
from rlobs_lint.flow.interpreter.modules import outside_value

if TYPE_CHECKING:
    from rlobs_lint.flow.run import Run

ENTRY_MARKS = frozenset(f"sdk.{name}" for name in sdk.ENTRY_DECORATORS)
#: What a decorator of the workspace that cannot be followed leaves on a function.
_UNFOLLOWED = "?"

_Code = Union[ir.Expression, ir.FunctionDef, ir.ClassDef, ir.Lambda]


class HiddenDecorators:
    """Answers that by the names which the code of decorators and metaclasses uses."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._machine = run.machine

    def may_decorate(self, number: int, function: Function) -> bool:
        """Whether a class may get an ENTRY span out of sight.

        Args:
            number: The class.
            function: Its `process`, as far as the flow knows.
        """
        if self._run.ledger.observes_unknown:
            return True
        makers = [*self._makers(number)]
        definition = self._machine.definitions[function.definition]
        if function.marked(_UNFOLLOWED) and isinstance(definition.node, ir.FunctionDef):
            makers.extend((definition.module, one.expression) for one in definition.node.decorators)
        return self._observe(makers)

    def _makers(self, number: int) -> Iterator[Tuple[Module, _Code]]:
        """Yields what takes part in making a class: its metaclasses, decorators and `__init_subclass__`."""
        for cls in self._machine.inheritance.linearized(number):
            info = self._machine.heap.info(cls)
            if info.node is None or info.module is None:
                continue
            for base in info.node.bases:
                if base.keyword == "metaclass":
                    yield info.module, base.value
            for decorator in info.node.decorators if cls == number else ():
                yield info.module, decorator.expression
            for statement in info.node.body if cls != number else ():
                if isinstance(statement, ir.FunctionDef) and statement.name == "__init_subclass__":
                    yield info.module, statement

    def _observe(self, makers: Sequence[Tuple[Module, _Code]]) -> bool:
        """Whether code names an entry decorator, or the code that it uses does."""
        waiting: List[Tuple[Module, _Code]] = list(makers)
        seen: Set[Tuple[str, _Code]] = set()
        while waiting:
            module, code = waiting.pop()
            if (module.path, code) in seen:
                continue
            seen.add((module.path, code))
            if _imports_decorator(code):
                return True
            for atom in join(self._value(one, module) for one in _expressions(code)):
                if isinstance(atom, External) and atom.name in ENTRY_MARKS:
                    return True
                waiting.extend(self._code_of(atom))
        return False

    def _code_of(self, atom: Atom) -> Iterator[Tuple[Module, _Code]]:
        if isinstance(atom, Function):
            definition = self._machine.definitions[atom.definition]
            yield definition.module, definition.node  # type: ignore[misc]
        elif isinstance(atom, Object):
            info = self._machine.heap.info(atom.number)
            if info.kind == heap.CLASS and info.node is not None and info.module is not None:
                yield info.module, info.node

    def _value(self, expression: ir.Expression, module: Module) -> Value:
        """Returns what a dotted name stands for in a module."""
        if isinstance(expression, ir.Name):
            frame = self._machine.modules.frame_of(module)
            known = variable(self._run.base, frame.number, expression.identifier) if frame else None
            return known or NOTHING
        if not isinstance(expression, ir.Attribute):
            return NOTHING
        found: List[Value] = []
        for owner in self._value(expression.value, module):
            info = self._machine.heap.info(owner.number) if isinstance(owner, Object) else None
            if isinstance(owner, External):
                found.append(outside_value(owner.name, expression.name))
            elif info is not None and info.kind == heap.MODULE:
                found.append(variable(self._run.base, info.frame, expression.name) or NOTHING)
        return join(found)


def _expressions(code: _Code) -> Iterator[ir.Expression]:
    if isinstance(code, (ir.FunctionDef, ir.ClassDef)):
        return all_expressions((code,))
    return scopes.walk_expression(code)


def _imports_decorator(code: _Code) -> bool:
    """Whether a function or class imports an entry decorator by itself."""
    body = all_statements((code,)) if isinstance(code, (ir.FunctionDef, ir.ClassDef)) else ()
    imports = (statement for statement in body if isinstance(statement, ir.ImportFrom))
    return any(name.name in sdk.ENTRY_DECORATORS for statement in imports for name in statement.names)
