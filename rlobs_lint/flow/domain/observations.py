"""What the machine writes down for the rules: plain records, each noted once."""

from __future__ import annotations

from contextlib import contextmanager
from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    FrozenSet,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Set,
    Tuple,
    Type,
    TypeVar,
    Union,
)

from rlobs_lint.flow.domain.values import Atom, Function, Mark, Site, Value

if TYPE_CHECKING:
    from rlobs_lint.flow.domain.arguments import Arguments
    from rlobs_lint.flow.domain.heap import MappingContent

_Record = TypeVar("_Record")


class Root(NamedTuple):
    """Where a run of code begins.

    Attributes:
        kind: `processor`, `unreached` (a function that nothing known calls), `module` or `script`.
        name: Unique name: a class or function with its file.
        cls: Of a processor, its class's object number.
    """

    kind: str
    name: str
    cls: Optional[int]

    @property
    def is_script(self) -> bool:
        """Whether it is code that runs on the developer's machine."""
        return self.kind == "script"


class WrongImport(NamedTuple):
    """`from module import name`, where the SDK's module does not have the name."""

    site: Site
    name: str
    module: str


class UnboundUse(NamedTuple):
    """A use of an observability name that is not bound at run time.

    Attributes:
        site: The use.
        spelling: How it is written.
        name: What the SDK calls it.
        why: `unbound`, `type-checking`, or `import` where it is looked up on a module that lacks it.
        module: That module.
    """

    site: Site
    spelling: str
    name: str
    why: str
    module: str


class SyncWrapper(NamedTuple):
    """A decorator whose plain wrapper returns an async function's coroutine."""

    site: Site
    wrapper: int


class LostCoroutine(NamedTuple):
    """A sync wrapper below a decorator that needs the async function itself.

    Attributes:
        site: The decorator that makes the wrapper.
        what: `llm` or `tool`: the span that stays empty.
        definition: Number of the function that is wrapped.
    """

    site: Site
    what: str
    definition: int


class FunctionCall(NamedTuple):
    """A call of a workspace function with decorators that matter.

    Attributes:
        definition: The function.
        site: The call; where wrappers of decorators stand between, that of the outermost.
        marks: Its decorators.
        arguments: What it is given.
        is_bound: Whether `self` or `cls` comes in beside the arguments.
        root: The run that it belongs to.
    """

    definition: int
    site: Site
    marks: Tuple[Mark, ...]
    arguments: Arguments
    is_bound: bool
    root: Root


class StreamReturned(NamedTuple):
    """A function under `@observe_llm` that returns before its first token: a generator or a stream."""

    definition: int


class EntryCall(NamedTuple):
    """A run of a function under `@observe_processor`: an ENTRY span begins."""

    definition: int
    name: str
    site: Site
    takes_input: bool
    root: Root


class Decoration(NamedTuple):
    """A decorator of the SDK, or one that makes a tool or a server's tool, applied to something.

    Attributes:
        name: The decorator (`sdk.observe_tool`).
        site: The decorator, or the call that applies it.
        target: Number of the function's definition, or -1.
        cls: Object number of a class that is decorated, or -1.
        below: Decorators that were applied before it.
        misbound: Whether the name is not bound to the SDK.
        in_call: Whether it is applied by a call instead of an `@`.
    """

    name: str
    site: Site
    target: int
    cls: int
    below: Tuple[str, ...]
    misbound: bool
    in_call: bool


class SdkCall(NamedTuple):
    """A call of a name of the SDK, or of another name that rules ask about.

    Attributes:
        name: `trace_client`, `Reward`, `set_tracer_provider`, ...
        site: The call.
        arguments: What it was given.
        result: Object number of what it makes, or -1.
        discarded: Whether nothing uses its result.
        misbound: Whether the name is not bound to the SDK.
        attempts: What the `try` statements around it catch.
        root: The run that it belongs to.
    """

    name: str
    site: Site
    arguments: Arguments
    result: int
    discarded: bool
    misbound: bool
    root: Root


class UntracedUse(NamedTuple):
    """A use of a client or tool that some path did not trace.

    Attributes:
        number: The object.
        site: The use.
        half: The half that is used.
        how: The method, or `handed` when code outside the workspace uses it.
        effect: What tracing would do for this use: `traced`, `missing`, `raises` or `empty`; `unsure` where
            it may raise.
        root: The run that it belongs to.
    """

    number: int
    site: Site
    half: int
    how: str
    effect: str
    root: Root


class TracedUse(NamedTuple):
    """A use of a client or tool that is traced on every path; the fields as of `UntracedUse`."""

    number: int
    site: Site
    half: int
    how: str
    effect: str
    root: Root


class AnswerInspected(NamedTuple):
    """A client some of whose answers are used in a way that would notice that a traced one's are others."""

    number: int


class LateTrace(NamedTuple):
    """A trace call that comes after a use of the same object; `halves` were used before."""

    number: int
    site: Site
    halves: int
    root: Root


class Unsupported(NamedTuple):
    """A trace call on something that it does not patch.

    Attributes:
        function: `trace_client` or `trace_tool`.
        site: The call.
        argument: What it is given.
        what: What kind of thing that is.
        subjects: Object numbers, and names outside the workspace, of what it is given: other rules say
            nothing about them.
        root: The run that it belongs to.
    """

    function: str
    site: Site
    argument: Site
    what: str
    subjects: Tuple[Union[int, str], ...]
    root: Root


class Premature(NamedTuple):
    """`trace_tool(x)` before `x` holds the tool `number`, which it is given at `filled`."""

    site: Site
    filled: Site
    number: int
    root: Root


class Bypass(NamedTuple):
    """A traced client used through something that the patch does not cover.

    Attributes:
        number: The client.
        site: The call that builds the uncovered object or makes the call, or the constructor's flag.
        api: How it is written (`with_structured_output`, `stream`).
        effect: `missing`, `raises` or `empty`.
        root: The run that it belongs to.
    """

    number: int
    site: Site
    api: str
    effect: str
    root: Root


class BareCall(NamedTuple):
    """A request to a chat endpoint, or a call of a chat model that cannot be traced.

    Attributes:
        site: The call.
        what: `http` or `unsupported`.
        name: What is called.
        subject: Object number of what it is called on, or the name of a function.
        covered: Whether an LLM span is around it.
        root: The run that it belongs to.
    """

    site: Site
    what: str
    name: str
    subject: Union[int, str]
    covered: bool
    root: Root


class Detached(NamedTuple):
    """An LLM or tool call that runs without its trace's context.

    Attributes:
        site: What hands it to a thread, or the sub-reward's definition.
        way: `run_in_executor`, `submit`, `Thread`, `sub-reward`, `aggregate`.
        call: The call whose span is detached.
        kind: `llm` or `tool`.
        traced: Whether it has a span at all.
        root: The run that it belongs to.
    """

    site: Site
    way: str
    call: Site
    kind: str
    traced: bool
    root: Root


class Handing(NamedTuple):
    """Tools given to a model, node or agent, or invoked, in their order."""

    site: Site
    numbers: Tuple[int, ...]
    root: Root


class MetricsAssignment(NamedTuple):
    """`reward.reward_metrics = value` and its like, which the SDK does not check."""

    attribute: str
    owner: str
    number: int
    value: Value
    site: Site
    value_site: Site
    root: Root


class ElementRead(NamedTuple):
    """An element of `agent_output.messages` read; `guarded` when it cannot be missing there."""

    site: Site
    path: Tuple[str, ...]
    guarded: bool
    root: Root


class ProviderReplaced(NamedTuple):
    """`set_tracer_provider(...)`; `when` is `import`, or the method of a processor that comes to it."""

    site: Site
    when: str
    root: Root


class EnvironmentChange(NamedTuple):
    """`os.environ[name] = value`, or the same by `update`; `site` is the value's."""

    site: Site
    name: str
    value: Value
    root: Root


class Ledger:
    """All observations of one analysis.

    Attributes:
        classes: Object numbers of all classes, in order.
        functions: What the function statements of modules and classes define, by the definition's number.
        reward_functions: Classes under `@reward_func`: the decorator, and the own `process` it replaced.
        wrapped: The function that each wrapper is around, by the wrapper's definition and frame.
        scores: Where the score of a reward object is written.
        amended: Result objects that get an `error` later, or may get one.
        merging: Reward classes whose aggregate takes the metrics of their sub-rewards, by object number.
        changed_fields: Which fields of a component or dataset are set after it is built, by object number.
        snapshots: What the arguments of a component or submission held, by the call and what it made.
        callees: The definitions of the workspace functions that each call may run.
        carries_context: Whether `ThreadingInstrumentor` takes the context of a trace along into threads.
        observes_unknown: Whether `process` of a class that is not known is put under `@observe_processor`.
        inside_entry: Definitions of functions that run inside the ENTRY span of a processor that has them,
            with the class of that processor.
    """

    def __init__(self) -> None:
        self.classes: Dict[int, None] = {}
        self.functions: Dict[int, List[Atom]] = {}
        self.reward_functions: Dict[int, Tuple[Site, Optional[Value]]] = {}
        self.wrapped: Dict[Tuple[int, int], Function] = {}
        self.scores: Dict[int, Site] = {}
        self.amended: Set[int] = set()
        self.merging: Set[int] = set()
        self.changed_fields: Dict[int, Dict[str, None]] = {}
        self.snapshots: Dict[Tuple[Site, int], Dict[int, Any]] = {}
        self.callees: Dict[Site, Set[int]] = {}
        self.carries_context = False
        self.observes_unknown = False
        self.inside_entry: Set[Tuple[int, Optional[int]]] = set()
        self._records: Dict[Type[Any], Dict[Any, None]] = {}
        self._paused = 0
        self._only: Optional[Tuple[Type[Any], ...]] = None

    def note(self, record: Any) -> None:
        """Writes a record down, once."""
        if not self._paused and (self._only is None or isinstance(record, self._only)):
            self._records.setdefault(type(record), {})[record] = None

    def defined(self, definition: int) -> Tuple[Function, ...]:
        """Returns the functions that a definition became, with their decorators; a tool is none."""
        return tuple(atom for atom in self.functions.get(definition, ()) if isinstance(atom, Function))

    def of(self, kind: Type[_Record]) -> Tuple[_Record, ...]:
        """Returns all records of a kind, in the order that they were noted."""
        return tuple(self._records.get(kind, ()))

    def keep_only(self, *kinds: Type[Any]) -> None:
        """Writes down nothing but these kinds of records from now on; without any, all kinds again."""
        self._only = kinds or None

    def misbound_calls(self) -> FrozenSet[Site]:
        """Returns the calls of names that are not bound to the SDK: RLO105 alone speaks of them."""
        return frozenset(record.site for record in self.of(SdkCall) if record.misbound)

    def resume(self) -> None:
        """Writes down again, after a run that broke off."""
        self._paused = 0

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Writes nothing down meanwhile."""
        self._paused += 1
        try:
            yield
        finally:
            self._paused -= 1


class Given(NamedTuple):
    """An argument of a model: its keyword, its value, and where each is written."""

    keyword: str
    value: Value
    site: Site
    value_site: Site


class ModelBuilt(NamedTuple):
    """A `Reward`, `AgentOutput`, `RewardOutput`, ... built in function code.

    Attributes:
        model: The class's name.
        site: The call, or the dictionary that is given in its place.
        given: The arguments by keyword, as far as they are known.
        open: Whether there may be others (`**values`).
        number: Object number of the result, or -1.
        root: The run that it belongs to.
        sub_reward: Whether a sub-reward builds it: the SDK swallows what it raises.
    """

    model: str
    site: Site
    given: Tuple[Given, ...]
    open: bool
    number: int
    root: Root
    sub_reward: bool


class MetricsGiven(NamedTuple):
    """A mapping given as `reward_metrics` or `rollout_metrics`, as it is at that moment.

    Attributes:
        parameter: Which of the two.
        model: `Reward` or `AgentOutput`.
        site: The expression that is given.
        content: What the mapping holds; `None` when the value is no mapping that is known.
        value: The value itself.
        checked: Whether the SDK checks it (not when it is assigned later).
        root: The run that it belongs to.
        sub_reward: Whether a sub-reward gives it.
    """

    parameter: str
    model: str
    site: Site
    content: Optional[MappingContent]
    value: Value
    checked: bool
    root: Root
    sub_reward: bool


class SubReward(NamedTuple):
    """A run of a `@sub_reward_func` method.

    Attributes:
        cls: Object number of the `@reward_func` class that is run.
        definition: The method.
        name: Its name as a part, when that can be read.
        keys: Keys of the metrics that it reports: key and place of each.
    """

    cls: int
    definition: int
    name: Optional[str]
    keys: Tuple[Tuple[Value, Site], ...]


class Result(NamedTuple):
    """What `process` of a processor may return on one path, as far as the score goes.

    Attributes:
        cls: Object number of the processor's class.
        failed: Whether the result says that the reward failed.
        score: The score's value; nothing when it is not known.
        site: Where the score is written, when that is known.
    """

    cls: int
    failed: bool
    score: Value
    site: Optional[Site]
