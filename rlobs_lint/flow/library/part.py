"""What the parts of the library share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Dict, Tuple

from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.arguments import Arguments
from rlobs_lint.flow.domain.heap import ObjectInfo, SequenceContent
from rlobs_lint.flow.domain.state import CONTENT, State
from rlobs_lint.flow.domain.values import (
    BOUNDED,
    UNBOUNDED,
    UNKNOWN_ORIGIN,
    Site,
    Value,
    origin_of,
    origin_of_value,
)

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine

Handler = Callable[[Arguments, Site, State], Value]


class Part:
    """Functions of one kind, for a machine.

    Args:
        machine: What evaluates the calls.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def functions(self) -> Dict[str, Handler]:
        """Returns what carries out a call, by the dotted name of what is called."""
        return {}

    def _origin(self, arguments: Arguments) -> str:
        origins = {origin_of_value(argument.value) for argument in arguments.everything() if argument.value}
        if UNBOUNDED in origins:
            return UNBOUNDED
        return BOUNDED if origins == {BOUNDED} else UNKNOWN_ORIGIN

    def _sequence(
        self, kind: str, elements: Tuple[Value, ...], rest: Value, site: Site, state: State
    ) -> Value:
        made = self._machine.allocate(kind, ObjectInfo(heap.SEQUENCE, site, kind))
        state.set((CONTENT, made.number), SequenceContent(elements, rest))
        return (made,)

    def _length_origin(self, value: Value, state: State) -> str:
        """Tells whether the number of elements varies with the input, as elements from the input do."""
        origins = set()
        for atom in value:
            content = self._machine.contents.of(atom, state)
            if isinstance(content, SequenceContent):
                origins.add(origin_of_value(content.any()))
            else:
                origins.add(origin_of(atom))
        return UNBOUNDED if UNBOUNDED in origins else UNKNOWN_ORIGIN
