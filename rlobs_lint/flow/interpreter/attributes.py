"""Attributes: of modules, classes and instances, bound, inherited and assigned."""

from __future__ import annotations

from typing import TYPE_CHECKING, List, Optional

from rlobs_lint.facts import ir
from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.path_values import PATH
from rlobs_lint.flow.domain.state import ATTRIBUTE, PRESENT, VARIABLE, State, variable
from rlobs_lint.flow.domain.values import (
    NOTHING,
    UNKNOWN,
    Atom,
    Constant,
    Coroutine,
    EnumMember,
    External,
    Function,
    Generated,
    Member,
    Misbound,
    Object,
    Placeholder,
    Request,
    Site,
    Super,
    Typed,
    Unknown,
    Value,
    join,
    join_alternatives,
)
from rlobs_lint.flow.interpreter.modules import outside_value
from rlobs_lint.project.imports import Package

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine


class Attributes:
    """Reads and assigns attributes, for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def of(self, owner: Value, name: str, site: Site, state: State, is_called: bool = False) -> Value:
        """Returns what `owner.name` may be; `is_called` tells that it is taken to be called at once."""
        found = join_alternatives(self.attribute(atom, name, site, state, is_called) for atom in owner)
        return found or UNKNOWN

    def attribute(self, atom: Atom, name: str, site: Site, state: State, is_called: bool = False) -> Value:
        """Returns what `name` of one possibility may be; properties are run."""
        machine = self._machine
        if isinstance(atom, Object):
            return self._object_attribute(atom, name, site, state, is_called)
        if isinstance(atom, External):
            value = outside_value(atom.name, name)
            if isinstance(value[0], Misbound):
                machine.modules.note_missing(atom.name, name, site)
            if not is_called:
                machine.watcher.attribute_kept(atom.name, name, site, state)
            return value
        if isinstance(atom, Member):
            return machine.world.member(atom.owner, (*atom.path, name), site, state, is_called)
        if isinstance(atom, Request):
            path = (*atom.path, name)
            return (Request(path, bool(state.get((PRESENT, path), False))),)
        if isinstance(atom, Super):
            return self._super_attribute(atom, name, site, state, is_called)
        if isinstance(atom, EnumMember):
            if name == "value":
                found = state.get((ATTRIBUTE, atom.owner, atom.name))
                return found if found is not None else UNKNOWN
            if name == "name":
                return (Constant("str", atom.name),)
            return self._bound(atom, atom.owner, name, site, state, is_called=is_called)
        if isinstance(atom, Constant) and atom.kind == PATH:
            found = machine.library.file_paths.attribute(atom, name, site, state)
            return found if found is not None else (Member(atom, (name,)),)
        if isinstance(atom, (Constant, Typed)):
            return (Member(atom, (name,)),)
        if isinstance(atom, Placeholder):
            return (atom,)
        if isinstance(atom, (Function, Generated)):
            return (Member(atom, (name,)),)
        if isinstance(atom, Coroutine):
            return UNKNOWN
        return (Member(atom, (name,)),) if isinstance(atom, Unknown) else UNKNOWN

    def _object_attribute(self, atom: Object, name: str, site: Site, state: State, is_called: bool) -> Value:
        machine = self._machine
        info = machine.heap.info(atom.number)
        own: Optional[Value] = state.get((ATTRIBUTE, atom.number, name))
        if info.kind == heap.MODULE:
            value = variable(state, info.frame, name)
            if value is not None:
                return value
            assert info.module is not None
            return machine.modules.submodule(info.module, name)
        if info.kind == heap.NAMESPACE:
            return machine.modules.submodule(Package(info.path), name)
        if info.kind == heap.CLASS:
            return self._class_member(atom, name, site, state)
        if info.kind == heap.INSTANCE:
            if own is not None:
                return own
            return self._bound(atom, info.cls, name, site, state, is_called=is_called)
        if own is not None and info.kind == heap.OUTSIDE:
            machine.watcher.attribute_read(name)
            return own
        return machine.world.member(atom, (name,), site, state, is_called)

    def _class_member(self, atom: Object, name: str, site: Site, state: State) -> Value:
        machine = self._machine
        found = machine.inheritance.class_attribute(atom.number, name, state)
        if found is None:
            if name == "__name__":
                return (Constant("str", machine.heap.info(atom.number).name),)
            if name == "__subclasses__":
                return (Member(atom, (name,)),)
            if machine.enumerations.is_enumeration(atom) and name == "__members__":
                return (Member(atom, (name,)),)
            return (Member(atom, (name,)),) if machine.world.has_class_member(atom.number, name) else UNKNOWN
        owner, value = found
        if machine.enumerations.is_enumeration(atom) and not any(
            isinstance(item, Function) for item in value
        ):
            return (EnumMember(owner, name),)
        return tuple(
            item._replace(receiver=atom)
            if isinstance(item, Function) and item.marked("builtins.classmethod")
            else item
            for item in value
        )

    def _bound(
        self,
        receiver: Atom,
        cls: int,
        name: str,
        site: Site,
        state: State,
        after: int = -1,
        is_called: bool = False,
    ) -> Value:
        """Returns an attribute that an instance has through its class."""
        machine = self._machine
        found = machine.inheritance.class_attribute(cls, name, state, after)
        if found is None:
            if name == "__class__":
                return (Object(cls),)
            if name == "__dict__":
                return machine.library.objects.fields_of((receiver,), site, state, every=True)
            known = machine.inheritance.declared(cls, name, state)
            if known is not None:
                return known
            return machine.world.inherited(receiver, cls, name, site, state, is_called)
        results: List[Value] = []
        for item in found[1]:
            if not isinstance(item, (Function, Generated)):
                results.append((item,))
            elif isinstance(item, Generated):
                results.append((item._replace(receiver=receiver),))
            elif item.marked("builtins.staticmethod"):
                results.append((item,))
            elif item.marked("builtins.classmethod"):
                results.append((item._replace(receiver=Object(cls)),))
            elif item.marked("builtins.property", "functools.cached_property"):
                results.append(machine.calls.read_property(item, receiver, name, site, state))
            else:
                results.append((item._replace(receiver=receiver),))
        return join(results)

    def _super_attribute(self, atom: Super, name: str, site: Site, state: State, is_called: bool) -> Value:
        info = self._machine.heap.info(atom.receiver.number) if isinstance(atom.receiver, Object) else None
        if info is None:
            return UNKNOWN
        assert isinstance(atom.receiver, Object)
        cls = info.cls if info.kind == heap.INSTANCE else atom.receiver.number
        found = self._machine.inheritance.class_attribute(cls, name, state, atom.after)
        if found is None:
            return (Member(atom, (name,)),)
        return self._bound(atom.receiver, cls, name, site, state, atom.after, is_called)

    def peek(self, owner: Value, name: str, state: State) -> Value:
        """Returns what `owner.name` may be, without running properties."""
        results: List[Value] = []
        for atom in owner:
            if isinstance(atom, Object):
                own = state.get((ATTRIBUTE, atom.number, name))
                info = self._machine.heap.info(atom.number)
                if own is None and info.kind == heap.INSTANCE:
                    found = self._machine.inheritance.class_attribute(info.cls, name, state)
                    own = found[1] if found is not None else None
                results.append(own if own is not None else NOTHING)
            elif isinstance(atom, Request):
                path = (*atom.path, name)
                results.append((Request(path, bool(state.get((PRESENT, path), False))),))
        return join(results)

    def assign(
        self, owner: Value, name: str, value: Value, site: Site, state: State, source: Optional[ir.Expression]
    ) -> None:
        """Runs `owner.name = value`."""
        machine = self._machine
        if not all(isinstance(atom, Object) for atom in owner):
            machine.watcher.unknown_assigned(name, value)
        for atom in owner:
            if not isinstance(atom, Object):
                continue
            key = (ATTRIBUTE, atom.number, name)
            machine.watcher.assigned(key, value, state)
            new = machine.inheritance.typed(atom, name, value, state)
            if len(owner) > 1:
                old = state.get(key)
                state.set(key, new if old is None else join((old, new)))
            else:
                state.set(key, new)
        machine.watcher.attribute_assigned(owner, name, value, site, state, source)

    def narrow(self, owner: Atom, name: str, value: Value, state: State) -> None:
        """Stores what a condition showed about an attribute."""
        if isinstance(owner, Object):
            info = self._machine.heap.info(owner.number)
            if info.kind in (heap.INSTANCE, heap.CLASS, heap.OUTSIDE):
                state.set((ATTRIBUTE, owner.number, name), value)
            elif info.kind == heap.MODULE:
                state.set((VARIABLE, info.frame, name), value)
