"""What a request leaves behind for the next one: attributes, variables of modules, and collections."""

from __future__ import annotations

from typing import Optional, Sequence

from rlobs_lint.flow.domain.heap import Heap
from rlobs_lint.flow.domain.state import ATTRIBUTE, CONTENT, PARTS, VARIABLE, Changes, State
from rlobs_lint.flow.domain.values import Constant, Value, join, typed
from rlobs_lint.flow.interpreter.activations import Frame

_COUNTING = frozenset({"int", "float"})


class Memory:
    """What there is before a request, and so may be found changed after it.

    Args:
        heap: The objects; those that a request makes are gone after it, unless something else holds them.
        frames: The frames; those of the functions that it runs are gone.
        state: What holds before.
    """

    def __init__(self, heap: Heap, frames: Sequence[Frame], state: State) -> None:
        self._sizes = {ATTRIBUTE: len(heap), CONTENT: len(heap), PARTS: len(heap), VARIABLE: len(frames)}
        self._state = state

    def changes(self, after: State) -> Changes:
        """Returns what a request changed; a number that is another now may be any, for it counts."""
        found: Changes = {}
        for key, value in after.changes_since(self._state).items():
            before = self._state.get(key)
            is_kept = any(key[0] == kind and key[1] < size for kind, size in self._sizes.items())  # type: ignore[operator]
            if is_kept and value != before:
                found[key] = _widened(before, value) if key[0] in (ATTRIBUTE, VARIABLE) else value
        return found


def _widened(before: Optional[Value], after: Value) -> Value:
    """Returns what a value may be in later requests, where `before` became `after` in one."""
    counted = {
        atom
        for atom in after
        if before and atom not in before and isinstance(atom, Constant) and atom.kind in _COUNTING
    }
    others = tuple(atom for atom in after if atom not in counted)
    return join((others, *(typed(kind) for kind in sorted({atom.kind for atom in counted}))))
