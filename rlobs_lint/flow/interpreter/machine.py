"""The abstract machine: what is being run, its frames and budgets, and the statements.

`Machine` is assembled from parts that each know one thing (expressions, conditions, calls, modules,
outside code); they share it to call each other.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import (
    Dict,
    Hashable,
    Iterator,
    List,
    Optional,
    Sequence,
    Set,
    Tuple,
)

from rlobs_lint.facts import ir, scopes
from rlobs_lint.facts.module import Module
from rlobs_lint.facts.scopes import Scope
from rlobs_lint.flow.domain.heap import Heap, ObjectInfo
from rlobs_lint.flow.domain.observations import Ledger, Root
from rlobs_lint.flow.domain.state import State, facts
from rlobs_lint.flow.domain.values import NONE, NOTHING, Function, Object, Site, Value, join, perhaps_finite
from rlobs_lint.flow.interpreter import parts
from rlobs_lint.flow.interpreter.activations import Activation, Answer, Definition, Frame, left
from rlobs_lint.flow.interpreter.world import Watcher, World
from rlobs_lint.model import Span
from rlobs_lint.project.upload import Upload

#: Statements and expressions that one root may run through before it is given up (silence).
STEPS_PER_ROOT = 400_000
#: How often one root runs one function; further calls return something unknown.
RUNS_PER_FUNCTION = 24
DEEPEST_CALL = 24


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
        world: What knows code outside the workspace.
        watcher: What is told what happens to values.
    """

    statements: parts.Statements
    switches: parts.TracingSwitches
    loops: parts.Loops
    expressions: parts.Expressions
    names: parts.Names
    contents: parts.Contents
    assignments: parts.Assignments
    operators: parts.Operators
    comprehensions: parts.Comprehensions
    conditions: parts.Conditions
    type_tests: parts.TypeTests
    comparisons: parts.Comparisons
    narrowing: parts.Narrowing
    calls: parts.Calls
    instances: parts.Instances
    functions: parts.Functions
    exceptions: parts.Exceptions
    modules: parts.Modules
    attributes: parts.Attributes
    inheritance: parts.Inheritance
    enumerations: parts.Enumerations
    library: parts.Library
    unseen: parts.Unseen
    guards: parts.Guards

    world: World
    watcher: Watcher

    def __init__(self, workspace: Upload) -> None:
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
        self.renew()
        self.world.begin()
        self.unseen.begin()

    def renew(self) -> None:
        """Allows as many steps and runs again."""
        self._steps = 0
        self._runs = {}

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
        return self.statements.run(body, state)

    def evaluate(self, expression: ir.Expression, state: State) -> Value:
        """Returns what an expression may be."""
        return self.expressions.evaluate(expression, state)

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
        self,
        function: Function,
        frame: Frame,
        context: int,
        state: State,
        body: State,
        site: Site,
        answers: Optional[List[Answer]],
    ) -> Tuple[Value, Value]:
        """Runs the body of a function, in `body`, a fork of its caller's `state` that holds the arguments.

        `answers` gets its answers, where it is asked a yes-or-no question.

        Returns:
            What it returns, and what it yields.
        """
        node = self.definitions[function.definition].node
        activation = Activation(frame, context, state, function.definition, site)
        activation.marks = tuple(mark.name for mark in function.marks)
        activation.answers = answers
        self.stack.append(activation)
        try:
            if isinstance(node, ir.Lambda) and answers is None:
                value = self.evaluate(node.body, body)
                state.apply(body.changes_since(state))
                return value, activation.yields
            if isinstance(node, ir.Lambda):
                self.statements.answer(node.body, body)
                ends = False
            else:
                assert isinstance(node, ir.FunctionDef)
                ends = self.run(node.body, body)
        finally:
            self.stack.pop()
        if answers is not None and ends:
            answers.append(Answer(False, facts(body.changes_since(state)), True))
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
