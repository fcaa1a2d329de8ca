"""What the SDK's own functions, decorators and classes do with what they are given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, Optional, Tuple

from rlobs_lint import ir, sdk
from rlobs_lint.flow import heap
from rlobs_lint.flow.calls import Arguments, with_mark
from rlobs_lint.flow.heap import Entry, MappingContent, ObjectInfo, SequenceContent
from rlobs_lint.flow.observations import (
    Decoration,
    LostCoroutine,
    MetricsGiven,
    ModelBuilt,
    Result,
    SdkCall,
    SubReward,
    Unsupported,
)
from rlobs_lint.flow.state import ATTRIBUTE, Key, State
from rlobs_lint.flow.values import (
    BOUNDED,
    NONE,
    NOTHING,
    UNKNOWN,
    Atom,
    Constant,
    External,
    Function,
    Generated,
    Misbound,
    Object,
    Site,
    Value,
    constant,
    join,
    typed,
)

if TYPE_CHECKING:
    from rlobs_lint.flow.machine import Machine

_FUNCTION_DECORATORS = frozenset({"observe_processor", "trace_processor_span", "observe_llm", "observe_tool"})
#: Parameters of the SDK's models, in order; the models accept keywords only.
MODEL_FIELDS: Dict[str, Tuple[str, ...]] = {
    "Reward": ("reward_score", "reward_metrics"),
    "AgentOutput": ("messages", "rollout_extra", "rollout_metrics", "reward_score"),
    "RewardOutput": ("reward", "status", "error", "error_code"),
    "RolloutOutput": ("agent_output", "status", "error", "error_code"),
    "GroupReward": ("rewards",),
    "GroupRewardOutput": ("reward", "status", "error"),
}
#: Fields that take another model, also as a dictionary.
NESTED_MODELS: Dict[Tuple[str, str], str] = {
    ("RewardOutput", "reward"): "Reward",
    ("RolloutOutput", "agent_output"): "AgentOutput",
    ("GroupRewardOutput", "reward"): "GroupReward",
}
METRICS_FIELDS: Dict[str, str] = {"Reward": "reward_metrics", "AgentOutput": "rollout_metrics"}
_COMPONENTS = frozenset(
    {
        *sdk.COMPONENT_CLASSES,
        *sdk.DATASET_CLASSES,
        "FunctionComponentRuntime",
        "FunctionComponentModel",
        "AgenticRL",
    }
)
#: Methods of the reward base class that work on what the sub-rewards gave.
PART_METHODS = frozenset({"get_reward_metrics", "get_total", "get_scores", "get_weights"})
MODEL, COMPONENT, JOB_CLIENT = "sdk-model", "sdk-component", "job-client"


class Contract:
    """Carries out calls of the SDK for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        #: Where the first argument of the call that is being made is kept, if it is a variable.
        self.argument_key: Optional[Key] = None

    # --- calls ----------------------------------------------------------------------------------

    def call(self, name: str, arguments: Arguments, site: Site, state: State, misbound: bool) -> Value:
        """Carries out a call of an SDK name."""
        machine = self._machine
        if name in _FUNCTION_DECORATORS:
            return self._decorator_call(name, arguments, site, state, misbound)
        if name in (
            "trace_client",
            "instrument_openai_chat_completions",
            "instrument_dashscope_generation_call",
        ):
            self._note_call(name, arguments, site, -1, misbound)
            self._trace_client(arguments, site, state, misbound)
            return NONE
        if name == "trace_tool":
            self._note_call(name, arguments, site, -1, misbound)
            self._trace_tool(arguments, site, state, misbound)
            return NONE
        if name in ("reward_func", "sub_reward_func"):
            self._note_call(name, arguments, site, -1, misbound)
            return (External(f"sdk.{name}()"),)
        if name == "aggregate_func" and arguments.positional:
            return with_mark(arguments.positional[0].value, "sdk.aggregate_func", site)
        if name in MODEL_FIELDS:
            return self._model(name, arguments, site, state)
        if name in _COMPONENTS:
            return self._component(name, arguments, site, state)
        if name == "is_tracing_enabled":
            return typed("bool", BOUNDED)
        if name == "run_with_genai_llm_span":
            return self._run_in_span(arguments, site, state)
        if name in ("genai_llm_span", "rollout_context"):
            return UNKNOWN
        machine.outside.hand_over(arguments, site, state)
        return UNKNOWN

    def _note_call(self, name: str, arguments: Arguments, site: Site, result: int, misbound: bool) -> None:
        machine = self._machine
        discarded = (site.path, site.span) in machine.discarded
        machine.ledger.note(SdkCall(name, site, arguments, result, discarded, misbound, machine.root))

    def _decorator_call(
        self, name: str, arguments: Arguments, site: Site, state: State, misbound: bool
    ) -> Value:
        """Carries out `observe_tool(f)`, or makes the decorator that `observe_tool(name=...)` is."""
        value = arguments.positional[0].value if arguments.positional else NOTHING
        if not any(isinstance(atom, (Function, Generated, Object)) for atom in value):
            return (Misbound(name),) if misbound else (External(f"sdk.{name}"),)
        return self.decorate(name, value, site, state, misbound, in_call=True)

    def decorate(
        self, name: str, value: Value, site: Site, state: State, misbound: bool, in_call: bool
    ) -> Value:
        """Applies one of the SDK's decorators; notes to what."""
        machine = self._machine
        for atom in value:
            target = atom.definition if isinstance(atom, Function) else -1
            cls = -1
            below: Tuple[str, ...] = ()
            if isinstance(atom, Object):
                info = machine.heap.info(atom.number)
                cls = atom.number if info.kind == heap.CLASS else -1
                below = (info.family,) if info.family else ()
                # The wrong order is the mistake; that no span comes about is its consequence.
                machine.traces.excuse(atom.number, state)
            elif isinstance(atom, (Function, Generated)):
                below = tuple(mark.name for mark in atom.marks)
                self._note_lost_coroutine(name, atom)
            machine.ledger.note(Decoration(f"sdk.{name}", site, target, cls, below, misbound, in_call))
        return with_mark(value, f"sdk.{name}", site)

    def _note_lost_coroutine(self, name: str, atom: Atom) -> None:
        what = {"observe_llm": "llm", "observe_tool": "tool"}.get(name)
        if what is None or not isinstance(atom, Function):
            return
        for mark in atom.marks:
            if mark.name == "sync-wrapper":
                wrapped = self._machine.ledger.wrapped.get((atom.definition, atom.frame), atom)
                self._machine.ledger.note(LostCoroutine(mark.site, what, wrapped.definition))

    def decorated(self, name: str, value: Value, site: Site, state: State, misbound: bool) -> Optional[Value]:
        """Applies a name of the SDK that is written as a decorator; `None` for one that is none."""
        if name in _FUNCTION_DECORATORS:
            return self.decorate(name, value, site, state, misbound, in_call=False)
        if name in ("reward_func()", "reward_func"):
            return self._reward_func(value, site, state)
        if name in ("sub_reward_func()", "sub_reward_func", "aggregate_func"):
            return with_mark(value, f"sdk.{name.rstrip('()')}", site)
        return None

    def _reward_func(self, value: Value, site: Site, state: State) -> Value:
        """`@reward_func(...)` replaces the `process` of a class. Measured, Q7."""
        machine = self._machine
        for atom in value:
            if isinstance(atom, Object) and machine.heap.info(atom.number).kind == heap.CLASS:
                own = state.get((ATTRIBUTE, atom.number, "process"))
                state.set((ATTRIBUTE, atom.number, "process"), (Generated(atom.number),))
                machine.ledger.reward_functions.setdefault(atom.number, (site, own))
        return value

    # --- tracing --------------------------------------------------------------------------------

    def _trace_client(self, arguments: Arguments, site: Site, state: State, misbound: bool) -> None:
        machine = self._machine
        argument = arguments.get(0, "client")
        if argument is None:
            return
        wrong: List[str] = []
        fine = False
        for atom in argument.value:
            verdict = machine.clients.trace(atom, site, state)
            verdict = self._other_client(atom, state) if verdict == "" else verdict
            if verdict is None:
                known = isinstance(atom, Constant) and atom.kind == "None"
                fine = fine or not known
            elif verdict:
                wrong.append(verdict)
            else:
                fine = True
        if not argument.value:
            return
        if wrong and not fine and not misbound:
            machine.outside.excuse_parts(argument.value, state)
            machine.ledger.note(Unsupported("trace_client", site, argument.site, wrong[0], machine.root))

    def _other_client(self, atom: Atom, state: State) -> str:
        """Names the kind of thing that `trace_client` cannot patch; nothing for what is not known."""
        machine = self._machine
        content = machine.expressions.content(atom, state)
        if isinstance(content, SequenceContent):
            return "list"
        if isinstance(content, MappingContent):
            return "dict"
        if not isinstance(atom, Object):
            return ""
        info = machine.heap.info(atom.number)
        if info.kind == heap.CLASS:
            return "client-class" if machine.outside.family_of_class(atom.number) else ""
        if info.kind == heap.INSTANCE:
            return self._own_client(atom, info, state)
        if info.kind == heap.OUTSIDE:
            return machine.outside.untraceable(atom, state)
        return ""

    def _own_client(self, atom: Object, info: ObjectInfo, state: State) -> str:
        """Judges an instance of a workspace class by its shape, as `trace_client` does. Measured, Q3."""
        machine = self._machine
        if info.family or machine.modules.outside_bases(info.cls) not in (
            (),
            ("builtins.object",),
            ("abc.ABC",),
        ):
            return ""
        names = ("chat", "create", "client", "async_client", "call", "__getattr__")
        present = {
            name
            for name in names
            if state.get((ATTRIBUTE, atom.number, name)) is not None
            or machine.modules.class_attribute(info.cls, name, state) is not None
            or machine.modules.declared(info.cls, name, state) is not None
        }
        if not present:
            return "own-class"
        if present <= {"client", "async_client"}:
            verdicts = set()
            for name in present:
                for inner in state.get((ATTRIBUTE, atom.number, name), NOTHING):
                    whole = isinstance(inner, Object) and machine.heap.info(inner.number).family.startswith(
                        "openai"
                    )
                    verdicts.add("wrapped-client" if whole else "")
                    if whole and isinstance(inner, Object):
                        machine.traces.excuse(inner.number, state)
            return "wrapped-client" if verdicts == {"wrapped-client"} else ""
        return ""

    def _trace_tool(self, arguments: Arguments, site: Site, state: State, misbound: bool) -> None:
        machine = self._machine
        argument = arguments.get(0, "tool") or arguments.get(0, "tools")
        if argument is None:
            return
        what = machine.tools.trace(argument.value, argument.site, site, self.argument_key, state)
        if not what and len(arguments.positional) > 1:
            what = "positional-provider"
        if what and not misbound:
            machine.ledger.note(Unsupported("trace_tool", site, argument.site, what, machine.root))

    def _run_in_span(self, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out `run_with_genai_llm_span(f, *args)`: an LLM span is around `f`."""
        machine = self._machine
        if not arguments.positional:
            return UNKNOWN
        activation = machine.activation
        outer, activation.marks = activation.marks, (*activation.marks, "sdk.run_with_genai_llm_span")
        rest = Arguments(arguments.positional[1:], arguments.keywords, True)
        value = machine.calls.call(arguments.positional[0].value, rest, site, state)
        activation.marks = outer
        return value

    # --- models ---------------------------------------------------------------------------------

    def _model(self, name: str, arguments: Arguments, site: Site, state: State) -> Value:
        machine = self._machine
        made = machine.allocate("model", ObjectInfo(heap.OUTSIDE, site, name, family=MODEL))
        given = tuple((a.keyword or "", a.value, a.site) for a in arguments.keywords)
        for keyword, value, _ in given:
            state.set((ATTRIBUTE, made.number, keyword), value)
        for field in MODEL_FIELDS[name]:
            if not any(keyword == field for keyword, _, _ in given):
                unknown = UNKNOWN if arguments.open else NONE
                state.set((ATTRIBUTE, made.number, field), unknown)
        self._built(name, given, arguments.open or bool(arguments.positional), site, made.number, state)
        return (made,)

    def _built(
        self,
        name: str,
        given: Tuple[Tuple[str, Value, Site], ...],
        is_open: bool,
        site: Site,
        number: int,
        state: State,
    ) -> None:
        machine = self._machine
        in_sub_reward = self.in_sub_reward()
        machine.ledger.note(ModelBuilt(name, site, given, is_open, number, machine.root, in_sub_reward))
        for keyword, value, value_site in given:
            if METRICS_FIELDS.get(name) == keyword:
                self.metrics_given(keyword, name, value, value_site, True, state)
            if keyword == "reward_score" and number >= 0:
                machine.ledger.scores[number] = value_site
            nested = NESTED_MODELS.get((name, keyword))
            if nested is not None:
                self._nested(nested, value, state)
            if (name, keyword) == ("GroupReward", "rewards"):
                self._nested("Reward", machine.expressions.element(value, state), state)

    def _nested(self, name: str, value: Value, state: State) -> None:
        """Looks into a dictionary that is given in place of a model."""
        machine = self._machine
        for atom in value:
            content = machine.expressions.content(atom, state)
            if not isinstance(content, MappingContent) or not isinstance(atom, Object):
                continue
            given = []
            for entry in content.entries:
                key = (
                    entry.key[0].value if len(entry.key) == 1 and isinstance(entry.key[0], Constant) else None
                )
                if isinstance(key, str):
                    given.append((key, entry.value, entry.value_site))
            self._built(
                name, tuple(given), content.open, machine.heap.info(atom.number).site, atom.number, state
            )

    def metrics_given(
        self, parameter: str, model: str, value: Value, site: Site, checked: bool, state: State
    ) -> None:
        """Notes a mapping that is reported as metrics, with what it holds now."""
        machine = self._machine
        for atom in value:
            content = machine.expressions.content(atom, state)
            known = content if isinstance(content, MappingContent) else None
            record = MetricsGiven(
                parameter, model, site, known, (atom,), checked, machine.root, self.in_sub_reward()
            )
            machine.ledger.note(record)

    def in_sub_reward(self) -> bool:
        """Whether a `@sub_reward_func` method is being run."""
        return any("sdk.sub_reward_func" in activation.marks for activation in self._machine.stack)

    def attribute_assigned(
        self, owner: Object, name: str, value: Value, site: Site, value_site: Site, state: State
    ) -> None:
        """Notes `reward.reward_metrics = value` and its like."""
        info = self._machine.heap.info(owner.number)
        if info.family == MODEL and METRICS_FIELDS.get(info.name) == name:
            self.metrics_given(name, info.name, value, value_site, False, state)
        if info.family == MODEL and name == "reward_score":
            self._machine.ledger.scores[owner.number] = value_site

    def item_assigned(self, owner: Value, key: Value, value: Value, site: Site, state: State) -> None:
        """Notes an item that is put into metrics which are reported already."""

    # --- results of processors ------------------------------------------------------------------

    def results(self, cls: int, value: Value, state: State) -> None:
        """Notes the scores that a processor's `process` may return."""
        machine = self._machine
        for atom in value:
            machine.ledger.note(self._result(cls, atom, state))

    def _result(self, cls: int, atom: Atom, state: State) -> Result:
        machine = self._machine
        unknown = Result(cls, False, NOTHING, None)
        if not isinstance(atom, Object) or machine.heap.info(atom.number).name != "RewardOutput":
            return unknown
        status = state.get((ATTRIBUTE, atom.number, "status"), NONE)
        failed = bool(status) and all(is_failed(item) for item in status)
        rewards = state.get((ATTRIBUTE, atom.number, "reward"), NOTHING)
        scores: List[Value] = []
        site: Optional[Site] = None
        for reward in rewards:
            if isinstance(reward, Object) and machine.heap.info(reward.number).name == "Reward":
                scores.append(state.get((ATTRIBUTE, reward.number, "reward_score"), UNKNOWN))
                site = site or machine.ledger.scores.get(reward.number)
            elif isinstance(reward, Object):
                content = machine.expressions.content(reward, state)
                if isinstance(content, MappingContent):
                    scores.append(content.lookup((Constant("str", "reward_score"),)))
                    site = site or machine.ledger.scores.get(reward.number)
                else:
                    scores.append(UNKNOWN)
            else:
                scores.append(UNKNOWN)
        return Result(cls, failed, join(scores), site)

    def run_sub_rewards(self, receiver: Object, arguments: Arguments, site: Site, state: State) -> None:
        """Runs the sub-rewards of a `@reward_func` class, then its aggregate. Measured, Q7."""
        machine = self._machine
        info = machine.heap.info(receiver.number)
        aggregates: List[Function] = []
        for name in machine.modules.public_names(info.cls):
            for atom in machine.modules.attribute(receiver, name, site, state):
                if not isinstance(atom, Function):
                    continue
                if atom.marked("sdk.aggregate_func"):
                    aggregates.append(atom)
                elif atom.marked("sdk.sub_reward_func"):
                    self._run_sub_reward(info.cls, atom, arguments, site, state)
        for aggregate in aggregates:
            way = "" if machine.calls.is_async(aggregate) else "aggregate"
            with machine.outside.detached(machine.signature(aggregate.definition), way):
                result = machine.calls.call_function(aggregate, Arguments(open=True), site, state)
            self.results(info.cls, machine.expressions.awaited(result), state)

    def _run_sub_reward(
        self, cls: int, method: Function, arguments: Arguments, site: Site, state: State
    ) -> None:
        machine = self._machine
        way = "" if machine.calls.is_async(method) else "sub-reward"
        with machine.outside.detached(machine.signature(method.definition), way):
            result = machine.calls.call_function(method, arguments, site, state)
        keys: List[Tuple[Value, Site]] = []
        for atom in machine.expressions.awaited(result) if machine.calls.is_async(method) else result:
            for reward in (
                state.get((ATTRIBUTE, atom.number, "reward"), NOTHING) if isinstance(atom, Object) else ()
            ):
                if isinstance(reward, Object):
                    metrics = state.get((ATTRIBUTE, reward.number, "reward_metrics"), NOTHING)
                    inner = machine.expressions.content(reward, state)
                    if isinstance(inner, MappingContent):
                        metrics = inner.lookup((Constant("str", "reward_metrics"),))
                    for mapping in metrics:
                        content = machine.expressions.content(mapping, state)
                        if isinstance(content, MappingContent):
                            keys.extend((entry.key, entry.key_site) for entry in content.entries)
        name = self._part_name(method)
        machine.ledger.note(SubReward(cls, method.definition, name, tuple(dict.fromkeys(keys))))

    def part_method(self, receiver: Object, name: str, site: Site, state: State) -> Value:
        """Carries out `self.get_reward_metrics(sub_rewards)` and its like in an aggregate. Measured, Q7."""
        machine = self._machine
        if name == "get_total":
            return typed("float")
        content = MappingContent()
        cls = machine.heap.info(receiver.number).cls
        if name == "get_reward_metrics":
            machine.ledger.merging.add((machine.activation.definition, name))
        for part in machine.ledger.of(SubReward):
            if part.cls != cls or part.name is None:
                content = content._replace(open=content.open or part.cls == cls)
            elif name == "get_reward_metrics":
                for key, key_site in part.keys:
                    prefixed = machine.expressions.concatenate((constant(f"{part.name}."), key))
                    content = content.put(Entry(prefixed, typed("float"), key_site, site))
            else:
                content = content.put(Entry(constant(part.name), typed("float"), site, site))
        return machine.expressions.mapping(content, site, state, name)

    def _part_name(self, method: Function) -> Optional[str]:
        """Returns the name that `@sub_reward_func("name")` gives, or the method's own."""
        machine = self._machine
        definition = machine.definitions[method.definition]
        node = definition.node
        if not isinstance(node, ir.FunctionDef):
            return None
        sites = {mark.site.span for mark in method.marks if mark.name == "sdk.sub_reward_func"}
        for decorator in node.decorators:
            if decorator.at in sites and isinstance(decorator.expression, ir.Call):
                for position, argument in enumerate(decorator.expression.arguments):
                    if argument.keyword == "name" or (
                        argument.keyword is None and position == 0 and not argument.star
                    ):
                        literal = argument.value
                        return (
                            literal.value
                            if isinstance(literal, ir.Literal) and isinstance(literal.value, str)
                            else None
                        )
        return definition.name

    # --- submission -----------------------------------------------------------------------------

    def job_client_call(self, method: str, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out a call on an `AgenticRL` client."""
        self._note_call(f"AgenticRL.{method}", arguments, site, -1, False)
        self._machine.ledger.snapshots[site] = self._machine.outside.snapshot(arguments, state)
        return UNKNOWN

    def _component(self, name: str, arguments: Arguments, site: Site, state: State) -> Value:
        machine = self._machine
        family = JOB_CLIENT if name == "AgenticRL" else COMPONENT
        made = machine.allocate("component", ObjectInfo(heap.OUTSIDE, site, name, family=family))
        for argument in arguments.keywords:
            state.set((ATTRIBUTE, made.number, argument.keyword), argument.value)
        self._note_call(name, arguments, site, made.number, False)
        machine.ledger.snapshots[site] = machine.outside.snapshot(arguments, state)
        return (made,)


def is_failed(atom: Atom) -> bool:
    """Whether a status is `TaskStatus.FAILED`, in any spelling that the SDK takes."""
    if isinstance(atom, External):
        return atom.name in ("sdk.TaskStatus.FAILED", "sdk.TaskStatus.FAILED.value")
    return isinstance(atom, Constant) and atom.value == "failed"
