"""What holds at one point of the code, and how paths fork and join.

A state is a chain of dictionaries: a fork writes into a new one on top, so a branch costs what it
writes. Forks nest like the code does; joining brings their changes back into the state below.
"""

from __future__ import annotations

from typing import Any, Dict, FrozenSet, Hashable, List, Optional, Sequence, Tuple

from rlobs_lint.flow.domain.values import Value, join

Key = Tuple[Hashable, ...]
Changes = Dict[Key, Any]

# The first element of a key tells what is stored, and so how two paths join.
VARIABLE, ATTRIBUTE, CONTENT, TRACE, PRESENT, FLAG, PARTS, RESULT = (
    "variable",  # (frame, name) -> Value
    "attribute",  # (object, name) -> Value
    "content",  # (object,) -> a collection's content, with a method `join`
    "trace",  # (object,) -> frozenset of trace marks, one a path
    "present",  # (request path) -> bool: neither empty nor None
    "flag",  # (name,) -> bool
    "parts",  # (object,) -> Value: what an outside object was given
    "result",  # (function, arguments) -> Value: what a memoised function returned
)
_MISSING = object()


class State:
    """A mutable mapping of keys to what holds; see the module's text."""

    __slots__ = ("_own", "_parent")

    def __init__(self, parent: Optional[State] = None) -> None:
        self._parent = parent
        self._own: Changes = {}

    def get(self, key: Key, default: Any = None) -> Any:
        """Returns what is stored, or `default`."""
        state: Optional[State] = self
        while state is not None:
            value = state._own.get(key, _MISSING)
            if value is not _MISSING:
                return value
            state = state._parent
        return default

    def set(self, key: Key, value: Any) -> None:
        """Stores something."""
        self._own[key] = value

    def names_of(self, number: int) -> Tuple[str, ...]:
        """Returns the attributes that are stored for an object."""
        names: Dict[str, None] = {}
        state: Optional[State] = self
        while state is not None:
            for key in state._own:
                if key[0] == ATTRIBUTE and key[1] == number:
                    names[str(key[2])] = None
            state = state._parent
        return tuple(sorted(names))

    def fork(self) -> State:
        """Returns a state that begins like this one and keeps its changes to itself."""
        return State(self)

    def changes_since(self, base: State) -> Changes:
        """Returns what was stored in this state since it was forked, directly or not, from `base`."""
        layers: List[Changes] = []
        state: Optional[State] = self
        while state is not None and state is not base:
            layers.append(state._own)
            state = state._parent
        if len(layers) == 1:
            return dict(layers[0])
        merged: Changes = {}
        for layer in reversed(layers):
            merged.update(layer)
        return merged

    def apply(self, changes: Changes) -> None:
        """Stores everything that a path changed."""
        self._own.update(changes)

    def merge(self, paths: Sequence[Changes]) -> None:
        """Stores what holds after one of several paths, each given by its changes to this state."""
        if len(paths) == 1:
            self._own.update(paths[0])
            return
        keys = dict.fromkeys(key for path in paths for key in path)
        for key in keys:
            found = []
            for path in paths:
                value = path.get(key, _MISSING)
                if value is _MISSING:
                    value = self.get(key, _MISSING)
                if value is not _MISSING:
                    found.append(value)
            self._own[key] = _join(key, found, len(found) == len(paths))


def _join(key: Key, found: List[Any], everywhere: bool) -> Any:
    first = found[0]
    if all(value is first for value in found[1:]) and (everywhere or key[0] not in (PRESENT, FLAG)):
        return first
    kind = key[0]
    if kind in (VARIABLE, ATTRIBUTE, PARTS, RESULT):
        return join(found)
    if kind == TRACE:
        return frozenset().union(*found)
    if kind in (PRESENT, FLAG):
        return everywhere and all(found)
    joined = first
    for value in found[1:]:
        joined = joined.join(value)
    return joined


def facts(changes: Changes) -> FrozenSet[Key]:
    """Returns what a path found out about the input: what is neither empty nor `None`."""
    return frozenset(key for key, value in changes.items() if key[0] == PRESENT and value)


def variable(state: State, frame: int, name: str) -> Optional[Value]:
    """Returns the value of a variable, or `None` where it is not bound."""
    value: Optional[Value] = state.get((VARIABLE, frame, name))
    return value
