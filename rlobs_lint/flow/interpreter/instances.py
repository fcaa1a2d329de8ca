"""Instances of workspace classes: what making one runs, and what its fields hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, List, Optional, Tuple

from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.annotations import refined_by
from rlobs_lint.flow.domain.arguments import Arguments, ArgumentValue
from rlobs_lint.flow.domain.heap import ObjectInfo
from rlobs_lint.flow.domain.state import ATTRIBUTE, State
from rlobs_lint.flow.domain.values import NOTHING, UNKNOWN, Constant, Function, Object, Site, Value, join

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine

#: Functions that declare the field of a dataclass or model.
FIELDS = frozenset({"dataclasses.field", "pydantic.Field", "pydantic.PrivateAttr", "attrs.field", "attr.ib"})
_FACTORY = "default_factory"
#: Keywords that give them what makes the value for each instance; the second is of attrs.
FACTORIES = (_FACTORY, "factory")


def factory(arguments: Arguments) -> Value:
    """Returns what a field is made by for each instance."""
    return join(arguments.value(-1, name) for name in FACTORIES)


class Instances:
    """Makes instances, for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def make(self, cls: Object, arguments: Arguments, site: Site, state: State) -> Value:
        """Makes an instance of a workspace class and runs its `__init__`."""
        machine = self._machine
        if machine.enumerations.is_enumeration(cls):
            return machine.enumerations.members(cls, state)
        family = machine.world.family_of_class(cls.number)
        name = machine.heap.info(cls.number).name
        info = ObjectInfo(heap.INSTANCE, site, name, family=family, cls=cls.number)
        created = self._created(cls, arguments, site, state)
        if created:
            # `__new__` hands out an object of its own, perhaps always the same.
            for atom in created:
                self._initialise(atom, cls, arguments, site, state)
            return created
        made = machine.allocate(("instance", cls.number), info)
        machine.world.constructed(made, cls.number, arguments, site, state)
        self._copy_numbers(made, cls.number, state)
        machine.world.fields_given(made, cls.number, arguments, site, state)
        self._initialise(made, cls, arguments, site, state)
        return (made,)

    def _created(self, cls: Object, arguments: Arguments, site: Site, state: State) -> Tuple[Object, ...]:
        """Returns what a `__new__` of the workspace makes, if the class has one that can be followed."""
        machine = self._machine
        found = machine.inheritance.class_attribute(cls.number, "__new__", state)
        results: List[Value] = [
            machine.calls.call_function(atom._replace(receiver=cls), arguments, site, state)
            for atom in (found[1] if found is not None else ())
            if isinstance(atom, Function)
        ]
        made = [
            atom
            for atom in join(results)
            if isinstance(atom, Object) and machine.heap.info(atom.number).kind == heap.INSTANCE
        ]
        return tuple(made)

    def make_plainly(self, cls: Object, site: Site, state: State) -> Value:
        """Carries out `object.__new__(cls)`."""
        machine = self._machine
        family = machine.world.family_of_class(cls.number)
        info = ObjectInfo(
            heap.INSTANCE, site, machine.heap.info(cls.number).name, family=family, cls=cls.number
        )
        made = machine.allocate(("instance", cls.number), info)
        machine.world.constructed(made, cls.number, Arguments(open=True), site, state)
        return (made,)

    def _initialise(self, made: Object, cls: Object, arguments: Arguments, site: Site, state: State) -> None:
        """Runs `__init__` of a new instance, or assigns the fields of a dataclass."""
        machine = self._machine
        found = machine.inheritance.class_attribute(cls.number, "__init__", state)
        if found is not None:
            for atom in found[1]:
                if isinstance(atom, Function):
                    machine.calls.call_function(atom._replace(receiver=made), arguments, site, state)
        else:
            self._assign_fields(made, cls.number, arguments, state)
        # Dataclasses and pydantic models go on in a method of their own.
        for method, given in (
            ("__post_init__", ()),
            ("model_post_init", (ArgumentValue(None, UNKNOWN, site),)),
        ):
            if found is None and machine.inheritance.class_attribute(cls.number, method, state) is not None:
                bound = machine.attributes.attribute(made, method, site, state)
                machine.calls.call(bound, Arguments(given), site, state)

    def _copy_numbers(self, made: Object, cls: int, state: State) -> None:
        """Gives an instance the numbers of its class, so that a path which sets its own joins with them."""
        machine = self._machine
        for number in reversed(machine.inheritance.linearized(cls)):
            for name in machine.frames[machine.heap.info(number).frame].scope.local:
                value = state.get((ATTRIBUTE, number, name), NOTHING)
                if value and all(isinstance(it, Constant) and it.kind in ("int", "float") for it in value):
                    state.set((ATTRIBUTE, made.number, name), value)

    def _assign_field(self, made: Object, cls: int, name: str, value: Value, state: State) -> None:
        """Assigns a field: what is not known of it is what the class declares."""
        declared = self._machine.inheritance.declared(cls, name, state)
        known = value if declared is None else refined_by(value, declared)
        state.set((ATTRIBUTE, made.number, name), known)

    def _assign_fields(self, made: Object, cls: int, arguments: Arguments, state: State) -> None:
        """Assigns the fields of a dataclass, a model or a named tuple."""
        machine = self._machine
        names = machine.inheritance.declared_names(cls)
        for position, argument in enumerate(arguments.positional):
            if position < len(names):
                self._assign_field(made, cls, names[position], argument.value, state)
        for argument in arguments.keywords:
            self._assign_field(made, cls, argument.keyword or "", argument.value, state)
        given = names[: len(arguments.positional)] + tuple(one.keyword or "" for one in arguments.keywords)
        for name in names:
            field = None if name in given else self._field(cls, name, state)
            if field is not None:
                maker = state.get((ATTRIBUTE, field.number, _FACTORY), NOTHING)
                made_by = machine.calls.call(maker, Arguments(), machine.heap.info(field.number).site, state)
                state.set((ATTRIBUTE, made.number, name), made_by)

    def _field(self, cls: int, name: str, state: State) -> Optional[Object]:
        """Returns the `field(default_factory=...)` that a class declares."""
        found = self._machine.inheritance.class_attribute(cls, name, state)
        for atom in found[1] if found is not None else ():
            if isinstance(atom, Object) and self._machine.heap.info(atom.number).name in FIELDS:
                return atom
        return None

    def declare_field(self, name: str, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out `field(default_factory=f)`: what it makes is made for every instance."""
        made = self._machine.allocate("field", ObjectInfo(heap.OUTSIDE, site, name))
        state.set((ATTRIBUTE, made.number, _FACTORY), factory(arguments))
        return (made,)
