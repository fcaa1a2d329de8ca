"""What outside code is given: clients, tools and functions that it may use, now or later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Hashable, Set, Tuple

from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.arguments import Arguments, PartialContent
from rlobs_lint.flow.domain.heap import MappingContent, SequenceContent
from rlobs_lint.flow.domain.state import CONTENT, PARTS, State
from rlobs_lint.flow.domain.values import (
    NOTHING,
    UNKNOWN,
    Atom,
    Coroutine,
    Function,
    Member,
    Object,
    Site,
    Value,
)
from rlobs_lint.flow.outside.traces import ASYNC, BOTH, SYNC

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine
    from rlobs_lint.flow.outside.knowledge import Knowledge


class Handover:
    """Hands values to code outside the workspace, for a machine."""

    def __init__(self, machine: Machine, outside: Knowledge) -> None:
        self._machine = machine
        self._outside = outside
        self._handed: Dict[Hashable, Tuple[Atom, Site]] = {}
        self._running: Set[Tuple[int, str]] = set()

    def begin(self) -> None:
        """Forgets what the last root left to be run."""
        self._handed = {}
        self._running = set()

    def interesting(self, arguments: Arguments, state: State) -> Value:
        """Returns the clients, tools, functions and things made of them among arguments."""
        found: Dict[Atom, None] = {}
        for argument in arguments.everything():
            for atom in argument.value:
                self.collect(atom, state, found, 0)
        return tuple(found)

    def collect(self, atom: Atom, state: State, found: Dict[Atom, None], depth: int) -> None:
        """Adds a value, or what is of interest inside it, to what was found."""
        machine = self._machine
        if isinstance(atom, Function):
            found[atom] = None
        elif isinstance(atom, Coroutine):
            for inner in atom.result:
                self.collect(inner, state, found, depth + 1)
        elif (
            isinstance(atom, Member)
            and isinstance(atom.owner, Object)
            and self._outside.traces.marks(atom.owner.number, state)
        ):
            found[atom] = None
        elif isinstance(atom, Object) and depth < 4:
            content = machine.contents.of(atom, state)
            if isinstance(content, SequenceContent):
                for inner in content.any():
                    self.collect(inner, state, found, depth + 1)
            elif isinstance(content, MappingContent):
                for inner in content.values():
                    self.collect(inner, state, found, depth + 1)
            elif isinstance(content, PartialContent):
                if any(isinstance(inner, Function) for inner in content.callee):
                    found[atom] = None
                for inner in content.callee if atom not in found else ():
                    self.collect(inner, state, found, depth + 1)
            elif self.is_interesting(atom, state):
                found[atom] = None
            else:
                found.update(dict.fromkeys(self._called_as(atom, state)))

    def _called_as(self, atom: Object, state: State) -> Value:
        """Returns the `__call__` of a workspace class's instance."""
        info = self._machine.heap.info(atom.number)
        if info.kind != heap.INSTANCE:
            return NOTHING
        found = self._machine.inheritance.class_attribute(info.cls, "__call__", state)
        methods = found[1] if found is not None else NOTHING
        return tuple(item._replace(receiver=atom) for item in methods if isinstance(item, Function))

    def is_interesting(self, atom: Object, state: State) -> bool:
        """Whether an object is a client or a tool, or made of some."""
        machine = self._machine
        info = machine.heap.info(atom.number)
        if self._outside.traces.marks(atom.number, state) or info.family in (
            "langchain-view",
            "unsupported-model",
        ):
            return True
        return info.kind == heap.OUTSIDE and bool(state.get((PARTS, atom.number), NOTHING))

    def give(self, arguments: Arguments, site: Site, state: State) -> None:
        """Hands arguments to code outside the workspace, which may use and fill them from now on."""
        machine = self._machine
        machine.unseen.given(arguments, state)
        for argument in arguments.everything():
            self._outside.parts.handed_over(argument.value, state)
            for atom in argument.value:
                content = machine.contents.of(atom, state)
                if isinstance(content, MappingContent) and isinstance(atom, Object) and not content.open:
                    state.set((CONTENT, atom.number), content._replace(open=True))
                elif isinstance(content, SequenceContent) and isinstance(atom, Object):
                    self._may_change(atom, content, state)
        for atom in self.interesting(arguments, state):
            self.defer(atom, site, state)

    def _may_change(self, atom: Object, content: SequenceContent, state: State) -> None:
        """Lets outside code fill, empty and sort a collection of plain values: `heappush(heap, x)`."""
        is_plain = not any(isinstance(item, (Object, Function, Member)) for item in content.any())
        if is_plain and self._machine.heap.info(atom.number).name in ("list", "set"):
            state.set((CONTENT, atom.number), content.changed(UNKNOWN))

    def defer(self, atom: Atom, site: Site, state: State) -> None:
        """Lets outside code use something later: at the end of the root at the latest."""
        machine = self._machine
        if isinstance(atom, Function):
            self._handed.setdefault((atom.definition, atom.frame, atom.receiver), (atom, site))
            return
        if isinstance(atom, Member):
            atom = atom.owner
        if not isinstance(atom, Object):
            return
        info = machine.heap.info(atom.number)
        if info.kind == heap.PARTIAL:
            self._handed.setdefault((atom.number, "partial"), (atom, site))
        base = self._outside.clients.base_of(atom.number)
        if machine.heap.info(base).family in ("openai", "openai-async", "langchain", "custom"):
            half = {"openai": SYNC, "openai-async": ASYNC}.get(machine.heap.info(base).family, BOTH)
            if not self._outside.clients.inside_llm_span():
                self._outside.traces.hand_over(base, half, site, state)
        elif info.kind == heap.OUTSIDE and info.family in ("", "chain", "agent", "tool-node"):
            key = (atom.number, "defer")
            if key not in self._running:
                self._running.add(key)
                for part in state.get((PARTS, atom.number), NOTHING):
                    self.defer(part, site, state)
                self._running.discard(key)

    def lose(self, arguments: Arguments, state: State) -> None:
        """Gives up following arguments: nothing is said about them on this path."""
        for atom in self.interesting(arguments, state):
            self._outside.excuses.excuse(atom, state)

    def use(self, value: Value, half: int, site: Site, state: State) -> None:
        """Runs something that outside code was given: its clients, tools and functions are used."""
        machine = self._machine
        for atom in value:
            if isinstance(atom, Function):
                self._run_once(atom, site, state)
            elif isinstance(atom, Member):
                self._machine.world.call_member(atom.owner, atom.path, Arguments(open=True), site, state)
            elif isinstance(atom, Object):
                if self._outside.clients.use(atom, half, site, state):
                    continue
                if self._outside.tools.is_tool(atom.number) or self._is_tool_instance(atom, state):
                    self._outside.tools.use(atom, site, state, "agent")
                    continue
                if machine.heap.info(atom.number).kind == heap.PARTIAL:
                    self._run_partial(atom, site, state)
                    continue
                key = (atom.number, "use")
                if key not in self._running:
                    self._running.add(key)
                    self.use(tuple(state.get((PARTS, atom.number), NOTHING)), half, site, state)
                    self._running.discard(key)

    def _is_tool_instance(self, atom: Object, state: State) -> bool:
        info = self._machine.heap.info(atom.number)
        return (
            info.kind == heap.INSTANCE
            and not info.family
            and bool(self._outside.traces.marks(atom.number, state))
        )

    def _run_once(self, function: Function, site: Site, state: State) -> None:
        """Runs a function that outside code calls, with arguments that are not known."""
        key = (function.definition, f"run:{function.frame}:{function.receiver}")
        if key in self._running:
            return
        self._running.add(key)
        result = self._machine.calls.call_function(function, Arguments(open=True), site, state)
        self._machine.expressions.awaited(result)
        self._running.discard(key)
        self._handed.pop((function.definition, function.frame, function.receiver), None)

    def _run_partial(self, atom: Object, site: Site, state: State) -> None:
        """Runs a partial function that outside code calls."""
        key = (atom.number, "partial")
        if key not in self._running:
            self._running.add(key)
            result = self._machine.calls.call_atom(atom, Arguments(open=True), site, state)
            self._machine.expressions.awaited(result)
            self._running.discard(key)
        self._handed.pop(key, None)

    def run_parts(self, atom: Object, site: Site, state: State) -> None:
        """Runs the functions inside a tool."""
        for part in state.get((PARTS, atom.number), NOTHING):
            if isinstance(part, Function):
                self._run_once(part, site, state)

    def finish(self, state: State) -> None:
        """At the end of a root: runs what was handed over and not run yet, then settles the traces."""
        for _ in range(3):
            waiting, self._handed = self._handed, {}
            if not waiting:
                break
            functions = [atom.definition for atom, _ in waiting.values() if isinstance(atom, Function)]
            for atom, site in waiting.values():
                if isinstance(atom, Object):
                    self._run_partial(atom, site, state)
                elif isinstance(atom, Function):
                    # A method of one object was reached already; of several, each is run.
                    is_run = atom.definition in self._machine.reached_in_root
                    if not is_run or functions.count(atom.definition) > 1:
                        self._run_once(atom, site, state)
        self._outside.traces.settle(state)
