"""Conditions: which branch can be taken, and what taking it tells about the values that it asks about."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, FrozenSet, List, NamedTuple, Optional, Sequence, Tuple

from rlobs_lint import ir, sdk
from rlobs_lint.flow import scopes
from rlobs_lint.flow.clients import CLIENT_FAMILIES
from rlobs_lint.flow.heap import MappingContent, SequenceContent
from rlobs_lint.flow.narrowing import finite_after, infinity
from rlobs_lint.flow.places import last_name
from rlobs_lint.flow.state import PRESENT, Key, State, facts
from rlobs_lint.flow.values import (
    BOUNDED,
    FALSE,
    NOTHING,
    TRUE,
    Atom,
    Constant,
    EnumMember,
    External,
    Function,
    Object,
    Request,
    Site,
    Typed,
    Unknown,
    Value,
    constant,
    constants,
    is_opaque,
    join,
    strings,
    truth,
    typed,
)

if TYPE_CHECKING:
    from rlobs_lint.flow.calls import Arguments
    from rlobs_lint.flow.machine import Machine

#: A flag or function whose name speaks of tracing decides whether there is anything to trace.
_TRACING_NAME = re.compile(
    r"trac(?:e(?!back)|ing)|instrument|observ(?:ability|ed|er|e_)|otel|telemetry|patched|ENABLE_TRAJECTORY",
    re.IGNORECASE,
)
#: Types of outcomes that a variable may keep: of a condition, or of a measured length.
_ANSWERS = frozenset({"bool", "int"})
_SAME = {"is": True, "==": True, "is not": False, "!=": False}
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


#: An answer to a yes-or-no question, and what the path to it found out.
Answer = Tuple[bool, FrozenSet[Key]]


class Branches(NamedTuple):
    """A condition's value, and what holds when it is true and when it is false; `None`: impossible."""

    value: Value
    yes: Optional[State]
    no: Optional[State]

    def side(self, wanted: bool) -> Optional[State]:
        """Returns what holds when the condition is as wanted."""
        return self.yes if wanted else self.no


class NamedCondition(NamedTuple):
    """The condition that a variable keeps the outcome of.

    Attributes:
        expression: The condition.
        value: What the variable was given.
        parts: The variables in it, and what they were.
    """

    expression: ir.Expression
    value: Value
    parts: Tuple[Tuple[Key, Value], ...]


class Conditions:
    """Decides and narrows for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        #: The call whose result is asked for as a condition.
        self.asked: Optional[Site] = None
        self._answers: List[Answer] = []
        #: Variables whose conditions are being followed: `a = not b; b = not a` has no end.
        self._followed: List[ir.Expression] = []

    def assume(self, test: ir.Expression, wanted: bool, state: State) -> bool:
        """Lets `state` go on where the condition is as wanted; tells whether it can be."""
        side = self.branch(test, state).side(wanted)
        if side is None:
            return False
        state.apply(side.changes_since(state))
        return True

    def branch(self, test: ir.Expression, state: State) -> Branches:
        """Evaluates a condition once, in `state`, and forks for its two outcomes."""
        self._machine.guards.ask(test, state)
        other_words = self._machine.guards.rewritten(test)
        if other_words is not None:
            return self.branch(other_words, state)
        if isinstance(test, ir.Unary) and test.operator == "not":
            inner = self.branch(test.operand, state)
            return Branches(_negated(inner), inner.no, inner.yes)
        if isinstance(test, ir.Boolean):
            return self._branch_boolean(test, state)
        if isinstance(test, ir.Call) and last_name(test.function) == "bool" and len(test.arguments) == 1:
            return self.branch(test.arguments[0].value, state)
        if isinstance(test, ir.Comparison) and len(test.operators) == 1:
            return self._branch_comparison(test, state)
        named = self._named(test, state)
        if named is not None and _is_plain(named):
            return self._follow(named, test, state)
        value, answers = self._ask(test, state)
        if named is not None:
            with self._machine.ledger.paused():
                answers = self._outcomes(self._follow(named, test, state.fork()), state)
        yes: Optional[State] = state.fork()
        no: Optional[State] = state.fork()
        assert yes is not None and no is not None
        _learn(True, answers, yes)
        _learn(False, answers, no)
        if isinstance(test, ir.Call):
            self._narrow_call(test, True, yes)
            self._narrow_call(test, False, no)
            self._machine.narrowing.narrow_by_predicate(test, yes, no, state)
        self._machine.guards.imply(test, yes)
        can = self._assume_value(test, value, True, yes) and self._is_possible(test, True, yes)
        cannot = self._assume_value(test, value, False, no) and self._is_possible(test, False, no)
        return Branches(value, yes if can else None, no if cannot else None)

    def _is_possible(self, test: ir.Expression, wanted: bool, state: State) -> bool:
        """Whether `isinstance(x, T)` or `isfinite(x)` can come out so."""
        if not isinstance(test, ir.Call) or not test.arguments:
            return True
        if last_name(test.function) in _FINITE_CHECKS:
            value = self.shown(test.arguments[0].value, state)
            is_finite = wanted is _FINITE_CHECKS[last_name(test.function)]
            return not (is_finite and value and all(map(infinity, value)))
        if len(test.arguments) != 2:
            return True
        if last_name(test.function) != "isinstance":
            return True
        value = self.shown(test.arguments[0].value, state)
        types = self._type_names(test.arguments[1].value, state)
        return not value or any(self.is_instance(atom, types, state) is not (not wanted) for atom in value)

    # --- answers of functions, and conditions with a name ---------------------------------------

    def _follow(self, named: ir.Expression, test: ir.Expression, state: State) -> Branches:
        """Branches on the condition behind a variable."""
        self._followed.append(test)
        try:
            return self.branch(named, state)
        finally:
            self._followed.pop()

    def _ask(self, test: ir.Expression, state: State) -> Tuple[Value, List[Answer]]:
        """Evaluates a condition; returns also the answers of the workspace function that it calls."""
        call = test.value if isinstance(test, ir.Await) else test
        if not isinstance(call, ir.Call):
            return self._machine.evaluate(test, state), []
        outer, self.asked = self.asked, self._machine.site(call.at)
        before, self._answers = self._answers, []
        value = self._machine.evaluate(test, state)
        answers, self._answers, self.asked = self._answers, before, outer
        return value, answers

    def outcomes_of(
        self, function: Function, arguments: Arguments, site: Site, state: State
    ) -> FrozenSet[bool]:
        """Asks a workspace function as a condition, without consequences; returns its possible answers."""
        outer, self.asked = self.asked, site
        before, self._answers = self._answers, []
        with self._machine.ledger.paused(), self._machine.uncounted():
            self._machine.calls.call_function(function, arguments, site, state.fork())
        answers, self._answers, self.asked = self._answers, before, outer
        return frozenset(outcome for outcome, _ in answers)

    def answered(self, answers: List[Answer]) -> None:
        """Takes the answers of a function that was asked."""
        self._answers.extend(answers)

    def _outcomes(self, branches: Branches, state: State) -> List[Answer]:
        sides = ((True, branches.yes), (False, branches.no))
        return [(outcome, facts(side.changes_since(state))) for outcome, side in sides if side is not None]

    def remember(self, target: ir.Expression, source: ir.Expression, value: Value, state: State) -> None:
        """Remembers the condition that a variable keeps the outcome of (`ok = bool(messages)`)."""
        self._machine.guards.remember(target, source, state)
        if not isinstance(target, ir.Name):
            return
        named = self._machine.activation.named
        named.pop(target.identifier, None)
        if not value or not all(isinstance(it, (Constant, Typed)) and it.kind in _ANSWERS for it in value):
            return
        if isinstance(source, (ir.Comparison, ir.Boolean, ir.Unary, ir.Call, ir.Await)):
            named[target.identifier] = NamedCondition(source, _plain(value), self.parts(source, state))

    def _named(self, test: ir.Expression, state: State) -> Optional[ir.Expression]:
        """Returns the condition behind a variable, if nothing that it asks about has changed since."""
        if not isinstance(test, ir.Name) or any(_names(test, one) for one in self._followed):
            return None
        known = self._machine.activation.named.get(test.identifier)
        if known is None or known.parts != self.parts(known.expression, state):
            return None
        value = self._machine.names.load(test.identifier, state)
        return known.expression if _plain(value) == known.value else None

    def parts(self, expression: ir.Expression, state: State) -> Tuple[Tuple[Key, Value], ...]:
        """Returns the variables in an expression, and what they are, but for what conditions found out."""
        names = {part.identifier for part in scopes.walk_expression(expression) if isinstance(part, ir.Name)}
        keys = [self._machine.names.key_of(name) for name in sorted(names)]
        return tuple((key, _plain(state.get(key, ()))) for key in keys if key is not None)

    def _branch_boolean(self, test: ir.Boolean, state: State) -> Branches:
        # `a and b`: false where `a` is, or where `a` is true and `b` false; `or` the other way round.
        going_on = test.operator == "and"
        stopped: List[State] = []
        current: Optional[State] = state
        for operand in test.values:
            branches = self.branch(operand, current)  # type: ignore[arg-type]
            done = branches.side(not going_on)
            if done is not None:
                stopped.append(done)
            current = branches.side(going_on)
            if current is None:
                break
        last = None
        if current is not None:
            last = state.fork()
            last.apply(current.changes_since(state))
        ended: Optional[State] = None
        if stopped:
            ended = state.fork()
            ended.merge([path.changes_since(state) for path in stopped])
        yes, no = (last, ended) if going_on else (ended, last)
        return Branches(_outcome(yes, no), yes, no)

    # --- comparisons ----------------------------------------------------------------------------

    def _branch_comparison(self, test: ir.Comparison, state: State) -> Branches:
        operator, right_expression = test.operators[0], test.right[0]
        known = right_expression if isinstance(right_expression, ir.Literal) else None
        if known is not None and known.kind == "bool" and operator in _SAME:
            inner = self.branch(test.left, state)
            same = _SAME[operator] is bool(known.value)
            return inner if same else Branches(_negated(inner), inner.no, inner.yes)
        left = self._machine.evaluate(test.left, state)
        right = self._machine.evaluate(right_expression, state)
        by_type = self._branch_type(test, right, state)
        if by_type is not None:
            return by_type
        answer = self.compare(operator, left, right, state)
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
        if operator in ("==", "!=") and _spelling(test.left) == _spelling(right_expression) != "?":
            # `x != x` asks whether it is `nan`.
            number = yes if operator == "==" else no
            kept = tuple(atom for atom in left if infinity(atom) != "nan")
            if kept and kept != left:
                self.store(test.left, kept, number)
        if answer is True:
            return Branches(TRUE, yes, None)
        if answer is False:
            return Branches(FALSE, None, no)
        return Branches(typed("bool", BOUNDED), yes, no)

    def _branch_type(self, test: ir.Comparison, right: Value, state: State) -> Optional[Branches]:
        """Branches on `type(x) is float`, `type(x) in (int, float)` and `type(x).__name__ == "float"`."""
        operator, asking = test.operators[0], test.left
        by_name = isinstance(asking, ir.Attribute) and asking.name == "__name__"
        if isinstance(asking, ir.Attribute) and by_name:
            asking = asking.value
        if not isinstance(asking, ir.Call) or len(asking.arguments) != 1:
            return None
        if last_name(asking.function) != "type" or operator not in (*_SAME, "in", "not in"):
            return None
        asked = asking.arguments[0].value
        value = self.shown(asked, state)
        named = strings(self._members(right, state) if operator in ("in", "not in") else right)
        types = named if by_name else self._type_names(test.right[0], state)
        if not value or not types:
            return None
        sides: List[Optional[State]] = []
        for wanted in (True, False):
            kept = tuple(
                atom for atom in value if self.is_instance(atom, types, state, exact=True) is not (not wanted)
            )
            side = state.fork() if kept else None
            if side is not None and kept != value:
                self.store(asked, tuple(_as_instance(atom, types) for atom in kept) if wanted else kept, side)
            sides.append(side)
        yes, no = sides if operator in ("is", "==", "in") else reversed(sides)
        return Branches(_outcome(yes, no), yes, no)

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
        inside, outside = state.fork(), state.fork()
        members = self._members(collection, state)
        if members:
            known = set(members)
            inner = join(
                (atom,) if isinstance(atom, (Constant, EnumMember)) else members
                for atom in value
                if not isinstance(atom, (Constant, EnumMember)) or atom in known
            )
            outer = tuple(atom for atom in value if atom not in known)
            if inner and inner != value:
                self.store(asked, inner, inside)
            if outer and outer != value:
                self.store(asked, outer, outside)
            if value and all(isinstance(atom, Constant) and atom.kind == "str" for atom in value):
                if not inner:
                    answer = not is_in
                elif not outer and self._is_exact(collection, state):
                    answer = is_in
        else:
            content = [self._machine.contents.element((atom,), state) for atom in collection]
            infinities = [atom for atom in join(content) if infinity(atom)]
            outer = tuple(atom for atom in value if atom not in infinities)
            if outer and outer != value:
                self.store(asked, outer, outside)
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
            self._narrow_compared(asked, self.peek(asked, outside) or value, "==", element, False, outside)
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

    def _members(self, collection: Value, state: State) -> Value:
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

    def compare(self, operator: str, left: Value, right: Value, state: State) -> Optional[bool]:
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
                    same = None if self._machine.outside.may_be_none(one) else False
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
            self.store(asked, value, state)
        measured = self._measured(asked, state)
        numbers = [it for it in constants(other) or () if isinstance(it, (int, float))]
        # An index that is compared with the length is none below zero.
        present = _says_nonempty(operator, min(numbers, default=0), wanted)
        is_known = len(numbers) == len(other) == 1
        counted = self._machine.guards.counted(asked, state)
        if counted is not None and present and (is_known or operator in (">", "<=")):
            self._machine.guards.imply(counted, state)
        if measured is not None:
            inner, inner_value = measured
            if present is not None and (is_known or (present and operator in (">", "<="))):
                return self._assume_value(inner, inner_value, present, state)
        if operator in ("is", "==") and isinstance(constant, (Constant, EnumMember)):
            kept = tuple(atom for atom in value if _same(atom, constant) is not (not wanted))
            if kept != value and kept:
                self.store(asked, kept, state)
            return bool(kept) or not value
        empty = self._known_empty(other, state)
        if operator == "==" and empty:
            return self._assume_value(asked, value, not wanted, state)
        return True

    def _measured(self, asked: ir.Expression, state: State) -> Optional[Tuple[ir.Expression, Value]]:
        """Returns what `len(...)` measures, with its value."""
        if isinstance(asked, ir.Walrus):
            asked = asked.value
        asked = self._named(asked, state) or asked
        if not (
            isinstance(asked, ir.Call)
            and isinstance(asked.function, ir.Name)
            and asked.function.identifier == "len"
            and len(asked.arguments) == 1
        ):
            return None
        inner = asked.arguments[0].value
        return inner, self.peek(inner, state)

    def _known_empty(self, value: Value, state: State) -> bool:
        contents = [self._machine.contents.of(atom, state) for atom in value]
        return bool(contents) and all(
            (isinstance(content, SequenceContent) and content.known_empty)
            or (isinstance(content, MappingContent) and not content.entries and not content.open)
            for content in contents
        )

    def _narrow_none(self, asked: ir.Expression, value: Value, is_none: bool, state: State) -> bool:
        kept: List[Atom] = []
        for atom in value:
            none = isinstance(atom, Constant) and atom.kind == "None"
            unknown = is_opaque(atom) or (isinstance(atom, Request) and not atom.present)
            unknown = unknown or (isinstance(atom, Object) and self._machine.outside.may_be_none(atom))
            if none == is_none or unknown:
                kept.append(atom)
        if not kept and value:
            return False
        if not is_none:
            self._machine.guards.imply_something(asked, state)
        if is_none:
            self.void(value, state)
        if tuple(kept) != value:
            self.store(asked, tuple(kept), state)
        return True

    # --- truth ----------------------------------------------------------------------------------

    def _assume_value(self, asked: ir.Expression, value: Value, wanted: bool, state: State) -> bool:
        """Narrows an expression that is used as a condition; tells whether it can be as wanted."""
        kept: List[Atom] = []
        for atom in value:
            answer = self._truth(atom, state)
            if answer is (not wanted):
                continue
            if isinstance(atom, Request) and wanted:
                state.set((PRESENT, atom.path), True)
                atom = atom._replace(present=True)
            kept.append(atom)
        if not kept and value:
            return False
        if not wanted:
            self.void(value, state)
        if tuple(kept) != value:
            self.store(asked, tuple(kept), state)
        return True

    def narrowed(self, value: Value, wanted: bool, state: State) -> Value:
        """Returns the possibilities of a value that are true, or false, as a condition."""
        kept: List[Atom] = []
        for atom in value:
            if self._truth(atom, state) is not (not wanted):
                present = isinstance(atom, Request) and wanted
                kept.append(atom._replace(present=True) if isinstance(atom, Request) and present else atom)
        return tuple(kept)

    def _truth(self, atom: Atom, state: State) -> Optional[bool]:
        if isinstance(atom, Object):
            content = self._machine.contents.of(atom, state)
            if isinstance(content, SequenceContent):
                return True if content.elements else False if content.known_empty else None
            if isinstance(content, MappingContent):
                if any(entry.always for entry in content.entries):
                    return True
                return None if content.entries or content.open else False
            return self._machine.outside.truth_of(atom)
        if isinstance(atom, Request) and state.get((PRESENT, atom.path), False):
            return True
        return truth(atom)

    def void(self, value: Value, state: State) -> None:
        """Notes that on this path there is nothing in a value: its clients and tools do not exist."""
        for atom in value:
            self._machine.excuses.excuse(atom, state)

    def forget_elements(self, iterable: Value, state: State) -> None:
        """Forgets what was found out about the last turn's element of something from the input."""
        for atom in iterable:
            if isinstance(atom, Request):
                prefix = (*atom.path, "[]")
                for path in self._machine.watching.asked_paths(prefix):
                    state.set((PRESENT, path), False)

    def counted(self, test: ir.Expression, state: State) -> Optional[Value]:
        """Returns the collection that a loop counts through from its beginning.

        `while i < len(clients):`, and the `range(len(clients))` of a `for` loop.
        """
        if isinstance(test, ir.Call) and last_name(test.function) == "range" and len(test.arguments) == 1:
            return self._measured_whole(test.arguments[0].value, state)
        if not isinstance(test, ir.Comparison) or test.operators != ("<",):
            return None
        begins = self.peek(test.left, state) == (Constant("int", 0),)
        return self._measured_whole(test.right[0], state) if begins else None

    def _measured_whole(self, length: ir.Expression, state: State) -> Optional[Value]:
        """Returns the collection of which an expression is the length: `len(clients)`."""
        if not isinstance(length, ir.Call) or last_name(length.function) != "len" or not length.arguments:
            return None
        return self.peek(length.arguments[0].value, state) or None

    def have_elements(self, expression: ir.Expression, iterable: Value, state: State) -> None:
        """Notes that an iterable has an element: the body of a loop over it is run."""
        self._machine.guards.imply(expression, state)
        self._assume_value(expression, iterable, True, state)

    def examine(self, subject: ir.Expression, value: Value, state: State) -> None:
        """Takes the subject of a `match` statement for checked: its patterns are not followed."""
        measured = self._measured(subject, state)
        for atom in value if measured is None else measured[1]:
            if isinstance(atom, Request):
                state.set((PRESENT, atom.path), True)

    # --- calls as conditions --------------------------------------------------------------------

    def _narrow_call(self, test: ir.Call, wanted: bool, state: State) -> None:
        """Narrows the argument of `isinstance(x, T)`, `bool(x)`, `len(x)`, `any(x)`, `math.isnan(x)`, ..."""
        name = last_name(test.function)
        if not test.arguments or (not isinstance(test.function, ir.Name) and name not in _FINITE_CHECKS):
            return
        asked = test.arguments[0].value
        if name in _FINITE_CHECKS:
            self._narrow_finite(asked, wanted is _FINITE_CHECKS[name], state)
        elif name in ("bool", "len") or (name == "any" and wanted):
            self._assume_value(asked, self.peek(asked, state), wanted, state)
        elif name == "any":
            # Clients and tools are true: there is none of them.
            self.void(self.peek(asked, state), state)
        elif name == "isinstance" and len(test.arguments) == 2:
            value = self.shown(asked, state)
            types = self._type_names(test.arguments[1].value, state)
            kept = tuple(atom for atom in value if self.is_instance(atom, types, state) is not (not wanted))
            if wanted and types:
                kept = tuple(_as_instance(atom, types) for atom in kept)
            if kept != value and kept:
                self.store(asked, kept, state)
        elif name == "hasattr" and not wanted:
            self.void(self.peek(asked, state), state)

    def _narrow_finite(self, asked: ir.Expression, finite: bool, state: State) -> None:
        value = self.shown(asked, state)
        kept = tuple(
            atom
            for atom in value
            if (isinstance(atom, Typed) and atom.kind == "non-finite") != finite
            or (not finite and not isinstance(atom, Constant))
        )
        if kept != value and kept:
            self.store(asked, kept, state)

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
        if isinstance(atom, Object) and self._machine.heap.info(atom.number).family in CLIENT_FAMILIES:
            return _is_client_of(self._machine.heap.info(atom.number).name.rpartition(".")[2], types)
        kind = atom.kind if isinstance(atom, (Constant, Typed)) else ""
        if isinstance(atom, Object):
            content = self._machine.contents.of(atom, state)
            if isinstance(content, (MappingContent, SequenceContent)):
                kind = self._machine.heap.info(atom.number).name
        if kind in ("", "number", "object", "array", "non-finite", "view", "generator"):
            return None
        kinds = [_BUILTIN_KINDS.get(name) for name in types]
        if any(known is not None and kind in (known[:1] if exact else known) for known in kinds):
            return True
        return None if None in kinds else False

    def _type_names(self, expression: ir.Expression, state: State) -> Tuple[str, ...]:
        if isinstance(expression, ir.Display):
            return tuple(name for part in expression.elements for name in self._type_names(part, state))
        if isinstance(expression, ir.Binary) and expression.operator in "|+":
            return (*self._type_names(expression.left, state), *self._type_names(expression.right, state))
        if isinstance(expression, ir.Literal) and expression.kind == "None":
            return ("NoneType",)
        if isinstance(expression, ir.Call) and last_name(expression.function) == "type":
            # `type(None)`
            argument = expression.arguments[0].value if len(expression.arguments) == 1 else expression
            is_none = isinstance(argument, ir.Literal) and argument.kind == "None"
            return ("NoneType",) if is_none else ("?",)
        if isinstance(expression, ir.Name) and expression.identifier not in _BUILTIN_KINDS:
            # `NUMBERS = (int, float)`
            named = [it for atom in self.peek(expression, state) for it in self._elements_or(atom, state)]
            if named and all(isinstance(it, External) for it in named):
                return tuple(it.name.rpartition(".")[2] for it in named if isinstance(it, External))
            return (expression.identifier,)
        if isinstance(expression, ir.Name):
            return (expression.identifier,)
        return (expression.name,) if isinstance(expression, ir.Attribute) else ("?",)

    def _elements_or(self, atom: Atom, state: State) -> Value:
        content = self._machine.contents.of(atom, state)
        return content.any() if isinstance(content, SequenceContent) else (atom,)

    # --- what a condition asks ------------------------------------------------------------------

    def excused_side(
        self, test: ir.Expression, body: Sequence[ir.Statement], otherwise: Sequence[ir.Statement]
    ) -> Optional[bool]:
        """Returns the outcome of a condition in which there is nothing left to trace, or `None`.

        `if tracing_on: trace_client(x)`, `if not is_tracing_enabled(): return x`, and a flag that the
        branch itself sets (`if not self._ready: ...; self._ready = True`) ask whether to trace.
        """
        flag = test.operand if isinstance(test, ir.Unary) and test.operator == "not" else test
        if isinstance(flag, ir.Comparison) and flag.operators[0] in ("is", "is not", "==", "!="):
            flag = flag.left
        if _speaks_of_tracing(test):
            for outcome, block in ((True, body), (False, otherwise)):
                if block and isinstance(block[-1], (ir.Return, ir.Raise, ir.Jump)) and not _traces(block):
                    return outcome
            if _traces(body) != _traces(otherwise):
                return not _traces(body)
            return None
        if isinstance(flag, (ir.Name, ir.Attribute)):
            if _sets(body, flag):
                return False
            if _sets(otherwise, flag):
                return True
        if isinstance(test, ir.Comparison) and test.operators in (("in",), ("not in",)):
            # `if id(x) not in seen: trace_client(x); seen.add(id(x))`
            is_new = test.operators == ("not in",)
            block = body if is_new else otherwise
            if _adds(block, _spelling(test.right[0])) and _traces(block):
                return not is_new
        return None

    def asks_about_tracing(self, test: ir.Expression) -> bool:
        """Whether a condition speaks of tracing by a name in it."""
        return _speaks_of_tracing(test)

    # --- storing --------------------------------------------------------------------------------

    def store(self, asked: ir.Expression, value: Value, state: State) -> None:
        """Stores the narrowed value of the variable or attribute that was asked about."""
        if isinstance(asked, ir.Walrus):
            asked = asked.target
        if isinstance(asked, ir.Name):
            self._machine.names.rebind(asked.identifier, value, state)
        elif isinstance(asked, ir.Attribute):
            owner = self.peek(asked.value, state)
            if len(owner) == 1:
                self._machine.modules.narrow_attribute(owner[0], asked.name, value, state)
        else:
            self._machine.narrowing.keep(asked, value, state)

    def shown(self, expression: ir.Expression, state: State) -> Value:
        """Returns the value of a name, an attribute chain or an entry of a dictionary, running nothing."""
        return self.peek(expression, state) or self._machine.narrowing.value(expression, state)

    def peek(self, expression: ir.Expression, state: State) -> Value:
        """Returns the value of a name or attribute chain, without running anything."""
        if isinstance(expression, ir.Walrus):
            expression = expression.target
        if isinstance(expression, ir.Name):
            return self._machine.names.load(expression.identifier, state)
        if isinstance(expression, ir.Attribute):
            owner = self.peek(expression.value, state)
            return self._machine.modules.peek_attributes(owner, expression.name, state)
        if isinstance(expression, ir.Boolean) and expression.operator == "or":
            return self.peek(expression.values[0], state)
        return ()


def _learn(outcome: bool, answers: List[Answer], side: State) -> None:
    """Lets a side go on with what all answers of its kind found out."""
    found = [known for answer, known in answers if answer is outcome]
    for key in frozenset.intersection(*found) if found else ():
        side.set(key, True)


def _plain(value: Value) -> Value:
    """Returns a value without what conditions found out about it."""
    return tuple(
        dict.fromkeys(atom._replace(present=False) if isinstance(atom, Request) else atom for atom in value)
    )


def _names(name: ir.Name, other: ir.Expression) -> bool:
    return isinstance(other, ir.Name) and other.identifier == name.identifier


#: Builtins that only look at what they are given.
_PLAIN_CALLS = frozenset({"len", "bool", "isinstance", "all", "any"})


def _is_plain(expression: ir.Expression) -> bool:
    """Whether a condition can be asked again: it calls nothing but builtins that only look."""
    for part in scopes.walk_expression(expression):
        if isinstance(part, (ir.Await, ir.Walrus, ir.Yield)):
            return False
        if isinstance(part, ir.Call) and last_name(part.function) not in _PLAIN_CALLS:
            return False
    return True


def _negated(branches: Branches) -> Value:
    return _outcome(branches.no, branches.yes)


def _outcome(yes: Optional[State], no: Optional[State]) -> Value:
    if yes is None:
        return FALSE
    return TRUE if no is None else typed("bool", BOUNDED)


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


_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def _says_nonempty(operator: str, number: float, holds: bool) -> Optional[bool]:
    """Tells what `len(x) operator number`, holding or not, says of `x`: elements, none, or nothing."""
    if not holds:
        operator = _OPPOSITE.get(operator, "")
    if (operator in (">", "!=") and number == 0) or (operator in (">", ">=", "==") and number >= 1):
        return True
    if (operator in ("==", "<=") and number == 0) or (operator == "<" and number == 1):
        return False
    return None


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
    "NoneType": ("None",),
}
#: Types whose name is the kind of their values.
_KINDS_OF_THEIR_OWN = frozenset({"str", "int", "float", "bool", "dict", "list", "tuple", "bytes", "set"})
#: Functions of `math` and `numpy`, and whether a true answer means a finite number.
_FINITE_CHECKS = {"isfinite": True, "isnan": False, "isinf": False}


#: Client classes that inherit another.
_CLIENT_BASES = {"AzureOpenAI": "OpenAI", "AsyncAzureOpenAI": "AsyncOpenAI"}


def _is_client_of(name: str, types: Tuple[str, ...]) -> Optional[bool]:
    """Tells whether a client of a class of the SDK contract is of one of some classes, or `None`."""
    if name in types or _CLIENT_BASES.get(name) in types:
        return True
    return False if name in sdk.CLIENTS and all(one in sdk.CLIENTS for one in types) else None


def _as_instance(atom: Atom, types: Tuple[str, ...]) -> Atom:
    """Returns an unknown value as what an `isinstance` check showed it to be."""
    if isinstance(atom, Unknown) and len(types) == 1 and types[0] in _KINDS_OF_THEIR_OWN:
        return Typed(types[0], atom.origin)
    return atom


def _speaks_of_tracing(test: ir.Expression) -> bool:
    for part in scopes.walk_expression(test):
        if isinstance(part, ir.Name) and _TRACING_NAME.search(part.identifier):
            return True
        if isinstance(part, ir.Attribute) and _TRACING_NAME.search(part.name):
            return True
        if isinstance(part, ir.Literal) and isinstance(part.value, str) and _TRACING_NAME.search(part.value):
            return True
    return False


def _traces(block: Sequence[ir.Statement]) -> bool:
    """Whether a block calls something whose name speaks of tracing."""
    for statement in scopes.walk_statements(block):
        for expression in scopes.own_expressions(statement):
            for part in scopes.walk_expression(expression):
                if isinstance(part, ir.Call) and _speaks_of_tracing(part.function):
                    return True
    return False


def _adds(block: Sequence[ir.Statement], collection: str) -> bool:
    """Whether a block calls `collection.add(...)`."""
    wanted = (f"{collection}.add", f"{collection}.append")
    for statement in scopes.walk_statements(block):
        for expression in scopes.own_expressions(statement):
            for part in scopes.walk_expression(expression):
                called = part.function if isinstance(part, ir.Call) else part
                if called is not part and _spelling(called) in wanted:
                    return True
    return False


def _sets(block: Sequence[ir.Statement], flag: ir.Expression) -> bool:
    """Whether a block assigns to the variable or attribute that a condition asks about."""
    wanted = _spelling(flag)
    for statement in scopes.walk_statements(block):
        targets = statement.targets if isinstance(statement, ir.Assign) else ()
        if any(
            _spelling(target) == wanted for target in targets if isinstance(target, (ir.Name, ir.Attribute))
        ):
            return True
    return False


def _spelling(expression: ir.Expression) -> str:
    if isinstance(expression, ir.Attribute):
        return f"{_spelling(expression.value)}.{expression.name}"
    return expression.identifier if isinstance(expression, ir.Name) else "?"
