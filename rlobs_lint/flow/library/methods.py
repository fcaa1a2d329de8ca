"""Methods of strings, lists and dictionaries."""

from __future__ import annotations

import re
from typing import Callable, Dict, List, Optional

from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.arguments import Arguments
from rlobs_lint.flow.domain.heap import Entry, MappingContent, ObjectInfo, SequenceContent
from rlobs_lint.flow.domain.path_values import PATH
from rlobs_lint.flow.domain.state import CONTENT, State
from rlobs_lint.flow.domain.values import (
    BOUNDED,
    NONE,
    NOTHING,
    UNBOUNDED,
    UNKNOWN,
    UNKNOWN_ORIGIN,
    Atom,
    Constant,
    Coroutine,
    Object,
    Request,
    Site,
    Typed,
    Unknown,
    Value,
    constant,
    join,
    origin_of,
    origin_of_value,
    strings,
    typed,
)
from rlobs_lint.flow.library.part import Part

#: The items of a dictionary are followed one by one up to this many.
MOST_ITEMS = 64


class Methods(Part):
    """Carries out calls of methods of Python's own types."""

    def call(self, owner: Atom, name: str, arguments: Arguments, site: Site, state: State) -> Optional[Value]:
        """Carries out a call of a method of a string, number, list, tuple, set or dictionary."""
        content = self._machine.contents.of(owner, state)
        if isinstance(content, MappingContent):
            assert isinstance(owner, Object)
            return self._mapping_method(owner, content, name, arguments, site, state)
        if isinstance(content, SequenceContent):
            assert isinstance(owner, Object)
            return self._sequence_method(owner, content, name, arguments, site, state)
        if isinstance(owner, Constant) and owner.kind == PATH:
            return self._machine.library.file_paths.method(owner, name, arguments)
        if isinstance(owner, (Constant, Typed)) and owner.kind == "str":
            return self._string_method(owner, name, arguments, site, state)
        if isinstance(owner, Typed) and owner.kind in ("dict",) and name in ("get", "pop", "setdefault"):
            return join(((Unknown(owner.origin),), arguments.value(1, "default")))
        if isinstance(owner, Typed):
            kind = {"isoformat": "str", "strftime": "str", "timestamp": "float", "hex": "str"}.get(name)
            kind = "float" if name == "total_seconds" else kind
            return (Typed(kind, owner.origin),) if kind is not None else (Unknown(owner.origin),)
        return None

    def _string_method(self, owner: Atom, name: str, arguments: Arguments, site: Site, state: State) -> Value:
        assert isinstance(owner, (Constant, Typed))
        given = [argument.value for argument in arguments.positional]
        if isinstance(owner, Constant) and isinstance(owner.value, str):
            folded = _folded_method(owner.value, name, given)
            if folded is not None:
                return folded
            if name == "format":
                return self._format(owner.value, arguments)
            if name == "join" and given:
                content = self._machine.contents.of(given[0][0], state) if len(given[0]) == 1 else None
                if isinstance(content, SequenceContent) and not content.rest and content.elements:
                    pieces: List[Value] = []
                    for position, element in enumerate(content.elements):
                        pieces += [(owner,)] if position else []
                        pieces.append(element)
                    return self._machine.operators.concatenate(pieces)
        if name in _STRING_TO_STRING:
            origins = [origin_of(owner), *(origin_of_value(value) for value in given if value)]
            if name == "join" and given:
                origins.append(origin_of_value(self._machine.contents.element(given[0], state) or UNKNOWN))
            origin = (
                UNBOUNDED
                if UNBOUNDED in origins
                else UNKNOWN_ORIGIN
                if UNKNOWN_ORIGIN in origins
                else BOUNDED
            )
            return (Typed("bytes" if name == "encode" else "str", origin),)
        if name in ("split", "rsplit", "splitlines"):
            # The words of a text are other ones than those of what stands in for it.
            info = ObjectInfo(heap.SEQUENCE, site, "list")
            made = self._machine.allocate(("words", origin_of(owner)), info)
            words: Value = (Typed("str", origin_of(owner)),) if owner != Constant("str", "") else NOTHING
            state.set((CONTENT, made.number), SequenceContent((), words))
            return (made,)
        if name in ("partition", "rpartition"):
            return self._sequence("list", (), (Typed("str", origin_of(owner)),), site, state)
        if name in ("count", "find", "index", "rfind", "rindex"):
            return (Typed("int", origin_of(owner)),)
        if name.startswith(("is", "starts", "ends")):
            return typed("bool", BOUNDED)
        return (Unknown(origin_of(owner)),)

    def _format(self, template: str, arguments: Arguments) -> Value:
        """Carries out `"{}_{name}".format(...)`."""
        pieces: List[Value] = []
        automatic = 0
        for position, piece in enumerate(re.split(r"\{([^{}]*)\}", template)):
            if position % 2 == 0:
                pieces.append(constant(piece))
                continue
            field = re.split(r"[!:.\[]", piece)[0]
            if not field:
                found = arguments.value(automatic, "")
                automatic += 1
            else:
                found = arguments.value(int(field), "") if field.isdigit() else arguments.value(-1, field)
            plain = piece == field
            pieces.append((found or UNKNOWN) if plain else (Unknown(origin_of_value(found or UNKNOWN)),))
        return self._machine.operators.concatenate(pieces)

    def _mapping_method(
        self,
        owner: Object,
        content: MappingContent,
        name: str,
        arguments: Arguments,
        site: Site,
        state: State,
    ) -> Value:
        contents = self._machine.contents
        key = arguments.value(0, "key")
        if name == "get":
            found = content.lookup(key)
            default = arguments.value(1, "default")
            unsure = UNKNOWN if content.open or not found else NOTHING
            missing = default or (NONE if not content.open else NOTHING)
            return join((found, unsure, NOTHING if content.has(key) else missing))
        if name in ("setdefault", "__setitem__") and len(arguments.positional) >= 1:
            value = arguments.value(1, "default") or NONE
            value_site = arguments.positional[1].site if len(arguments.positional) > 1 else site
            if name == "setdefault" and content.has(key):
                return content.lookup(key)
            entry = Entry(key, value, arguments.positional[0].site, value_site)
            if name == "setdefault" and content.lookup(key):
                # The entry may be there already, and then stays.
                state.set((CONTENT, owner.number), content._replace(entries=(*content.entries, entry)))
            else:
                contents.put(owner, entry, state)
            self._machine.watcher.item_assigned((owner,), key, value, site, state)
            return value
        if name == "update":
            is_counter = self._machine.heap.info(owner.number).family == "counter"
            for argument in arguments.positional[:1]:
                if is_counter:
                    changed = content.update(self._machine.library.containers.counted(argument, state))
                    state.set((CONTENT, owner.number), changed)
                    continue
                for atom in argument.value:
                    contents.update_mapping(owner, atom, state)
            for keyword in arguments.keywords:
                key = (Constant("str", keyword.keyword),)
                entry = Entry(key, keyword.value, keyword.name_site or keyword.site, keyword.site)
                contents.put(owner, entry, state)
            return NONE
        if name in ("pop", "__delitem__"):
            state.set((CONTENT, owner.number), contents.without(content, key))
            return join((content.lookup(key), arguments.value(1, "default"))) or UNKNOWN
        if name == "popitem":
            # In a loop nobody knows how many are left, or which.
            in_loop = any(activation.loops for activation in self._machine.stack)
            left = MappingContent(open=True) if in_loop else content.without_last()
            state.set((CONTENT, owner.number), left)
            row = self._sequence("tuple", (content.keys(), content.values()), NOTHING, site, state)
            return row if content.entries and not content.open else UNKNOWN
        if name == "subtract":
            # A counter's numbers, and the keys that are given, get others.
            counted = tuple(entry._replace(value=typed("number")) for entry in content.entries)
            state.set((CONTENT, owner.number), MappingContent(counted, True))
            return NONE
        if name == "clear":
            state.set((CONTENT, owner.number), MappingContent())
            return NONE
        if name == "copy":
            return contents.mapping(content, site, state, "copy")
        rest = UNKNOWN if content.open else NOTHING
        if name == "keys":
            sure, others = content.each()
            more = join((*(entry.key for entry in others), rest))
            return self._sequence("view", tuple(entry.key for entry in sure), more, site, state)
        if name == "values":
            sure, others = content.each()
            more = join((*(entry.value for entry in others), rest))
            return self._sequence("view", tuple(entry.value for entry in sure), more, site, state)
        if name == "items":
            return self._items("view", content, site, state)
        if name == "most_common":
            rows = self._items("list", content, site, state)
            limit = arguments.value(0, "n") or NONE
            return contents.sliced(rows[0], (NONE, limit, NONE), site, state)
        return UNKNOWN

    def _items(self, kind: str, content: MappingContent, site: Site, state: State) -> Value:
        sure, others = content.each()
        rows: List[Value] = []
        for position, entry in enumerate((*sure, *others)[:MOST_ITEMS]):
            made = self._machine.allocate(("item", position), ObjectInfo(heap.SEQUENCE, site, "tuple"))
            state.set((CONTENT, made.number), SequenceContent((entry.key, entry.value)))
            rows.append((made,))
        more = rows[len(sure) :]
        if content.open or len(rows) < len(sure) + len(others):
            more.append(self._sequence("tuple", (UNKNOWN, UNKNOWN), NOTHING, site, state))
        return self._sequence(kind, tuple(rows[: len(sure)]), join(more), site, state)

    def _sequence_method(
        self,
        owner: Object,
        content: SequenceContent,
        name: str,
        arguments: Arguments,
        site: Site,
        state: State,
    ) -> Value:
        contents = self._machine.contents
        kind = self._machine.heap.info(owner.number).name
        if kind == "async-queue" and name in ("put", "get"):
            return (
                Coroutine(self._sequence_method(owner, content, f"{name}_nowait", arguments, site, state)),
            )
        if kind == "queue" and name in ("put", "get"):
            name = f"{name}_nowait"
        if name in ("append", "add", "appendleft", "put_nowait") and arguments.positional:
            value = arguments.positional[0].value
            in_loop = bool(self._machine.activation.loops)
            if in_loop or content.rest or len(content.elements) >= 32:
                changed = content._replace(rest=join((content.rest, value)))
            else:
                ends = (value, *content.elements) if name == "appendleft" else (*content.elements, value)
                changed = SequenceContent(ends, content.rest)
            state.set((CONTENT, owner.number), changed)
            self._machine.watcher.assigned((CONTENT, owner.number), value, state)
            return NONE
        if name == "insert" and len(arguments.positional) > 1:
            value = arguments.positional[1].value
            state.set((CONTENT, owner.number), content.changed(value))
            self._machine.watcher.assigned((CONTENT, owner.number), value, state)
            return NONE
        if name in ("extend", "extendleft", "update") and arguments.positional:
            for argument in arguments.positional:
                contents.extend(owner, argument.value, state)
            return NONE
        if name in ("pop", "popleft", "get_nowait"):
            state.set((CONTENT, owner.number), self._popped(content, name, arguments))
            return content.any() or UNKNOWN
        if name == "copy":
            return self._sequence("list", content.elements, content.rest, site, state)
        if name == "clear":
            state.set((CONTENT, owner.number), SequenceContent())
            return NONE
        if name in ("index", "count"):
            return typed("int")
        if name in ("sort", "reverse", "rotate"):
            state.set((CONTENT, owner.number), content.mixed())
            return NONE
        if name in _LOOKING:
            return UNKNOWN
        # What else there is takes elements out, or puts some in.
        added = NOTHING if name in _STRIKING else UNKNOWN
        if name in _FILLING:
            added = join(contents.element(argument.value, state) for argument in arguments.positional)
        state.set((CONTENT, owner.number), content.changed(added))
        return NONE if name in _STRIKING or name in _FILLING else UNKNOWN

    def _popped(self, content: SequenceContent, name: str, arguments: Arguments) -> SequenceContent:
        """Returns what is left of a collection after `pop()` or its like."""
        index = arguments.positional[0].value if arguments.positional else constant(-1)
        first = name != "pop" or index == constant(0)
        in_loop = bool(self._machine.activation.loops)
        if in_loop or content.rest or not content.elements or not (first or index == constant(-1)):
            return content.changed()
        return SequenceContent(content.elements[1:] if first else content.elements[:-1])

    def of_request(self, owner: Request, name: str, arguments: Arguments) -> Value:
        """Carries out a call of a method on something from the input: the result varies with it."""
        key = arguments.value(0, "key")
        if name == "get" and len(key) == 1 and isinstance(key[0], Constant) and isinstance(key[0].value, str):
            found: Value = (Request((*owner.path, key[0].value)),)
            return join((found, arguments.value(1, "default")))
        if name in ("copy", "model_copy"):
            return (owner,)
        if name in ("lower", "upper", "strip", "replace", "format", "join", "title"):
            return (Typed("str", origin_of(owner)),)
        if name in ("split", "rsplit", "splitlines"):
            return (Typed("list", origin_of(owner)),)
        if name.startswith(("starts", "ends", "is")):
            return typed("bool", BOUNDED)
        if name in ("count", "find", "index", "rfind"):
            return (Typed("int", origin_of(owner)),)
        return (Unknown(origin_of(owner)),)


def _folded_method(text: str, name: str, given: List[Value]) -> Optional[Value]:
    """Computes a method of a known string with known strings."""
    plain: Dict[str, Callable[[str], str]] = {
        "lower": str.lower,
        "upper": str.upper,
        "strip": str.strip,
        "title": str.title,
    }
    if name in plain and not given:
        return constant(plain[name](text))
    known = [strings(value) for value in given]
    texts = [found[0] for found, value in zip(known, given) if len(found) == len(value) == 1]
    if len(texts) != len(given):
        return None
    if name == "replace" and len(texts) == 2:
        return constant(text.replace(texts[0], texts[1]))
    if name in ("startswith", "endswith") and len(texts) == 1:
        return constant(text.startswith(texts[0]) if name == "startswith" else text.endswith(texts[0]))
    if name in ("removeprefix", "removesuffix") and len(texts) == 1:
        at_end = name == "removesuffix"
        fits = text.endswith(texts[0]) if at_end else text.startswith(texts[0])
        size = len(texts[0]) if fits else 0
        return constant(text[: len(text) - size] if at_end else text[size:])
    return None


#: Methods of lists, tuples and sets that change nothing, that only take out, that put in what they are given.
_LOOKING = frozenset(
    """
    union intersection difference symmetric_difference issubset issuperset isdisjoint qsize empty full
    __contains__ __len__ __iter__ __getitem__ join task_done close aclose
    """.split()
)
_STRIKING = frozenset({"remove", "discard", "difference_update", "intersection_update", "__delitem__"})
_FILLING = frozenset({"symmetric_difference_update"})
_STRING_TO_STRING = frozenset(
    """
    lower upper strip lstrip rstrip title capitalize casefold swapcase replace removeprefix
    removesuffix zfill ljust rjust center expandtabs translate format format_map join encode
    """.split()
)
