"""Operators and texts: what joining, adding and dividing values gives."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple

from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.heap import MappingContent, ObjectInfo, SequenceContent
from rlobs_lint.flow.domain.path_values import PATH, joined
from rlobs_lint.flow.domain.state import CONTENT, State
from rlobs_lint.flow.domain.values import (
    BASE_URL,
    BOUNDED,
    NOTHING,
    NUMBERS,
    UNBOUNDED,
    UNKNOWN,
    UNKNOWN_ORIGIN,
    Atom,
    Constant,
    Object,
    Placeholder,
    Request,
    Site,
    Typed,
    Unknown,
    Value,
    join,
    kind_of,
    origin_of_value,
)

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine


#: A text made of several sets of possibilities lists at most this many results.
MOST_TEXTS = 64
#: What computing with points and lengths of time gives, by the operator and the kinds of its sides.
_TIMES: Mapping[str, Mapping[Tuple[Optional[str], Optional[str]], str]] = {
    "-": {
        ("datetime", "datetime"): "timedelta",
        ("datetime", "timedelta"): "datetime",
        ("timedelta", "timedelta"): "timedelta",
    },
    "+": {
        ("datetime", "timedelta"): "datetime",
        ("timedelta", "datetime"): "datetime",
        ("timedelta", "timedelta"): "timedelta",
    },
    "*": {(kind, "timedelta"): "timedelta" for kind in ("int", "float")},
    "/": {
        ("timedelta", "timedelta"): "float",
        ("timedelta", "int"): "timedelta",
        ("timedelta", "float"): "timedelta",
    },
    "//": {("timedelta", "timedelta"): "int", ("timedelta", "int"): "timedelta"},
}
#: A conversion of a `%` template.
_CONVERSION = re.compile(r"(%(?:\([^)]*\))?[-#0 +]*[\d*.]*[a-zA-Z%])")


class Operators:
    """Carries out operators, for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def concatenate(self, parts: Sequence[Value]) -> Value:
        """Returns the texts that pieces make one after the other, each formatted with `str`."""
        known: List[Tuple[str, ...]] = []
        total = 1
        for part in parts:
            texts = self._texts(part)
            if texts is None:
                break
            known.append(texts)
            total *= max(len(texts), 1)
            if total > MOST_TEXTS:
                break
        else:
            results = [""]
            for texts in known:
                results = [head + text for head in results for text in texts]
            return tuple(Constant("str", text) for text in dict.fromkeys(results))
        if any(isinstance(atom, Placeholder) for part in parts for atom in part):
            return (Placeholder(),)
        origin = UNKNOWN_ORIGIN
        origins = {origin_of_value(part) for part in parts}
        if UNBOUNDED in origins:
            origin = UNBOUNDED
        elif origins == {BOUNDED}:
            origin = BOUNDED
        count = 1
        for part in parts:
            count *= max(sum(atom.size if isinstance(atom, Typed) else 1 for atom in part), 1)
        text: List[Optional[str]] = []
        for part in parts:
            piece = part[0] if len(part) == 1 else None
            if isinstance(piece, Constant) and piece.kind == "str":
                text.append(str(piece.value))
            elif isinstance(piece, Typed) and piece.kind == "str" and piece.text:
                text.extend(piece.text)
            elif isinstance(piece, Request) and piece.path[-2:] == ("model_resource", "base_url"):
                text.append(BASE_URL)
            else:
                text.append(None)
        return (Typed("str", origin, tuple(text), min(count, 10_000)),)

    def _texts(self, value: Value) -> Optional[Tuple[str, ...]]:
        texts = []
        for atom in value:
            if isinstance(atom, Constant) and atom.kind in ("str", "int", "bool", "float", "None", PATH):
                texts.append(str(atom.value))
            else:
                # What formatting a member of an enumeration gives, too: the Python version decides.
                return None
        return tuple(texts)

    def binary(self, operator: str, left: Value, right: Value, site: Site, state: State) -> Value:
        """Returns what a binary operator makes of two values."""
        results: List[Value] = []
        made: Dict[Object, Any] = {}
        for a in left[:16] or UNKNOWN:
            for b in right[:16] or UNKNOWN:
                results.append(self._binary_atoms(operator, a, b, site, state))
                for atom in results[-1]:
                    # `(found or []) + more` makes one collection of either.
                    content = self._machine.contents.of(atom, state)
                    if isinstance(atom, Object) and isinstance(content, (MappingContent, SequenceContent)):
                        before = made.get(atom)
                        made[atom] = content if before is None else before.join(content)
                        state.set((CONTENT, atom.number), made[atom])
        return join(results)

    def _binary_atoms(self, operator: str, left: Atom, right: Atom, site: Site, state: State) -> Value:
        machine = self._machine
        if isinstance(left, Placeholder) or isinstance(right, Placeholder):
            return (Placeholder(),)
        chained = machine.world.piped(operator, left, right, site, state)
        if chained is not None:
            return chained
        for operand in (left, right):
            # `total + part` may call a method of either.
            machine.unseen.methods_of(operand)
        if operator == "%" and kind_of(left) == "str":
            return self._interpolated(left, right, state)
        path = joined(left, right) if operator == "/" else None
        if path is not None:
            return path
        first, second = machine.contents.of(left, state), machine.contents.of(right, state)
        if isinstance(first, MappingContent) and operator == "|":
            second_content = second if isinstance(second, MappingContent) else MappingContent(open=True)
            return machine.contents.mapping(first.update(second_content), site, state)
        if isinstance(first, SequenceContent) and isinstance(second, SequenceContent) and operator in "+|":
            elements = (*first.elements, *second.elements) if not first.rest else first.elements
            rest = join((first.rest, second.rest, *(second.elements if first.rest else ()), *elements[64:]))
            kind = "set" if operator == "|" else "list"
            made = machine.allocate("sum", ObjectInfo(heap.SEQUENCE, site, kind))
            state.set((CONTENT, made.number), SequenceContent(elements[:64], rest))
            return (made,)
        are_tools = operator == "+" and any(machine.world.is_collection(atom) for atom in (left, right))
        if are_tools or isinstance(first, SequenceContent) or isinstance(second, SequenceContent):
            adds = operator in ("+", "|", "^")
            rest = join(
                (
                    machine.contents.element_of(left, state),
                    machine.contents.element_of(right, state) if adds else NOTHING,
                )
            )
            made = machine.allocate("sum", ObjectInfo(heap.SEQUENCE, site, "list"))
            state.set((CONTENT, made.number), SequenceContent((), rest))
            return (made,)
        return self._scalars(operator, left, right)

    def _interpolated(self, template: Atom, given: Atom, state: State) -> Value:
        """Carries out `"%s_%d" % (a, b)`."""
        content = self._machine.contents.of(given, state)
        values = list(content.elements) if isinstance(content, SequenceContent) else [(given,)]
        if not isinstance(template, Constant):
            return (Typed("str", origin_of_value((template, *(atom for value in values for atom in value)))),)
        parts: List[Value] = []
        for position, piece in enumerate(_CONVERSION.split(str(template.value))):
            if position % 2 == 0:
                parts.append((Constant("str", piece),))
            elif piece == "%%":
                parts.append((Constant("str", "%"),))
            else:
                if isinstance(content, MappingContent):
                    value = content.lookup((Constant("str", piece[2:].split(")")[0]),))
                else:
                    value = values.pop(0) if values else UNKNOWN
                parts.append(value if piece in ("%s", "%d", "%i") else (Unknown(origin_of_value(value)),))
        return self.concatenate(parts)

    def _scalars(self, operator: str, left: Atom, right: Atom) -> Value:
        kinds = (kind_of(left), kind_of(right))
        if operator == "+" and "str" in kinds:
            return self.concatenate(((left,), (right,)))
        if kinds[0] in NUMBERS and kinds[1] in NUMBERS:
            folded = _fold(operator, left, right)
            if folded is not None:
                return folded
            kind = "int" if set(kinds) <= {"int", "bool"} and operator != "/" else "float"
            if operator == "%" and isinstance(right, Constant) and isinstance(right.value, int):
                return (Typed(kind, BOUNDED, size=max(abs(right.value), 1)),)
            widest = origin_of_value((left, right))
            # Dividing sorts into classes, of which there may be few.
            return (Typed(kind, UNKNOWN_ORIGIN if operator == "//" and widest == UNBOUNDED else widest),)
        if operator in _TIMES:
            of_time = _TIMES[operator].get(kinds)
            if of_time is not None:
                return (Typed(of_time, origin_of_value((left, right))),)
        if operator in ("-", "/", "//", "**") and (kinds[0] in NUMBERS or kinds[1] in NUMBERS):
            # Only numbers (and arrays, dates, ...) subtract and divide: the type stays unknown.
            return (Unknown(origin_of_value((left, right))),)
        return (Unknown(origin_of_value((left, right))),)


def _fold(operator: str, left: Atom, right: Atom) -> Optional[Value]:
    """Computes with two known small numbers."""
    if not (isinstance(left, Constant) and isinstance(right, Constant)):
        return None
    a, b = left.value, right.value
    if not isinstance(a, (int, float)) or not isinstance(b, (int, float)) or abs(a) > 1e9 or abs(b) > 1e9:
        return None
    try:
        if operator == "+":
            result: float = a + b
        elif operator == "-":
            result = a - b
        elif operator == "*":
            result = a * b
        elif operator == "/":
            result = a / b
        elif operator == "//":
            result = a // b
        else:
            return None
    except ZeroDivisionError:
        return None
    return (Constant("int" if isinstance(result, int) else "float", result),)
