"""Functions of the workspace: their definitions, defaults and decorators."""

from __future__ import annotations

from typing import TYPE_CHECKING, List, Tuple

from rlobs_lint.facts import ir
from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.arguments import Arguments, ArgumentValue
from rlobs_lint.flow.domain.observations import SyncWrapper
from rlobs_lint.flow.domain.state import State
from rlobs_lint.flow.domain.values import (
    Atom,
    Coroutine,
    External,
    Function,
    Generated,
    Mark,
    Object,
    Site,
    Value,
    join,
    with_mark,
)

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine


class Functions:
    """Defines and decorates functions, for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def define(self, statement: ir.FunctionDef, state: State) -> Value:
        """Runs a `def`: defaults, then decorators from the innermost."""
        machine = self._machine
        frame = machine.activation.frame
        owner = machine.inheritance.owner_of_frame(frame) if frame.is_class else -1
        number = machine.define(frame.module, statement, statement.name, owner)
        frame.capture()
        self._keep_defaults(number, frame.number, statement.parameters, state)
        value: Value = (Function(number, frame.number),)
        for decorator in reversed(statement.decorators):
            value = self.decorate(decorator, value, state)
        if machine.activation.definition < 0:
            known = machine.ledger.functions.setdefault(number, [])
            known.extend(atom for atom in value if atom not in known)
        return value

    def define_lambda(self, expression: ir.Lambda) -> Value:
        """Makes the function of a lambda."""
        frame = self._machine.activation.frame
        frame.capture()
        number = self._machine.define(frame.module, expression, "<lambda>", -1)
        return (Function(number, frame.number),)

    def _keep_defaults(
        self, number: int, frame: int, parameters: Tuple[ir.Parameter, ...], state: State
    ) -> None:
        defaults = {
            parameter.name: self._machine.evaluate(parameter.default, state)
            for parameter in parameters
            if parameter.default is not None
        }
        if defaults:
            self._machine.calls._defaults[number, frame] = defaults

    def decorate(self, decorator: ir.Decorator, value: Value, state: State) -> Value:
        """Applies a decorator to a function or class."""
        machine = self._machine
        site = machine.site(decorator.at)
        applied = machine.evaluate(decorator.expression, state)
        results: List[Value] = []
        for atom in applied:
            known = machine.world.decorated(atom, value, site, state)
            if known is not None:
                results.append(known)
            elif isinstance(atom, (Function, Object)) and not self._is_outside(atom):
                results.append(self._decorated_by_workspace(atom, value, site, state))
            else:
                results.append(with_mark(value, atom.name if isinstance(atom, External) else "?", site))
        return join(results) if results else value

    def _is_outside(self, atom: Atom) -> bool:
        if not isinstance(atom, Object):
            return False
        return self._machine.heap.info(atom.number).kind not in (heap.INSTANCE, heap.PARTIAL, heap.CLASS)

    def _decorated_by_workspace(self, atom: Atom, value: Value, site: Site, state: State) -> Value:
        """Applies a decorator of the workspace; what cannot be followed hands the function on."""
        machine = self._machine
        argument = ArgumentValue(None, value, site)
        result = machine.calls.call_atom(atom, Arguments((argument,)), site, state)
        usable = tuple(item for item in result if isinstance(item, (Function, Object, Generated)))
        if not usable or len(usable) != len(result):
            return with_mark(value, "?", site)
        wrappers = []
        inner = next((atom for atom in value if isinstance(atom, Function)), None)
        for item in usable:
            if isinstance(item, Function) and item not in value and inner is not None:
                machine.ledger.wrapped[item.definition, item.frame] = inner
            if isinstance(item, Function) and item not in value and self._loses_coroutine(item, value, state):
                machine.ledger.note(SyncWrapper(site, item.definition))
                item = item._replace(marks=(*item.marks, Mark("sync-wrapper", site)))
            wrappers.append(item)
        return tuple(wrappers)

    def _loses_coroutine(self, wrapper: Function, wrapped: Value, state: State) -> bool:
        """Whether a wrapper is a plain function that returns the coroutine of the async function in it."""
        machine = self._machine
        node = machine.definitions[wrapper.definition].node
        if not isinstance(node, ir.FunctionDef) or node.is_async or node.is_generator:
            return False
        if not any(isinstance(atom, Function) and machine.calls.is_async(atom) for atom in wrapped):
            return False
        trial = state.fork()
        with machine.ledger.paused():
            result = machine.calls.call_function(
                wrapper, Arguments(open=True), machine.definitions[wrapper.definition].site, trial
            )
        return any(isinstance(atom, Coroutine) for atom in result)
