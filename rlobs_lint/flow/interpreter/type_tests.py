"""Questions about types: `isinstance(x, T)`, `type(x) is T`, and what they tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, List, Optional, Tuple

from rlobs_lint import sdk
from rlobs_lint.facts import ir
from rlobs_lint.facts.walks import last_name
from rlobs_lint.flow.domain.branches import Branches, outcome
from rlobs_lint.flow.domain.heap import MappingContent, SequenceContent
from rlobs_lint.flow.domain.state import State
from rlobs_lint.flow.domain.values import Atom, Constant, External, Object, Typed, Unknown, Value, strings

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine

_SAME = {"is": True, "==": True, "is not": False, "!=": False}
_BUILTIN_KINDS = {
    "str": ("str",),
    "int": ("int", "bool"),
    "float": ("float",),
    "bool": ("bool",),
    "dict": ("dict",),
    "list": ("list",),
    "tuple": ("tuple",),
    "bytes": ("bytes",),
    "complex": ("complex",),
    "set": ("set",),
    "frozenset": ("set",),
    "Number": ("int", "float", "bool", "number", "complex"),
    "Real": ("int", "float", "bool", "number"),
    "Integral": ("int", "bool"),
    "SupportsFloat": ("float", "int", "bool", "number"),
    "Decimal": ("number",),
    "Fraction": ("number",),
    # numpy's numbers; `float64` inherits `float`, but none is one of ours.
    "number": ("number",),
    "floating": ("number",),
    "integer": ("number",),
    "Mapping": ("dict",),
    "MutableMapping": ("dict",),
    "MutableSequence": ("list",),
    "Sequence": ("list", "tuple", "str", "bytes"),
    "Collection": ("list", "tuple", "set", "dict", "str", "bytes"),
    "Iterable": ("list", "tuple", "set", "dict", "str", "bytes"),
    "NoneType": ("None",),
}
#: Types whose name is the kind of their values.
_KINDS_OF_THEIR_OWN = frozenset({"str", "int", "float", "bool", "dict", "list", "tuple", "bytes", "set"})
#: Classes of which each client and tool is known to be one, or not.
_CLIENTS_AND_TOOLS = frozenset(
    {*sdk.CLIENTS, *(base for bases in sdk.CLIENT_BASES.values() for base in bases), "BaseTool"}
)
_CLASSES = frozenset({*_CLIENTS_AND_TOOLS, *_BUILTIN_KINDS})


class TypeTests:
    """Answers questions about types, for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def branch(self, test: ir.Comparison, right: Value, state: State) -> Optional[Branches]:
        """Branches on `type(x) is float`, `type(x) in (int, float)` and `type(x).__name__ == "float"`."""
        machine = self._machine
        operator, asking = test.operators[0], test.left
        by_name = isinstance(asking, ir.Attribute) and asking.name == "__name__"
        if isinstance(asking, ir.Attribute) and by_name:
            asking = asking.value
        if not isinstance(asking, ir.Call) or len(asking.arguments) != 1:
            return None
        if last_name(asking.function) != "type" or operator not in (*_SAME, "in", "not in"):
            return None
        asked = asking.arguments[0].value
        value = machine.conditions.shown(asked, state)
        named = strings(machine.comparisons.members(right, state) if operator in ("in", "not in") else right)
        types = named if by_name else self.names(test.right[0], state)
        if not value or not types:
            return None
        sides: List[Optional[State]] = []
        for wanted in (True, False):
            kept = tuple(
                atom for atom in value if self.is_instance(atom, types, state, exact=True) is not (not wanted)
            )
            side = state.fork() if kept else None
            if side is not None and kept != value:
                machine.conditions.store(
                    asked, tuple(as_instance(atom, types) for atom in kept) if wanted else kept, side
                )
            sides.append(side)
        yes, no = sides if operator in ("is", "==", "in") else reversed(sides)
        return Branches(outcome(yes, no), yes, no)

    def is_instance(
        self, atom: Atom, types: Tuple[str, ...], state: State, exact: bool = False
    ) -> Optional[bool]:
        """Tells whether an atom is of one of some builtin types or client classes, or `None`.

        Args:
            atom: A possibility.
            types: Names of the types.
            state: What holds.
            exact: Whether it must be of the type itself, and not of one that inherits it.
        """
        machine = self._machine
        classes = machine.world.classes_of(atom) if isinstance(atom, Object) else ()
        if classes[:1] == ("list",):
            classes = (*classes, *(name for name, kinds in _BUILTIN_KINDS.items() if "list" in kinds))
        if classes:
            if set(classes[:1] if exact else classes).intersection(types):
                return True
            return False if _CLASSES.issuperset(types) else None
        kind = atom.kind if isinstance(atom, (Constant, Typed)) else ""
        if isinstance(atom, Object):
            content = machine.contents.of(atom, state)
            if isinstance(content, (MappingContent, SequenceContent)):
                kind = machine.heap.info(atom.number).name
        if kind in ("", "number", "object", "array", "non-finite", "view", "generator"):
            return None
        kinds = [() if name in _CLIENTS_AND_TOOLS else _BUILTIN_KINDS.get(name) for name in types]
        if any(known is not None and kind in (known[:1] if exact else known) for known in kinds):
            return True
        return None if None in kinds else False

    def names(self, expression: ir.Expression, state: State) -> Tuple[str, ...]:
        """Returns the names of the types that an expression stands for; `?` for one that has none."""
        if isinstance(expression, ir.Display):
            return tuple(name for part in expression.elements for name in self.names(part, state))
        if isinstance(expression, ir.Binary) and expression.operator in "|+":
            return (*self.names(expression.left, state), *self.names(expression.right, state))
        if isinstance(expression, ir.Literal) and expression.kind == "None":
            return ("NoneType",)
        if isinstance(expression, ir.Call) and last_name(expression.function) == "type":
            # `type(None)`
            argument = expression.arguments[0].value if len(expression.arguments) == 1 else expression
            is_none = isinstance(argument, ir.Literal) and argument.kind == "None"
            return ("NoneType",) if is_none else ("?",)
        if isinstance(expression, ir.Name) and expression.identifier not in _BUILTIN_KINDS:
            # `NUMBERS = (int, float)`
            named = [
                it
                for atom in self._machine.conditions.peek(expression, state)
                for it in self._elements_or(atom, state)
            ]
            if named and all(isinstance(it, External) for it in named):
                return tuple(it.name.rpartition(".")[2] for it in named if isinstance(it, External))
            return (expression.identifier,)
        if isinstance(expression, ir.Name):
            return (expression.identifier,)
        return (expression.name,) if isinstance(expression, ir.Attribute) else ("?",)

    def _elements_or(self, atom: Atom, state: State) -> Value:
        content = self._machine.contents.of(atom, state)
        return content.any() if isinstance(content, SequenceContent) else (atom,)


def as_instance(atom: Atom, types: Tuple[str, ...]) -> Atom:
    """Returns an unknown value as what an `isinstance` check showed it to be."""
    if isinstance(atom, Unknown) and len(types) == 1 and types[0] in _KINDS_OF_THEIR_OWN:
        return Typed(types[0], atom.origin)
    return atom
