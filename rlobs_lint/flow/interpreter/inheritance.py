"""Classes of the workspace: their bodies, bases and the members that they inherit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, Optional, Set, Tuple

from rlobs_lint.facts import ir, scopes
from rlobs_lint.facts.module import Module
from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.annotations import SCALARS, annotated, refined_by
from rlobs_lint.flow.domain.arguments import Arguments
from rlobs_lint.flow.domain.heap import ObjectInfo
from rlobs_lint.flow.domain.state import ATTRIBUTE, State
from rlobs_lint.flow.domain.values import (
    External,
    Function,
    Object,
    Request,
    Site,
    Typed,
    Unknown,
    Value,
    is_opaque,
)
from rlobs_lint.flow.interpreter.activations import Frame

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine


class Inheritance:
    """Defines classes and looks through their bases, for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._class_of_frame: Dict[int, int] = {}
        self._annotations: Dict[Tuple[int, str], Tuple[ir.Expression, Module]] = {}
        self._orders: Dict[int, Tuple[int, ...]] = {}

    def define_class(self, statement: ir.ClassDef, state: State) -> Value:
        """Runs a class statement: bases, body, decorators."""
        machine = self._machine
        outer = machine.activation.frame
        bases = tuple(
            self._base_value(base.value, state)
            for base in statement.bases
            if base.keyword is None and not base.star
        )
        frame = machine.new_frame(scopes.scope_of(statement.body), outer.module, outer, is_class=True)
        site = machine.site(statement.at)
        info = ObjectInfo(
            heap.CLASS,
            site,
            statement.name,
            module=outer.module,
            node=statement,
            bases=bases,
            frame=frame.number,
        )
        made = machine.allocate("class", info)
        frame_number = machine.heap.info(made.number).frame
        if frame_number != frame.number:
            # The function around it is run again, and has its names in another frame now.
            frame = machine.frames[frame_number]
            frame.parent = outer
        self._class_of_frame[frame.number] = made.number
        machine.ledger.classes.setdefault(made.number, None)
        machine.run_class_body(frame, statement.body, state)
        self._tell_bases(made, machine.site(statement.at), state)
        value: Value = (made,)
        for decorator in reversed(statement.decorators):
            value = machine.functions.decorate(decorator, value, state)
        return value

    def _base_value(self, base: ir.Expression, state: State) -> Value:
        """Returns what a base in a class statement is: `Base[int]` is `Base`."""
        value = self._machine.evaluate(base, state)
        if isinstance(base, ir.Subscript) and all(isinstance(atom, Unknown) for atom in value):
            return self._machine.evaluate(base.value, state)
        return value

    def _tell_bases(self, made: Object, site: Site, state: State) -> None:
        """Runs the `__init_subclass__` of a base of the workspace."""
        found = self.class_attribute(made.number, "__init_subclass__", state, made.number)
        for atom in found[1] if found is not None else ():
            if isinstance(atom, Function):
                self._machine.calls.call_function(atom._replace(receiver=made), Arguments(), site, state)

    def class_variable(self, frame: Frame, name: str, value: Value, state: State) -> None:
        """Makes what a class body binds an attribute of the class."""
        owner = self._class_of_frame.get(frame.number)
        if owner is not None:
            state.set((ATTRIBUTE, owner, name), value)

    def annotate(self, frame: Frame, name: str, annotation: ir.Expression, state: State) -> None:
        """Notes the type that a class body declares for an attribute."""
        owner = self._class_of_frame.get(frame.number)
        if owner is not None:
            self._annotations[owner, name] = (annotation, frame.module)

    def owner_of_frame(self, frame: Frame) -> int:
        """Returns the object number of the class whose body a frame is, or -1."""
        return self._class_of_frame.get(frame.number, -1)

    def linearized(self, number: int) -> Tuple[int, ...]:
        """Returns a class and its workspace bases in the order that attributes are looked up in."""
        known = self._orders.get(number)
        if known is not None:
            return known
        self._orders[number] = (number,)
        order: List[int] = [number]
        for base in self._machine.heap.info(number).bases:
            for atom in base:
                if isinstance(atom, Object) and self._machine.heap.info(atom.number).kind == heap.CLASS:
                    order.extend(self.linearized(atom.number))
        # A class that is met twice is looked up where it is met last, as in Python's order.
        result = tuple(dict.fromkeys(reversed(order)))[::-1]
        result = (number, *(item for item in result if item != number))
        self._orders[number] = result
        return result

    def outside_bases(self, number: int) -> Tuple[str, ...]:
        """Returns the names of all bases of a class that are not the workspace's; `?` is unknown."""
        names: List[str] = []
        for cls in self.linearized(number):
            for base in self._machine.heap.info(cls).bases:
                for atom in base:
                    if isinstance(atom, External):
                        names.append(atom.name)
                    elif not isinstance(atom, Object):
                        names.append("?")
        return tuple(dict.fromkeys(names))

    def class_attribute(
        self, cls: int, name: str, state: State, after: int = -1
    ) -> Optional[Tuple[int, Value]]:
        """Returns the class that has an attribute, and its value, in the order of look-up."""
        order = self.linearized(cls)
        if after in order:
            order = order[order.index(after) + 1 :]
        for number in order:
            value = state.get((ATTRIBUTE, number, name))
            if value is not None:
                return number, value
        return None

    def declared(self, cls: int, name: str, state: State) -> Optional[Value]:
        """Returns a value of the type that a class declares for an attribute."""
        for number in self.linearized(cls):
            found = self._annotations.get((number, name))
            if found is not None:
                return annotated(found[0])
        return None

    def typed(self, owner: Object, name: str, value: Value, state: State) -> Value:
        """Returns what an attribute is given, its unknown parts of the plain type that the class declares."""
        cls = self._machine.heap.info(owner.number).cls
        if cls < 0 or not any(is_opaque(atom) or isinstance(atom, Request) for atom in value):
            return value
        known = self.declared(cls, name, state)
        is_plain = bool(known) and all(
            isinstance(atom, Typed) and atom.kind in SCALARS for atom in known or ()
        )
        return refined_by(value, known) if known is not None and is_plain else value

    def declared_names(self, cls: int) -> Tuple[str, ...]:
        """Returns the attributes that a class and its bases declare, bases first."""
        names: List[str] = []
        for number in reversed(self.linearized(cls)):
            node = self._machine.heap.info(number).node
            names.extend(
                statement.target.identifier
                for statement in (node.body if node is not None else ())
                if isinstance(statement, ir.AnnotatedAssign) and isinstance(statement.target, ir.Name)
            )
        return tuple(dict.fromkeys(names))

    def public_names(self, cls: int) -> Tuple[str, ...]:
        """Returns the names that a class and its bases bind, sorted, without private ones."""
        names: Set[str] = set()
        for number in self.linearized(cls):
            frame = self._machine.frames[self._machine.heap.info(number).frame]
            names.update(name for name in frame.scope.local if not name.startswith("_"))
        return tuple(sorted(names))
