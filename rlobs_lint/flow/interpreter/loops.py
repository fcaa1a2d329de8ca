"""Loops: `for`, `while`, and the jumps that leave them or begin them again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, List, Optional, Sequence, Union

from rlobs_lint.facts import ir
from rlobs_lint.flow.domain.state import Changes, State
from rlobs_lint.flow.domain.values import Value
from rlobs_lint.flow.interpreter.activations import Loop, Turn
from rlobs_lint.flow.interpreter.selection import selected_name

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine

#: Loops inside loops beyond this depth are run through once instead of twice.
DEEPEST_REPEATED_LOOP = 3


class Loops:
    """Runs loops, for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def jump(self, statement: ir.Jump, state: State) -> bool:
        """Runs `pass`, `break` or `continue`."""
        if statement.keyword == "pass" or not self._machine.activation.loops:
            return statement.keyword == "pass"
        loop = self._machine.activation.loops[-1]
        exits = loop.breaks if statement.keyword == "break" else loop.continues
        if statement.keyword == "continue" and loop.selected:
            self._leave_out(loop.selected, state)
        exits.append(state.changes_since(loop.base))
        return False

    def _leave_out(self, name: str, state: State) -> None:
        """Notes that a loop does not keep this element: it needs no trace."""
        for atom in self._machine.names.load(name, state):
            self._machine.watcher.excuse(atom, state)

    def run_while(self, statement: ir.While, state: State) -> bool:
        """Runs a `while` loop; tells whether its end can be reached."""
        machine = self._machine

        def enter(turn: State) -> bool:
            return machine.conditions.assume(statement.test, True, turn)

        def leave(rest: State) -> bool:
            return machine.conditions.assume(statement.test, False, rest)

        counted = machine.conditions.counted(statement.test, state)
        if counted is not None:
            return self._for_each(statement, counted, state, enter, leave)
        return self._loop(statement.body, statement.otherwise, state, enter, leave, runs_at_least_once=False)

    def run_for(self, statement: ir.For, state: State) -> bool:
        """Runs a `for` loop; tells whether its end can be reached."""
        machine = self._machine
        iterable = machine.evaluate(statement.iterable, state)
        unrolled = machine.contents.unrollable(iterable, state)
        if unrolled is not None:
            return self._unrolled(statement, unrolled, state)
        element = machine.contents.element(iterable, state, statement.is_async)

        def enter(turn: State) -> bool:
            machine.conditions.forget_elements(iterable, turn)
            machine.conditions.have_elements(statement.iterable, iterable, turn)
            machine.assignments.assign(statement.target, element, turn, None)
            return True

        counted = machine.conditions.counted(statement.iterable, state)
        over = iterable if counted is None else counted
        return self._for_each(statement, over, state, enter, lambda rest: True, selected_name(statement))

    def _for_each(
        self,
        statement: Union[ir.For, ir.While],
        iterable: Value,
        state: State,
        enter: Callable[[State], bool],
        leave: Callable[[State], bool],
        selected: str = "",
    ) -> bool:
        """Runs a loop that has a turn for each element of a collection."""
        machine = self._machine
        body, otherwise = statement.body, statement.otherwise
        if machine.contents.surely_nonempty(iterable, state):
            return self._loop(body, otherwise, state, enter, leave, True, selected)
        # Without an element there is nothing in the collection to trace or to measure.
        never, some = state.fork(), state.fork()
        machine.conditions.void(iterable, never)
        if isinstance(statement, ir.For):
            machine.narrowing.spare(statement, machine.contents.element(iterable, state), never)
        reached = machine.run(otherwise, never)
        ends = self._loop(body, otherwise, some, enter, leave, True, selected)
        paths = [path.changes_since(state) for path, alive in ((never, reached), (some, ends)) if alive]
        machine.statements._join(state, paths)
        return bool(paths)

    def _unrolled(self, statement: ir.For, turns: Sequence[Turn], state: State) -> bool:
        """Runs a loop over a short literal collection element by element."""
        machine = self._machine
        loop = Loop(state, selected_name(statement))
        machine.activation.loops.append(loop)
        turn: Optional[State] = state.fork()
        for number, (element, sure) in enumerate(turns):
            if turn is None:
                break
            skipped = [] if sure else [turn.changes_since(state)]
            machine.assignments.assign(statement.target, element, turn, None)
            with machine.separate(number):
                ends = machine.run(statement.body, turn)
            paths = ([turn.changes_since(state)] if ends else []) + loop.continues + skipped
            loop.continues = []
            turn = None
            if paths:
                turn = state.fork()
                turn.merge(paths)
        machine.activation.loops.pop()
        paths = list(loop.breaks)
        if turn is not None and machine.run(statement.otherwise, turn):
            paths.append(turn.changes_since(state))
        machine.statements._join(state, paths)
        return bool(paths)

    def _loop(
        self,
        body: Sequence[ir.Statement],
        otherwise: Sequence[ir.Statement],
        state: State,
        enter: Callable[[State], bool],
        leave: Callable[[State], bool],
        runs_at_least_once: bool,
        selected: str = "",
    ) -> bool:
        machine = self._machine
        loops = machine.activation.loops
        turns = 2 if len(loops) < DEEPEST_REPEATED_LOOP else 1
        breaks: List[Changes] = []
        after: Optional[Changes] = None
        head = state.fork()
        for number in range(turns):
            loop = Loop(head, selected)
            loops.append(loop)
            turn = head.fork()
            ends = enter(turn) and machine.run(body, turn)
            loops.pop()
            base = head.changes_since(state)
            breaks.extend({**base, **changes} for changes in loop.breaks)
            back = loop.continues + ([turn.changes_since(head)] if ends else [])
            if not back:
                break
            joined = head.fork()
            joined.merge(back)
            after = {**base, **joined.changes_since(head)}
            if number + 1 < turns:
                widened = state.fork()
                widened.merge([base, after])
                head = widened
        paths = breaks
        ends_normally: List[Changes] = [] if runs_at_least_once else [{}]
        if after is not None:
            ends_normally.append(after)
        if ends_normally:
            rest = state.fork()
            rest.merge(ends_normally)
            if leave(rest) and machine.run(otherwise, rest):
                paths.append(rest.changes_since(state))
        machine.statements._join(state, paths)
        return bool(paths)
