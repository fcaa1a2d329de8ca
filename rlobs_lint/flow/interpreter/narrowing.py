"""What conditions show about entries of dictionaries, about types, and about numbers that are not finite."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import product
from typing import TYPE_CHECKING, FrozenSet, Iterator, List, NamedTuple, Optional, Set, Tuple

from rlobs_lint.facts import ir
from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.arguments import Arguments, ArgumentValue
from rlobs_lint.flow.domain.heap import Entry, MappingContent, ObjectInfo, SequenceContent
from rlobs_lint.flow.domain.state import CONTENT, Key, State
from rlobs_lint.flow.domain.values import (
    NOTHING,
    Atom,
    Constant,
    EnumMember,
    Function,
    Object,
    Site,
    Typed,
    Unknown,
    Value,
    join,
    origin_of,
)

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine

#: A predicate is asked about at most this many combinations of what the parts of a tuple may be.
MOST_COMBINATIONS = 16
_NUMBERS = frozenset({"int", "float", "bool"})
_NOT_FINITE = frozenset({"inf", "-inf", "nan"})


class AskedEntry(NamedTuple):
    """An entry that a condition asks about: `metrics[key]` or `metrics.get(key)`.

    Attributes:
        owner: The dictionary.
        content: What it holds.
        key: What the key may be.
        written: The key as it is written.
    """

    owner: Object
    content: MappingContent
    key: Value
    written: ir.Expression


class Narrowing:
    """Narrows values for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        #: What was narrowed in the turn of a comprehension: where, what it was, what it is.
        self._turn: Optional[List[Tuple[Key, object, object]]] = None
        self._asking = False

    # --- entries --------------------------------------------------------------------------------

    def entry(self, asked: ir.Expression, state: State) -> Optional[AskedEntry]:
        """Returns the entry of a known dictionary that an expression reads, if it reads one."""
        if isinstance(asked, ir.Subscript):
            owner, key = asked.value, asked.key
        elif (
            isinstance(asked, ir.Call)
            and isinstance(asked.function, ir.Attribute)
            and asked.function.name == "get"
            and asked.arguments
            and not asked.arguments[0].star
        ):
            owner, key = asked.function.value, asked.arguments[0].value
        else:
            return None
        if not isinstance(key, (ir.Literal, ir.Name, ir.Attribute, ir.FormattedString)):
            return None
        owners = self._machine.conditions.peek(owner, state)
        content = self._machine.contents.of(owners[0], state) if len(owners) == 1 else None
        if not isinstance(content, MappingContent) or not isinstance(owners[0], Object):
            return None
        with self._machine.ledger.paused():
            keys = self._machine.evaluate(key, state)
        if not keys or not all(isinstance(atom, (Constant, EnumMember)) for atom in keys):
            return None
        return AskedEntry(owners[0], content, keys, key)

    def value(self, asked: ir.Expression, state: State) -> Value:
        """Returns what the entry, or the element of a tuple, that an expression reads may be."""
        found = self.entry(asked, state)
        if found is not None:
            return found.content.lookup(found.key)
        if isinstance(asked, ir.Subscript) and isinstance(asked.key, ir.Literal):
            index = (Constant(asked.key.kind, asked.key.value),)
            owners = self._machine.conditions.peek(asked.value, state)
            content = self._machine.contents.of(owners[0], state) if len(owners) == 1 else None
            if isinstance(content, SequenceContent):
                return self._machine.contents.item(owners[0], index, self._machine.site(asked.at), state)
        return NOTHING

    def keep(self, asked: ir.Expression, kept: Value, state: State) -> None:
        """Stores what a condition left of an entry.

        A key of several possibilities is that of a loop, which gets to each of them: every entry that
        the condition speaks of is narrowed, and the key to those that are as it says.
        """
        found = self.entry(asked, state)
        if found is None:
            return
        before = found.content.lookup(found.key)
        gone = set(before) - set(kept)
        if len(found.key) > 1:
            gone = {atom for atom in gone if not (isinstance(atom, Constant) and atom.kind in _NUMBERS)}
        added = tuple(atom for atom in kept if atom not in before)
        touched = [entry for entry in found.content.entries if _speaks_of(entry, found.key)]
        added = added if len(touched) == 1 and not found.content.open else NOTHING
        if not gone and not added:
            return
        entries: List[Entry] = []
        missing: Set[Atom] = set()
        for entry in found.content.entries:
            if not _speaks_of(entry, found.key):
                entries.append(entry)
                continue
            others = tuple(atom for atom in entry.key if atom not in found.key)
            if others:
                entries.append(entry._replace(key=others))
            key = tuple(atom for atom in entry.key if atom in found.key)
            value = (*(atom for atom in entry.value if atom not in gone), *added)
            if value or len(found.key) > 1:
                entries.append(entry._replace(key=key, value=value))
            if not value:
                missing.update(key)
        self._store((CONTENT, found.owner.number), found.content._replace(entries=tuple(entries)), state)
        possible = tuple(atom for atom in found.key if atom not in missing)
        if isinstance(found.written, ir.Name) and possible and possible != found.key:
            self._machine.names.rebind(found.written.identifier, possible, state)

    def _store(self, key: Key, content: MappingContent, state: State) -> None:
        if self._turn is not None:
            self._turn.append((key, state.get(key), content))
        state.set(key, content)

    @contextmanager
    def one_turn(self, state: State) -> Iterator[None]:
        """Takes back at its end what conditions showed about entries: it holds in one turn of a loop only."""
        outer, self._turn = self._turn, []
        try:
            yield
        finally:
            for key, old, new in reversed(self._turn):
                if state.get(key) is new:
                    state.set(key, old)
            self._turn = outer

    def spare(self, statement: ir.For, keys: Value, state: State) -> None:
        """Forgets entries that a loop over some of the keys amends, on the path on which it does not run.

        `for name in missing: del metrics[name]`: those that were not deleted did not need to be.
        """
        if not isinstance(statement.target, ir.Name) or not keys:
            return
        if not all(isinstance(atom, Constant) and atom.kind == "str" for atom in keys):
            return
        for owner in _amended(statement.body, statement.target.identifier):
            for atom in self._machine.conditions.peek(owner, state):
                content = self._machine.contents.of(atom, state)
                if isinstance(content, MappingContent) and isinstance(atom, Object):
                    entries = tuple(
                        entry._replace(value=join((Unknown(origin_of(it)),) for it in entry.value))
                        if _speaks_of(entry, keys)
                        else entry
                        for entry in content.entries
                    )
                    state.set((CONTENT, atom.number), content._replace(entries=entries))

    # --- patterns -------------------------------------------------------------------------------

    def matched(self, case: ir.Case, subject: Value, state: State) -> Tuple[Value, Value]:
        """Returns what a subject is where a pattern matches it, and what it may be for the next patterns.

        One of the two is nothing where the pattern surely matches, or surely does not.

        Of patterns, only the constants and classes in them are known, not how they are put together.
        """
        if case.irrefutable:
            return subject, subject
        names = [value for value in case.values if isinstance(value, ir.Name)]
        literals = [value for value in case.values if isinstance(value, ir.Literal)]
        is_plain = len(names) + len(literals) == len(case.values) and not case.captures
        if is_plain and names and all(literal.kind == "None" for literal in literals):
            # `case int() | float():`
            types = tuple(name.identifier for name in names) + ("NoneType",) * len(literals)
            answers = {atom: self._machine.type_tests.is_instance(atom, types, state) for atom in subject}
            inside = tuple(atom for atom in subject if answers[atom] is not False)
            left = tuple(atom for atom in subject if answers[atom] is not True)
            if case.guard is None and subject and not (inside and left):
                return inside, left
        elif is_plain and literals and not names:
            known = tuple(Constant(literal.kind, literal.value) for literal in literals)
            inside, left = known, tuple(atom for atom in subject if atom not in known)
        else:
            inside = left = _blurred(subject)
        if case.guard is not None:
            left = subject
        return inside or _blurred(subject), left or _blurred(subject)

    # --- predicates -----------------------------------------------------------------------------

    def answers(self, predicate: Value, arguments: Arguments, site: Site, state: State) -> FrozenSet[bool]:
        """Returns the answers that a function of the workspace may give; none where that is not known."""
        function = predicate[0] if len(predicate) == 1 else None
        if not isinstance(function, Function) or self._machine.calls.is_async(function) or self._asking:
            return frozenset()
        self._asking = True
        try:
            return self._machine.conditions.outcomes_of(function, arguments, site, state)
        finally:
            self._asking = False

    def narrow_by_predicate(self, test: ir.Call, yes: State, no: State, state: State) -> None:
        """Narrows the arguments of `is_number(value)` by how the function answers about each possibility."""
        predicate = self._machine.conditions.peek(test.function, state)
        if len(predicate) != 1 or not isinstance(predicate[0], Function):
            return
        if any(argument.star for argument in test.arguments):
            return
        for argument in test.arguments:
            value = self._machine.conditions.shown(argument.value, state)
            if len(value) < 2 or not any(isinstance(atom, (Constant, Typed)) for atom in value):
                continue
            site = self._machine.site(test.at)
            with self._machine.ledger.paused():
                given = self._machine.calls.arguments(test, state.fork())
            said = {
                atom: self.answers(predicate, _with(given, value, (atom,)), site, state)
                for atom in value
                if isinstance(atom, (Constant, Typed)) or self._is_collection(atom, state)
            }
            for outcome, side in ((True, yes), (False, no)):
                kept = tuple(atom for atom in value if said.get(atom) != frozenset({not outcome}))
                if kept and kept != value:
                    self._machine.conditions.store(argument.value, kept, side)

    def filtered(self, predicate: Value, element: Value, site: Site, state: State) -> Value:
        """Returns what of the elements of an iterable gets through `filter(predicate, ...)`."""
        if all(isinstance(atom, Constant) and atom.kind == "None" for atom in predicate):
            return self._machine.conditions.narrowed(element, True, state)
        kept: List[Value] = []
        for atom in element:
            content = self._machine.contents.of(atom, state)
            if isinstance(content, SequenceContent) and not content.rest and isinstance(atom, Object):
                kept.append(self._filtered_row(predicate, atom, content, site, state))
            elif self._answers_about((atom,), predicate, site, state) != frozenset({False}):
                kept.append((atom,))
        return join(kept)

    def _answers_about(self, value: Value, predicate: Value, site: Site, state: State) -> FrozenSet[bool]:
        return self.answers(predicate, Arguments((ArgumentValue(None, value, site),)), site, state)

    def _filtered_row(
        self, predicate: Value, row: Object, content: SequenceContent, site: Site, state: State
    ) -> Value:
        """Returns what of a tuple gets through, such as the item of a dictionary."""
        combinations = 1
        for element in content.elements:
            combinations *= len(element)
        if not 1 <= combinations <= MOST_COMBINATIONS:
            return (row,)
        kept = []
        for parts in product(*content.elements):
            trial = state.fork()
            trial.set((CONTENT, row.number), SequenceContent(tuple((part,) for part in parts)))
            if self._answers_about((row,), predicate, site, trial) != frozenset({False}):
                kept.append(parts)
        if len(kept) == combinations or not kept:
            return (row,) if kept else NOTHING
        info = self._machine.heap.info(row.number)
        made = self._machine.allocate(
            ("filtered", row.number), ObjectInfo(heap.SEQUENCE, info.site, info.name)
        )
        columns = tuple(tuple(dict.fromkeys(column)) for column in zip(*kept))
        state.set((CONTENT, made.number), SequenceContent(columns))
        return (made,)

    def _is_collection(self, atom: Atom, state: State) -> bool:
        content = self._machine.contents.of(atom, state)
        return isinstance(content, (MappingContent, SequenceContent))


def finite_after(value: Value, operator: str, other: Value, holds: bool) -> Value:
    """Returns what a number may be after `number operator other` held, or did not.

    Args:
        value: What it may be before.
        operator: `==`, `is`, or one that orders.
        other: What it is compared with.
        holds: Whether the comparison holds.
    """
    excluded = _excluded(operator, {infinity(atom) for atom in other}, holds)
    return tuple(atom for atom in value if infinity(atom) not in excluded)


def _excluded(operator: str, others: Set[str], holds: bool) -> FrozenSet[str]:
    """Returns which numbers that are not finite cannot be compared so; `""` stands for all that are."""
    if operator in ("==", "is"):
        if holds:
            return _NOT_FINITE - others
        return frozenset(others) - {"nan", ""} if len(others) == 1 else frozenset()
    if operator in ("<", "<="):
        high, low = "inf", "-inf"
    elif operator in (">", ">="):
        high, low = "-inf", "inf"
    else:
        return frozenset()
    if holds:
        return frozenset({"nan", high} if operator in "<>" or high not in others else {"nan"})
    # What is not below a number is not the lowest of all; nothing is known where that is the number.
    return frozenset() if others & {low, "nan"} else frozenset({low})


def infinity(atom: Atom) -> str:
    """Returns `inf`, `-inf` or `nan` of a number that is not finite, else nothing."""
    return str(atom.text[0]) if isinstance(atom, Typed) and atom.kind == "non-finite" else ""


def _blurred(value: Value) -> Value:
    """Returns a value of which the types of scalars are forgotten."""
    return join(
        (Unknown(origin_of(atom)),) if isinstance(atom, (Constant, Typed)) else (atom,) for atom in value
    )


def _speaks_of(entry: Entry, key: Value) -> bool:
    """Whether an entry is one of some known keys."""
    known = all(isinstance(atom, (Constant, EnumMember)) for atom in entry.key)
    return known and not set(entry.key).isdisjoint(key)


def _with(arguments: Arguments, value: Value, atom: Value) -> Arguments:
    """Returns arguments in which one that may be several things is one of them."""
    return arguments._replace(
        positional=tuple(
            one._replace(value=atom) if one.value == value else one for one in arguments.positional
        ),
        keywords=tuple(one._replace(value=atom) if one.value == value else one for one in arguments.keywords),
    )


def _amended(body: Tuple[ir.Statement, ...], key: str) -> Iterator[ir.Expression]:
    """Yields the dictionaries whose entry of a key a body deletes, pops or assigns."""
    from rlobs_lint.facts import scopes

    for statement in scopes.walk_statements(body):
        targets = statement.targets if isinstance(statement, (ir.Assign, ir.Delete)) else ()
        for target in targets:
            if isinstance(target, ir.Subscript) and _is_name(target.key, key):
                yield target.value
        for expression in scopes.own_expressions(statement):
            if (
                isinstance(expression, ir.Call)
                and isinstance(expression.function, ir.Attribute)
                and expression.function.name == "pop"
                and expression.arguments
                and _is_name(expression.arguments[0].value, key)
            ):
                yield expression.function.value


def _is_name(expression: ir.Expression, name: str) -> bool:
    return isinstance(expression, ir.Name) and expression.identifier == name
