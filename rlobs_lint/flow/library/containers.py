"""What makes lists, dictionaries and iterators."""

from __future__ import annotations

from typing import Dict

from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.arguments import Arguments, ArgumentValue
from rlobs_lint.flow.domain.heap import Entry, MappingContent, ObjectInfo, SequenceContent
from rlobs_lint.flow.domain.state import CONTENT, PARTS, State
from rlobs_lint.flow.domain.values import (
    BOUNDED,
    NONE,
    NOTHING,
    UNBOUNDED,
    UNKNOWN,
    UNKNOWN_ORIGIN,
    Constant,
    Object,
    Request,
    Site,
    Typed,
    Unknown,
    Value,
    constant,
    join,
    typed,
)
from rlobs_lint.flow.library.part import Handler, Part


class Containers(Part):
    """Carries out calls that make containers, or iterate over them."""

    def functions(self) -> Dict[str, Handler]:
        """Returns what carries out a call, by the dotted name of what is called."""
        return {
            "builtins.list": self._collection("list"),
            "builtins.tuple": self._collection("tuple"),
            "builtins.set": self._collection("set"),
            "builtins.frozenset": self._collection("set"),
            "builtins.sorted": self._collection("list", is_ordered=False),
            "builtins.reversed": self._collection("list", is_ordered=False),
            "builtins.next": self._next,
            "collections.deque": self._collection("list"),
            "queue.Queue": self._queue,
            "queue.LifoQueue": self._queue,
            "queue.SimpleQueue": self._queue,
            "asyncio.Queue": self._async_queue,
            "asyncio.LifoQueue": self._async_queue,
            "random.choice": self._next,
            "secrets.choice": self._next,
            "random.sample": self._sampled,
            "random.choices": self._sampled,
            "builtins.dict": self._dict,
            "builtins.dict.fromkeys": self._from_keys,
            "itertools.product": self._product,
            "itertools.combinations": self._combinations,
            "itertools.permutations": self._combinations,
            "re.findall": self._found,
            "re.split": self._found,
            "json.loads": self._parsed,
            "hashlib.md5": self._parsed,
            "hashlib.sha1": self._parsed,
            "hashlib.sha256": self._parsed,
            "re.search": self._parsed,
            "re.match": self._parsed,
            "re.fullmatch": self._parsed,
            "re.sub": self._substituted,
            "yaml.safe_load": self._parsed,
            "ast.literal_eval": self._parsed,
            "builtins.enumerate": self._enumerate,
            "builtins.zip": self._zip,
            "builtins.range": self._range,
            "builtins.map": self._map,
            "builtins.filter": self._filter,
            "collections.OrderedDict": self._dict,
            "collections.defaultdict": self._defaultdict,
            "collections.Counter": self._counter,
            "collections.ChainMap": self._merged,
            "itertools.chain": self._chain,
            "itertools.chain.from_iterable": self._flattened,
        }

    def _collection(self, kind: str, is_ordered: bool = True) -> Handler:
        def make(arguments: Arguments, site: Site, state: State) -> Value:
            value = arguments.positional[0].value if arguments.positional else NOTHING
            content = self._machine.contents.of(value[0], state) if len(value) == 1 else None
            if isinstance(content, SequenceContent):
                assert isinstance(value[0], Object)
                is_set = self._machine.heap.info(value[0].number).name == "set"
                if is_ordered and not is_set:
                    return self._sequence(kind, content.elements, content.rest, site, state)
                return self._mixed(kind, content, site, state)
            if isinstance(content, MappingContent):
                sure, others = content.each()
                rest = join((*(entry.key for entry in others), UNKNOWN if content.open else NOTHING))
                return self._sequence(kind, tuple(entry.key for entry in sure), rest, site, state)
            if kind in ("list", "tuple") and self._is_input(value, state):
                return value
            rest = self._machine.contents.element(value, state) if value else NOTHING
            return self._sequence(kind, (), rest, site, state)

        return make

    def _is_input(self, value: Value, state: State) -> bool:
        """Whether a value is a list of the input, or an empty one in its place: `messages or []`."""
        contents = [self._machine.contents.of(atom, state) for atom in value]
        return any(isinstance(atom, Request) for atom in value) and all(
            isinstance(atom, Request) or (isinstance(content, SequenceContent) and content.known_empty)
            for atom, content in zip(value, contents)
        )

    def _mixed(self, kind: str, content: SequenceContent, site: Site, state: State) -> Value:
        """Makes a list of elements in another order."""
        if not all(map(self._machine.contents.are_rows, content.elements)):
            content = content.mixed()
        # What stands in one row still belongs together.
        made = self._machine.allocate(kind, ObjectInfo(heap.SEQUENCE, site, kind, family=heap.MIXED))
        state.set((CONTENT, made.number), content)
        return (made,)

    def _dict(self, arguments: Arguments, site: Site, state: State) -> Value:
        contents = self._machine.contents
        content = MappingContent(open=arguments.open)
        for argument in arguments.positional[:1]:
            for atom in argument.value:
                inner = contents.of(atom, state)
                if isinstance(inner, MappingContent):
                    content = content.update(inner)
                elif isinstance(inner, SequenceContent):
                    content = content.update(self._pairs(inner, state))
                else:
                    content = content._replace(open=True)
        for keyword in arguments.keywords:
            key: Value = (Constant("str", keyword.keyword),)
            content = content.put(Entry(key, keyword.value, keyword.name_site or keyword.site, keyword.site))
        return contents.mapping(content, site, state)

    def _pairs(self, content: SequenceContent, state: State) -> MappingContent:
        contents = self._machine.contents
        mapping = contents.pairs(content, state)
        for atom in content.rest:
            pair = contents.of(atom, state)
            if isinstance(pair, SequenceContent) and len(pair.elements) == 2 and isinstance(atom, Object):
                site = self._machine.heap.info(atom.number).site
                entry = Entry(pair.elements[0], pair.elements[1], site, site, always=False)
                mapping = mapping.update(MappingContent((entry,)))._replace(open=False)
        return mapping

    def _from_keys(self, arguments: Arguments, site: Site, state: State) -> Value:
        key = self._machine.contents.element(arguments.value(0, "iterable"), state)
        value = arguments.value(1, "value") or NONE
        place = arguments.positional[0].site if arguments.positional else site
        value_place = arguments.positional[1].site if len(arguments.positional) > 1 else site
        content = MappingContent((Entry(key, value, place, value_place),) if key else ())
        return self._machine.contents.mapping(content, site, state)

    def _product(self, arguments: Arguments, site: Site, state: State) -> Value:
        elements = tuple(
            self._machine.contents.element(argument.value, state) for argument in arguments.positional
        )
        row = self._sequence("tuple", elements, NOTHING, site, state)
        return self._sequence("generator", (), row, site, state)

    def _combinations(self, arguments: Arguments, site: Site, state: State) -> Value:
        element = self._machine.contents.element(arguments.value(0, "iterable"), state)
        row = self._sequence("tuple", (), element, site, state)
        return self._sequence("generator", (), row, site, state)

    def _found(self, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out `re.findall(...)`: what is found varies with the text."""
        return self._sequence("list", (), (Unknown(self._origin(arguments)),), site, state)

    def _substituted(self, arguments: Arguments, site: Site, state: State) -> Value:
        return (Typed("str", self._origin(arguments)),)

    def _parsed(self, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out `json.loads(...)`: what it holds varies with the text."""
        return (Unknown(self._origin(arguments)),)

    def _defaultdict(self, arguments: Arguments, site: Site, state: State) -> Value:
        rest = Arguments(arguments.positional[1:], arguments.keywords)
        factory = arguments.positional[0].value if arguments.positional else NOTHING
        return self._filling("defaultdict", self._dict(rest, site, state), factory, site, state)

    def _counter(self, arguments: Arguments, site: Site, state: State) -> Value:
        content = MappingContent()
        for argument in arguments.positional[:1]:
            content = content.update(self.counted(argument, state))
        counted = self._machine.contents.mapping(content, site, state)
        return self._filling("counter", counted, NOTHING, site, state)

    def _filling(self, family: str, filled: Value, factory: Value, site: Site, state: State) -> Value:
        """Makes a dictionary that answers for keys which it does not hold."""
        made = self._machine.allocate(family, ObjectInfo(heap.MAPPING, site, "dict", family=family))
        state.set((CONTENT, made.number), self._machine.contents.of(filled[0], state))
        state.set((PARTS, made.number), factory)
        return (made,)

    def counted(self, argument: ArgumentValue, state: State) -> MappingContent:
        """Returns what counting the elements of an iterable gives."""
        key = self._machine.contents.element(argument.value, state)
        if not key:
            return MappingContent()
        sure = self._machine.contents.surely_nonempty(argument.value, state)
        return MappingContent((Entry(key, typed("int"), argument.site, argument.site, sure),))

    def missing(self, owner: Object, content: MappingContent, key: Value, site: Site, state: State) -> Value:
        """Returns what a dictionary answers for a key that it may not hold; a `defaultdict` then holds it."""
        if self._machine.heap.info(owner.number).family == "counter":
            return constant(0)
        factory = state.get((PARTS, owner.number), NOTHING)
        value = self._machine.calls.call(factory, Arguments(), site, state) if factory else UNKNOWN
        if not any(entry.key == key and entry.key_site == site for entry in content.entries):
            entry = Entry(key, value, site, site)
            state.set((CONTENT, owner.number), content._replace(entries=(*content.entries, entry)))
        return value

    def _merged(self, arguments: Arguments, site: Site, state: State) -> Value:
        content = MappingContent()
        for argument in reversed(arguments.positional):
            for atom in argument.value:
                inner = self._machine.contents.of(atom, state)
                open_content = MappingContent(open=True)
                content = content.update(inner if isinstance(inner, MappingContent) else open_content)
        return self._machine.contents.mapping(content, site, state)

    def _enumerate(self, arguments: Arguments, site: Site, state: State) -> Value:
        if not arguments.positional:
            return UNKNOWN
        value = arguments.positional[0].value
        content = self._machine.contents.of(value[0], state) if len(value) == 1 else None
        if isinstance(content, SequenceContent) and not content.rest and 0 < len(content.elements) <= 32:
            return self._enumerated(content, arguments.value(1, "start") or constant(0), site, state)
        element = self._machine.contents.element(value, state)
        bounded = self._machine.contents.surely_nonempty(value, state)
        size = self._length(value, state)
        origin = BOUNDED if bounded and size else self._length_origin(value, state)
        index: Value = (
            tuple(Constant("int", number) for number in range(size))
            if bounded and 0 < size <= 16
            else (Typed("int", origin, size=size or 1),)
        )
        return self._sequence(
            "list", (), self._sequence("tuple", (index, element), NOTHING, site, state), site, state
        )

    def _enumerated(self, content: SequenceContent, start: Value, site: Site, state: State) -> Value:
        """Numbers the elements of a known collection."""
        first = start[0].value if len(start) == 1 and isinstance(start[0], Constant) else None
        rows = []
        for position, element in enumerate(content.elements):
            number = constant(first + position) if isinstance(first, int) else typed("int", BOUNDED)
            made = self._machine.allocate(("row", position), ObjectInfo(heap.SEQUENCE, site, "tuple"))
            state.set((CONTENT, made.number), SequenceContent((number, element)))
            rows.append((made,))
        return self._sequence("list", tuple(rows), NOTHING, site, state)

    def _length(self, value: Value, state: State) -> int:
        content = self._machine.contents.of(value[0], state) if len(value) == 1 else None
        if isinstance(content, SequenceContent) and not content.rest:
            return len(content.elements)
        if isinstance(content, MappingContent) and not content.open:
            return sum(len(entry.key) for entry in content.entries)
        return 0

    def _zip(self, arguments: Arguments, site: Site, state: State) -> Value:
        contents = self._machine.contents
        zipped = [
            contents.of(argument.value[0], state) if len(argument.value) == 1 else None
            for argument in arguments.positional
        ]
        exact = [c for c in zipped if isinstance(c, SequenceContent) and not c.rest]
        if (
            exact
            and len(exact) == len(zipped)
            and len({len(c.elements) for c in exact}) == 1
            and exact[0].elements
        ):
            rows = []
            for position, row in enumerate(zip(*(content.elements for content in exact))):
                made = self._machine.allocate(("row", position), ObjectInfo(heap.SEQUENCE, site, "tuple"))
                state.set((CONTENT, made.number), SequenceContent(tuple(row)))
                rows.append((made,))
            return self._sequence("list", tuple(rows), NOTHING, site, state)
        elements = tuple(contents.element(argument.value, state) for argument in arguments.positional)
        pair = self._sequence("tuple", elements, NOTHING, site, state)
        surely = all(contents.surely_nonempty(argument.value, state) for argument in arguments.positional)
        return self._sequence("list", (pair,) if surely else (), pair, site, state)

    def _range(self, arguments: Arguments, site: Site, state: State) -> Value:
        numbers = []
        for argument in arguments.positional:
            atom = argument.value[0] if len(argument.value) == 1 else None
            if not isinstance(atom, Constant) or not isinstance(atom.value, int):
                origin = UNBOUNDED if self._origin(arguments) == UNBOUNDED else UNKNOWN_ORIGIN
                return self._sequence("list", (), (Typed("int", origin),), site, state)
            numbers.append(atom.value)
        try:
            values = range(*numbers)
        except (TypeError, ValueError):
            return UNKNOWN
        if len(values) <= 32:
            elements = tuple(constant(number) for number in values)
            return self._sequence("list", elements, NOTHING, site, state)
        return self._sequence("list", (), (Typed("int", BOUNDED, size=len(values)),), site, state)

    def _map(self, arguments: Arguments, site: Site, state: State) -> Value:
        if len(arguments.positional) < 2:
            return UNKNOWN
        elements = tuple(
            ArgumentValue(None, self._machine.contents.element(argument.value, state), argument.site)
            for argument in arguments.positional[1:]
        )
        result = self._machine.calls.call(arguments.positional[0].value, Arguments(elements), site, state)
        return self._sequence("generator", (), result, site, state)

    def _filter(self, arguments: Arguments, site: Site, state: State) -> Value:
        element = self._machine.contents.element(arguments.value(1, "iterable"), state)
        predicate = arguments.positional[0].value if arguments.positional else UNKNOWN
        rest = self._machine.narrowing.filtered(predicate, element, site, state)
        return self._sequence("generator", (), rest, site, state)

    def _chain(self, arguments: Arguments, site: Site, state: State) -> Value:
        rest = join(
            self._machine.contents.element(argument.value, state) for argument in arguments.positional
        )
        return self._sequence("generator", (), rest, site, state)

    def _flattened(self, arguments: Arguments, site: Site, state: State) -> Value:
        outer = self._machine.contents.element(arguments.value(0, "iterable"), state)
        return self._sequence("generator", (), self._machine.contents.element(outer, state), site, state)

    def _queue(self, arguments: Arguments, site: Site, state: State) -> Value:
        return self._sequence("queue", (), NOTHING, site, state)

    def _async_queue(self, arguments: Arguments, site: Site, state: State) -> Value:
        return self._sequence("async-queue", (), NOTHING, site, state)

    def _sampled(self, arguments: Arguments, site: Site, state: State) -> Value:
        return self._sequence("list", (), self._next(arguments, site, state), site, state)

    def _next(self, arguments: Arguments, site: Site, state: State) -> Value:
        element = self._machine.contents.element(arguments.value(0, "iterator"), state)
        return join((element, arguments.value(1, "default"))) or UNKNOWN
