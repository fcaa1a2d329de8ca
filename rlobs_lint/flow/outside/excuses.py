"""Excuses: values in which, on a path, nothing has to be traced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional, Set

from rlobs_lint.flow.domain.heap import MappingContent, SequenceContent
from rlobs_lint.flow.domain.state import CONTENT, PARTS, State
from rlobs_lint.flow.domain.values import NOTHING, Atom, Coroutine, Member, Object, Value

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine
    from rlobs_lint.flow.outside.knowledge import Knowledge


#: How far containers in containers are looked through: the rows of a view, and their items.
DEEPEST_EXCUSE = 3


class Excuses:
    """Excuses values, for a machine."""

    def __init__(self, machine: Machine, outside: Knowledge) -> None:
        self._machine = machine
        self._outside = outside

    def excuse(
        self, atom: Atom, state: State, held: Optional[State] = None, depth: int = DEEPEST_EXCUSE
    ) -> None:
        """Notes that on this path nothing has to be traced in a value, or in what it holds.

        Args:
            atom: A possibility of the value.
            state: What holds on the path.
            held: What holds where collections are looked into, if not on the path itself.
            depth: How many collections in collections are looked into.
        """
        if isinstance(atom, Coroutine):
            for inner in atom.result:
                self.excuse(inner, state, held, depth)
        if isinstance(atom, Member):
            atom = atom.owner
        if not isinstance(atom, Object):
            return
        self._outside.traces.excuse(atom.number, state)
        self._outside.traces.excuse(self._outside.clients.base_of(atom.number), state)
        content = (held or state).get((CONTENT, atom.number))
        inner_atoms: Value = NOTHING
        if isinstance(content, SequenceContent):
            inner_atoms = content.any()
        elif isinstance(content, MappingContent):
            inner_atoms = content.values()
        for inner in inner_atoms if depth else ():
            self.excuse(inner, state, held, depth - 1)

    def everything(self, state: State) -> None:
        """Notes that on this path nothing has to be traced at all."""
        self._outside.traces.excuse_everything(state)

    def parts(self, value: Value, state: State) -> None:
        """Excuses something and what it is made of, such as the clients in a chain: another rule speaks."""
        waiting = list(value)
        seen: Set[Atom] = set()
        while waiting:
            atom = waiting.pop()
            if atom not in seen:
                seen.add(atom)
                self.excuse(atom, state)
                waiting.extend(state.get((PARTS, atom.number), NOTHING) if isinstance(atom, Object) else ())
