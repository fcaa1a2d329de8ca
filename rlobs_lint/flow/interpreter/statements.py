"""Statements: what running each kind of them changes, and whether it is left behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Dict, List, Optional, Sequence

from rlobs_lint.facts import ir, scopes
from rlobs_lint.flow.domain.annotations import refined
from rlobs_lint.flow.domain.state import Changes, State, facts
from rlobs_lint.flow.domain.values import (
    BOUNDED,
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Unknown,
    Value,
    kind_of,
    truth,
    typed,
)
from rlobs_lint.flow.interpreter.activations import Answer, Attempt, left
from rlobs_lint.flow.interpreter.selection import keeps

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine

#: Statements without statements inside.
_PLAIN_STATEMENTS = (ir.Assign, ir.AnnotatedAssign, ir.AugmentedAssign, ir.Evaluate, ir.Delete, ir.Assert)


def _is_none(value: Value, outcome: bool) -> Optional[bool]:
    """Whether a value that is true, or false, as a condition is `None`."""
    if outcome:
        return False
    kinds = {
        None if isinstance(atom, Unknown) else kind_of(atom) == "None" for atom in value if not truth(atom)
    }
    return kinds.pop() if len(kinds) == 1 else None


class Statements:
    """Runs statements, for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def run(self, body: Sequence[ir.Statement], state: State) -> bool:
        """Runs statements in the current activation; tells whether the end can be reached."""
        for statement in body:
            self._machine.step()
            handler = _HANDLERS.get(type(statement))
            if handler is not None and not handler(self, statement, state):
                return False
        return True

    def _for(self, statement: ir.For, state: State) -> bool:
        return self._machine.loops.run_for(statement, state)

    def _while(self, statement: ir.While, state: State) -> bool:
        return self._machine.loops.run_while(statement, state)

    def _jump(self, statement: ir.Jump, state: State) -> bool:
        return self._machine.loops.jump(statement, state)

    def _evaluate_statement(self, statement: ir.Evaluate, state: State) -> bool:
        machine = self._machine
        path = machine.activation.frame.module.path
        machine.discarded.update((path, span) for span in scopes.discarded(statement.value))
        machine.evaluate(statement.value, state)
        return not machine.exceptions.never_returns(statement.value, state)

    def _assign(self, statement: ir.Assign, state: State) -> bool:
        machine = self._machine
        if all(isinstance(target, ir.Name) and target.identifier == "_" for target in statement.targets):
            path = machine.activation.frame.module.path
            machine.discarded.update((path, span) for span in scopes.discarded(statement.value))
        value = machine.evaluate(statement.value, state)
        for target in statement.targets:
            machine.assignments.assign(target, value, state, statement.value)
            machine.conditions.remember(target, statement.value, value, state)
        return True

    def _annotated_assign(self, statement: ir.AnnotatedAssign, state: State) -> bool:
        machine = self._machine
        if statement.value is not None:
            value = refined(machine.evaluate(statement.value, state), statement.annotation)
            machine.assignments.assign(statement.target, value, state, statement.value)
            machine.conditions.remember(statement.target, statement.value, value, state)
        if machine.activation.frame.is_class and isinstance(statement.target, ir.Name):
            machine.inheritance.annotate(
                machine.activation.frame, statement.target.identifier, statement.annotation, state
            )
        return True

    def _augmented_assign(self, statement: ir.AugmentedAssign, state: State) -> bool:
        self._machine.assignments.augment(statement, state)
        return True

    def _return(self, statement: ir.Return, state: State) -> bool:
        machine = self._machine
        if machine.activation.answers is not None and statement.value is not None:
            self.answer(statement.value, state)
            return False
        value = machine.evaluate(statement.value, state) if statement.value is not None else NONE
        if machine.activation.answers is not None:
            known = facts(state.changes_since(machine.activation.base))
            machine.activation.answers.append(Answer(False, known, True))
        machine.activation.returns.append((left(machine.activation, state), value))
        self._note_exception(state)
        return False

    def answer(self, expression: ir.Expression, state: State) -> None:
        """Returns from a function whose result is a condition: once for yes, once for no."""
        activation = self._machine.activation
        if isinstance(expression, ir.Conditional):
            # `return None if messages else "no messages"`
            chosen = self._machine.conditions.branch(expression.test, state)
            for side, part in ((chosen.yes, expression.body), (chosen.no, expression.otherwise)):
                if side is not None:
                    self.answer(part, side)
            return
        branches = self._machine.conditions.branch(expression, state)
        assert activation.answers is not None
        for outcome in (True, False):
            side = branches.side(outcome)
            if side is not None:
                known = facts(side.changes_since(activation.base))
                activation.answers.append(Answer(outcome, known, _is_none(branches.value, outcome)))
                value = branches.value
                if branches.side(not outcome) is None and value == typed("bool", BOUNDED):
                    value = TRUE if outcome else FALSE
                activation.returns.append((left(activation, side), value))
                self._note_exception(side)

    def _raise(self, statement: ir.Raise, state: State) -> bool:
        if statement.exception is not None:
            self._machine.evaluate(statement.exception, state)
        for activation in reversed(self._machine.stack):
            if activation.attempts:
                attempt = activation.attempts[-1]
                attempt.raised.append(state.changes_since(attempt.base))
                break
        return False

    def _note_exception(self, state: State) -> None:
        """Lets the handlers of the innermost `try` start from what holds here."""
        if self._machine.activation.attempts:
            attempt = self._machine.activation.attempts[-1]
            attempt.raised.append(state.changes_since(attempt.base))

    def _assert(self, statement: ir.Assert, state: State) -> bool:
        return self._machine.conditions.assume(statement.test, True, state)

    def _delete(self, statement: ir.Delete, state: State) -> bool:
        for target in statement.targets:
            self._machine.assignments.delete(target, state)
        return True

    def _import(self, statement: ir.Import, state: State) -> bool:
        self._machine.modules.run_import(statement, state)
        return True

    def _import_from(self, statement: ir.ImportFrom, state: State) -> bool:
        return self._machine.modules.run_import_from(statement, state)

    def _if(self, statement: ir.If, state: State) -> bool:
        machine = self._machine
        if scopes.is_main_guard(statement.test) and not machine.root.is_script:
            return True
        if scopes.is_type_checking(statement.test):
            machine.modules.run_type_checking(statement.body, state)
            return machine.run(statement.otherwise, state)
        off, done = machine.switches.off(statement), machine.switches.done(statement)
        selected = machine.activation.loops[-1].selected if machine.activation.loops else ""
        branches = machine.conditions.branch(statement.test, state)
        paths: List[Changes] = []
        for outcome, block in ((True, statement.body), (False, statement.otherwise)):
            side = branches.side(outcome)
            if side is None:
                continue
            if off is outcome:
                machine.watcher.excuse_everything(side)
            elif off is None and done is outcome:
                machine.watcher.excuse_existing(side)
            if (
                selected
                and not keeps(block, selected)
                and keeps(statement.body + statement.otherwise, selected)
            ):
                machine.loops._leave_out(selected, side)
            if machine.run(block, side):
                paths.append(side.changes_since(state))
        if paths:
            state.merge(paths)
        return bool(paths)

    def _with(self, statement: ir.With, state: State) -> bool:
        machine = self._machine
        suppresses = False
        for item in statement.items:
            manager = machine.evaluate(item.value, state)
            entered = machine.calls.enter(manager, statement.is_async, machine.site(item.value.at), state)
            suppresses = suppresses or machine.world.suppresses(manager)
            if item.target is not None:
                machine.assignments.assign(item.target, entered, state, item.value)
        marks = machine.activation.marks
        spans = tuple(
            name for item in statement.items for name in machine.world.span_names(item.value, state)
        )
        machine.activation.marks = marks + spans
        if not suppresses:
            ends = machine.run(statement.body, state)
        else:
            body = self._run_quiet(statement.body, state)
            machine.activation.attempts.append(Attempt(state, ("Exception",)))
            inner = state.fork()
            paths: List[Changes] = [{}]
            if machine.run(body, inner):
                paths.append(inner.changes_since(state))
            state.merge(paths)
            machine.activation.attempts.pop()
            ends = True
        machine.activation.marks = marks
        return ends

    def _try(self, statement: ir.Try, state: State) -> bool:
        machine = self._machine
        body = self._run_quiet(statement.body, state)
        catches = tuple(name for handler in statement.handlers for name in machine.exceptions.caught(handler))
        attempt = Attempt(state, catches)
        inner = state.fork()
        returned = len(machine.activation.returns)
        machine.activation.attempts.append(attempt)
        ends = self._run_attempt(body, attempt, inner)
        machine.activation.attempts.pop()
        raised: List[Changes] = [{}, *attempt.raised]
        paths: List[Changes] = []
        ended = inner.fork()
        if ends and machine.run(statement.otherwise, inner):
            paths.append(inner.changes_since(state))
        imports = machine.modules.import_outcome(statement.body, state)
        for handler in statement.handlers:
            if imports == "succeeds" and "ImportError" in machine.exceptions.caught(handler):
                continue
            caught = state.fork()
            caught.merge(raised)
            if handler.name:
                machine.names.bind(handler.name, UNKNOWN, caught)
            if machine.run(handler.body, caught):
                if ends:
                    self._void_replaced(statement.body, ended, caught)
                paths.append(caught.changes_since(state))
        if not paths:
            if statement.final:
                self._run_final_on_returns(statement.final, returned)
            return False
        state.merge(paths)
        return machine.run(statement.final, state)

    def _run_attempt(self, body: Sequence[ir.Statement], attempt: Attempt, state: State) -> bool:
        """Runs what a `try` begins with; notes what holds where its last statement raises.

        `tools = await client.get_tools()` binds nothing where it raises. A statement with statements
        inside may raise at any place in them: as good as at its end.
        """
        machine = self._machine
        last = len(body) - 1
        while last > 0 and machine.exceptions.cannot_raise(body[last], state):
            last -= 1
        if not machine.run(body[:last], state):
            return False
        is_plain = all(isinstance(one, _PLAIN_STATEMENTS) for one in body[last:])
        if is_plain:
            attempt.raised.append(state.changes_since(attempt.base))
        ends = machine.run(body[last:], state)
        if ends and not is_plain:
            attempt.raised.append(state.changes_since(attempt.base))
        return ends

    def _void_replaced(self, body: Sequence[ir.Statement], ended: State, caught: State) -> None:
        """Notes that what a `try` would have made does not exist where its handler puts nothing in the place.

        `except ImportError: self.tools = None`
        """
        conditions = self._machine.conditions
        for statement in body:
            for target in statement.targets if isinstance(statement, ir.Assign) else ():
                instead = conditions.peek(target, caught)
                if instead and not conditions.narrowed(instead, True, caught):
                    for atom in conditions.peek(target, ended):
                        self._machine.watcher.excuse(atom, caught, ended)

    def _run_quiet(self, body: Sequence[ir.Statement], state: State) -> Sequence[ir.Statement]:
        """Runs what a block begins with that never raises, and returns the rest."""
        for position, statement in enumerate(body):
            if not self._machine.exceptions.cannot_raise(statement, state):
                return body[position:]
            self._machine.run((statement,), state)
        return ()

    def _run_final_on_returns(self, final: Sequence[ir.Statement], first: int) -> None:
        """Lets a `finally` block act on the paths that return from inside its `try`."""
        activation = self._machine.activation
        returns = activation.returns[first:]
        if not returns:
            return
        closing = activation.base.fork()
        closing.merge([changes for changes, _ in returns])
        before = closing.fork()
        if self._machine.run(final, before):
            extra = before.changes_since(closing)
            activation.returns[first:] = [({**changes, **extra}, value) for changes, value in returns]

    def _match(self, statement: ir.Match, state: State) -> bool:
        machine = self._machine
        subject = machine.evaluate(statement.subject, state)
        machine.conditions.examine(statement.subject, subject, state)
        paths: List[Changes] = []
        exhaustive = False
        for case in statement.cases:
            taken = state.fork()
            matched, left_over = machine.narrowing.matched(case, subject, state)
            if subject and not matched:
                continue
            machine.conditions.store(statement.subject, matched, taken)
            for name in case.captures:
                machine.names.bind(name, matched if case.irrefutable else UNKNOWN, taken)
            for value in case.values:
                machine.evaluate(value, taken)
            possible = case.guard is None or machine.conditions.assume(case.guard, True, taken)
            if possible and machine.run(case.body, taken):
                paths.append(taken.changes_since(state))
            exhaustive = case.irrefutable or bool(subject and not left_over)
            subject = left_over
            if exhaustive:
                break
        if not exhaustive:
            paths.append({})
        self._join(state, paths)
        return bool(paths)

    def _function_def(self, statement: ir.FunctionDef, state: State) -> bool:
        value = self._machine.functions.define(statement, state)
        self._machine.names.bind(statement.name, value, state)
        return True

    def _class_def(self, statement: ir.ClassDef, state: State) -> bool:
        value = self._machine.inheritance.define_class(statement, state)
        self._machine.names.bind(statement.name, value, state)
        return True

    def _join(self, state: State, paths: Sequence[Changes]) -> None:
        if paths:
            state.merge(paths)


_HANDLERS: Dict[type, Callable[..., bool]] = {
    ir.Evaluate: Statements._evaluate_statement,
    ir.Assign: Statements._assign,
    ir.AnnotatedAssign: Statements._annotated_assign,
    ir.AugmentedAssign: Statements._augmented_assign,
    ir.Return: Statements._return,
    ir.Raise: Statements._raise,
    ir.Assert: Statements._assert,
    ir.Delete: Statements._delete,
    ir.Jump: Statements._jump,
    ir.Import: Statements._import,
    ir.ImportFrom: Statements._import_from,
    ir.If: Statements._if,
    ir.For: Statements._for,
    ir.While: Statements._while,
    ir.With: Statements._with,
    ir.Try: Statements._try,
    ir.Match: Statements._match,
    ir.FunctionDef: Statements._function_def,
    ir.ClassDef: Statements._class_def,
}
