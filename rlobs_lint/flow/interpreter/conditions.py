"""Conditions: which branch can be taken, and what taking it tells about the values that it asks about."""

from __future__ import annotations

from typing import TYPE_CHECKING, FrozenSet, List, Optional, Sequence, Tuple

from rlobs_lint.facts import ir, scopes
from rlobs_lint.facts.walks import last_name
from rlobs_lint.flow.domain.branches import Branches, outcome
from rlobs_lint.flow.domain.heap import MappingContent, SequenceContent
from rlobs_lint.flow.domain.state import PRESENT, Key, State, facts
from rlobs_lint.flow.domain.values import Atom, Constant, Function, Object, Request, Site, Typed, Value, truth
from rlobs_lint.flow.interpreter.activations import Answer, NamedCondition
from rlobs_lint.flow.interpreter.narrowing import infinity
from rlobs_lint.flow.interpreter.type_tests import as_instance

if TYPE_CHECKING:
    from rlobs_lint.flow.domain.arguments import Arguments
    from rlobs_lint.flow.interpreter.machine import Machine

#: Types of outcomes that a variable may keep: of a condition, or of a measured length.
_ANSWERS = frozenset({"bool", "int"})


class Conditions:
    """Decides and narrows for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
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
            return inner.negated
        if isinstance(test, ir.Boolean):
            return self._branch_boolean(test, state)
        if isinstance(test, ir.Call) and last_name(test.function) == "bool" and len(test.arguments) == 1:
            return self.branch(test.arguments[0].value, state)
        if isinstance(test, ir.Comparison) and len(test.operators) == 1:
            return self._machine.comparisons.branch(test, state)
        named = self.named(test, state)
        if named is not None and _is_plain(named):
            return self._follow(named, test, state)
        value, answers = self.asked(test, state)
        yes: Optional[State] = state.fork()
        no: Optional[State] = state.fork()
        assert yes is not None and no is not None
        learn([answer.known for answer in answers if answer.outcome], yes)
        learn([answer.known for answer in answers if not answer.outcome], no)
        if isinstance(test, ir.Call):
            self._narrow_call(test, True, yes)
            self._narrow_call(test, False, no)
            self._machine.narrowing.narrow_by_predicate(test, yes, no, state)
        self._machine.guards.imply(test, yes)
        can = self.assume_value(test, value, True, yes) and self._is_possible(test, True, yes)
        cannot = self.assume_value(test, value, False, no) and self._is_possible(test, False, no)
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
        types = self._machine.type_tests.names(test.arguments[1].value, state)
        return not value or any(
            self._machine.type_tests.is_instance(atom, types, state) is not (not wanted) for atom in value
        )

    # --- answers of functions, and conditions with a name ---------------------------------------

    def _follow(self, named: ir.Expression, test: ir.Expression, state: State) -> Branches:
        """Branches on the condition behind a variable."""
        self._followed.append(test)
        try:
            return self.branch(named, state)
        finally:
            self._followed.pop()

    def asked(self, test: ir.Expression, state: State) -> Tuple[Value, List[Answer]]:
        """Evaluates a condition; returns also the answers of the workspace function behind it."""
        value, answers = self._ask(test, state)
        named = self.named(test, state)
        if named is None:
            return value, answers
        with self._machine.ledger.paused():
            if isinstance(named, (ir.Call, ir.Await)):
                return value, self._ask(named, state.fork())[1]
            return value, self._outcomes(self._follow(named, test, state.fork()), state)

    def _ask(self, test: ir.Expression, state: State) -> Tuple[Value, List[Answer]]:
        if isinstance(test, ir.Walrus):
            asked = self._ask(test.value, state)
            self._machine.assignments.assign(test.target, asked[0], state, test.value)
            return asked
        call = test.value if isinstance(test, ir.Await) else test
        if not isinstance(call, ir.Call):
            return self._machine.evaluate(test, state), []
        answers: List[Answer] = []
        value = self._machine.calls.evaluate(call, state, answers)
        return self._machine.expressions.awaited(value) if call is not test else value, answers

    def outcomes_of(
        self, function: Function, arguments: Arguments, site: Site, state: State
    ) -> FrozenSet[bool]:
        """Asks a workspace function as a condition, without consequences; returns its possible answers."""
        answers: List[Answer] = []
        with self._machine.ledger.paused(), self._machine.uncounted():
            self._machine.calls.call_function(function, arguments, site, state.fork(), answers)
        return frozenset(answer.outcome for answer in answers)

    def _outcomes(self, branches: Branches, state: State) -> List[Answer]:
        sides = ((True, branches.yes), (False, branches.no))
        return [
            Answer(outcome, facts(side.changes_since(state)), None)
            for outcome, side in sides
            if side is not None
        ]

    def remember(self, target: ir.Expression, source: ir.Expression, value: Value, state: State) -> None:
        """Remembers the condition that a variable keeps the outcome of (`ok = bool(messages)`).

        Of a call, that may also be a reason, or `None` where there is none: `problem = check(messages)`.
        """
        self._machine.guards.remember(target, source, state)
        if not isinstance(target, ir.Name):
            return
        named = self._machine.activation.named
        named.pop(target.identifier, None)
        is_call = isinstance(source, (ir.Await, ir.Call))
        is_reason = is_call and any(isinstance(it, Constant) and truth(it) is False for it in value)
        is_answer = all(isinstance(it, (Constant, Typed)) and it.kind in _ANSWERS for it in value)
        if not value or not (is_answer or is_reason):
            return
        if isinstance(source, (ir.Comparison, ir.Boolean, ir.Unary, ir.Call, ir.Await)):
            named[target.identifier] = NamedCondition(source, _plain(value), self.parts(source, state))

    def named(self, test: ir.Expression, state: State) -> Optional[ir.Expression]:
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
        return Branches(outcome(yes, no), yes, no)

    # --- comparisons ----------------------------------------------------------------------------

    # --- truth ----------------------------------------------------------------------------------

    def assume_value(self, asked: ir.Expression, value: Value, wanted: bool, state: State) -> bool:
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
            return self._machine.world.truth_of(atom)
        if isinstance(atom, Request) and state.get((PRESENT, atom.path), False):
            return True
        return truth(atom)

    def void(self, value: Value, state: State) -> None:
        """Notes that on this path there is nothing in a value: its clients and tools do not exist."""
        for atom in value:
            self._machine.watcher.excuse(atom, state)

    def forget_elements(self, iterable: Value, state: State) -> None:
        """Forgets what was found out about the last turn's element of something from the input."""
        for atom in iterable:
            if isinstance(atom, Request):
                prefix = (*atom.path, "[]")
                for path in self._machine.watcher.asked_paths(prefix):
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
        self.assume_value(expression, iterable, True, state)

    def examine(self, subject: ir.Expression, value: Value, state: State) -> None:
        """Takes the subject of a `match` statement for checked: its patterns are not followed."""
        measured = self._machine.comparisons.measured(subject, state)
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
            self.assume_value(asked, self.peek(asked, state), wanted, state)
        elif name == "any":
            # Clients and tools are true: there is none of them.
            self.void(self.peek(asked, state), state)
        elif name == "isinstance" and len(test.arguments) == 2:
            value = self.shown(asked, state)
            types = self._machine.type_tests.names(test.arguments[1].value, state)
            kept = tuple(
                atom
                for atom in value
                if self._machine.type_tests.is_instance(atom, types, state) is not (not wanted)
            )
            if wanted and types:
                kept = tuple(as_instance(atom, types) for atom in kept)
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

    # --- what a condition asks ------------------------------------------------------------------

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
                self._machine.attributes.narrow(owner[0], asked.name, value, state)
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
            return self._machine.attributes.peek(owner, expression.name, state)
        if isinstance(expression, ir.Boolean) and expression.operator == "or":
            return self.peek(expression.values[0], state)
        return ()


def learn(found: Sequence[FrozenSet[Key]], side: State) -> None:
    """Lets a side go on with what all paths to it found out about the input."""
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


#: Functions of `math` and `numpy`, and whether a true answer means a finite number.
_FINITE_CHECKS = {"isfinite": True, "isnan": False, "isinf": False}
