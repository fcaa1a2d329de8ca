"""What rules ask about on the way: reads of the input, assignments, and functions that open spans."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Optional, Tuple

from rlobs_lint import sdk
from rlobs_lint.facts import ir
from rlobs_lint.facts.scopes import walk_expression
from rlobs_lint.facts.walks import last_name
from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.arguments import Arguments
from rlobs_lint.flow.domain.heap import SequenceContent
from rlobs_lint.flow.domain.observations import ElementRead, EntryCall, EnvironmentChange, FunctionCall
from rlobs_lint.flow.domain.state import PRESENT, Key, State
from rlobs_lint.flow.domain.values import (
    Atom,
    Constant,
    External,
    Function,
    Generated,
    Object,
    Request,
    Site,
    Value,
    constants,
    strings,
)
from rlobs_lint.flow.interpreter.world import Watcher
from rlobs_lint.flow.outside.sdk_calls import COMPONENT

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine
    from rlobs_lint.flow.outside.knowledge import Knowledge

_ENTRY_MARKS = frozenset(f"sdk.{name}" for name in sdk.ENTRY_DECORATORS)


class Watching(Watcher):
    """Hears of reads, assignments and calls, for a machine."""

    def __init__(self, machine: Machine, outside: Knowledge) -> None:
        self._machine = machine
        self._outside = outside
        self._asked: Dict[Tuple[str, ...], None] = {}

    def asked_paths(self, prefix: Tuple[str, ...]) -> Tuple[Tuple[str, ...], ...]:
        """Returns the paths below a prefix that conditions asked about."""
        return tuple(path for path in self._asked if path[: len(prefix)] == prefix)

    def subscripted(
        self, owner: Value, expression: ir.Expression, index: Value, site: Site, state: State
    ) -> None:
        """Notes that an element of the messages of an agent's output is read."""
        machine = self._machine
        if constants(index) is None and _has_variable(expression):
            return  # somebody has worked out which element there is
        for atom in owner:
            # `messages[-3:][-1]`: a slice has nothing where the messages have nothing.
            path = atom.path[:-1] if isinstance(atom, Request) and atom.path[-1:] == ("[:]",) else None
            if not isinstance(atom, Request) or (path or atom.path)[-1:] != ("messages",):
                continue
            number = index[0] if len(index) == 1 else None
            if isinstance(number, Constant) and isinstance(number.value, str):
                continue
            path = path or atom.path
            self._asked[path] = None
            # Where the messages are known to be there, `messages or []` is none but them.
            is_there = any(state.get((PRESENT, known), False) for known in (atom.path, path))
            empty = any(isinstance(other, Object) and self._is_empty(other, state) for other in owner)
            caught = any(
                name in ("BaseException", "Exception", "LookupError", "IndexError", "TypeError", "?")
                for activation in machine.stack
                for attempt in activation.attempts
                for name in attempt.catches
            )
            machine.ledger.note(
                ElementRead(site, path, is_there or (atom.present and not empty) or caught, machine.root)
            )

    def _is_empty(self, atom: Object, state: State) -> bool:
        content = self._machine.contents.of(atom, state)
        return isinstance(content, SequenceContent) and content.known_empty

    def attribute_read(self, name: str) -> None:
        """Hears of an attribute of an object from outside that is read: the metrics of a result."""
        if name == "reward_metrics":
            self._outside.parts.metrics_read()

    def attribute_kept(self, owner: str, name: str, site: Site, state: State) -> None:
        """Hears of an attribute of a name outside that is kept: a method of a client."""
        self._outside.clients.kept(owner, name, site, state)

    def gone_through(self, atom: Atom) -> None:
        """Hears of something that is gone through, element by element: the answer of a client."""
        self._outside.answers.gone_through(atom)

    def mapping_changed(self, number: int, state: State) -> None:
        """Hears of a dictionary that is changed: metrics that were given to a model."""
        self._outside.models.mapping_changed(number, state)

    def invoked_together(self, callee: Value, site: Site) -> None:
        """Hears of a call that runs one of several things: tools of a collection."""
        self._outside.tools.invoked_together(callee, site)

    def lost(self, arguments: Arguments, state: State) -> None:
        """Hears of arguments that are not followed any further: nothing is said about them."""
        self._outside.handover.lose(arguments, state)

    def excuse(self, atom: Atom, state: State, held: Optional[State] = None) -> None:
        """Hears that on this path there is nothing in a value."""
        self._outside.excuses.excuse(atom, state, held)

    def excuse_everything(self, state: State) -> None:
        """Hears that on this path nothing has to be traced at all."""
        self._outside.traces.excuse_everything(state)

    def excuse_existing(self, state: State) -> None:
        """Hears that on this path nothing that there is has to be traced."""
        self._outside.traces.excuse_existing(state)

    def assigned(self, key: Key, value: Value, state: State) -> None:
        """Hears of every assignment: tools that were traced before they were there."""
        self._outside.tools.assigned(key, value, state)

    def attribute_assigned(
        self, owner: Value, name: str, value: Value, site: Site, state: State, source: Optional[ir.Expression]
    ) -> None:
        """Hears of assignments to attributes: metrics that are set on a result."""
        machine = self._machine
        value_site = machine.site(source.at) if source is not None else site
        for atom in owner:
            if isinstance(atom, Object):
                if machine.heap.info(atom.number).family == COMPONENT:
                    machine.ledger.changed_fields.setdefault(atom.number, {})[name] = None
                self._set_by_method(atom, name, state)
                self._outside.models.attribute_assigned(atom, name, value, value_site, state)

    def _set_by_method(self, atom: Object, name: str, state: State) -> None:
        """Hears of an assignment that a setter carries out, or `__setattr__`."""
        machine = self._machine
        info = machine.heap.info(atom.number)
        for method in (name, "__setattr__") if info.kind == heap.INSTANCE else ():
            found = machine.inheritance.class_attribute(info.cls, method, state)
            if found is not None and any(isinstance(item, Function) for item in found[1]):
                machine.unseen.methods_of(atom)

    def unknown_assigned(self, name: str, value: Value) -> None:
        """Hears of an assignment to an attribute of something that is not known; no name is any name."""
        is_observed = any(
            (isinstance(atom, External) and atom.name in _ENTRY_MARKS)
            or (isinstance(atom, (Function, Generated)) and atom.marked(*_ENTRY_MARKS))
            for atom in value
        )
        if name in ("process", "") and is_observed:
            self._machine.ledger.observes_unknown = True

    def item_assigned(self, owner: Value, key: Value, value: Value, site: Site, state: State) -> None:
        """Hears of assignments to items: environment variables."""
        machine = self._machine
        for atom in owner:
            machine.unseen.methods_of(atom)
            if isinstance(atom, External) and atom.name == "os.environ":
                for name in strings(key):
                    machine.ledger.note(EnvironmentChange(site, name, value, machine.root))

    def item_deleted(self, owner: Value, key: Value, site: Site, state: State) -> None:
        """Hears of deletions of items."""
        for atom in owner:
            self._machine.unseen.methods_of(atom)

    def entering(self, function: Atom, arguments: Arguments, site: Site, state: State) -> None:
        """Hears of a function that is about to run: spans that begin with it."""
        machine = self._machine
        assert isinstance(function, (Function, Generated))
        marks = {mark.name for mark in function.marks}
        definition = function.definition if isinstance(function, Function) else -1
        if any(not _ENTRY_MARKS.isdisjoint(activation.marks) for activation in machine.stack):
            self._inside_entry(definition)
        if not marks:
            return
        if marks & _ENTRY_MARKS:
            given = arguments.positional[:1] or arguments.keywords[:1]
            takes_input = any(isinstance(atom, Request) and not atom.path for a in given for atom in a.value)
            name = machine.definitions[definition].name if definition >= 0 else "process"
            machine.ledger.note(EntryCall(definition, name, site, takes_input, machine.root))
        if "sdk.observe_llm" in marks:
            called = self._outermost_call(function, site)
            given_only = arguments._replace(first_key=None)
            is_bound = function.receiver is not None
            machine.ledger.note(
                FunctionCall(definition, called, function.marks, given_only, is_bound, machine.root)
            )
            self._outside.threads.spanned("llm", site, True)
        if "sdk.observe_tool" in marks:
            self._outside.threads.spanned("tool", site, True)

    def _inside_entry(self, definition: int) -> None:
        """Notes that a function runs inside the ENTRY span of the processor that has it, or of any."""
        machine = self._machine
        owner = machine.definitions[definition].owner if definition >= 0 else -1
        cls = machine.root.cls
        if owner < 0 or (cls is not None and owner in machine.inheritance.linearized(cls)):
            machine.ledger.inside_entry.add((definition, cls))

    def _outermost_call(self, function: Atom, site: Site) -> Site:
        """Returns the call of a function, or that of the outermost decorator's wrapper around it."""
        machine = self._machine
        for activation in reversed(machine.stack):
            parent = activation.frame.parent
            key = (activation.definition, parent.number if parent is not None else -1)
            inner = machine.ledger.wrapped.get(key)
            if activation.site is None or inner is None or not isinstance(function, Function):
                break
            if inner.definition != function.definition:
                break
            function, site = Function(*key), activation.site
        return site


def _has_variable(index: ir.Expression) -> bool:
    """Whether an index is made of a variable, and not only of the length of a list."""
    calls = [part for part in walk_expression(index) if isinstance(part, ir.Call)]
    measured = {part for call in calls if last_name(call.function) == "len" for part in walk_expression(call)}
    return any(isinstance(part, ir.Name) and part not in measured for part in walk_expression(index))
