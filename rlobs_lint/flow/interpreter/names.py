"""Names: what they stand for where they are used, and what assigning to them changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from rlobs_lint.facts import ir
from rlobs_lint.flow.domain.state import VARIABLE, Key, State
from rlobs_lint.flow.domain.values import UNKNOWN, Value
from rlobs_lint.flow.interpreter.activations import Frame

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine


class Names:
    """Looks up and binds names, for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def load(self, name: str, state: State, expression: Optional[ir.Name] = None) -> Value:
        """Returns the value of a name where it is used."""
        machine = self._machine
        frame: Optional[Frame] = machine.activation.frame
        first = True
        while frame is not None:
            scope = frame.scope
            if name in scope.declared_global:
                frame = self._module_frame(frame)
                scope = frame.scope
            # A function does not see the names of the class body around it.
            if name in scope.local and (first or not frame.is_class):
                value = state.get((VARIABLE, frame.number, name))
                if value is not None:
                    return machine.modules.at_run_time(value, expression, state)
                if not frame.is_class:
                    return UNKNOWN
            first = False
            frame = frame.parent
        return machine.modules.unbound(name, expression)

    def _module_frame(self, frame: Frame) -> Frame:
        while frame.parent is not None:
            frame = frame.parent
        return frame

    def bind(self, name: str, value: Value, state: State) -> None:
        """Assigns to a name in the scope that it belongs to."""
        machine = self._machine
        frame = machine.activation.frame
        if name in frame.scope.declared_global:
            frame = self._module_frame(frame)
        elif name in frame.scope.declared_nonlocal:
            outer = frame.parent
            while outer is not None and name not in outer.scope.local:
                outer = outer.parent
            frame = outer or frame
        key = (VARIABLE, frame.number, name)
        machine.watcher.assigned(key, value, state)
        state.set(key, value)
        if frame.is_class:
            machine.inheritance.class_variable(frame, name, value, state)

    def key_of(self, name: str) -> Optional[Key]:
        """Returns where the state keeps a name that is used here, if a scope binds it."""
        frame: Optional[Frame] = self._machine.activation.frame
        first = True
        while frame is not None:
            if name in frame.scope.local and (first or not frame.is_class):
                return (VARIABLE, frame.number, name)
            first = False
            frame = frame.parent
        return None

    def rebind(self, name: str, value: Value, state: State) -> None:
        """Stores what a condition showed about a name, where the name is bound."""
        key = self.key_of(name)
        if key is not None:
            state.set(key, value)
