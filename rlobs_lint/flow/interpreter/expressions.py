"""Expressions: what each kind of them may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Dict, List, Optional

from rlobs_lint.facts import ir
from rlobs_lint.flow.domain.heap import Entry, MappingContent, SequenceContent
from rlobs_lint.flow.domain.state import State
from rlobs_lint.flow.domain.values import (
    BOUNDED,
    NONE,
    NOTHING,
    NUMBERS,
    UNKNOWN,
    Atom,
    Constant,
    Coroutine,
    Member,
    Object,
    Placeholder,
    Request,
    Typed,
    Unknown,
    Value,
    join,
    join_alternatives,
    kind_of,
    non_finite,
    origin_of,
    truth,
    typed,
)

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine


class Expressions:
    """Evaluates expressions for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def evaluate(self, expression: ir.Expression, state: State) -> Value:
        """Returns what an expression may be; calls in it are followed."""
        self._machine.step()
        handler = _HANDLERS.get(type(expression))
        return handler(self, expression, state) if handler is not None else UNKNOWN

    def _name(self, expression: ir.Name, state: State) -> Value:
        value = self._machine.names.load(expression.identifier, state, expression)
        self._machine.unseen.read_name(expression.identifier, value)
        return value

    # --- displays -------------------------------------------------------------------------------

    def _literal(self, expression: ir.Literal, state: State) -> Value:
        if expression.kind == "ellipsis":
            return (Placeholder(),)
        if expression.value is None and expression.kind == "float":
            return non_finite("inf")  # `1e999`
        if expression.value is None and expression.kind != "None":
            return (Typed(expression.kind, BOUNDED),)
        return (Constant(expression.kind, expression.value),)

    def _display(self, expression: ir.Display, state: State) -> Value:
        machine = self._machine
        elements: List[Value] = []
        rest = NOTHING
        for element in expression.elements:
            if isinstance(element, ir.Starred):
                value = self.evaluate(element.value, state)
                content = machine.contents.of(value[0], state) if len(value) == 1 else None
                if isinstance(content, SequenceContent) and not content.rest:
                    elements.extend(content.elements)
                else:
                    rest = join((rest, machine.contents.element(value, state)))
            else:
                elements.append(self.evaluate(element, state))
        if not rest and elements == [(Placeholder(),)]:
            return elements[0]  # `{...}` in an example
        return machine.contents.sequence(expression.kind, tuple(elements), rest, expression, state)

    def _dict(self, expression: ir.DictDisplay, state: State) -> Value:
        machine = self._machine
        content = MappingContent()
        for item in expression.items:
            value = self.evaluate(item.value, state)
            if item.key is None:
                for atom in value:
                    more = machine.contents.of(atom, state)
                    content = (
                        content.update(more)
                        if isinstance(more, MappingContent)
                        else content._replace(open=content.open or not _is_none(atom))
                    )
            else:
                key = self.evaluate(item.key, state)
                content = content.put(
                    Entry(key, value, machine.site(item.key.at), machine.site(item.value.at))
                )
        if any(isinstance(atom, Placeholder) for entry in content.entries for atom in entry.key):
            content = content._replace(open=True)
        return machine.contents.mapping(content, machine.site(expression.at), state)

    def _comprehension(self, expression: ir.Comprehension, state: State) -> Value:
        return self._machine.comprehensions.run(expression, state)

    def _starred(self, expression: ir.Starred, state: State) -> Value:
        return self._machine.contents.element(self.evaluate(expression.value, state), state)

    # --- operators ------------------------------------------------------------------------------

    def _formatted(self, expression: ir.FormattedString, state: State) -> Value:
        parts: List[Value] = [
            (Constant("str", part),) if isinstance(part, str) else self.evaluate(part, state)
            for part in expression.parts
        ]
        return self._machine.operators.concatenate(parts)

    def _binary(self, expression: ir.Binary, state: State) -> Value:
        # A sum leans to the left and may be long: its spine is walked in a loop.
        spine = [expression]
        while isinstance(spine[-1].left, ir.Binary):
            spine.append(spine[-1].left)
        value = self.evaluate(spine[-1].left, state)
        for part in reversed(spine):
            right = self.evaluate(part.right, state)
            value = self._machine.operators.binary(
                part.operator, value, right, self._machine.site(part.at), state
            )
        return value

    def _unary(self, expression: ir.Unary, state: State) -> Value:
        value = self.evaluate(expression.operand, state)
        if expression.operator == "not":
            answers = {truth(atom) for atom in value}
            if len(answers) == 1 and None not in answers:
                return (Constant("bool", not answers.pop()),)
            return typed("bool", BOUNDED)
        results: List[Value] = []
        for atom in value:
            if isinstance(atom, Constant) and atom.kind in ("int", "float") and expression.operator in "-+":
                number = atom.value
                assert isinstance(number, (int, float))
                results.append((Constant(atom.kind, -number if expression.operator == "-" else number),))
            elif kind_of(atom) in NUMBERS:
                results.append((Typed(kind_of(atom) or "number", origin_of(atom)),))
            elif isinstance(atom, Typed) and atom.kind == "non-finite":
                negated = {"inf": "-inf", "-inf": "inf"}.get(str(atom.text[0]))
                is_negated = expression.operator == "-" and negated is not None
                results.append((atom._replace(text=(negated,)) if is_negated else atom,))
            else:
                results.append((Unknown(origin_of(atom)),))
        return join(results)

    def _boolean(self, expression: ir.Boolean, state: State) -> Value:
        machine = self._machine
        is_or = expression.operator == "or"
        if is_or:
            from rlobs_lint.facts.scopes import discarded

            path = machine.activation.frame.module.path
            for value in expression.values[:-1]:
                machine.discarded.update((path, span) for span in discarded(value))
        results: List[Value] = []
        paths = []
        current: Optional[State] = state.fork()
        for position, operand in enumerate(expression.values):
            assert current is not None
            if position == len(expression.values) - 1:
                results.append(self.evaluate(operand, current))
                paths.append(current.changes_since(state))
                break
            branches = machine.conditions.branch(operand, current)
            stops, goes_on = branches.side(is_or), branches.side(not is_or)
            if stops is not None:
                if machine.switches.excuses(operand, expression.values[position + 1 :]):
                    machine.watcher.excuse_everything(stops)
                results.append(machine.conditions.narrowed(branches.value, is_or, stops))
                paths.append(stops.changes_since(state))
            if goes_on is None:
                break
            current = goes_on
        state.merge(paths)
        return join(results) or UNKNOWN

    def _comparison(self, expression: ir.Comparison, state: State) -> Value:
        left = self.evaluate(expression.left, state)
        rights = [self.evaluate(right, state) for right in expression.right]
        if len(rights) == 1:
            answer = self._machine.comparisons.outcome(expression.operators[0], left, rights[0], state)
            if answer is not None:
                return (Constant("bool", answer),)
        return typed("bool", BOUNDED)

    def _conditional(self, expression: ir.Conditional, state: State) -> Value:
        machine = self._machine
        values: List[Value] = []
        paths = []
        branches = machine.conditions.branch(expression.test, state)
        body, otherwise = expression.body, expression.otherwise
        for wanted, result, other in ((True, body, otherwise), (False, otherwise, body)):
            side = branches.side(wanted)
            if side is not None:
                if not isinstance(result, ir.Call) and machine.switches.excuses(expression.test, (other,)):
                    machine.watcher.excuse_everything(side)
                values.append(self.evaluate(result, side))
                paths.append(side.changes_since(state))
        state.merge(paths)
        return join(values) or UNKNOWN

    # --- the rest -------------------------------------------------------------------------------

    def callee(self, expression: ir.Expression, state: State) -> Value:
        """Returns what is called: taking a client's method to call it is no use of its own."""
        if not isinstance(expression, ir.Attribute):
            return self.evaluate(expression, state)
        self._machine.step()
        return self._attribute(expression, state, is_called=True)

    def _attribute(self, expression: ir.Attribute, state: State, is_called: bool = False) -> Value:
        machine = self._machine
        owner = (self.callee if is_called else self.evaluate)(expression.value, state)
        value = machine.attributes.of(owner, expression.name, machine.site(expression.at), state, is_called)
        machine.unseen.read_attribute(expression.name, value)
        return value

    def _subscript(self, expression: ir.Subscript, state: State) -> Value:
        machine = self._machine
        owner = self.evaluate(expression.value, state)
        if isinstance(expression.key, ir.Slice):
            parts = (expression.key.lower, expression.key.upper, expression.key.step)
            bounds = [self.evaluate(bound, state) if bound is not None else NONE for bound in parts]
            site = machine.site(expression.at)
            return join(machine.contents.sliced(atom, bounds, site, state) for atom in owner)
        index = self.evaluate(expression.key, state)
        site = machine.site(expression.at)
        machine.watcher.subscripted(owner, expression.key, index, site, state)
        key_site = machine.site(expression.key.at)
        return (
            join_alternatives(machine.contents.item(atom, index, site, state, key_site) for atom in owner)
            or UNKNOWN
        )

    def _call(self, expression: ir.Call, state: State) -> Value:
        return self._machine.calls.evaluate(expression, state)

    def _await(self, expression: ir.Await, state: State) -> Value:
        return self.awaited(self.evaluate(expression.value, state))

    def awaited(self, value: Value) -> Value:
        """Returns what awaiting a value gives."""
        return (
            join(atom.result if isinstance(atom, Coroutine) else _awaited(atom) for atom in value) or UNKNOWN
        )

    def _yield(self, expression: ir.Yield, state: State) -> Value:
        value = self.evaluate(expression.value, state) if expression.value is not None else NONE
        activation = self._machine.activation
        activation.yields = join(
            (activation.yields, self._machine.contents.element(value, state) if expression.is_from else value)
        )
        activation.paused = state.changes_since(activation.base)
        return UNKNOWN

    def _walrus(self, expression: ir.Walrus, state: State) -> Value:
        value = self.evaluate(expression.value, state)
        self._machine.assignments.assign(expression.target, value, state, expression.value)
        return value

    def _lambda(self, expression: ir.Lambda, state: State) -> Value:
        return self._machine.functions.define_lambda(expression)

    def _opaque(self, expression: ir.Opaque, state: State) -> Value:
        for part in expression.parts:
            self.evaluate(part, state)
        return UNKNOWN


def _awaited(atom: Atom) -> Value:
    # Awaiting what is known to be no coroutine gives what its like outside the workspace would.
    return (atom,) if isinstance(atom, (Unknown, Member, Request, Placeholder, Object)) else UNKNOWN


def _is_none(atom: Atom) -> bool:
    return isinstance(atom, Constant) and atom.kind == "None"


_HANDLERS: Dict[type, Callable[..., Value]] = {
    ir.Name: Expressions._name,
    ir.Attribute: Expressions._attribute,
    ir.Literal: Expressions._literal,
    ir.FormattedString: Expressions._formatted,
    ir.Call: Expressions._call,
    ir.Subscript: Expressions._subscript,
    ir.Starred: Expressions._starred,
    ir.Display: Expressions._display,
    ir.DictDisplay: Expressions._dict,
    ir.Binary: Expressions._binary,
    ir.Unary: Expressions._unary,
    ir.Boolean: Expressions._boolean,
    ir.Comparison: Expressions._comparison,
    ir.Conditional: Expressions._conditional,
    ir.Await: Expressions._await,
    ir.Yield: Expressions._yield,
    ir.Walrus: Expressions._walrus,
    ir.Comprehension: Expressions._comprehension,
    ir.Lambda: Expressions._lambda,
    ir.Opaque: Expressions._opaque,
}
