"""What collections hold: making, reading and changing them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional, Sequence, Tuple

from rlobs_lint.facts import ir
from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.heap import Entry, MappingContent, ObjectInfo, SequenceContent
from rlobs_lint.flow.domain.state import CONTENT, PRESENT, State
from rlobs_lint.flow.domain.values import (
    BOUNDED,
    NOTHING,
    UNKNOWN,
    Atom,
    Constant,
    External,
    Function,
    Member,
    Object,
    Request,
    Site,
    Typed,
    Unknown,
    Value,
    constants,
    join,
    kind_of,
    origin_of,
    typed,
)
from rlobs_lint.flow.interpreter.activations import Turn

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine


#: Loops over literal collections of at most this many objects are run element by element.
LONGEST_UNROLLED = 8
#: The same where they are tuples, such as the items of a dictionary.
MOST_ROWS = 24
#: Dictionaries that answer for keys which they do not hold.
_FILLING = frozenset({"defaultdict", "counter"})


class Contents:
    """Keeps what is in lists, tuples, sets and dictionaries, for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def put(self, atom: Atom, entry: Entry, state: State, weak: bool = False) -> None:
        """Stores `mapping[key] = value`; `weak` where the mapping may be another one."""
        content = self.of(atom, state)
        assert isinstance(atom, Object) or content is None
        if isinstance(content, MappingContent):
            changed = content.put(entry)
            state.set((CONTENT, atom.number), content.join(changed) if weak else changed)  # type: ignore[union-attr]
        elif isinstance(content, SequenceContent):
            rest = join((content.rest, entry.value))
            state.set((CONTENT, atom.number), content._replace(rest=rest))  # type: ignore[union-attr]
        if content is not None and isinstance(atom, Object):
            self._machine.watcher.assigned((CONTENT, atom.number), entry.value, state)
            self._machine.watcher.mapping_changed(atom.number, state)

    def kind_of(self, atom: Atom) -> str:
        """Returns what a collection is called: `list`, `set`, ..."""
        return self._machine.heap.info(atom.number).name if isinstance(atom, Object) else ""

    def extend(self, atom: Atom, value: Value, state: State) -> None:
        """Appends all elements of `value` to a list or set."""
        content = self.of(atom, state)
        if not isinstance(content, SequenceContent) or not isinstance(atom, Object):
            return
        added = [self.of(other, state) for other in value]
        if len(added) == 1 and isinstance(added[0], SequenceContent) and not content.rest:
            more = added[0]
            both = (*content.elements, *more.elements)
            changed = SequenceContent(both[:64], join((more.rest, *both[64:])))
        else:
            changed = content._replace(rest=join((content.rest, self.element(value, state))))
        state.set((CONTENT, atom.number), changed)
        self._machine.watcher.assigned((CONTENT, atom.number), self.element(value, state), state)

    def update_mapping(self, atom: Atom, other: Atom, state: State) -> None:
        """Runs `mapping.update(other)`."""
        content, more = self.of(atom, state), self.of(other, state)
        if not isinstance(content, MappingContent) or not isinstance(atom, Object):
            return
        if isinstance(more, MappingContent):
            state.set((CONTENT, atom.number), content.update(more))
        elif isinstance(more, SequenceContent):
            state.set((CONTENT, atom.number), content.update(self.pairs(more, state)))
        elif not (isinstance(other, Constant) and other.value is None):
            state.set((CONTENT, atom.number), content._replace(open=True))
        self._machine.watcher.mapping_changed(atom.number, state)

    def pairs(self, content: SequenceContent, state: State) -> MappingContent:
        """Returns the mapping that a sequence of pairs makes."""
        mapping = MappingContent(open=bool(content.rest))
        for element in content.elements:
            for atom in element:
                pair = self.of(atom, state)
                if isinstance(pair, SequenceContent) and len(pair.elements) == 2 and isinstance(atom, Object):
                    site = self._machine.heap.info(atom.number).site
                    mapping = mapping.put(Entry(pair.elements[0], pair.elements[1], site, site))
                else:
                    mapping = mapping._replace(open=True)
        return mapping

    def without(self, content: MappingContent, key: Value) -> MappingContent:
        """Returns what a dictionary holds after an entry was taken out: one of several, but in a loop all."""
        if len(key) > 1 and not any(activation.loops for activation in self._machine.stack):
            return content.thinned()
        return content.remove(key)

    def of(self, atom: Atom, state: State) -> Optional[object]:
        """Returns the content of a collection, or `None` for anything else."""
        if isinstance(atom, Object):
            found: Optional[object] = state.get((CONTENT, atom.number))
            return found
        return None

    def sequence(
        self, kind: str, elements: Tuple[Value, ...], rest: Value, expression: ir.Expression, state: State
    ) -> Value:
        """Makes a list, tuple, set or generator at an expression."""
        site = self._machine.site(expression.at)
        made = self._machine.allocate(kind, ObjectInfo(heap.SEQUENCE, site, kind))
        state.set((CONTENT, made.number), SequenceContent(elements[:64], join((rest, *elements[64:]))))
        return (made,)

    def mapping(self, content: MappingContent, site: Site, state: State, what: str = "dict") -> Value:
        """Makes a dictionary at a place."""
        made = self._machine.allocate(what, ObjectInfo(heap.MAPPING, site, "dict"))
        state.set((CONTENT, made.number), content)
        return (made,)

    def element(self, value: Value, state: State, is_async: bool = False) -> Value:
        """Returns what an element of an iterable may be."""
        return join(self.element_of(atom, state) for atom in value)

    def element_of(self, atom: Atom, state: State) -> Value:
        """Returns what an element of one possibility of an iterable may be."""
        self._machine.watcher.gone_through(atom)
        content = self.of(atom, state)
        if isinstance(content, SequenceContent):
            return content.any()
        if isinstance(content, MappingContent):
            return join((content.keys(), UNKNOWN if content.open else NOTHING))
        if isinstance(atom, Request):
            return (Request((*atom.path, "[]")),)
        if isinstance(atom, Constant):
            if isinstance(atom.value, str):
                letters = dict.fromkeys(atom.value)
                return (
                    tuple(Constant("str", letter) for letter in letters)
                    if len(letters) <= 8
                    else typed("str", BOUNDED)
                )
            return NOTHING if atom.value is None else UNKNOWN
        if isinstance(atom, Typed) and atom.kind == "str":
            return (Typed("str", atom.origin),)
        if isinstance(atom, Object):
            return self._machine.world.element_of(atom, state)
        if isinstance(atom, (Typed, Unknown)):
            # The elements of a list of unknown length are data.
            return (Unknown(atom.origin),)
        return UNKNOWN

    def surely_nonempty(self, value: Value, state: State) -> bool:
        """Whether an iterable surely has an element."""
        if not value:
            return False
        for atom in value:
            content = self.of(atom, state)
            if isinstance(content, SequenceContent) and content.elements:
                continue
            if isinstance(content, MappingContent) and any(entry.always for entry in content.entries):
                continue
            if isinstance(atom, Constant) and isinstance(atom.value, str) and atom.value:
                continue
            if isinstance(atom, Typed) and atom.text == ("range",):
                continue
            if isinstance(atom, Object) and self._machine.enumerations.is_enumeration(atom):
                continue
            return False
        return True

    def is_mixed(self, atom: Atom) -> bool:
        """Whether nothing is known of the order of a list."""
        return isinstance(atom, Object) and self._machine.heap.info(atom.number).family == heap.MIXED

    def are_rows(self, value: Value) -> bool:
        """Whether all possibilities are tuples, such as the items of a dictionary."""
        return all(
            isinstance(atom, Object) and self._machine.heap.info(atom.number).name == "tuple"
            for atom in value
        )

    def _differ(self, value: Value) -> bool:
        """Whether each possibility stands for one element."""
        return all(isinstance(atom, Constant) for atom in value) or self.are_rows(value)

    def unrollable(self, value: Value, state: State) -> Optional[Sequence[Turn]]:
        """Returns the elements of a short collection of objects or functions; in a script, of anything."""
        machine = self._machine
        if len(value) != 1 or len(machine.activation.loops) > 1:
            return None
        content = self.of(value[0], state)
        if not isinstance(content, SequenceContent) or not isinstance(value[0], Object):
            return None
        if content.rest:
            # The items of a dictionary, some of which may not be there.
            if machine.heap.info(value[0].number).name != "view":
                return None
            others: Tuple[Value, ...] = tuple((atom,) for atom in content.rest)
            content = SequenceContent((*content.elements, *others))
        else:
            others = ()
        rows = all(map(self.are_rows, content.elements))
        if not 2 <= len(content.elements) <= (MOST_ROWS if rows else LONGEST_UNROLLED):
            return None
        interesting = any(
            isinstance(atom, (Object, Function, External)) for element in content.elements for atom in element
        )
        sure = len(content.elements) - len(others)
        turns = tuple(Turn(element, position < sure) for position, element in enumerate(content.elements))
        return turns if interesting or machine.root.is_script else None

    def sliced(self, atom: Atom, bounds: Sequence[Value], site: Site, state: State) -> Value:
        """Returns what `atom[start:stop:step]` may be."""
        content = self.of(atom, state)
        if isinstance(content, SequenceContent):
            known = [constants(bound) for bound in bounds]
            numbers = [it[0] for it in known if it is not None and len(it) == 1]
            part = SequenceContent((), content.any())
            if len(numbers) == 3 and numbers[2] != 0:
                start, stop, step = (it if isinstance(it, int) else None for it in numbers)
                if not content.rest:
                    part = SequenceContent(content.elements[start:stop:step])
                elif stop is not None and stop >= 0 and (start or 0) >= 0 and self._differ(content.any()):
                    # `list(metrics.items())[:10]`: at most so many of the rows that may be there.
                    part = SequenceContent((), content.any()[: max(stop - (start or 0), 0)])
            made = self._machine.allocate("list", ObjectInfo(heap.SEQUENCE, site, "list"))
            state.set((CONTENT, made.number), part)
            return (made,)
        if isinstance(atom, Request):
            if not _keeps_some(bounds):
                return (Request((*atom.path, "[n:]")),)
            present = atom.present or bool(state.get((PRESENT, atom.path), False))
            return (Request((*atom.path, "[:]"), present),)
        if self._machine.world.is_collection(atom):
            return (atom,)
        return (
            (atom,)
            if kind_of(atom) == "str" and not isinstance(atom, Constant)
            else (Unknown(origin_of(atom)),)
        )

    def item(
        self, atom: Atom, index: Value, site: Site, state: State, key_site: Optional[Site] = None
    ) -> Value:
        """Returns what `atom[index]` may be."""
        machine = self._machine
        content = self.of(atom, state)
        if isinstance(content, MappingContent):
            found = content.lookup(index)
            assert isinstance(atom, Object)
            if machine.heap.info(atom.number).family in _FILLING and not content.has(index):
                answer = machine.library.containers.missing(atom, content, index, key_site or site, state)
                return join((found, answer))
            return join((found, UNKNOWN)) if content.open or not found else found
        if isinstance(content, SequenceContent):
            number = index[0].value if len(index) == 1 and isinstance(index[0], Constant) else None
            if (
                isinstance(number, int)
                and not content.rest
                and not self.is_mixed(atom)
                and -len(content.elements) <= number < len(content.elements)
            ):
                return content.elements[number]
            return content.any() or UNKNOWN
        if isinstance(atom, Request):
            key = index[0].value if len(index) == 1 and isinstance(index[0], Constant) else None
            return (Request((*atom.path, key if isinstance(key, str) else "[]")),)
        if isinstance(atom, Object):
            return machine.world.item_of(atom, index, site, state)
        if isinstance(atom, (External, Member)):
            return machine.attributes.attribute(atom, "[]", site, state)
        return (Unknown(origin_of(atom)),)


def _keeps_some(bounds: Sequence[Value]) -> bool:
    """Whether a slice of a list that is not empty has something, too: `[-3:]`, `[:2]`, `[::-1]`."""
    known = [constants(bound) for bound in bounds[:2]]
    start, stop = (it[0] if it is not None and len(it) == 1 else "?" for it in known)
    begins = start is None or (isinstance(start, int) and (start < 0 or start == 0))
    is_plain = stop is None or (isinstance(stop, int) and stop > 0)
    return begins and is_plain and (start in (None, 0) or stop is None)
