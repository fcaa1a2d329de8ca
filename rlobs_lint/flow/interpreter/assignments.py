"""Assignments: targets of every kind, in place or anew, and `del`."""

from __future__ import annotations

from typing import TYPE_CHECKING, List, Optional

from rlobs_lint.facts import ir
from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.heap import Entry, MappingContent, SequenceContent
from rlobs_lint.flow.domain.state import CONTENT, State
from rlobs_lint.flow.domain.values import (
    NOTHING,
    NUMBERS,
    UNBOUNDED,
    UNKNOWN,
    Atom,
    Constant,
    Object,
    Typed,
    Value,
    join_alternatives,
)

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine


class Assignments:
    """Assigns to targets, for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def assign(
        self, target: ir.Expression, value: Value, state: State, source: Optional[ir.Expression]
    ) -> None:
        """Assigns a value to a target; `source` is the expression it comes from, if it is one."""
        machine = self._machine
        if isinstance(target, ir.Name):
            machine.names.bind(target.identifier, value, state)
        elif isinstance(target, ir.Attribute):
            owner = machine.evaluate(target.value, state)
            machine.attributes.assign(owner, target.name, value, machine.site(target.at), state, source)
        elif isinstance(target, ir.Subscript):
            self._assign_item(target, value, state, source)
        elif isinstance(target, ir.Display):
            self._unpack(target, value, state)

    def _unpack(self, target: ir.Display, value: Value, state: State) -> None:
        dealt = [self._dealt(target, atom, state) for atom in value]
        for position, element in enumerate(target.elements):
            parts = [shares[position] for shares in dealt]
            if isinstance(element, ir.Starred):
                # `first, *others = row`: the others are a list of their own.
                others = parts[0] if parts else SequenceContent((), UNKNOWN)
                for part in parts[1:]:
                    others = others.join(part)
                made = self._machine.contents.sequence("list", others.elements, others.rest, element, state)
                self.assign(element.value, made, state, None)
            else:
                self.assign(element, join_alternatives(part.any() for part in parts), state, None)

    def _dealt(self, target: ir.Display, atom: Atom, state: State) -> List[SequenceContent]:
        """Returns what each target gets of a collection: one element, or any number where it has a star."""
        machine = self._machine
        stars = [isinstance(element, ir.Starred) for element in target.elements]
        before = stars.index(True) if True in stars else len(stars)
        after = len(stars) - before - 1
        content = machine.contents.of(atom, state)
        if isinstance(content, SequenceContent) and not content.rest and not machine.contents.is_mixed(atom):
            elements = content.elements
            if True not in stars and len(elements) == before:
                return [SequenceContent((element,)) for element in elements]
            if True in stars and len(elements) >= before + after:
                end = len(elements) - after
                heads = [SequenceContent((element,)) for element in elements[:before]]
                tails = [SequenceContent((element,)) for element in elements[end:]]
                return [*heads, SequenceContent(elements[before:end]), *tails]
        # Which element comes where is not known: of several types, it may be of any.
        any_element = join_alternatives((element,) for element in machine.contents.element_of(atom, state))
        return [
            SequenceContent((), any_element) if star else SequenceContent((any_element,)) for star in stars
        ]

    def _assign_item(
        self, target: ir.Subscript, value: Value, state: State, source: Optional[ir.Expression]
    ) -> None:
        machine = self._machine
        owner = machine.evaluate(target.value, state)
        key = machine.evaluate(target.key, state)
        entry = Entry(
            key,
            value,
            machine.site(target.key.at),
            machine.site(source.at if source is not None else target.at),
        )
        for atom in owner:
            content = machine.contents.of(atom, state)
            if isinstance(target.key, ir.Slice) and isinstance(content, SequenceContent):
                assert isinstance(atom, Object)
                state.set((CONTENT, atom.number), content.changed(machine.contents.element(value, state)))
            else:
                machine.contents.put(atom, entry, state, weak=len(owner) > 1)
        machine.watcher.item_assigned(owner, key, value, entry.value_site, state)

    def augment(self, statement: ir.AugmentedAssign, state: State) -> None:
        """Runs `target operator= value`."""
        machine = self._machine
        old = machine.evaluate(statement.target, state)
        value = machine.evaluate(statement.value, state)
        if statement.operator in ("|", "+") and self._extend_in_place(old, value, state):
            return
        if statement.operator in ("-", "&", "^") and self._change_in_place(
            old, value, statement.operator, state
        ):
            return
        site = machine.site(statement.at)
        new = machine.operators.binary(statement.operator, old, value, site, state)
        if isinstance(statement.target, ir.Attribute) and self._is_processor(statement.target, state):
            # A processor lives on from call to call: what it counts has no end.
            new = tuple(
                Typed(it.kind, UNBOUNDED) if isinstance(it, Constant) and it.kind in NUMBERS else it
                for it in new
            )
        self.assign(statement.target, new, state, statement.value)

    def _is_processor(self, target: ir.Attribute, state: State) -> bool:
        """Whether an attribute is one of the processor that is being run."""
        machine = self._machine
        owner = machine.conditions.peek(target.value, state)
        infos = [machine.heap.info(atom.number) for atom in owner if isinstance(atom, Object)]
        return bool(infos) and all(
            info.kind == heap.INSTANCE and info.cls == machine.root.cls for info in infos
        )

    def _extend_in_place(self, old: Value, value: Value, state: State) -> bool:
        """Runs `list += more` and `mapping |= more`, which change the object."""
        machine = self._machine
        done = False
        for atom in old:
            content = machine.contents.of(atom, state)
            if isinstance(content, MappingContent):
                for other in value:
                    machine.contents.update_mapping(atom, other, state)
                done = True
            elif isinstance(content, SequenceContent) and machine.contents.kind_of(atom) in (
                "list",
                "set",
            ):
                machine.contents.extend(atom, value, state)
                done = True
        return done

    def _change_in_place(self, old: Value, value: Value, operator: str, state: State) -> bool:
        """Runs `seen -= others` and its like, which change the set."""
        machine = self._machine
        done = False
        for atom in old:
            content = machine.contents.of(atom, state)
            if (
                isinstance(content, SequenceContent)
                and isinstance(atom, Object)
                and machine.contents.kind_of(atom) == "set"
            ):
                added = machine.contents.element(value, state) if operator == "^" else NOTHING
                state.set((CONTENT, atom.number), content.changed(added))
                done = True
        return done

    def delete(self, target: ir.Expression, state: State) -> None:
        """Runs `del target`."""
        machine = self._machine
        if isinstance(target, ir.Subscript):
            owner = machine.evaluate(target.value, state)
            key = machine.evaluate(target.key, state)
            for atom in owner:
                content = machine.contents.of(atom, state)
                if not isinstance(atom, Object):
                    continue
                if isinstance(content, SequenceContent):
                    state.set((CONTENT, atom.number), content.changed())
                elif isinstance(content, MappingContent):
                    rest = machine.contents.without(content, key) if len(owner) == 1 else content.thinned()
                    state.set((CONTENT, atom.number), rest)
            machine.watcher.item_deleted(owner, key, machine.site(target.at), state)
        elif isinstance(target, ir.Name):
            machine.names.bind(target.identifier, UNKNOWN, state)
