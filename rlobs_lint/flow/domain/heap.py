"""Things with identity, and the contents of collections.

An `Object` atom is a number; what never changes about it stands here in an `ObjectInfo`, what changes
(attributes, contents, traces) in the state.
"""

from __future__ import annotations

from typing import Dict, Hashable, List, NamedTuple, Optional, Tuple, Union

from rlobs_lint.facts import ir
from rlobs_lint.facts.module import Module
from rlobs_lint.flow.domain.values import NOTHING, Constant, EnumMember, Object, Site, Typed, Value, join

#: Kinds of objects.
INSTANCE, CLASS, MODULE, NAMESPACE = "instance", "class", "module", "namespace"
SEQUENCE, MAPPING, PARTIAL, OUTSIDE = "sequence", "mapping", "partial", "outside"
#: The family of a list of rows in another order: which is the first is not known.
MIXED = "mixed"
#: A dictionary is followed up to this many entries.
MOST_ENTRIES = 400


class ObjectInfo(NamedTuple):
    """What never changes about an object.

    Attributes:
        kind: One of the kinds above.
        site: Where it was made.
        name: Of a collection `list`, `tuple`, `set`, `generator` or `dict`; of an outside object the
            name of what made it (`openai.OpenAI`); of a class its name.
        family: The table of the SDK contract that knows its methods, or nothing.
        cls: Of an instance, its class's object number.
        module: Of a class or module, its module; `path` is a namespace package's folder.
        node: Of a class, its definition.
        bases: Of a class, its bases in order, as written.
        frame: Of a class or module, the frame of its body.
        base: Of an outside object made from another (a client with bound tools), that other.
        verdict: Of such an object, how calls on it are traced.
    """

    kind: str
    site: Site
    name: str = ""
    family: str = ""
    cls: int = -1
    module: Optional[Module] = None
    path: str = ""
    node: Optional[ir.ClassDef] = None
    bases: Tuple[Value, ...] = ()
    frame: int = -1
    base: int = -1
    verdict: str = ""


class Entry(NamedTuple):
    """One `key: value` of a mapping.

    Attributes:
        key: What the key may be.
        value: What the value may be.
        key_site: Where the key is written.
        value_site: Where the value is written.
        always: Whether the entry is there on every path.
    """

    key: Value
    value: Value
    key_site: Site
    value_site: Site
    always: bool = True


class MappingContent(NamedTuple):
    """A dictionary's entries, in order; `open` when it may hold others."""

    entries: Tuple[Entry, ...] = ()
    open: bool = False

    def join(self, other: MappingContent) -> MappingContent:
        """Unites the entries of two paths."""
        if self == other:
            return self
        merged: Dict[Tuple[Site, Value], Entry] = {
            (entry.key_site, entry.key): entry._replace(always=False) for entry in self.entries
        }
        for entry in other.entries:
            old = merged.get((entry.key_site, entry.key))
            value = entry.value if old is None else join((old.value, entry.value))
            merged[(entry.key_site, entry.key)] = entry._replace(value=value, always=False)
        keys = [frozenset(it.key for it in side.entries if it.always) for side in (self, other)]
        both = keys[0] & keys[1]
        entries = tuple(it._replace(always=it.key in both) for it in merged.values())
        return MappingContent(entries, self.open or other.open)

    def put(self, entry: Entry) -> MappingContent:
        """Returns the content after `mapping[key] = value`; a known key replaces an equal one."""
        if len(self.entries) >= MOST_ENTRIES:
            # A table of data, no metrics: what it holds is not followed.
            return self if self.open else self._replace(open=True)
        if not _known(entry.key):
            kept = []
            for old in self.entries:
                if old.key == entry.key and old.key_site == entry.key_site:
                    # `m[name(d)] = d` for every `d`: all of them are there in the end.
                    entry = entry._replace(value=join((old.value, entry.value)))
                elif old.key != entry.key or not _is_prepared(old.value):
                    # `{d: [] for d in dims}` before `m[d] = ...` for every `d` only prepares the entries.
                    kept.append(old)
            return MappingContent((*kept, entry), self.open)
        # A key of several possibilities is that of a loop, which gets to each of them.
        return MappingContent((*self._without(entry.key), entry), self.open)

    def _without(self, key: Value) -> Tuple[Entry, ...]:
        """Returns the entries of other keys."""
        gone = set(key)
        kept = []
        for entry in self.entries:
            if _known(entry.key) and gone.intersection(entry.key):
                rest = tuple(atom for atom in entry.key if atom not in gone)
                if not rest:
                    continue
                entry = entry._replace(key=rest)
            kept.append(entry)
        return tuple(kept)

    def update(self, other: MappingContent) -> MappingContent:
        """Returns the content after `mapping.update(other)`."""
        content = self
        for entry in other.entries:
            if entry.always:
                content = content.put(entry)
            else:
                content = content._replace(entries=(*content.entries, entry)[:MOST_ENTRIES])
        return content._replace(open=content.open or other.open)

    def remove(self, key: Value) -> MappingContent:
        """Returns the content after `mapping.pop(key)`: an unknown key may have been any of them."""
        return self._replace(entries=self._without(key)) if _known(key) else self.thinned()

    def without_last(self) -> MappingContent:
        """Returns the content after `mapping.popitem()`."""
        last = self.entries[-1:]
        is_known = not self.open and last and last[0].always and _known(last[0].key)
        if not is_known or len(last[0].key) > 1:
            return self.thinned()
        return self._replace(entries=self.entries[:-1])

    def thinned(self) -> MappingContent:
        """Returns the content after entries that are not known were taken out."""
        return self._replace(entries=tuple(entry._replace(always=False) for entry in self.entries))

    def lookup(self, key: Value) -> Value:
        """Returns what `mapping[key]` may be among the known entries."""
        wanted = set(key)
        return join(
            entry.value
            for entry in self.entries
            if not _known(key) or not _known(entry.key) or wanted.intersection(entry.key)
        )

    def has(self, key: Value) -> bool:
        """Whether there surely is an entry of a key."""
        return len(key) == 1 and _known(key) and any(it.always and it.key == key for it in self.entries)

    def each(self) -> Tuple[Tuple[Entry, ...], Tuple[Entry, ...]]:
        """Returns the entries in order, those of a loop's known keys one by one.

        Returns:
            Those that are surely there, and what further ones may be.
        """
        sure: List[Entry] = []
        others: List[Entry] = []
        for entry in self.entries:
            single = [entry._replace(key=(atom,)) for atom in entry.key] if _known(entry.key) else [entry]
            (sure if entry.always else others).extend(single)
            if not _known(entry.key):
                others.extend(single if entry.always else ())
        return tuple(sure), tuple(others)

    def values(self) -> Value:
        """Returns what any value may be."""
        return join(entry.value for entry in self.entries)

    def keys(self) -> Value:
        """Returns what any key may be."""
        return join(entry.key for entry in self.entries)


class SequenceContent(NamedTuple):
    """A list's, tuple's or set's elements; `rest` is what further ones may be, any number of times."""

    elements: Tuple[Value, ...] = ()
    rest: Value = NOTHING

    def join(self, other: SequenceContent) -> SequenceContent:
        """Unites the elements of two paths."""
        if self == other:
            return self
        if len(self.elements) == len(other.elements):
            elements = tuple(join(pair) for pair in zip(self.elements, other.elements))
            return SequenceContent(elements, join((self.rest, other.rest)))
        short, long = sorted((self.elements, other.elements), key=len)
        shared = tuple(join(pair) for pair in zip(short, long))
        return SequenceContent(shared, join((self.rest, other.rest, *long[len(short) :])))

    def any(self) -> Value:
        """Returns what an element may be."""
        return join((*self.elements, self.rest))

    def changed(self, added: Value = NOTHING) -> SequenceContent:
        """Returns the content after elements went out, or some like `added` came in, nobody knows where."""
        return SequenceContent((), join((*self.elements, self.rest, added)))

    def mixed(self) -> SequenceContent:
        """Returns the content in an order that is not known."""
        if len(self.elements) < 2 or self.rest:
            return self
        return SequenceContent((self.any(),) * len(self.elements))

    @property
    def known_empty(self) -> bool:
        """Whether there surely is no element."""
        return not self.elements and not self.rest


Content = Union[MappingContent, SequenceContent]


def _known(key: Value) -> bool:
    return all(isinstance(atom, (Constant, EnumMember)) for atom in key)


def _is_prepared(value: Value) -> bool:
    """Whether a value may only hold a place: `None`, an empty collection."""
    return all(
        isinstance(atom, Object) or (isinstance(atom, Constant) and atom.kind == "None") for atom in value
    )


class Heap:
    """All objects of an analysis.

    An allocation is named by where it happens and through which calls, so that a loop makes the same
    object again, and two calls of one function make two.
    """

    def __init__(self) -> None:
        self._infos: List[ObjectInfo] = []
        self._numbers: Dict[Hashable, int] = {}

    def allocate(self, key: Hashable, info: ObjectInfo) -> Object:
        """Returns the object of an allocation; the same key gives the same object."""
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._infos)
            self._infos.append(info)
        return Object(number)

    def info(self, number: int) -> ObjectInfo:
        """Returns what never changes about an object."""
        return self._infos[number]

    def __len__(self) -> int:
        return len(self._infos)


def is_text(atom: object) -> bool:
    """Whether an atom is a string, known or not."""
    return isinstance(atom, (Constant, Typed)) and atom.kind == "str"
