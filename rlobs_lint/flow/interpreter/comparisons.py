"""Comparisons: their outcomes, and what each tells about the two sides."""

from __future__ import annotations

from typing import TYPE_CHECKING, List, Optional, Tuple

from rlobs_lint.facts import ir
from rlobs_lint.facts.walks import spelling
from rlobs_lint.flow.domain.branches import Branches
from rlobs_lint.flow.domain.heap import MappingContent, SequenceContent
from rlobs_lint.flow.domain.state import State
from rlobs_lint.flow.domain.values import (
    BOUNDED,
    FALSE,
    NOTHING,
    TRUE,
    Atom,
    Constant,
    EnumMember,
    Function,
    Object,
    Request,
    Typed,
    Value,
    constant,
    constants,
    is_opaque,
    join,
    typed,
)
from rlobs_lint.flow.interpreter.conditions import learn
from rlobs_lint.flow.interpreter.narrowing import finite_after, infinity

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine

_SAME = {"is": True, "==": True, "is not": False, "!=": False}
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


class Comparisons:
    """Decides comparisons and narrows by them, for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def branch(self, test: ir.Comparison, state: State) -> Branches:
        """Evaluates a comparison of two values, and forks for its two outcomes."""
        machine = self._machine
        operator, right_expression = test.operators[0], test.right[0]
        known = right_expression if isinstance(right_expression, ir.Literal) else None
        if known is not None and known.kind == "bool" and operator in _SAME:
            inner = machine.conditions.branch(test.left, state)
            same = _SAME[operator] is bool(known.value)
            return inner if same else inner.negated
        left, answers = machine.conditions.asked(test.left, state)
        right = machine.evaluate(right_expression, state)
        by_type = machine.type_tests.branch(test, right, state)
        if by_type is not None:
            return by_type
        answer = self.outcome(operator, left, right, state)
        if operator in ("in", "not in"):
            return self._branch_membership(test.left, left, right, operator == "in", answer, state)
        yes: Optional[State] = state.fork()
        no: Optional[State] = state.fork()
        assert yes is not None and no is not None
        sides = (
            (test.left, left, operator, right),
            (right_expression, right, _FLIPPED.get(operator, operator), left),
        )
        for asked, value, direction, other in sides:
            if not self._narrow_compared(asked, value, direction, other, True, yes):
                answer = False if answer is None else answer
            if not self._narrow_compared(asked, value, direction, other, False, no):
                answer = True if answer is None else answer
        if operator in ("==", "!=") and spelling(test.left) == spelling(right_expression) != "?":
            # `x != x` asks whether it is `nan`.
            number = yes if operator == "==" else no
            kept = tuple(atom for atom in left if infinity(atom) != "nan")
            if kept and kept != left:
                machine.conditions.store(test.left, kept, number)
        if known is not None and known.kind == "None" and operator in _SAME:
            none, some = (yes, no) if _SAME[operator] else (no, yes)
            learn([it.known for it in answers if it.is_none is not False], none)
            learn([it.known for it in answers if it.is_none is not True], some)
        if answer is True:
            return Branches(TRUE, yes, None)
        if answer is False:
            return Branches(FALSE, None, no)
        return Branches(typed("bool", BOUNDED), yes, no)

    def _branch_membership(
        self,
        asked: ir.Expression,
        value: Value,
        collection: Value,
        is_in: bool,
        answer: Optional[bool],
        state: State,
    ) -> Branches:
        """Branches on `x in (...)`: what is in a known collection is one of its members."""
        machine = self._machine
        inside, outside = state.fork(), state.fork()
        members = self.members(collection, state)
        if members:
            known = set(members)
            inner = join(
                (atom,) if isinstance(atom, (Constant, EnumMember)) else members
                for atom in value
                if not isinstance(atom, (Constant, EnumMember)) or atom in known
            )
            outer = tuple(atom for atom in value if atom not in known)
            if inner and inner != value:
                machine.conditions.store(asked, inner, inside)
            if outer and outer != value:
                machine.conditions.store(asked, outer, outside)
            if value and all(isinstance(atom, Constant) and atom.kind == "str" for atom in value):
                if not inner:
                    answer = not is_in
                elif not outer and self._is_exact(collection, state):
                    answer = is_in
        else:
            content = [machine.contents.element((atom,), state) for atom in collection]
            infinities = [atom for atom in join(content) if infinity(atom)]
            outer = tuple(atom for atom in value if atom not in infinities)
            if outer and outer != value:
                machine.conditions.store(asked, outer, outside)
        self._narrow_members(asked, value, collection, inside, outside)
        yes, no = (inside, outside) if is_in else (outside, inside)
        if answer is not None:
            return Branches(TRUE if answer else FALSE, yes if answer else None, None if answer else no)
        return Branches(typed("bool", BOUNDED), yes, no)

    def _narrow_members(
        self, asked: ir.Expression, value: Value, collection: Value, inside: State, outside: State
    ) -> None:
        """Narrows by `len(x) in (1, 2)` and `x not in (None, [])`: unlike each of them, or like one."""
        content = self._machine.contents.of(collection[0], outside) if len(collection) == 1 else None
        if not isinstance(content, SequenceContent) or content.rest or len(content.elements) > 16:
            return
        for element in content.elements:
            self._narrow_compared(
                asked, self._machine.conditions.peek(asked, outside) or value, "==", element, False, outside
            )
        numbers = [it for it in constants(content.any()) or () if isinstance(it, (int, float))]
        if numbers and min(numbers) > 0 and len(numbers) == len(content.any()):
            self._narrow_compared(asked, value, ">=", constant(min(numbers)), True, inside)

    def _is_exact(self, collection: Value, state: State) -> bool:
        """Whether every member of a collection is surely in it."""
        content = self._machine.contents.of(collection[0], state) if len(collection) == 1 else None
        return (
            isinstance(content, SequenceContent)
            and not content.rest
            and all(len(element) == 1 for element in content.elements)
        )

    def members(self, collection: Value, state: State) -> Value:
        """Returns the members of a collection of known constants, or nothing."""
        found: List[Value] = []
        for atom in collection:
            content = self._machine.contents.of(atom, state)
            if isinstance(content, MappingContent) and not content.open:
                found.append(content.keys())
            elif isinstance(content, SequenceContent):
                found.append(content.any())
            else:
                return NOTHING
        members = join(found)
        return members if all(isinstance(atom, (Constant, EnumMember)) for atom in members) else NOTHING

    def outcome(self, operator: str, left: Value, right: Value, state: State) -> Optional[bool]:
        """Tells the outcome of a comparison where all possibilities agree."""
        if not left or not right:
            return None
        answers = {self._compare_atoms(operator, a, b) for a in left[:16] for b in right[:16]}
        return answers.pop() if len(answers) == 1 else None

    def _compare_atoms(self, operator: str, left: Atom, right: Atom) -> Optional[bool]:
        negative = operator in ("!=", "is not", "not in")
        if operator in ("is", "is not", "==", "!="):
            same = _same(left, right)
            for one, other in ((left, right), (right, left)):
                if isinstance(one, Object) and isinstance(other, Constant) and other.kind == "None":
                    same = None if self._machine.world.may_be_none(one) else False
            return None if same is None else same != negative
        if isinstance(left, Constant) and isinstance(right, Constant):
            a, b = left.value, right.value
            if isinstance(a, (int, float)) and isinstance(b, (int, float)):
                return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}.get(operator)
            if operator in ("in", "not in") and isinstance(a, str) and isinstance(b, str):
                return (a in b) != negative
        return None

    def _narrow_compared(
        self, asked: ir.Expression, value: Value, operator: str, other: Value, wanted: bool, state: State
    ) -> bool:
        """Narrows one side of a comparison by the other; tells whether anything is left."""
        machine = self._machine
        if operator in ("is not", "!="):
            operator, wanted = {"is not": "is", "!=": "=="}[operator], not wanted
        constant = other[0] if len(other) == 1 else None
        if operator in ("is", "==") and isinstance(constant, Constant) and constant.kind == "None":
            return self._narrow_none(asked, value, wanted, state)
        finite = finite_after(value, operator, other, wanted)
        if finite != value:
            if not finite:
                return False
            value = finite
            machine.conditions.store(asked, value, state)
        measured = self.measured(asked, state)
        numbers = [it for it in constants(other) or () if isinstance(it, (int, float))]
        # An index that is compared with the length is none below zero.
        present = _says_nonempty(operator, min(numbers, default=0), wanted)
        is_known = len(numbers) == len(other) == 1
        counted = machine.guards.counted(asked, state)
        if counted is not None and present and (is_known or operator in (">", "<=")):
            machine.guards.imply(counted, state)
        if measured is not None:
            inner, inner_value = measured
            if present is not None and (is_known or (present and operator in (">", "<="))):
                return machine.conditions.assume_value(inner, inner_value, present, state)
        if operator in ("is", "==") and isinstance(constant, (Constant, EnumMember)):
            kept = tuple(atom for atom in value if _same(atom, constant) is not (not wanted))
            if kept != value and kept:
                machine.conditions.store(asked, kept, state)
            return bool(kept) or not value
        empty = self._known_empty(other, state)
        if operator == "==" and empty:
            return machine.conditions.assume_value(asked, value, not wanted, state)
        return True

    def measured(self, asked: ir.Expression, state: State) -> Optional[Tuple[ir.Expression, Value]]:
        """Returns what `len(...)` measures, with its value."""
        if isinstance(asked, ir.Walrus):
            asked = asked.value
        asked = self._machine.conditions.named(asked, state) or asked
        if not (
            isinstance(asked, ir.Call)
            and isinstance(asked.function, ir.Name)
            and asked.function.identifier == "len"
            and len(asked.arguments) == 1
        ):
            return None
        inner = asked.arguments[0].value
        return inner, self._machine.conditions.peek(inner, state)

    def _known_empty(self, value: Value, state: State) -> bool:
        contents = [self._machine.contents.of(atom, state) for atom in value]
        return bool(contents) and all(
            (isinstance(content, SequenceContent) and content.known_empty)
            or (isinstance(content, MappingContent) and not content.entries and not content.open)
            for content in contents
        )

    def _narrow_none(self, asked: ir.Expression, value: Value, is_none: bool, state: State) -> bool:
        machine = self._machine
        kept: List[Atom] = []
        for atom in value:
            none = isinstance(atom, Constant) and atom.kind == "None"
            unknown = is_opaque(atom) or (isinstance(atom, Request) and not atom.present)
            unknown = unknown or (isinstance(atom, Object) and machine.world.may_be_none(atom))
            if none == is_none or unknown:
                kept.append(atom)
        if not kept and value:
            return False
        if not is_none:
            machine.guards.imply_something(asked, state)
        if is_none:
            machine.conditions.void(value, state)
        if tuple(kept) != value:
            machine.conditions.store(asked, tuple(kept), state)
        return True


def _same(left: Atom, right: Atom) -> Optional[bool]:
    """Tells whether two atoms are equal, or `None`."""
    if isinstance(left, Constant) and isinstance(right, Constant):
        if left.kind in ("str", "None") or right.kind in ("str", "None"):
            return left.kind == right.kind and left.value == right.value
        return left.value == right.value
    if isinstance(left, EnumMember) and isinstance(right, EnumMember):
        return left == right
    for one, other in ((left, right), (right, left)):
        is_none = isinstance(one, Constant) and one.kind == "None"
        if is_none and isinstance(other, (Typed, EnumMember, Function)):
            return False
    return None


def _says_nonempty(operator: str, number: float, holds: bool) -> Optional[bool]:
    """Tells what `len(x) operator number`, holding or not, says of `x`: elements, none, or nothing."""
    if not holds:
        operator = _OPPOSITE.get(operator, "")
    if (operator in (">", "!=") and number == 0) or (operator in (">", ">=", "==") and number >= 1):
        return True
    if (operator in ("==", "<=") and number == 0) or (operator == "<" and number == 1):
        return False
    return None
