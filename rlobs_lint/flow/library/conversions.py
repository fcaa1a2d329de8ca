"""Conversions, and what makes one value of many."""

from __future__ import annotations

from typing import Dict

from rlobs_lint.flow.domain.arguments import Arguments
from rlobs_lint.flow.domain.heap import MappingContent, SequenceContent
from rlobs_lint.flow.domain.state import State
from rlobs_lint.flow.domain.values import (
    BOUNDED,
    UNKNOWN,
    UNKNOWN_ORIGIN,
    Atom,
    Constant,
    EnumMember,
    Object,
    Site,
    Typed,
    Value,
    constant,
    join,
    non_finite,
    origin_of,
    origin_of_value,
    typed,
)
from rlobs_lint.flow.library.part import Handler, Part


class Conversions(Part):
    """Carries out conversions, roundings, sums and comparisons."""

    def functions(self) -> Dict[str, Handler]:
        """Returns what carries out a call, by the dotted name of what is called."""
        return {
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
            "builtins.issubclass": self._bool,
            "inspect.isclass": self._bool,
            "inspect.isawaitable": self._bool,
            "inspect.iscoroutine": self._bool,
            "asyncio.iscoroutine": self._bool,
            "builtins.hasattr": self._bool,
            "builtins.min": self._smallest,
            "builtins.max": self._extreme,
        }

    def _str(self, arguments: Arguments, site: Site, state: State) -> Value:
        if not arguments.positional:
            return constant("")
        return self._machine.operators.concatenate((arguments.positional[0].value or UNKNOWN,))

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
        content = self._machine.contents.of(value[0], state) if len(value) == 1 else None
        if (
            isinstance(content, SequenceContent)
            and not content.rest
            and not self._may_merge(value[0], content)
        ):
            return constant(len(content.elements))
        if (
            isinstance(content, MappingContent)
            and not content.open
            and all(content.has(entry.key) for entry in content.entries)
        ):
            return constant(len({entry.key for entry in content.entries}))
        return (Typed("int", self._length_origin(value, state)),)

    def _may_merge(self, atom: Atom, content: SequenceContent) -> bool:
        """Whether elements of a set may be equal, so that it has fewer."""
        is_set = isinstance(atom, Object) and self._machine.heap.info(atom.number).name == "set"
        known = [element[0] for element in content.elements if len(element) == 1]
        constants = {atom for atom in known if isinstance(atom, Constant)}
        return is_set and len(content.elements) > 1 and len(constants) != len(content.elements)

    def _sum(self, arguments: Arguments, site: Site, state: State) -> Value:
        return (Typed("number", self._origin(arguments)),)

    def _bool(self, arguments: Arguments, site: Site, state: State) -> Value:
        return typed("bool", BOUNDED)

    def _extreme(self, arguments: Arguments, site: Site, state: State) -> Value:
        if len(arguments.positional) == 1:
            return self._machine.contents.element(arguments.positional[0].value, state) or UNKNOWN
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
