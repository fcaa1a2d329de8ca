"""The abstract machine: what is being run, its frames and budgets, and the statements.

`Machine` is assembled from parts that each know one thing (expressions, conditions, calls, modules,
outside code); they share it to call each other.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import (
    TYPE_CHECKING,
    Callable,
    Dict,
    Hashable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
    Union,
)

from rlobs_lint import ir
from rlobs_lint.flow import scopes
from rlobs_lint.flow.annotations import refined
from rlobs_lint.flow.heap import Heap, ObjectInfo
from rlobs_lint.flow.observations import Ledger, Root
from rlobs_lint.flow.scopes import Scope
from rlobs_lint.flow.selection import keeps, selected_name
from rlobs_lint.flow.state import VARIABLE, Changes, State, facts
from rlobs_lint.flow.tracing_switches import excused_side
from rlobs_lint.flow.values import (
    BOUNDED,
    FALSE,
    NONE,
    NOTHING,
    TRUE,
    UNKNOWN,
    Function,
    Object,
    Site,
    Value,
    join,
    perhaps_finite,
    typed,
)
from rlobs_lint.model import Span
from rlobs_lint.workspace import Module, Workspace

if TYPE_CHECKING:
    from rlobs_lint.flow.assignments import Assignments
    from rlobs_lint.flow.calls import Calls
    from rlobs_lint.flow.clients import Clients
    from rlobs_lint.flow.comparisons import Comparisons
    from rlobs_lint.flow.comprehensions import Comprehensions
    from rlobs_lint.flow.conditions import Answer, Conditions, NamedCondition
    from rlobs_lint.flow.contents import Contents, Turn
    from rlobs_lint.flow.contract import Contract
    from rlobs_lint.flow.enumerations import Enumerations
    from rlobs_lint.flow.excuses import Excuses
    from rlobs_lint.flow.expressions import Expressions
    from rlobs_lint.flow.guards import Guards
    from rlobs_lint.flow.handover import Handover
    from rlobs_lint.flow.http import Http
    from rlobs_lint.flow.library import Library
    from rlobs_lint.flow.models import Models
    from rlobs_lint.flow.modules import Modules
    from rlobs_lint.flow.names import Names
    from rlobs_lint.flow.narrowing import Narrowing
    from rlobs_lint.flow.operators import Operators
    from rlobs_lint.flow.outside import Outside
    from rlobs_lint.flow.parts import Parts
    from rlobs_lint.flow.threads import Threads
    from rlobs_lint.flow.tools import Tools
    from rlobs_lint.flow.traces import Traces
    from rlobs_lint.flow.type_tests import TypeTests
    from rlobs_lint.flow.unseen import Unseen
    from rlobs_lint.flow.watching import Watching

#: Statements and expressions that one root may run through before it is given up (silence).
STEPS_PER_ROOT = 400_000
#: How often one root runs one function; further calls return something unknown.
RUNS_PER_FUNCTION = 24
DEEPEST_CALL = 24
#: Loops inside loops beyond this depth are run through once instead of twice.
DEEPEST_REPEATED_LOOP = 3


class Frame:
    """The names of one run of a function, or of a module or class body.

    Attributes:
        captured: Whether a function was made in it, which may look its names up later.
    """

    __slots__ = ("captured", "is_class", "module", "number", "parent", "scope")

    def __init__(
        self, number: int, scope: Scope, module: Module, parent: Optional[Frame], is_class: bool = False
    ) -> None:
        self.number = number
        self.scope = scope
        self.module = module
        self.parent = parent
        self.is_class = is_class
        self.captured = False

    def capture(self) -> None:
        """Notes that a function was made here."""
        frame: Optional[Frame] = self
        while frame is not None and not frame.captured:
            frame.captured = True
            frame = frame.parent


class Definition(NamedTuple):
    """A function of the workspace.

    Attributes:
        node: A `FunctionDef` or a `Lambda`.
        owner: Object number of the class whose body it stands in, or -1.
    """

    module: Module
    node: object
    name: str
    owner: int
    scope: Scope

    @property
    def site(self) -> Site:
        """Where it is defined."""
        return Site(self.module.path, self.node.at)  # type: ignore[attr-defined]


class Loop:
    """A loop that is being run: the changes with which paths leave it or begin it again.

    Args:
        base: The state in front of it.
        selected: The variable of which it keeps some elements in a container.
    """

    __slots__ = ("base", "breaks", "continues", "selected")

    def __init__(self, base: State, selected: str = "") -> None:
        self.base = base
        self.selected = selected
        self.breaks: List[Changes] = []
        self.continues: List[Changes] = []


class Attempt:
    """A `try` that is being run: the changes with which an exception may reach its handlers."""

    __slots__ = ("base", "catches", "raised")

    def __init__(self, base: State, catches: Tuple[str, ...]) -> None:
        self.base = base
        self.catches = catches
        self.raised: List[Changes] = []


class Activation:
    """One run of a body.

    Attributes:
        frame: Its names.
        context: Number of the chain of calls that led here.
        definition: Number of the function, or -1.
        function: The function with its decorators, or `None`.
        returns: The changes and value of each return, relative to `base`.
        yields: What a generator yields.
        paused: The changes with which it last yielded: it may never be run to its end.
        site: Where it was called.
        named: Conditions that a variable keeps the outcome of.
        answers: Of a function that is asked a yes-or-no question: its answers, and what each tells.
    """

    __slots__ = (
        "answers", "attempts", "base", "context", "definition", "frame", "loops", "marks", "named", "paused",
        "returns", "site", "yields",
    )  # fmt: skip

    def __init__(
        self, frame: Frame, context: int, base: State, definition: int, site: Optional[Site]
    ) -> None:
        self.frame = frame
        self.context = context
        self.base = base
        self.definition = definition
        self.site = site
        self.marks: Tuple[str, ...] = ()
        self.returns: List[Tuple[Changes, Value]] = []
        self.yields: Value = NOTHING
        self.paused: Optional[Changes] = None
        self.loops: List[Loop] = []
        self.attempts: List[Attempt] = []
        self.named: Dict[str, NamedCondition] = {}
        self.answers: Optional[List[Answer]] = None


def left(activation: Activation, state: State) -> Changes:
    """Returns what a path that leaves a function changed, for its caller."""
    changes = state.changes_since(activation.base)
    if activation.frame.captured or activation.attempts:
        return changes
    # Nobody can see the function's own names any more.
    own = activation.frame.number
    return {key: value for key, value in changes.items() if key[0] != VARIABLE or key[1] != own}


class Exhausted(Exception):  # noqa: N818 - it ends a run, and is no mistake
    """A root ran through more code than it may; what it has shown so far stands."""


class Machine:
    """Runs code abstractly and writes down what rules ask for.

    Attributes:
        workspace: The code.
        heap: All objects.
        ledger: What was observed.
        root: What is being run, for the observations.
        stack: The bodies being run, outermost first.
    """

    expressions: Expressions
    names: Names
    contents: Contents
    assignments: Assignments
    operators: Operators
    comprehensions: Comprehensions
    conditions: Conditions
    type_tests: TypeTests
    comparisons: Comparisons
    narrowing: Narrowing
    calls: Calls
    modules: Modules
    outside: Outside
    handover: Handover
    threads: Threads
    enumerations: Enumerations
    watching: Watching
    excuses: Excuses
    library: Library
    clients: Clients
    tools: Tools
    traces: Traces
    contract: Contract
    models: Models
    parts: Parts
    http: Http
    unseen: Unseen
    guards: Guards

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.heap = Heap()
        self.ledger = Ledger()
        self.root = Root("module", "", None)
        self.stack: List[Activation] = []
        self.definitions: List[Definition] = []
        self.frames: List[Frame] = []
        self.discarded: Set[Tuple[str, Span]] = set()
        self.reached: Set[int] = set()
        self.reached_in_root: Set[int] = set()
        self._definition_numbers: Dict[Tuple[str, Span], int] = {}
        self._contexts: Dict[Tuple[int, Hashable], int] = {}
        self._made_in: Dict[int, int] = {}
        self._steps = 0
        self._runs: Dict[int, int] = {}

    # --- bookkeeping ----------------------------------------------------------------------------

    @property
    def activation(self) -> Activation:
        """The body that is being run."""
        return self.stack[-1]

    def site(self, span: Span) -> Site:
        """Returns a place in the file that is being run."""
        return Site(self.activation.frame.module.path, span)

    def begin(self, root: Root) -> None:
        """Starts counting anew for another root."""
        self.root = root
        self.reached_in_root = set()
        self._steps = 0
        self._runs = {}
        self.handover.begin()
        self.threads.begin()
        self.tools.begin()
        self.unseen.begin()

    def step(self) -> None:
        """Counts one step.

        Raises:
            Exhausted: The root has run through too much.
        """
        self._steps += 1
        if self._steps > STEPS_PER_ROOT:
            raise Exhausted

    def may_run(self, definition: int) -> bool:
        """Counts a run of a function; tells whether it may be run, and not only guessed at."""
        runs = self._runs.get(definition, 0) + 1
        self._runs[definition] = runs
        on_stack = sum(activation.definition == definition for activation in self.stack)
        return runs <= RUNS_PER_FUNCTION and len(self.stack) <= DEEPEST_CALL and on_stack < 2

    @contextmanager
    def uncounted(self) -> Iterator[None]:
        """Does not count the runs of functions meanwhile."""
        runs = dict(self._runs)
        try:
            yield
        finally:
            self._runs = runs

    def new_frame(
        self, scope: Scope, module: Module, parent: Optional[Frame], is_class: bool = False
    ) -> Frame:
        """Makes a frame."""
        frame = Frame(len(self.frames), scope, module, parent, is_class)
        self.frames.append(frame)
        return frame

    def comprehension_frame(self, expression: ir.Comprehension, scope: Scope) -> Frame:
        """Makes the frame of a comprehension's own names."""
        frame = self.activation.frame
        return self.new_frame(scope, frame.module, frame)

    def context_of(self, caller: int, site: Hashable) -> int:
        """Returns the number of the chain of calls `caller` followed by one at `site`."""
        return self._contexts.setdefault((caller, site), len(self._contexts) + 1)

    def allocate(self, what: Hashable, info: ObjectInfo) -> Object:
        """Makes the object of this place and chain of calls."""
        made = self.heap.allocate((info.site, what, self.activation.context), info)
        self._made_in.setdefault(made.number, self.activation.context)
        return made

    @contextmanager
    def separate(self, turn: int) -> Iterator[None]:
        """Makes other objects in each turn of a script's loop: every component that it builds is one."""
        activation = self.activation
        outer = activation.context
        if self.root.is_script:
            activation.context = self.context_of(outer, ("turn", turn))
        try:
            yield
        finally:
            activation.context = outer

    def makers(self, number: int) -> Iterator[Site]:
        """Yields where an object is made, and the calls that led there, innermost first."""
        yield self.heap.info(number).site
        callers = {context: call for call, context in self._contexts.items()}
        call = callers.get(self._made_in.get(number, 0))
        while call is not None:
            if isinstance(call[1], Site):
                yield call[1]
            call = callers.get(call[0])

    def define(self, module: Module, node: object, name: str, owner: int) -> int:
        """Returns the number of a function definition."""
        key = (module.path, node.at)  # type: ignore[attr-defined]
        number = self._definition_numbers.get(key)
        if number is None:
            number = self._definition_numbers[key] = len(self.definitions)
            if isinstance(node, ir.FunctionDef):
                scope = scopes.scope_of(node.body, node.parameters)
            else:
                assert isinstance(node, ir.Lambda)
                scope = scopes.scope_of((), node.parameters)
            self.definitions.append(Definition(module, node, name, owner, scope))
        return number

    def signature(self, definition: int) -> Site:
        """Returns where a function's `def` and name stand."""
        known = self.definitions[definition]
        node = known.node
        return Site(known.module.path, node.signature if isinstance(node, ir.FunctionDef) else node.at)  # type: ignore[attr-defined]

    # --- statements -----------------------------------------------------------------------------

    def run(self, body: Sequence[ir.Statement], state: State) -> bool:
        """Runs statements in the current activation; tells whether the end can be reached."""
        for statement in body:
            self.step()
            handler = _HANDLERS.get(type(statement))
            if handler is not None and not handler(self, statement, state):
                return False
        return True

    def evaluate(self, expression: ir.Expression, state: State) -> Value:
        """Returns what an expression may be."""
        return self.expressions.evaluate(expression, state)

    def _evaluate_statement(self, statement: ir.Evaluate, state: State) -> bool:
        path = self.activation.frame.module.path
        self.discarded.update((path, span) for span in scopes.discarded(statement.value))
        self.evaluate(statement.value, state)
        return not self.calls.never_returns(statement.value, state)

    def _assign(self, statement: ir.Assign, state: State) -> bool:
        if all(isinstance(target, ir.Name) and target.identifier == "_" for target in statement.targets):
            path = self.activation.frame.module.path
            self.discarded.update((path, span) for span in scopes.discarded(statement.value))
        value = self.evaluate(statement.value, state)
        for target in statement.targets:
            self.assignments.assign(target, value, state, statement.value)
            self.conditions.remember(target, statement.value, value, state)
        return True

    def _annotated_assign(self, statement: ir.AnnotatedAssign, state: State) -> bool:
        if statement.value is not None:
            value = refined(self.evaluate(statement.value, state), statement.annotation)
            self.assignments.assign(statement.target, value, state, statement.value)
            self.conditions.remember(statement.target, statement.value, value, state)
        if self.activation.frame.is_class and isinstance(statement.target, ir.Name):
            self.modules.annotate(
                self.activation.frame, statement.target.identifier, statement.annotation, state
            )
        return True

    def _augmented_assign(self, statement: ir.AugmentedAssign, state: State) -> bool:
        self.assignments.augment(statement, state)
        return True

    def _return(self, statement: ir.Return, state: State) -> bool:
        if self.activation.answers is not None and statement.value is not None:
            self._answer(statement.value, state)
            return False
        value = self.evaluate(statement.value, state) if statement.value is not None else NONE
        if self.activation.answers is not None:
            self.activation.answers.append((False, facts(state.changes_since(self.activation.base))))
        self.activation.returns.append((left(self.activation, state), value))
        self._note_exception(state)
        return False

    def _answer(self, expression: ir.Expression, state: State) -> None:
        """Returns from a function whose result is a condition: once for yes, once for no."""
        activation = self.activation
        branches = self.conditions.branch(expression, state)
        assert activation.answers is not None
        for outcome in (True, False):
            side = branches.side(outcome)
            if side is not None:
                activation.answers.append((outcome, facts(side.changes_since(activation.base))))
                value = branches.value
                if branches.side(not outcome) is None and value == typed("bool", BOUNDED):
                    value = TRUE if outcome else FALSE
                activation.returns.append((left(activation, side), value))
                self._note_exception(side)

    def _raise(self, statement: ir.Raise, state: State) -> bool:
        if statement.exception is not None:
            self.evaluate(statement.exception, state)
        self._note_exception(state)
        return False

    def _note_exception(self, state: State) -> None:
        """Lets the handlers of the innermost `try` start from what holds here."""
        if self.activation.attempts:
            attempt = self.activation.attempts[-1]
            attempt.raised.append(state.changes_since(attempt.base))

    def _assert(self, statement: ir.Assert, state: State) -> bool:
        return self.conditions.assume(statement.test, True, state)

    def _delete(self, statement: ir.Delete, state: State) -> bool:
        for target in statement.targets:
            self.assignments.delete(target, state)
        return True

    def _jump(self, statement: ir.Jump, state: State) -> bool:
        if statement.keyword == "pass" or not self.activation.loops:
            return statement.keyword == "pass"
        loop = self.activation.loops[-1]
        exits = loop.breaks if statement.keyword == "break" else loop.continues
        if statement.keyword == "continue" and loop.selected:
            self._leave_out(loop.selected, state)
        exits.append(state.changes_since(loop.base))
        return False

    def _leave_out(self, name: str, state: State) -> None:
        """Notes that a loop does not keep this element: it needs no trace."""
        for atom in self.names.load(name, state):
            self.excuses.excuse(atom, state)

    def _import(self, statement: ir.Import, state: State) -> bool:
        self.modules.run_import(statement, state)
        return True

    def _import_from(self, statement: ir.ImportFrom, state: State) -> bool:
        return self.modules.run_import_from(statement, state)

    def _if(self, statement: ir.If, state: State) -> bool:
        if scopes.is_main_guard(statement.test) and not self.root.is_script:
            return True
        if scopes.is_type_checking(statement.test):
            self.modules.run_type_checking(statement.body, state)
            return self.run(statement.otherwise, state)
        excused = excused_side(statement.test, statement.body, statement.otherwise)
        selected = self.activation.loops[-1].selected if self.activation.loops else ""
        branches = self.conditions.branch(statement.test, state)
        paths: List[Changes] = []
        for outcome, block in ((True, statement.body), (False, statement.otherwise)):
            side = branches.side(outcome)
            if side is None:
                continue
            if excused is outcome:
                self.excuses.everything(side)
            if (
                selected
                and not keeps(block, selected)
                and keeps(statement.body + statement.otherwise, selected)
            ):
                self._leave_out(selected, side)
            if self.run(block, side):
                paths.append(side.changes_since(state))
        if paths:
            state.merge(paths)
        return bool(paths)

    def _while(self, statement: ir.While, state: State) -> bool:
        def enter(turn: State) -> bool:
            return self.conditions.assume(statement.test, True, turn)

        def leave(rest: State) -> bool:
            return self.conditions.assume(statement.test, False, rest)

        counted = self.conditions.counted(statement.test, state)
        if counted is not None:
            return self._for_each(statement, counted, state, enter, leave)
        return self._loop(statement.body, statement.otherwise, state, enter, leave, runs_at_least_once=False)

    def _for(self, statement: ir.For, state: State) -> bool:
        iterable = self.evaluate(statement.iterable, state)
        unrolled = self.contents.unrollable(iterable, state)
        if unrolled is not None:
            return self._unrolled(statement, unrolled, state)
        element = self.contents.element(iterable, state, statement.is_async)

        def enter(turn: State) -> bool:
            self.conditions.forget_elements(iterable, turn)
            self.conditions.have_elements(statement.iterable, iterable, turn)
            self.assignments.assign(statement.target, element, turn, None)
            return True

        counted = self.conditions.counted(statement.iterable, state)
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
        body, otherwise = statement.body, statement.otherwise
        if self.contents.surely_nonempty(iterable, state):
            return self._loop(body, otherwise, state, enter, leave, True, selected)
        # Without an element there is nothing in the collection to trace or to measure.
        never, some = state.fork(), state.fork()
        self.conditions.void(iterable, never)
        if isinstance(statement, ir.For):
            self.narrowing.spare(statement, self.contents.element(iterable, state), never)
        reached = self.run(otherwise, never)
        ends = self._loop(body, otherwise, some, enter, leave, True, selected)
        paths = [path.changes_since(state) for path, alive in ((never, reached), (some, ends)) if alive]
        self._join(state, paths)
        return bool(paths)

    def _unrolled(self, statement: ir.For, turns: Sequence[Turn], state: State) -> bool:
        """Runs a loop over a short literal collection element by element."""
        loop = Loop(state, selected_name(statement))
        self.activation.loops.append(loop)
        turn: Optional[State] = state.fork()
        for number, (element, sure) in enumerate(turns):
            if turn is None:
                break
            skipped = [] if sure else [turn.changes_since(state)]
            self.assignments.assign(statement.target, element, turn, None)
            with self.separate(number):
                ends = self.run(statement.body, turn)
            paths = ([turn.changes_since(state)] if ends else []) + loop.continues + skipped
            loop.continues = []
            turn = None
            if paths:
                turn = state.fork()
                turn.merge(paths)
        self.activation.loops.pop()
        paths = list(loop.breaks)
        if turn is not None and self.run(statement.otherwise, turn):
            paths.append(turn.changes_since(state))
        self._join(state, paths)
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
        loops = self.activation.loops
        turns = 2 if len(loops) < DEEPEST_REPEATED_LOOP else 1
        breaks: List[Changes] = []
        after: Optional[Changes] = None
        head = state.fork()
        for number in range(turns):
            loop = Loop(head, selected)
            loops.append(loop)
            turn = head.fork()
            ends = enter(turn) and self.run(body, turn)
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
            if leave(rest) and self.run(otherwise, rest):
                paths.append(rest.changes_since(state))
        self._join(state, paths)
        return bool(paths)

    def _with(self, statement: ir.With, state: State) -> bool:
        suppresses = False
        for item in statement.items:
            manager = self.evaluate(item.value, state)
            entered = self.calls.enter(manager, statement.is_async, self.site(item.value.at), state)
            suppresses = suppresses or self.outside.suppresses(manager)
            if item.target is not None:
                self.assignments.assign(item.target, entered, state, item.value)
        marks = self.activation.marks
        spans = tuple(name for item in statement.items for name in self.outside.span_names(item.value, state))
        self.activation.marks = marks + spans
        if not suppresses:
            ends = self.run(statement.body, state)
        else:
            body = self._run_quiet(statement.body, state)
            self.activation.attempts.append(Attempt(state, ("Exception",)))
            inner = state.fork()
            paths: List[Changes] = [{}]
            if self.run(body, inner):
                paths.append(inner.changes_since(state))
            state.merge(paths)
            self.activation.attempts.pop()
            ends = True
        self.activation.marks = marks
        return ends

    def _try(self, statement: ir.Try, state: State) -> bool:
        body = self._run_quiet(statement.body, state)
        catches = tuple(name for handler in statement.handlers for name in self.calls.caught(handler))
        attempt = Attempt(state, catches)
        inner = state.fork()
        returned = len(self.activation.returns)
        self.activation.attempts.append(attempt)
        ends = self.run(body, inner)
        self.activation.attempts.pop()
        raised: List[Changes] = [{}, *attempt.raised]
        if ends:
            raised.append(inner.changes_since(state))
        paths: List[Changes] = []
        if ends and self.run(statement.otherwise, inner):
            paths.append(inner.changes_since(state))
        imports = self.modules.import_outcome(statement.body, state)
        for handler in statement.handlers:
            if imports == "succeeds" and "ImportError" in self.calls.caught(handler):
                continue
            caught = state.fork()
            caught.merge(raised)
            if handler.name:
                self.names.bind(handler.name, UNKNOWN, caught)
            if self.run(handler.body, caught):
                paths.append(caught.changes_since(state))
        if not paths:
            if statement.final:
                self._run_final_on_returns(statement.final, returned)
            return False
        state.merge(paths)
        return self.run(statement.final, state)

    def _run_quiet(self, body: Sequence[ir.Statement], state: State) -> Sequence[ir.Statement]:
        """Runs what a block begins with that never raises, and returns the rest."""
        for position, statement in enumerate(body):
            if not self.calls.cannot_raise(statement, state):
                return body[position:]
            self.run((statement,), state)
        return ()

    def _run_final_on_returns(self, final: Sequence[ir.Statement], first: int) -> None:
        """Lets a `finally` block act on the paths that return from inside its `try`."""
        activation = self.activation
        returns = activation.returns[first:]
        if not returns:
            return
        closing = activation.base.fork()
        closing.merge([changes for changes, _ in returns])
        before = closing.fork()
        if self.run(final, before):
            extra = before.changes_since(closing)
            activation.returns[first:] = [({**changes, **extra}, value) for changes, value in returns]

    def _match(self, statement: ir.Match, state: State) -> bool:
        subject = self.evaluate(statement.subject, state)
        self.conditions.examine(statement.subject, subject, state)
        paths: List[Changes] = []
        exhaustive = False
        for case in statement.cases:
            taken = state.fork()
            matched, subject = self.narrowing.matched(case, subject, state)
            self.conditions.store(statement.subject, matched, taken)
            for name in case.captures:
                self.names.bind(name, matched if case.irrefutable else UNKNOWN, taken)
            for value in case.values:
                self.evaluate(value, taken)
            possible = case.guard is None or self.conditions.assume(case.guard, True, taken)
            if possible and self.run(case.body, taken):
                paths.append(taken.changes_since(state))
            exhaustive = exhaustive or case.irrefutable
        if not exhaustive:
            paths.append({})
        self._join(state, paths)
        return bool(paths)

    def _function_def(self, statement: ir.FunctionDef, state: State) -> bool:
        value = self.calls.define_function(statement, state)
        self.names.bind(statement.name, value, state)
        return True

    def _class_def(self, statement: ir.ClassDef, state: State) -> bool:
        value = self.modules.define_class(statement, state)
        self.names.bind(statement.name, value, state)
        return True

    def _join(self, state: State, paths: Sequence[Changes]) -> None:
        if paths:
            state.merge(paths)

    # --- bodies ---------------------------------------------------------------------------------

    def run_module(self, frame: Frame, state: State) -> None:
        """Runs the body of a module into its frame."""
        activation = Activation(frame, self.context_of(0, frame.module.path), state, -1, None)
        self.stack.append(activation)
        outer_root = self.root
        if not outer_root.is_script:
            self.root = Root("module", frame.module.path, None)
        try:
            self.run(frame.module.facts.body, state)
        finally:
            self.stack.pop()
            self.root = outer_root

    def run_class_body(self, frame: Frame, body: Sequence[ir.Statement], state: State) -> None:
        """Runs the body of a class into its frame."""
        activation = Activation(frame, self.activation.context, state, -1, None)
        self.stack.append(activation)
        try:
            self.run(body, state)
        finally:
            self.stack.pop()

    def run_function(
        self, function: Function, frame: Frame, context: int, state: State, body: State, site: Site
    ) -> Tuple[Value, Value]:
        """Runs the body of a function, in `body`, a fork of its caller's `state` that holds the arguments.

        Returns:
            What it returns, and what it yields.
        """
        node = self.definitions[function.definition].node
        activation = Activation(frame, context, state, function.definition, site)
        activation.marks = tuple(mark.name for mark in function.marks)
        activation.answers = [] if site == self.conditions.asked else None
        self.stack.append(activation)
        try:
            if isinstance(node, ir.Lambda) and activation.answers is None:
                value = self.evaluate(node.body, body)
                state.apply(body.changes_since(state))
                return value, activation.yields
            if isinstance(node, ir.Lambda):
                self._answer(node.body, body)
                ends = False
            else:
                assert isinstance(node, ir.FunctionDef)
                ends = self.run(node.body, body)
        finally:
            self.stack.pop()
        if activation.answers is not None:
            if ends:
                activation.answers.append((False, facts(body.changes_since(state))))
            self.conditions.answered(activation.answers)
        return self.join_returns(activation, state, ends, body), activation.yields

    def join_returns(self, activation: Activation, state: State, ends: bool, body: State) -> Value:
        """Brings the changes of a finished body into its caller's state; returns what it returned."""
        paths = [changes for changes, _ in activation.returns]
        values = [value for _, value in activation.returns]
        if ends:
            paths.append(left(activation, body))
            values.append(NONE)
        if not paths and activation.paused is not None:
            paths.append(activation.paused)
        if not paths:
            return NOTHING
        state.merge(paths)
        return perhaps_finite(join(values))


_HANDLERS: Dict[type, Callable[..., bool]] = {
    ir.Evaluate: Machine._evaluate_statement,
    ir.Assign: Machine._assign,
    ir.AnnotatedAssign: Machine._annotated_assign,
    ir.AugmentedAssign: Machine._augmented_assign,
    ir.Return: Machine._return,
    ir.Raise: Machine._raise,
    ir.Assert: Machine._assert,
    ir.Delete: Machine._delete,
    ir.Jump: Machine._jump,
    ir.Import: Machine._import,
    ir.ImportFrom: Machine._import_from,
    ir.If: Machine._if,
    ir.For: Machine._for,
    ir.While: Machine._while,
    ir.With: Machine._with,
    ir.Try: Machine._try,
    ir.Match: Machine._match,
    ir.FunctionDef: Machine._function_def,
    ir.ClassDef: Machine._class_def,
}
