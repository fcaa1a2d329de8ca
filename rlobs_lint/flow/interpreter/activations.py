"""What is being run: bodies with their names, loops and attempts."""

from __future__ import annotations

from typing import Dict, FrozenSet, List, NamedTuple, Optional, Tuple

from rlobs_lint.facts import ir
from rlobs_lint.facts.module import Module
from rlobs_lint.facts.scopes import Scope
from rlobs_lint.flow.domain.state import VARIABLE, Changes, Key, State
from rlobs_lint.flow.domain.values import NOTHING, Site, Value


class Answer(NamedTuple):
    """An answer to a yes-or-no question.

    Attributes:
        outcome: Whether it is yes, that is, true as a condition.
        known: What the path to it found out about the input.
        is_none: Whether it is `None`, if that can be told.
    """

    outcome: bool
    known: FrozenSet[Key]
    is_none: Optional[bool]


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


class Turn(NamedTuple):
    """An element of a collection that a loop is run for; `sure` where it is there on every path."""

    element: Value
    sure: bool


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
