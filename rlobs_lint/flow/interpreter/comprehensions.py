"""Comprehensions, as the loops that they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, List, Sequence

from rlobs_lint.facts import ir
from rlobs_lint.flow.domain.heap import Entry, MappingContent
from rlobs_lint.flow.domain.state import State
from rlobs_lint.flow.domain.values import NOTHING, Value, join
from rlobs_lint.flow.interpreter.activations import Turn

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine


class Comprehensions:
    """Runs comprehensions, for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def run(self, expression: ir.Comprehension, state: State) -> Value:
        """Returns what a comprehension makes: a list, set, dictionary or generator."""
        machine = self._machine
        activation = machine.activation
        from rlobs_lint.facts.scopes import Scope, _bound_names  # the clauses' targets are names of their own

        names = frozenset(name for clause in expression.clauses for name in _bound_names(clause.target))
        outer = activation.frame
        inner = machine.comprehension_frame(expression, Scope(names, frozenset(), frozenset(), False))
        # The first iterable is evaluated around the comprehension, whatever becomes of the rest.
        iterables: List[Value] = [machine.evaluate(expression.clauses[0].iterable, state)]
        body = state.fork()
        possible = surely = True
        activation.frame = inner
        with machine.narrowing.one_turn(body):
            for position, clause in enumerate(expression.clauses):
                if position:
                    iterables.append(machine.evaluate(clause.iterable, body))
                iterable = iterables[position]
                surely = surely and machine.contents.surely_nonempty(iterable, body)
                by_row = _sorts_out(expression) or (machine.root.is_script and len(expression.clauses) == 1)
                rows = machine.contents.unrollable(iterable, body) if by_row else None
                if rows is not None:
                    made = self._unrolled(expression, rows, body)
                    activation.frame = outer
                    state.apply(body.changes_since(state))
                    return made
                machine.conditions.have_elements(clause.iterable, iterable, body)
                machine.assignments.assign(
                    clause.target, machine.contents.element(iterable, body, clause.is_async), body, None
                )
                for condition in clause.conditions:
                    possible = machine.conditions.assume(condition, True, body) and possible
            element = machine.evaluate(expression.element, body) if possible else NOTHING
            value = NOTHING
            if possible and expression.value is not None:
                value = machine.evaluate(expression.value, body)
        activation.frame = outer
        ran = body.changes_since(state)
        never = state.fork()
        for iterable in iterables:
            machine.conditions.void(iterable, never)
        state.merge([ran] if surely and possible else [ran, never.changes_since(state)])
        if expression.kind == "dict":
            content = MappingContent()
            if element:
                assert expression.value is not None
                places = machine.site(expression.element.at), machine.site(expression.value.at)
                always = surely and not any(clause.conditions for clause in expression.clauses)
                content = content.put(Entry(element, value, *places, always))
            return machine.contents.mapping(content, machine.site(expression.at), state)
        filtered = any(clause.conditions for clause in expression.clauses)
        elements = (element,) if element and surely and not filtered else ()
        return machine.contents.sequence(expression.kind, elements, element, expression, state)

    def _unrolled(self, expression: ir.Comprehension, rows: Sequence[Turn], body: State) -> Value:
        """Returns what a comprehension over a few known rows makes of each of them."""
        machine = self._machine
        (clause,) = expression.clauses
        content = MappingContent()
        elements: List[Value] = []
        for position, row in enumerate(rows):
            turn = body.fork()
            machine.assignments.assign(clause.target, row.element, turn, None)
            with machine.narrowing.one_turn(turn), machine.separate(position):
                if all(machine.conditions.assume(condition, True, turn) for condition in clause.conditions):
                    element = machine.evaluate(expression.element, turn)
                    elements.append(element)
                    if expression.value is not None:
                        value = machine.evaluate(expression.value, turn)
                        places = machine.site(expression.element.at), machine.site(expression.value.at)
                        always = row.sure and not clause.conditions
                        entry = Entry(element, value, *places, always)
                        content = content.update(MappingContent((entry,)))
            body.apply(turn.changes_since(body))
        if expression.kind == "dict":
            return machine.contents.mapping(content, machine.site(expression.at), body)
        if all(row.sure for row in rows) and not clause.conditions:
            return machine.contents.sequence(expression.kind, tuple(elements), NOTHING, expression, body)
        return machine.contents.sequence(expression.kind, (), join(elements), expression, body)


def _sorts_out(expression: ir.Comprehension) -> bool:
    """Whether a comprehension is to be run row by row: a dictionary's, or one that sorts names out."""
    if len(expression.clauses) != 1:
        return False
    is_sorting = bool(expression.clauses[0].conditions) and isinstance(expression.element, ir.Name)
    return expression.kind == "dict" or is_sorting
