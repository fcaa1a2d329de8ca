"""Looking at objects: attributes, fields, copies."""

from __future__ import annotations

from functools import partial
from typing import Dict, List

from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.arguments import Arguments, PartialContent
from rlobs_lint.flow.domain.heap import Entry, MappingContent, ObjectInfo, SequenceContent
from rlobs_lint.flow.domain.memoising import MEMOISING
from rlobs_lint.flow.domain.state import ATTRIBUTE, CONTENT, PARTS, State, variable
from rlobs_lint.flow.domain.values import (
    NONE,
    NOTHING,
    UNKNOWN,
    External,
    Function,
    Object,
    Request,
    Site,
    Unknown,
    Value,
    constant,
    join,
    strings,
    with_mark,
)
from rlobs_lint.flow.library.part import Handler, Part

#: The decorator that `functools.wraps(function)` makes.
WRAPS = "functools.wraps()"
#: Decorators of methods that a class body also calls.
_METHOD_KINDS = (
    "builtins.staticmethod",
    "builtins.classmethod",
    "builtins.property",
    "functools.cached_property",
)
#: How deep `asdict` is followed into fields.
DEEPEST_FIELDS = 3


class Objects(Part):
    """Carries out calls that read, copy or set attributes of objects."""

    def functions(self) -> Dict[str, Handler]:
        """Returns what carries out a call, by the dotted name of what is called."""
        return {
            "builtins.iter": self._first,
            **{name: self._marking(name) for name in _METHOD_KINDS},
            WRAPS: self._first,
            **{name: partial(self._memoised, name) for name in MEMOISING},
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
            "functools.wraps": self._wraps,
            "functools.update_wrapper": self._first,
            "functools.partialmethod": self._partial,
            "functools.reduce": self._unknown,
            "types.SimpleNamespace": self._namespace,
            "argparse.Namespace": self._namespace,
            "contextlib.closing": self._manager,
            "contextlib.aclosing": self._manager,
            "contextlib.nullcontext": self._manager,
            "types.MappingProxyType": self._first,
            "itertools.islice": self._islice,
            "itertools.cycle": self._first,
            "operator.itemgetter": self._unknown,
        }

    def _marking(self, name: str) -> Handler:
        """Returns what carries out `make = staticmethod(connect)`: the same as the decorator."""

        def carry_out(arguments: Arguments, site: Site, state: State) -> Value:
            return with_mark(self._first(arguments, site, state), name, site)

        return carry_out

    def _first(self, arguments: Arguments, site: Site, state: State) -> Value:
        return arguments.positional[0].value if arguments.positional else UNKNOWN

    def _islice(self, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out `islice(iterable, stop)` and `islice(iterable, start, stop, step)`."""
        value, *bounds = [argument.value for argument in arguments.positional] or [UNKNOWN]
        bounds = [NONE, *bounds, NONE] if len(bounds) == 1 else [*bounds, NONE, NONE, NONE][:3]
        contents = self._machine.contents
        return join(
            contents.sliced(atom, bounds, site, state)
            if isinstance(contents.of(atom, state), SequenceContent)
            else (atom,)
            for atom in value
        )

    def _wraps(self, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out `wraps(function)`: a decorator that hands on what it is given."""
        return (External(WRAPS),)

    def _memoised(self, name: str, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out `lru_cache(function)`, or makes the decorator that `lru_cache(maxsize=8)` is."""
        given = arguments.positional[0].value if arguments.positional else NOTHING
        if any(isinstance(atom, Function) for atom in given):
            return with_mark(given, name, site)
        return (External(name),)

    def _second(self, arguments: Arguments, site: Site, state: State) -> Value:
        return arguments.positional[1].value if len(arguments.positional) > 1 else UNKNOWN

    def _copy(self, arguments: Arguments, site: Site, state: State) -> Value:
        results: List[Value] = []
        for atom in arguments.positional[0].value if arguments.positional else UNKNOWN:
            content = self._machine.contents.of(atom, state)
            if isinstance(content, MappingContent):
                results.append(self._machine.contents.mapping(content, site, state, "copy"))
            elif isinstance(content, SequenceContent):
                results.append(self._sequence("list", content.elements, content.rest, site, state))
            else:
                results.append((atom,))
        return join(results)

    def _namespace(self, arguments: Arguments, site: Site, state: State) -> Value:
        """Makes an object of named attributes."""
        made = self._machine.allocate("namespace", ObjectInfo(heap.OUTSIDE, site, "types.SimpleNamespace"))
        for argument in arguments.keywords:
            if argument.keyword is not None:
                state.set((ATTRIBUTE, made.number, argument.keyword), argument.value)
        return (made,)

    def _manager(self, arguments: Arguments, site: Site, state: State) -> Value:
        """Makes a context manager that gives back what it was given: `closing(client)`."""
        given = arguments.positional[0].value if arguments.positional else NONE
        made = self._machine.allocate("manager", ObjectInfo(heap.OUTSIDE, site, "", family="manager"))
        state.set((PARTS, made.number), given)
        return (made,)

    def _none(self, arguments: Arguments, site: Site, state: State) -> Value:
        return NONE

    def _unknown(self, arguments: Arguments, site: Site, state: State) -> Value:
        return UNKNOWN

    def _getattr(self, arguments: Arguments, site: Site, state: State) -> Value:
        names = strings(arguments.value(1, "name"))
        owner = arguments.value(0, "object")
        if not names or len(names) != len(arguments.value(1, "name")):
            for atom in owner:
                self._machine.unseen.methods_of(atom)
            return UNKNOWN
        default = arguments.value(2, "default")
        if default and all(self._machine.modules.lacks(atom, name) for atom in owner for name in names):
            return default
        found = join(self._machine.attributes.of(owner, name, site, state) for name in names)
        unknown = all(isinstance(atom, Unknown) for atom in found)
        return (
            join((found, default))
            if default and (unknown or any(isinstance(a, Request) for a in found))
            else found
        )

    def _setattr(self, arguments: Arguments, site: Site, state: State) -> Value:
        names = strings(arguments.value(1, "name"))
        if len(names) != 1 or len(arguments.value(1, "name")) != 1:
            self._machine.unseen.unknown_attribute()
            self._machine.watcher.unknown_assigned("", arguments.value(2, "value"))
        for name in names:
            value = arguments.value(2, "value")
            self._machine.attributes.assign(arguments.value(0, "object"), name, value, site, state, None)
        return NONE

    def _type(self, arguments: Arguments, site: Site, state: State) -> Value:
        asked = arguments.positional[0].value if len(arguments.positional) == 1 else NOTHING
        infos = [self._machine.heap.info(atom.number) for atom in asked if isinstance(atom, Object)]
        return tuple(Object(info.cls) for info in infos if info.kind == heap.INSTANCE) or UNKNOWN

    def _fields(self, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out `asdict(x)` and `x.model_dump()`: the declared fields of an instance."""
        value = arguments.positional[0].value if arguments.positional else NOTHING
        return self.fields_of(value, site, state, depth=DEEPEST_FIELDS)

    def _vars(self, arguments: Arguments, site: Site, state: State) -> Value:
        value = arguments.positional[0].value if arguments.positional else NOTHING
        self._machine.unseen.unknown_attribute()
        return self.fields_of(value, site, state, every=True)

    def fields_of(self, value: Value, site: Site, state: State, every: bool = False, depth: int = 0) -> Value:
        """Returns the declared fields of instances as a mapping.

        Args:
            value: The instances.
            site: Where the mapping is made.
            state: What holds.
            every: Whether attributes are taken that were given without being declared, too.
            depth: How deep instances in fields become mappings as well.
        """
        results: List[Value] = []
        for atom in value:
            info = self._machine.heap.info(atom.number) if isinstance(atom, Object) else None
            if info is None or info.kind != heap.INSTANCE:
                results.append(
                    self._machine.contents.mapping(MappingContent(open=True), site, state, "fields")
                )
                continue
            assert isinstance(atom, Object)
            content = MappingContent()
            names = self._machine.inheritance.declared_names(info.cls)
            if every:
                names = tuple(dict.fromkeys((*names, *state.names_of(atom.number))))
            for name in names:
                own = state.get((ATTRIBUTE, atom.number, name))
                if own is None:
                    found = self._machine.inheritance.class_attribute(info.cls, name, state)
                    declared = self._machine.inheritance.declared(info.cls, name, state)
                    own = found[1] if found is not None else declared or UNKNOWN
                if depth:
                    own = self._plain_fields(own, site, state, depth - 1)
                content = content.put(Entry(constant(name), own, site, site))
            if not content.entries:
                content = content._replace(open=True)
            what = f"fields of {atom.number}"
            results.append(self._machine.contents.mapping(content, site, state, what))
        return join(results) or UNKNOWN

    def _plain_fields(self, value: Value, site: Site, state: State, depth: int) -> Value:
        """Returns what `asdict` makes of a field: of another dataclass, a dictionary."""
        results: List[Value] = []
        for atom in value:
            info = self._machine.heap.info(atom.number) if isinstance(atom, Object) else None
            is_data = info is not None and info.kind == heap.INSTANCE and self._is_data(info.cls)
            results.append(self.fields_of((atom,), site, state, depth=depth) if is_data else (atom,))
        return join(results)

    def _is_data(self, cls: int) -> bool:
        """Whether a class is a dataclass: it declares fields, and inherits nothing from elsewhere."""
        inheritance = self._machine.inheritance
        return bool(inheritance.declared_names(cls)) and not inheritance.outside_bases(cls)

    def subclasses(self, cls: Object, site: Site, state: State) -> Value:
        """Carries out `Class.__subclasses__()`."""
        heirs = [
            (Object(number),)
            for number in self._machine.ledger.classes
            if number != cls.number and cls.number in self._machine.inheritance.linearized(number)
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
        return self._machine.contents.mapping(content, site, state, "globals")

    def _partial(self, arguments: Arguments, site: Site, state: State) -> Value:
        if not arguments.positional:
            return UNKNOWN
        made = self._machine.allocate("partial", ObjectInfo(heap.PARTIAL, site, "partial"))
        rest = Arguments(arguments.positional[1:], arguments.keywords, arguments.open)
        state.set((CONTENT, made.number), PartialContent(arguments.positional[0].value, rest))
        return (made,)
