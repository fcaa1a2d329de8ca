"""Python's builtins and standard library, as far as values flow through them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Callable, Dict, FrozenSet, List, Optional, Tuple

from rlobs_lint.flow import heap
from rlobs_lint.flow.calls import Arguments, ArgumentValue, PartialContent
from rlobs_lint.flow.heap import Entry, MappingContent, ObjectInfo, SequenceContent
from rlobs_lint.flow.observations import EnvironmentChange
from rlobs_lint.flow.state import ATTRIBUTE, CONTENT, PARTS, State, variable
from rlobs_lint.flow.values import (
    BOUNDED,
    NONE,
    NOTHING,
    UNBOUNDED,
    UNKNOWN,
    UNKNOWN_ORIGIN,
    Atom,
    Constant,
    Coroutine,
    EnumMember,
    Function,
    Object,
    Request,
    Site,
    Typed,
    Unknown,
    Value,
    constant,
    join,
    non_finite,
    origin_of,
    origin_of_value,
    strings,
    typed,
)

if TYPE_CHECKING:
    from rlobs_lint.flow.machine import Machine

Handler = Callable[[Arguments, Site, State], Value]

#: What time, chance and identity give is another value each time.
_VARYING_KINDS: Dict[str, str] = {
    "time.time": "float",
    "time.time_ns": "int",
    "time.perf_counter": "float",
    "time.monotonic": "float",
    "time.strftime": "str",
    "random.random": "float",
    "random.randint": "int",
    "random.uniform": "float",
    "secrets.token_hex": "str",
    "uuid.uuid4": "uuid",
    "uuid.uuid1": "uuid",
    "uuid.uuid4.hex": "str",
    "datetime.datetime.now": "datetime",
    "datetime.datetime.utcnow": "datetime",
    "datetime.datetime.today": "datetime",
    "datetime.date.today": "datetime",
    "os.getpid": "int",
    "threading.get_ident": "int",
    "time.monotonic_ns": "int",
    "time.perf_counter_ns": "int",
    "time.process_time": "float",
    "time.ctime": "str",
    "time.asctime": "str",
    "random.gauss": "float",
    "random.randrange": "int",
    "random.getrandbits": "int",
    "secrets.token_urlsafe": "str",
    "uuid.uuid3": "uuid",
    "uuid.uuid5": "uuid",
    "builtins.id": "int",
    "os.urandom": "bytes",
    "socket.gethostname": "str",
}
_TYPED_RESULTS: Dict[str, str] = {
    "json.dumps": "str",
    "datetime.datetime": "datetime",
    "datetime.date": "datetime",
    "datetime.timedelta": "timedelta",
    "datetime.datetime.fromtimestamp": "datetime",
    "decimal.Decimal": "number",
    "fractions.Fraction": "number",
    "math.sqrt": "float",
    "math.log": "float",
    "math.exp": "float",
    "math.fsum": "float",
    "math.floor": "int",
    "math.ceil": "int",
    "statistics.mean": "float",
    "statistics.median": "float",
    "statistics.stdev": "float",
    "builtins.ord": "int",
    "builtins.hash": "int",
    "builtins.hex": "str",
    "builtins.chr": "str",
    "builtins.complex": "complex",
    "builtins.bytes": "bytes",
    "builtins.input": "str",
    "builtins.ascii": "str",
    "os.path.basename": "str",
    "os.path.join": "str",
}
#: Not handing a client to outside code: these only look at their arguments.
HARMLESS: FrozenSet[str] = frozenset(
    """
    builtins.print builtins.isinstance builtins.issubclass builtins.id builtins.hasattr
    builtins.callable builtins.type builtins.repr builtins.str builtins.bool builtins.len
    builtins.vars builtins.dir builtins.hash logging.info logging.debug logging.warning
    logging.error logging.exception weakref.ref weakref.finalize pprint.pprint gc.collect
    inspect.signature inspect.isclass inspect.iscoroutinefunction asyncio.iscoroutinefunction
    inspect.isawaitable asyncio.iscoroutine inspect.iscoroutine
    """.split()
)  # fmt: skip
_STRING_TO_STRING = frozenset(
    """
    lower upper strip lstrip rstrip title capitalize casefold swapcase replace removeprefix
    removesuffix zfill ljust rjust center expandtabs translate format format_map join encode
    """.split()
)


class Library:
    """Carries out calls of Python's own functions and of methods of its types, for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._functions: Dict[str, Handler] = {
            "builtins.str": self._str,
            "builtins.repr": self._str,
            "builtins.format": self._str,
            "builtins.int": self._number("int"),
            "builtins.float": self._number("float"),
            "builtins.round": self._round,
            "builtins.abs": self._same_number,
            "builtins.len": self._len,
            "builtins.sum": self._sum,
            "builtins.bool": self._bool,
            "builtins.any": self._bool,
            "builtins.all": self._bool,
            "builtins.callable": self._bool,
            "builtins.isinstance": self._bool,
            "builtins.hasattr": self._bool,
            "builtins.min": self._smallest,
            "builtins.max": self._extreme,
            "builtins.list": self._collection("list"),
            "builtins.tuple": self._collection("tuple"),
            "builtins.set": self._collection("set"),
            "builtins.frozenset": self._collection("set"),
            "builtins.sorted": self._collection("list"),
            "builtins.reversed": self._collection("list"),
            "builtins.iter": self._first,
            "builtins.next": self._next,
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
            "builtins.getattr": self._getattr,
            "builtins.setattr": self._setattr,
            "builtins.type": self._type,
            "builtins.vars": self._vars,
            "builtins.globals": self._globals,
            "builtins.print": self._none,
            "builtins.super": self._unknown,
            "typing.cast": self._second,
            "copy.copy": self._copy,
            "copy.deepcopy": self._copy,
            "dataclasses.asdict": self._fields,
            "dataclasses.replace": self._first,
            "functools.partial": self._partial,
            "functools.partialmethod": self._partial,
            "functools.reduce": self._unknown,
            "collections.OrderedDict": self._dict,
            "collections.defaultdict": self._defaultdict,
            "collections.Counter": self._counter,
            "collections.ChainMap": self._merged,
            "types.MappingProxyType": self._first,
            "itertools.chain": self._chain,
            "itertools.chain.from_iterable": self._flattened,
            "itertools.islice": self._first,
            "itertools.cycle": self._first,
            "asyncio.gather": self._gather,
            "asyncio.wait_for": self._first_coroutine,
            "asyncio.shield": self._first_coroutine,
            "asyncio.create_task": self._first_coroutine,
            "asyncio.ensure_future": self._first_coroutine,
            "asyncio.run": self._run,
            "asyncio.as_completed": self._as_completed,
            "asyncio.iscoroutinefunction": self._is_coroutine_function,
            "inspect.iscoroutinefunction": self._is_coroutine_function,
            "anyio.run": self._call_now,
            "os.getenv": self._environment,
            "os.environ.get": self._environment,
            "os.environ.update": self._environment_update,
            "operator.itemgetter": self._unknown,
        }

    def call(self, name: str, arguments: Arguments, site: Site, state: State) -> Optional[Value]:
        """Carries out a call of a dotted name; `None` when it is not one of ours."""
        handler = self._functions.get(name)
        if handler is not None:
            return handler(arguments, site, state)
        if name in _VARYING_KINDS:
            return (Typed(_VARYING_KINDS[name], UNBOUNDED),)
        if name in _TYPED_RESULTS:
            return (Typed(_TYPED_RESULTS[name], self._origin(arguments)),)
        return NONE if name in HARMLESS else None

    def _origin(self, arguments: Arguments) -> str:
        origins = {origin_of_value(argument.value) for argument in arguments.everything() if argument.value}
        if UNBOUNDED in origins:
            return UNBOUNDED
        return BOUNDED if origins == {BOUNDED} else UNKNOWN_ORIGIN

    # --- conversions ----------------------------------------------------------------------------

    def _str(self, arguments: Arguments, site: Site, state: State) -> Value:
        if not arguments.positional:
            return constant("")
        return self._machine.expressions.concatenate((arguments.positional[0].value or UNKNOWN,))

    def _number(self, kind: str) -> Handler:
        def convert(arguments: Arguments, site: Site, state: State) -> Value:
            converted = arguments.positional[0].value if arguments.positional else constant(0)
            return join([_converted(kind, atom) for atom in converted]) or typed(kind)

        return convert

    def _round(self, arguments: Arguments, site: Site, state: State) -> Value:
        if not arguments.positional:
            return typed("number")
        kind = "float" if len(arguments.positional) > 1 else "int"
        atoms = arguments.positional[0].value
        if kind == "float" and len(atoms) == 1 and isinstance(atoms[0], Constant):
            return atoms
        # Rounding sorts into classes, of which there may be few.
        origin = BOUNDED if origin_of_value(atoms) == BOUNDED else UNKNOWN_ORIGIN
        return (Typed(kind, origin),)

    def _same_number(self, arguments: Arguments, site: Site, state: State) -> Value:
        return (Typed("number", self._origin(arguments)),)

    def _len(self, arguments: Arguments, site: Site, state: State) -> Value:
        value = arguments.positional[0].value if arguments.positional else UNKNOWN
        content = self._machine.expressions.content(value[0], state) if len(value) == 1 else None
        if isinstance(content, SequenceContent) and not content.rest:
            return constant(len(content.elements))
        if (
            isinstance(content, MappingContent)
            and not content.open
            and all(content.has(entry.key) for entry in content.entries)
        ):
            return constant(len({entry.key for entry in content.entries}))
        return (Typed("int", self._length_origin(value, state)),)

    def _length_origin(self, value: Value, state: State) -> str:
        """Tells whether the number of elements varies with the input, as elements from the input do."""
        origins = set()
        for atom in value:
            content = self._machine.expressions.content(atom, state)
            if isinstance(content, SequenceContent):
                origins.add(origin_of_value(content.any()))
            else:
                origins.add(origin_of(atom))
        return UNBOUNDED if UNBOUNDED in origins else UNKNOWN_ORIGIN

    def _sum(self, arguments: Arguments, site: Site, state: State) -> Value:
        return (Typed("number", self._origin(arguments)),)

    def _bool(self, arguments: Arguments, site: Site, state: State) -> Value:
        return typed("bool", BOUNDED)

    def _extreme(self, arguments: Arguments, site: Site, state: State) -> Value:
        if len(arguments.positional) == 1:
            return self._machine.expressions.element(arguments.positional[0].value, state) or UNKNOWN
        return join(
            tuple(
                Typed(a.kind, BOUNDED) if isinstance(a, Constant) and a.kind != "str" else a
                for a in argument.value
            )
            for argument in arguments.positional
        )

    def _smallest(self, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out `min(...)`: a count that a constant limits has few values."""
        limits = [
            argument.value[0].value
            for argument in arguments.positional
            if len(argument.value) == 1 and isinstance(argument.value[0], Constant)
        ]
        whole = [limit for limit in limits if isinstance(limit, int)]
        value = self._extreme(arguments, site, state)
        if not whole:
            return value
        size = max(min(whole) + 1, 1)
        return tuple(
            Typed(atom.kind, BOUNDED, size=size) if isinstance(atom, Typed) and atom.kind == "int" else atom
            for atom in value
        )

    # --- collections ----------------------------------------------------------------------------

    def _collection(self, kind: str) -> Handler:
        def make(arguments: Arguments, site: Site, state: State) -> Value:
            value = arguments.positional[0].value if arguments.positional else NOTHING
            content = self._machine.expressions.content(value[0], state) if len(value) == 1 else None
            if isinstance(content, SequenceContent):
                return self._sequence(kind, content.elements, content.rest, site, state)
            if len(value) == 1 and isinstance(value[0], Request) and kind in ("list", "tuple"):
                return value
            rest = self._machine.expressions.element(value, state) if value else NOTHING
            return self._sequence(kind, (), rest, site, state)

        return make

    def _sequence(
        self, kind: str, elements: Tuple[Value, ...], rest: Value, site: Site, state: State
    ) -> Value:
        made = self._machine.allocate(kind, ObjectInfo(heap.SEQUENCE, site, kind))
        state.set((CONTENT, made.number), SequenceContent(elements, rest))
        return (made,)

    def _dict(self, arguments: Arguments, site: Site, state: State) -> Value:
        expressions = self._machine.expressions
        content = MappingContent(open=arguments.open)
        for argument in arguments.positional[:1]:
            for atom in argument.value:
                inner = expressions.content(atom, state)
                if isinstance(inner, MappingContent):
                    content = content.update(inner)
                elif isinstance(inner, SequenceContent):
                    content = content.update(self._pairs(inner, state))
                else:
                    content = content._replace(open=True)
        for keyword in arguments.keywords:
            key: Value = (Constant("str", keyword.keyword),)
            content = content.put(Entry(key, keyword.value, keyword.name_site or keyword.site, keyword.site))
        return expressions.mapping(content, site, state)

    def _pairs(self, content: SequenceContent, state: State) -> MappingContent:
        expressions = self._machine.expressions
        mapping = expressions.pairs(content, state)
        for atom in content.rest:
            pair = expressions.content(atom, state)
            if isinstance(pair, SequenceContent) and len(pair.elements) == 2 and isinstance(atom, Object):
                site = self._machine.heap.info(atom.number).site
                mapping = mapping.put(Entry(pair.elements[0], pair.elements[1], site, site))
                mapping = mapping._replace(open=False)
        return mapping

    def _from_keys(self, arguments: Arguments, site: Site, state: State) -> Value:
        key = self._machine.expressions.element(arguments.value(0, "iterable"), state)
        value = arguments.value(1, "value") or NONE
        place = arguments.positional[0].site if arguments.positional else site
        value_place = arguments.positional[1].site if len(arguments.positional) > 1 else site
        content = MappingContent((Entry(key, value, place, value_place),) if key else ())
        return self._machine.expressions.mapping(content, site, state)

    def _product(self, arguments: Arguments, site: Site, state: State) -> Value:
        elements = tuple(
            self._machine.expressions.element(argument.value, state) for argument in arguments.positional
        )
        row = self._sequence("tuple", elements, NOTHING, site, state)
        return self._sequence("generator", (), row, site, state)

    def _combinations(self, arguments: Arguments, site: Site, state: State) -> Value:
        element = self._machine.expressions.element(arguments.value(0, "iterable"), state)
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
            content = content.update(self._counted(argument, state))
        counted = self._machine.expressions.mapping(content, site, state)
        return self._filling("counter", counted, NOTHING, site, state)

    def _filling(self, family: str, filled: Value, factory: Value, site: Site, state: State) -> Value:
        """Makes a dictionary that answers for keys which it does not hold."""
        made = self._machine.allocate(family, ObjectInfo(heap.MAPPING, site, "dict", family=family))
        state.set((CONTENT, made.number), self._machine.expressions.content(filled[0], state))
        state.set((PARTS, made.number), factory)
        return (made,)

    def _counted(self, argument: ArgumentValue, state: State) -> MappingContent:
        """Returns what counting the elements of an iterable gives."""
        key = self._machine.expressions.element(argument.value, state)
        if not key:
            return MappingContent()
        sure = self._machine.expressions.surely_nonempty(argument.value, state)
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
                inner = self._machine.expressions.content(atom, state)
                open_content = MappingContent(open=True)
                content = content.update(inner if isinstance(inner, MappingContent) else open_content)
        return self._machine.expressions.mapping(content, site, state)

    def _enumerate(self, arguments: Arguments, site: Site, state: State) -> Value:
        if not arguments.positional:
            return UNKNOWN
        value = arguments.positional[0].value
        content = self._machine.expressions.content(value[0], state) if len(value) == 1 else None
        if isinstance(content, SequenceContent) and not content.rest and 0 < len(content.elements) <= 32:
            return self._enumerated(content, arguments.value(1, "start") or constant(0), site, state)
        element = self._machine.expressions.element(value, state)
        bounded = self._machine.expressions.surely_nonempty(value, state)
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
        content = self._machine.expressions.content(value[0], state) if len(value) == 1 else None
        if isinstance(content, SequenceContent) and not content.rest:
            return len(content.elements)
        if isinstance(content, MappingContent) and not content.open:
            return sum(len(entry.key) for entry in content.entries)
        return 0

    def _zip(self, arguments: Arguments, site: Site, state: State) -> Value:
        expressions = self._machine.expressions
        contents = [
            expressions.content(argument.value[0], state) if len(argument.value) == 1 else None
            for argument in arguments.positional
        ]
        exact = [c for c in contents if isinstance(c, SequenceContent) and not c.rest]
        if (
            exact
            and len(exact) == len(contents)
            and len({len(c.elements) for c in exact}) == 1
            and exact[0].elements
        ):
            rows = []
            for position, row in enumerate(zip(*(content.elements for content in exact))):
                made = self._machine.allocate(("row", position), ObjectInfo(heap.SEQUENCE, site, "tuple"))
                state.set((CONTENT, made.number), SequenceContent(tuple(row)))
                rows.append((made,))
            return self._sequence("list", tuple(rows), NOTHING, site, state)
        elements = tuple(expressions.element(argument.value, state) for argument in arguments.positional)
        pair = self._sequence("tuple", elements, NOTHING, site, state)
        return self._sequence("list", (), pair, site, state)

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
            ArgumentValue(None, self._machine.expressions.element(argument.value, state), argument.site)
            for argument in arguments.positional[1:]
        )
        result = self._machine.calls.call(arguments.positional[0].value, Arguments(elements), site, state)
        return self._sequence("generator", (), result, site, state)

    def _filter(self, arguments: Arguments, site: Site, state: State) -> Value:
        rest = self._machine.expressions.element(arguments.value(1, "iterable"), state)
        return self._sequence("generator", (), rest, site, state)

    def _chain(self, arguments: Arguments, site: Site, state: State) -> Value:
        rest = join(
            self._machine.expressions.element(argument.value, state) for argument in arguments.positional
        )
        return self._sequence("generator", (), rest, site, state)

    def _flattened(self, arguments: Arguments, site: Site, state: State) -> Value:
        outer = self._machine.expressions.element(arguments.value(0, "iterable"), state)
        return self._sequence("generator", (), self._machine.expressions.element(outer, state), site, state)

    def _next(self, arguments: Arguments, site: Site, state: State) -> Value:
        element = self._machine.expressions.element(arguments.value(0, "iterator"), state)
        return join((element, arguments.value(1, "default"))) or UNKNOWN

    # --- objects --------------------------------------------------------------------------------

    def _first(self, arguments: Arguments, site: Site, state: State) -> Value:
        return arguments.positional[0].value if arguments.positional else UNKNOWN

    def _second(self, arguments: Arguments, site: Site, state: State) -> Value:
        return arguments.positional[1].value if len(arguments.positional) > 1 else UNKNOWN

    def _copy(self, arguments: Arguments, site: Site, state: State) -> Value:
        results: List[Value] = []
        for atom in arguments.positional[0].value if arguments.positional else UNKNOWN:
            content = self._machine.expressions.content(atom, state)
            if isinstance(content, MappingContent):
                results.append(self._machine.expressions.mapping(content, site, state, "copy"))
            elif isinstance(content, SequenceContent):
                results.append(self._sequence("list", content.elements, content.rest, site, state))
            else:
                results.append((atom,))
        return join(results)

    def _none(self, arguments: Arguments, site: Site, state: State) -> Value:
        return NONE

    def _unknown(self, arguments: Arguments, site: Site, state: State) -> Value:
        return UNKNOWN

    def _getattr(self, arguments: Arguments, site: Site, state: State) -> Value:
        names = strings(arguments.value(1, "name"))
        owner = arguments.value(0, "object")
        if len(names) != 1:
            return UNKNOWN
        found = self._machine.modules.attributes(owner, names[0], site, state)
        default = arguments.value(2, "default")
        unknown = all(isinstance(atom, Unknown) for atom in found)
        return (
            join((found, default))
            if default and (unknown or any(isinstance(a, Request) for a in found))
            else found
        )

    def _setattr(self, arguments: Arguments, site: Site, state: State) -> Value:
        for name in strings(arguments.value(1, "name")):
            value = arguments.value(2, "value")
            self._machine.modules.set_attributes(arguments.value(0, "object"), name, value, site, state, None)
        return NONE

    def _type(self, arguments: Arguments, site: Site, state: State) -> Value:
        asked = arguments.positional[0].value if len(arguments.positional) == 1 else NOTHING
        infos = [self._machine.heap.info(atom.number) for atom in asked if isinstance(atom, Object)]
        return tuple(Object(info.cls) for info in infos if info.kind == heap.INSTANCE) or UNKNOWN

    def _fields(self, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out `asdict(x)` and `x.model_dump()`: the declared fields of an instance."""
        return self.fields_of(arguments.positional[0].value if arguments.positional else NOTHING, site, state)

    def _vars(self, arguments: Arguments, site: Site, state: State) -> Value:
        value = arguments.positional[0].value if arguments.positional else NOTHING
        return self.fields_of(value, site, state, every=True)

    def fields_of(self, value: Value, site: Site, state: State, every: bool = False) -> Value:
        """Returns the declared fields of instances as a mapping; of `every` attribute, those given, too."""
        results: List[Value] = []
        for atom in value:
            info = self._machine.heap.info(atom.number) if isinstance(atom, Object) else None
            if info is None or info.kind != heap.INSTANCE:
                results.append(
                    self._machine.expressions.mapping(MappingContent(open=True), site, state, "fields")
                )
                continue
            assert isinstance(atom, Object)
            content = MappingContent()
            names = self._machine.modules.declared_names(info.cls)
            if every:
                names = tuple(dict.fromkeys((*names, *state.names_of(atom.number))))
            for name in names:
                own = state.get((ATTRIBUTE, atom.number, name))
                if own is None:
                    found = self._machine.modules.class_attribute(info.cls, name, state)
                    declared = self._machine.modules.declared(info.cls, name, state)
                    own = found[1] if found is not None else declared or UNKNOWN
                content = content.put(Entry(constant(name), own, site, site))
            if not content.entries:
                content = content._replace(open=True)
            results.append(self._machine.expressions.mapping(content, site, state, "fields"))
        return join(results) or UNKNOWN

    def subclasses(self, cls: Object, site: Site, state: State) -> Value:
        """Carries out `Class.__subclasses__()`."""
        heirs = [
            (Object(number),)
            for number in self._machine.ledger.classes
            if number != cls.number and cls.number in self._machine.modules.linearized(number)
        ]
        return self._sequence("list", tuple(heirs), NOTHING, site, state)

    def _globals(self, arguments: Arguments, site: Site, state: State) -> Value:
        frame = self._machine.activation.frame
        while frame.parent is not None:
            frame = frame.parent
        content = MappingContent(open=True)
        for name in sorted(frame.scope.local):
            value = variable(state, frame.number, name)
            if value is not None:
                content = content.put(Entry(constant(name), value, site, site))
        return self._machine.expressions.mapping(content, site, state, "globals")

    def _partial(self, arguments: Arguments, site: Site, state: State) -> Value:
        if not arguments.positional:
            return UNKNOWN
        made = self._machine.allocate("partial", ObjectInfo(heap.PARTIAL, site, "partial"))
        rest = Arguments(arguments.positional[1:], arguments.keywords, arguments.open)
        state.set((CONTENT, made.number), PartialContent(arguments.positional[0].value, rest))
        return (made,)

    # --- asynchronous code ----------------------------------------------------------------------

    def _gather(self, arguments: Arguments, site: Site, state: State) -> Value:
        expressions = self._machine.expressions
        elements = tuple(expressions.awaited(argument.value) for argument in arguments.positional)
        rest = UNKNOWN if arguments.open else NOTHING
        return (Coroutine(self._sequence("list", elements, rest, site, state)),)

    def _first_coroutine(self, arguments: Arguments, site: Site, state: State) -> Value:
        value = arguments.positional[0].value if arguments.positional else UNKNOWN
        return (Coroutine(self._machine.expressions.awaited(value)),)

    def _run(self, arguments: Arguments, site: Site, state: State) -> Value:
        value = arguments.positional[0].value if arguments.positional else UNKNOWN
        return self._machine.expressions.awaited(value)

    def _as_completed(self, arguments: Arguments, site: Site, state: State) -> Value:
        return self._sequence(
            "generator", (), self._machine.expressions.element(arguments.value(0, "aws"), state), site, state
        )

    def _call_now(self, arguments: Arguments, site: Site, state: State) -> Value:
        if not arguments.positional:
            return UNKNOWN
        rest = Arguments(arguments.positional[1:])
        return self._machine.expressions.awaited(
            self._machine.calls.call(arguments.positional[0].value, rest, site, state)
        )

    def _is_coroutine_function(self, arguments: Arguments, site: Site, state: State) -> Value:
        answers = set()
        for atom in arguments.positional[0].value if arguments.positional else NOTHING:
            answers.add(self._machine.calls.is_async(atom) if isinstance(atom, Function) else None)
        if len(answers) == 1 and None not in answers:
            return constant(answers.pop())
        return typed("bool", BOUNDED)

    def _environment(self, arguments: Arguments, site: Site, state: State) -> Value:
        default = arguments.value(1, "default")
        return join(((Typed("str"),), default or NONE))

    def _environment_update(self, arguments: Arguments, site: Site, state: State) -> Value:
        machine = self._machine
        for argument in arguments.keywords:
            machine.ledger.note(
                EnvironmentChange(argument.site, argument.keyword or "", argument.value, machine.root)
            )
        for atom in arguments.value(0, "other"):
            content = machine.expressions.content(atom, state)
            for entry in content.entries if isinstance(content, MappingContent) else ():
                for name in strings(entry.key):
                    machine.ledger.note(EnvironmentChange(entry.value_site, name, entry.value, machine.root))
        return NONE

    # --- methods --------------------------------------------------------------------------------

    def method(
        self, owner: Atom, name: str, arguments: Arguments, site: Site, state: State
    ) -> Optional[Value]:
        """Carries out a call of a method of a string, number, list, tuple, set or dictionary."""
        content = self._machine.expressions.content(owner, state)
        if isinstance(content, MappingContent):
            assert isinstance(owner, Object)
            return self._mapping_method(owner, content, name, arguments, site, state)
        if isinstance(content, SequenceContent):
            assert isinstance(owner, Object)
            return self._sequence_method(owner, content, name, arguments, site, state)
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
                content = (
                    self._machine.expressions.content(given[0][0], state) if len(given[0]) == 1 else None
                )
                if isinstance(content, SequenceContent) and not content.rest and content.elements:
                    pieces: List[Value] = []
                    for position, element in enumerate(content.elements):
                        pieces += [(owner,)] if position else []
                        pieces.append(element)
                    return self._machine.expressions.concatenate(pieces)
        if name in _STRING_TO_STRING:
            origins = [origin_of(owner), *(origin_of_value(value) for value in given if value)]
            if name == "join" and given:
                origins.append(origin_of_value(self._machine.expressions.element(given[0], state) or UNKNOWN))
            origin = (
                UNBOUNDED
                if UNBOUNDED in origins
                else UNKNOWN_ORIGIN
                if UNKNOWN_ORIGIN in origins
                else BOUNDED
            )
            return (Typed("bytes" if name == "encode" else "str", origin),)
        if name in ("split", "rsplit", "splitlines", "partition", "rpartition"):
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
        return self._machine.expressions.concatenate(pieces)

    def _mapping_method(
        self,
        owner: Object,
        content: MappingContent,
        name: str,
        arguments: Arguments,
        site: Site,
        state: State,
    ) -> Value:
        expressions = self._machine.expressions
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
                expressions.put(owner, entry, state)
            self._machine.outside.item_assigned((owner,), key, value, site, state)
            return value
        if name == "update":
            is_counter = self._machine.heap.info(owner.number).family == "counter"
            for argument in arguments.positional[:1]:
                if is_counter:
                    changed = content.update(self._counted(argument, state))
                    state.set((CONTENT, owner.number), changed)
                    continue
                for atom in argument.value:
                    expressions.update_mapping(owner, atom, state)
            for keyword in arguments.keywords:
                key = (Constant("str", keyword.keyword),)
                entry = Entry(key, keyword.value, keyword.name_site or keyword.site, keyword.site)
                expressions.put(owner, entry, state)
            return NONE
        if name == "pop":
            state.set((CONTENT, owner.number), content.remove(key))
            return join((content.lookup(key), arguments.value(1, "default"))) or UNKNOWN
        if name == "clear":
            state.set((CONTENT, owner.number), MappingContent())
            return NONE
        if name == "copy":
            return expressions.mapping(content, site, state, "copy")
        rest = UNKNOWN if content.open else NOTHING
        if name == "keys":
            elements = tuple(entry.key for entry in content.entries if entry.always)
            others = join(entry.key for entry in content.entries if not entry.always)
            return self._sequence("view", elements, join((others, rest)), site, state)
        if name == "values":
            elements = tuple(entry.value for entry in content.entries if entry.always)
            others = join(entry.value for entry in content.entries if not entry.always)
            return self._sequence("view", elements, join((others, rest)), site, state)
        if name == "items":
            return self._items(content, site, state)
        return UNKNOWN

    def _items(self, content: MappingContent, site: Site, state: State) -> Value:
        rows: List[Value] = []
        others: List[Value] = []
        for position, entry in enumerate(content.entries[:64]):
            made = self._machine.allocate(("item", position), ObjectInfo(heap.SEQUENCE, site, "tuple"))
            state.set((CONTENT, made.number), SequenceContent((entry.key, entry.value)))
            (rows if entry.always else others).append((made,))
        if content.open:
            others.append(self._sequence("tuple", (UNKNOWN, UNKNOWN), NOTHING, site, state))
        return self._sequence("view", tuple(rows), join(others), site, state)

    def _sequence_method(
        self,
        owner: Object,
        content: SequenceContent,
        name: str,
        arguments: Arguments,
        site: Site,
        state: State,
    ) -> Value:
        expressions = self._machine.expressions
        if name in ("append", "add", "appendleft", "put_nowait") and arguments.positional:
            value = arguments.positional[0].value
            in_loop = bool(self._machine.activation.loops)
            if in_loop or content.rest or len(content.elements) >= 32:
                changed = content._replace(rest=join((content.rest, value)))
            else:
                changed = SequenceContent((*content.elements, value), content.rest)
            state.set((CONTENT, owner.number), changed)
            self._machine.outside.assigned((CONTENT, owner.number), value, state)
            return NONE
        if name == "insert" and len(arguments.positional) > 1:
            value = arguments.positional[1].value
            rest = join((*content.elements, content.rest, value))
            state.set((CONTENT, owner.number), SequenceContent((), rest))
            self._machine.outside.assigned((CONTENT, owner.number), value, state)
            return NONE
        if name in ("extend", "update") and arguments.positional:
            expressions.extend(owner, arguments.positional[0].value, state)
            return NONE
        if name in ("pop", "popleft", "get_nowait"):
            return content.any() or UNKNOWN
        if name == "copy":
            return self._sequence("list", content.elements, content.rest, site, state)
        if name == "clear":
            state.set((CONTENT, owner.number), SequenceContent())
            return NONE
        if name in ("index", "count"):
            return typed("int")
        return NONE if name in ("sort", "reverse", "remove", "discard") else UNKNOWN

    def request_method(self, owner: Request, name: str, arguments: Arguments) -> Value:
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


def _converted(kind: str, atom: Atom) -> Value:
    if isinstance(atom, Constant) and isinstance(atom.value, (int, float)):
        try:
            return constant(int(atom.value) if kind == "int" else float(atom.value))
        except (OverflowError, ValueError):
            return typed(kind)
    if isinstance(atom, Constant) and isinstance(atom.value, str):
        if kind == "float" and atom.value.strip().lower().lstrip("+-") in ("nan", "inf", "infinity"):
            return non_finite(atom.value)
        try:
            return constant(float(atom.value) if kind == "float" else int(atom.value))
        except ValueError:
            return typed(kind)
    if isinstance(atom, EnumMember):
        return typed(kind, BOUNDED)
    if isinstance(atom, Typed) and atom.kind == "non-finite":
        return (atom,)
    return (Typed(kind, origin_of(atom)),)


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
