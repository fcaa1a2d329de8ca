"""Conditions that make sure of something by way of something else.

A list of the assistant's messages that is not empty shows that there are messages, and so do `all([messages,
answer])`, a count above zero and a turn of a loop over pairs of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, NamedTuple, Optional, Sequence, Tuple

from rlobs_lint.facts import ir, scopes
from rlobs_lint.facts.walks import last_name
from rlobs_lint.flow.domain.state import PRESENT, Key, State
from rlobs_lint.flow.domain.values import External, Request, Value

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine

#: A comprehension over a display of at most this many elements is read as one condition for each.
MOST_ELEMENTS = 8
#: How far variables are followed to what they were made of.
DEEPEST = 8
#: Functions whose result is empty, zero or false where their first argument is empty.
_EMPTY_OF_FIRST = frozenset(
    """
    list tuple set frozenset sorted reversed iter enumerate sum len any bool pairwise islice groupby copy
    deepcopy Counter deque dict
    """.split()
)
#: The same where they are given a function first.
_EMPTY_OF_OTHERS = frozenset({"filter", "map", "starmap", "filterfalse", "takewhile", "cast"})
#: Methods whose result is empty where what they are called on is.
_EMPTY_OF_OWNER = frozenset({"copy", "items", "keys", "values"})
_NUMBERS = frozenset({"len", "sum"})


class Source(NamedTuple):
    """What a variable was made of: the expression, and what the variables in it were."""

    expression: ir.Expression
    parts: Tuple[Tuple[Key, Value], ...]


class Guards:
    """Finds out what conditions show indirectly, for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._sources: Dict[Key, Source] = {}
        self._companions: Dict[Key, Tuple[str, ...]] = {}

    # --- other words for a condition ------------------------------------------------------------

    def rewritten(self, test: ir.Expression) -> Optional[ir.Expression]:
        """Returns a condition in terms of `and` and `or`, or `None` where there is nothing to rewrite."""
        if isinstance(test, ir.Comparison) and len(test.operators) > 1:
            return _pairwise(test)
        if not isinstance(test, ir.Call) or len(test.arguments) != 1 or test.arguments[0].star:
            return None
        name = last_name(test.function)
        if name not in ("all", "any") or not self._is_builtin(test.function):
            return None
        values = _alternatives(test.arguments[0].value)
        return ir.Boolean(test.at, "and" if name == "all" else "or", values) if values else None

    def _is_builtin(self, function: ir.Expression) -> bool:
        if not isinstance(function, ir.Name):
            return False
        value = self._machine.modules.unbound(function.identifier, None)
        bound = self._machine.names.key_of(function.identifier) is not None
        return not bound and all(isinstance(atom, External) for atom in value)

    # --- what variables were made of ------------------------------------------------------------

    def remember(self, target: ir.Expression, source: ir.Expression, state: State) -> None:
        """Remembers what a variable is made of, and what a helper returns beside a list."""
        if isinstance(target, ir.Display):
            self._remember_companions(target, source, state)
        key = self._key(target)
        if key is None:
            return
        self._companions.pop(key, None)
        self._sources.pop(key, None)
        kinds = (ir.Comprehension, ir.Call, ir.Subscript, ir.Boolean, ir.Conditional)
        if isinstance(source, kinds):
            self._sources[key] = Source(source, self._machine.conditions.parts(source, state))

    def _remember_companions(self, target: ir.Display, source: ir.Expression, state: State) -> None:
        """Remembers that `ok, messages = self.read(input)` come from one place: one tells about the other."""
        names = tuple(part.identifier for part in target.elements if isinstance(part, ir.Name))
        if not isinstance(source, (ir.Call, ir.Await)) or len(names) != len(target.elements):
            return
        for name in names:
            key = self._key(ir.Name(target.at, name))
            if key is not None:
                self._companions[key] = tuple(other for other in names if other != name)

    def _key(self, target: ir.Expression) -> Optional[Key]:
        return self._machine.names.key_of(target.identifier) if isinstance(target, ir.Name) else None

    def ask(self, test: ir.Expression, state: State) -> None:
        """Takes what a helper returned for checked, once a condition asks what it returned beside it."""
        if not self._companions:
            return
        for part in scopes.walk_expression(test):
            key = self._key(part)
            for other in self._companions.get(key, ()) if key is not None else ():
                for atom in self._machine.names.load(other, state):
                    if isinstance(atom, Request):
                        state.set((PRESENT, atom.path), True)

    # --- what follows ---------------------------------------------------------------------------

    def imply(self, expression: ir.Expression, state: State, depth: int = DEEPEST) -> None:
        """Notes that an expression is true, not empty or above zero, and so is what it needs for that."""
        if depth <= 0:
            return
        conditions = self._machine.conditions
        if isinstance(expression, (ir.Name, ir.Attribute)):
            for atom in conditions.peek(expression, state):
                if isinstance(atom, Request):
                    state.set((PRESENT, atom.path), True)
            source = self._source(expression, state)
            if source is not None:
                self.imply(source, state, depth - 1)
        for part in self._needed(expression):
            self.imply(part, state, depth - 1)

    def imply_something(self, expression: ir.Expression, state: State) -> None:
        """Notes that an expression is not `None`: `next((m for m in messages if ...), None)`."""
        known = self._source(expression, state) or expression
        if isinstance(known, ir.Call) and last_name(known.function) == "next":
            others = known.arguments[1:]
            if all(isinstance(it.value, ir.Literal) and it.value.kind == "None" for it in others):
                self.imply(known, state)

    def counted(self, asked: ir.Expression, state: State) -> Optional[ir.Expression]:
        """Returns the `len(...)` or `sum(...)` that a number comes from."""
        known = asked.value if isinstance(asked, ir.Walrus) else asked
        known = self._source(known, state) or known
        is_count = isinstance(known, ir.Call) and last_name(known.function) in _NUMBERS
        return known if is_count else None

    def _source(self, expression: ir.Expression, state: State) -> Optional[ir.Expression]:
        """Returns what a variable was made of, if that is still the same."""
        key = self._key(expression)
        known = self._sources.get(key) if key is not None else None
        if known is None or known.parts != self._machine.conditions.parts(known.expression, state):
            return None
        return known.expression

    def _needed(self, expression: ir.Expression) -> Sequence[ir.Expression]:
        """Returns the parts that are true or not empty where an expression is."""
        if isinstance(expression, ir.Walrus):
            return (expression.target, expression.value)
        if isinstance(expression, ir.Comprehension):
            return [clause.iterable for clause in expression.clauses]
        if isinstance(expression, ir.Subscript) and isinstance(expression.key, ir.Slice):
            return (expression.value,)
        if isinstance(expression, ir.Boolean):
            others = expression.values[1:]
            if expression.operator == "and":
                return expression.values
            return expression.values[:1] if all(map(_is_nothing, others)) else ()
        if isinstance(expression, ir.Conditional) and _is_nothing(expression.otherwise):
            return (expression.test, expression.body)
        return _needed_by_call(expression) if isinstance(expression, ir.Call) else ()


def _needed_by_call(call: ir.Call) -> Sequence[ir.Expression]:
    name = last_name(call.function)
    values = [argument.value for argument in call.arguments if not argument.star and not argument.keyword]
    if not values:
        owner = call.function.value if isinstance(call.function, ir.Attribute) else None
        return (owner,) if owner is not None and name in _EMPTY_OF_OWNER else ()
    if name in _EMPTY_OF_FIRST:
        return values[:1]
    if name in _EMPTY_OF_OTHERS:
        return values[1:]
    if name == "next":
        return values[:1] if all(map(_is_nothing, values[1:])) else ()
    if name in ("max", "min"):
        return values if len(values) == len(call.arguments) == 1 else ()
    return values if name == "zip" else ()


def _is_nothing(expression: ir.Expression) -> bool:
    """Whether an expression is written as something that is not true: `None`, `""`, `[]`."""
    if isinstance(expression, ir.Literal):
        return expression.kind != "ellipsis" and not expression.value
    return (isinstance(expression, ir.Display) and not expression.elements) or (
        isinstance(expression, ir.DictDisplay) and not expression.items
    )


def _pairwise(test: ir.Comparison) -> Optional[ir.Expression]:
    """Returns `0 < n < 9` as `0 < n and n < 9`, where asking twice changes nothing."""
    operands = (test.left, *test.right)
    for operand in operands[1:-1]:
        for part in scopes.walk_expression(operand):
            is_call = isinstance(part, ir.Call) and last_name(part.function) != "len"
            if is_call or isinstance(part, (ir.Await, ir.Walrus, ir.Yield)):
                return None
    pairs = zip(operands, test.operators, operands[1:])
    return ir.Boolean(
        test.at, "and", tuple(ir.Comparison(test.at, left, (sign,), (right,)) for left, sign, right in pairs)
    )


def _alternatives(expression: ir.Expression) -> Tuple[ir.Expression, ...]:
    """Returns what `all(...)` or `any(...)` asks about, one by one, or nothing where that is not known."""
    if isinstance(expression, ir.Display):
        has_star = any(isinstance(element, ir.Starred) for element in expression.elements)
        return () if has_star else expression.elements
    if not isinstance(expression, ir.Comprehension) or len(expression.clauses) != 1:
        return ()
    clause = expression.clauses[0]
    elements = _alternatives(clause.iterable) if isinstance(clause.iterable, ir.Display) else ()
    if not isinstance(clause.target, ir.Name) or clause.conditions or len(elements) > MOST_ELEMENTS:
        return ()
    found: List[ir.Expression] = []
    for element in elements:
        one = _with(expression.element, clause.target.identifier, element)
        if one is None:
            return ()
        found.append(one)
    return tuple(found)


def _with(expression: ir.Expression, name: str, given: ir.Expression) -> Optional[ir.Expression]:
    """Returns a simple condition on a variable with what the variable stands for."""
    if isinstance(expression, ir.Name):
        return given if expression.identifier == name else None
    if isinstance(expression, ir.Unary):
        inner = _with(expression.operand, name, given)
        return expression._replace(operand=inner) if inner is not None else None
    if isinstance(expression, ir.Comparison) and all(isinstance(it, ir.Literal) for it in expression.right):
        inner = _with(expression.left, name, given)
        return expression._replace(left=inner) if inner is not None else None
    is_plain = isinstance(expression, ir.Call) and last_name(expression.function) in ("len", "bool")
    if is_plain and isinstance(expression, ir.Call) and len(expression.arguments) == 1:
        inner = _with(expression.arguments[0].value, name, given)
        argument = expression.arguments[0]._replace(value=inner) if inner is not None else None
        return expression._replace(arguments=(argument,)) if argument is not None else None
    return None
