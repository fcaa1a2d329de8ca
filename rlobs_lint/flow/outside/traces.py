"""Which clients and tools are traced: a mark for every path that leads to here.

A mark says which halves of an object are traced (a LangChain model has a synchronous and an
asynchronous one), which were used while they were not, and whether the object was handed to code that
will use it later. Where paths join, their marks are united, so that "traced in one branch only" shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, FrozenSet, List, NamedTuple, Optional, Set, Tuple

from rlobs_lint.flow.domain.observations import LateTrace, TracedUse, UntracedUse
from rlobs_lint.flow.domain.state import FLAG, TRACE, State
from rlobs_lint.flow.domain.values import Object, Site

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine

SYNC, ASYNC = 1, 2
BOTH = SYNC | ASYNC
_EXCUSED = "excused"
#: The verdict of an object that is one of the tools of a collection from outside.
ELEMENT = "element"


class TraceMark(NamedTuple):
    """What one path did to an object.

    Attributes:
        traced: Halves that are traced.
        used: Halves that were used while they were not.
        pending: Halves that code outside the workspace, or a node that runs later, will use.
        offered: Halves that a model may ask for: some code is to run them then.
        excused: Whether the path made sure that there is nothing to trace.
    """

    traced: int = 0
    used: int = 0
    pending: int = 0
    offered: int = 0
    excused: bool = False


_FRESH: FrozenSet[TraceMark] = frozenset({TraceMark()})
_TRACED: FrozenSet[TraceMark] = frozenset({TraceMark(BOTH)})


class Traces:
    """Keeps the marks of a machine's objects."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        #: Objects that have marks, in order.
        self.tracked: List[int] = []
        #: Where each object was first handed over. A module hands over what a processor's server runs.
        self._pending_sites: Dict[int, Site] = {}
        # Tools that the workspace's code runs by itself, and the root in which it does.
        self._run: Set[Tuple[int, str]] = set()

    def owner(self, number: int) -> int:
        """Returns the object that keeps the marks: for one of the tools of a collection, the collection."""
        info = self._machine.heap.info(number)
        return info.base if info.verdict == ELEMENT else number

    def begin(self, made: Object, state: State, traced: bool = False) -> None:
        """Gives a new object its first mark."""
        if made.number not in self.tracked:
            self.tracked.append(made.number)
        excused = state.get((FLAG, _EXCUSED), False)
        state.set((TRACE, made.number), _TRACED if traced or excused else _FRESH)

    def marks(self, number: int, state: State) -> FrozenSet[TraceMark]:
        """Returns the marks of an object; none for one that is not tracked."""
        found: Optional[FrozenSet[TraceMark]] = state.get((TRACE, self.owner(number)))
        return found if found is not None else frozenset()

    def trace(self, number: int, halves: int, site: Site, state: State) -> None:
        """Traces halves of an object; notes when that comes after a use."""
        number = self.owner(number)
        marks = self.marks(number, state)
        late = 0
        traced = set()
        for mark in marks:
            if not mark.excused:
                late |= mark.used & halves & ~mark.traced
            traced.add(mark._replace(traced=mark.traced | halves, used=mark.used & ~halves))
        if late:
            self._machine.ledger.note(LateTrace(number, site, late, self._machine.root))
        state.set((TRACE, number), frozenset(traced))

    def use(self, number: int, half: int, site: Site, state: State, how: str, effect: str) -> bool:
        """Uses a half of an object; returns whether it is traced, and on every path."""
        number = self.owner(number)
        used = set()
        untraced = False
        traced = False
        for mark in self.marks(number, state):
            if mark.traced & half:
                traced = True
                used.add(mark)
            elif mark.excused:
                used.add(mark)
            else:
                untraced = True
                used.add(mark._replace(used=mark.used | half))
        if used:
            state.set((TRACE, number), frozenset(used))
        record = UntracedUse if untraced else TracedUse
        self._machine.ledger.note(record(number, site, half, how, effect, self._machine.root))
        return traced and not untraced

    def hand_over(self, number: int, halves: int, site: Site, state: State) -> None:
        """Notes that code which runs later, or is not the workspace's, gets an object."""
        number = self.owner(number)
        marks = self.marks(number, state)
        self._pending_sites.setdefault(number, site)
        state.set((TRACE, number), frozenset(mark._replace(pending=mark.pending | halves) for mark in marks))

    def offer(self, number: int, halves: int, site: Site, state: State) -> None:
        """Notes that a model may ask for a tool."""
        number = self.owner(number)
        marks = self.marks(number, state)
        self._pending_sites.setdefault(number, site)
        state.set((TRACE, number), frozenset(mark._replace(offered=mark.offered | halves) for mark in marks))

    def runs(self, number: int) -> None:
        """Notes that the workspace's code runs a tool: what it does about tracing shows there."""
        self._run.add((self.owner(number), self._machine.root.name))

    def is_traced(self, number: int, half: int, state: State) -> bool:
        """Whether a half is traced on every path to here."""
        return all(mark.traced & half or mark.excused for mark in self.marks(number, state))

    def excuse(self, number: int, state: State) -> None:
        """Notes that on this path there is nothing to trace in an object."""
        number = self.owner(number)
        marks = self.marks(number, state)
        if marks:
            state.set((TRACE, number), frozenset(mark._replace(excused=True) for mark in marks))

    def excuse_everything(self, state: State) -> None:
        """Notes that on this path nothing has to be traced: tracing is off."""
        state.set((FLAG, _EXCUSED), True)
        self.excuse_existing(state)

    def excuse_existing(self, state: State) -> None:
        """Notes that on this path nothing that there is has to be traced: that is done already."""
        for number in self.tracked:
            self.excuse(number, state)

    def settle_by_best(self, state: State) -> None:
        """Takes what any path traced as traced: for code that is run in an order nobody knows."""
        for number in self.tracked:
            marks = self.marks(number, state)
            traced = 0
            for mark in marks:
                traced |= mark.traced
            if traced:
                state.set((TRACE, number), frozenset(mark._replace(traced=traced, used=0) for mark in marks))

    def settle(self, state: State) -> None:
        """At the end of a root: what was handed over and never traced is used untraced."""
        for number in self.tracked:
            is_run = (number, self._machine.root.name) in self._run
            for mark in self.marks(number, state):
                later = mark.pending if is_run else mark.pending | mark.offered
                open_halves = later & ~mark.traced
                # One traced half of two is what code that only runs that half needs.
                if open_halves and not mark.traced and not mark.excused:
                    site = self._pending_sites.get(number)
                    if site is not None:
                        note = UntracedUse(number, site, open_halves, "handed", "traced", self._machine.root)
                        self._machine.ledger.note(note)
