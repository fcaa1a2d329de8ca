"""What the SDK's own functions, decorators and classes do with what they are given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, Union

from rlobs_lint import sdk
from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.arguments import Arguments
from rlobs_lint.flow.domain.heap import MappingContent, ObjectInfo, SequenceContent
from rlobs_lint.flow.domain.observations import Decoration, LostCoroutine, SdkCall, Unsupported
from rlobs_lint.flow.domain.state import ATTRIBUTE, CONTENT, State
from rlobs_lint.flow.domain.values import (
    BOUNDED,
    NONE,
    NOTHING,
    UNKNOWN,
    Atom,
    Constant,
    External,
    Function,
    Generated,
    Member,
    Misbound,
    Object,
    Site,
    Value,
    strings,
    typed,
    with_mark,
)
from rlobs_lint.flow.outside.result_models import MODEL

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine
    from rlobs_lint.flow.outside.knowledge import Knowledge

_FUNCTION_DECORATORS = frozenset({"observe_processor", "trace_processor_span", "observe_llm", "observe_tool"})
_COMPONENTS = frozenset(
    {
        *sdk.COMPONENT_CLASSES,
        *sdk.DATASET_CLASSES,
        "FunctionComponentRuntime",
        "FunctionComponentModel",
        "AgenticRL",
    }
)
COMPONENT, JOB_CLIENT = "sdk-component", "job-client"


class Contract:
    """Carries out calls of the SDK for a machine."""

    def __init__(self, machine: Machine, outside: Knowledge) -> None:
        self._machine = machine
        self._outside = outside

    # --- calls ----------------------------------------------------------------------------------

    def call(self, name: str, arguments: Arguments, site: Site, state: State, misbound: bool) -> Value:
        """Carries out a call of an SDK name."""
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
        if name in sdk.MODEL_FIELDS:
            return self._outside.models.build(name, arguments, site, state)
        model, _, method = name.partition(".")
        if model in sdk.MODEL_FIELDS and method in ("model_validate", "parse_obj", "model_construct"):
            return self._outside.models.make(model, method, arguments, site, state)
        if name in _COMPONENTS:
            return self._component(name, arguments, site, state)
        if name == "TaskStatus":
            states = {"failed": "FAILED", "success": "SUCCESS"}
            known = [states[text] for text in strings(arguments.value(0, "value")) if text in states]
            return tuple(External(f"sdk.TaskStatus.{state_name}") for state_name in known) or UNKNOWN
        if name == "is_tracing_enabled":
            return typed("bool", BOUNDED)
        if name == "run_with_genai_llm_span":
            return self._run_in_span(arguments, site, state)
        if name in ("genai_llm_span", "rollout_context"):
            return UNKNOWN
        self._outside.handover.give(arguments, site, state)
        return UNKNOWN

    def _note_call(self, name: str, arguments: Arguments, site: Site, result: int, misbound: bool) -> None:
        machine = self._machine
        discarded = (site.path, site.span) in machine.discarded
        arguments = arguments._replace(first_key=None)
        machine.ledger.note(SdkCall(name, site, arguments, result, discarded, misbound, machine.root))

    def _decorator_call(
        self, name: str, arguments: Arguments, site: Site, state: State, misbound: bool
    ) -> Value:
        """Carries out `observe_tool(f)`, or makes the decorator that `observe_tool(name=...)` is."""
        value = arguments.positional[0].value if arguments.positional else NOTHING
        if not any(
            isinstance(atom, (Function, Generated, Object)) or self._is_tool_method(atom) for atom in value
        ):
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
                self._outside.traces.excuse(atom.number, state)
            elif isinstance(atom, Member) and isinstance(atom.owner, Object):
                # `observe_tool(name="add")(tool.ainvoke)`: what it makes is run in a span of its own.
                self._outside.traces.excuse(atom.owner.number, state)
            elif isinstance(atom, (Function, Generated)):
                below = tuple(mark.name for mark in atom.marks)
                self._note_lost_coroutine(name, atom)
            machine.ledger.note(Decoration(f"sdk.{name}", site, target, cls, below, misbound, in_call))
        return with_mark(value, f"sdk.{name}", site)

    def _is_tool_method(self, atom: Atom) -> bool:
        """Whether something is a method of a tool: `tool.ainvoke`."""
        owner = atom.owner if isinstance(atom, Member) else None
        return isinstance(owner, Object) and self._outside.tools.is_tool(owner.number)

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
        """`@reward_func(...)` replaces the `process` of a class. Measured."""
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
            verdict = self._outside.clients.trace(atom, site, state)
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
            self._outside.excuses.parts(argument.value, state)
            subjects = self._subjects(argument.value)
            machine.ledger.note(
                Unsupported("trace_client", site, argument.site, wrong[0], subjects, machine.root)
            )

    def _other_client(self, atom: Atom, state: State) -> str:
        """Names the kind of thing that `trace_client` cannot patch; nothing for what is not known."""
        machine = self._machine
        content = machine.contents.of(atom, state)
        if isinstance(content, SequenceContent):
            return "list"
        if isinstance(content, MappingContent):
            return "dict"
        if not isinstance(atom, Object):
            return ""
        info = machine.heap.info(atom.number)
        if info.kind == heap.CLASS:
            return "client-class" if self._machine.world.family_of_class(atom.number) else ""
        if info.kind == heap.INSTANCE:
            return self._own_client(atom, info, state)
        if info.kind == heap.OUTSIDE:
            return self._other_object(atom, state)
        return ""

    def _other_object(self, atom: Object, state: State) -> str:
        """Names the kind of an outside object that `trace_client` cannot patch."""
        info = self._machine.heap.info(atom.number)
        if info.family in ("agent", "tool", "toolset", "tool-node", "mcp-client", "chain"):
            return info.family
        if info.family in (MODEL, COMPONENT, JOB_CLIENT):
            return "object"
        package = info.name.partition(".")[0]
        if package in ("requests", "httpx", "aiohttp", "urllib3"):
            return "http-client"
        return ""

    def _own_client(self, atom: Object, info: ObjectInfo, state: State) -> str:
        """Judges an instance of a workspace class by its shape, as `trace_client` does. Measured."""
        machine = self._machine
        if info.family or machine.inheritance.outside_bases(info.cls) not in (
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
            or machine.inheritance.class_attribute(info.cls, name, state) is not None
            or machine.inheritance.declared(info.cls, name, state) is not None
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
                        self._outside.traces.excuse(inner.number, state)
            return "wrapped-client" if verdicts == {"wrapped-client"} else ""
        return ""

    def _trace_tool(self, arguments: Arguments, site: Site, state: State, misbound: bool) -> None:
        machine = self._machine
        argument = arguments.get(0, "tool") or arguments.get(0, "tools")
        if argument is None:
            return
        what = self._outside.tools.trace(argument.value, argument.site, site, arguments.first_key, state)
        if not what and len(arguments.positional) > 1:
            what = "positional-provider"
        if what and not misbound:
            self._outside.excuses.parts(argument.value, state)
            subjects = self._subjects(argument.value)
            machine.ledger.note(Unsupported("trace_tool", site, argument.site, what, subjects, machine.root))

    def _subjects(self, value: Value) -> Tuple[Union[int, str], ...]:
        """Names what a trace call was given in vain."""
        subjects: List[Union[int, str]] = []
        for atom in value:
            if isinstance(atom, Member):
                atom = atom.owner
            if isinstance(atom, Object):
                subjects += [atom.number, self._outside.clients.base_of(atom.number)]
            elif isinstance(atom, External):
                subjects.append(atom.name)
        return tuple(dict.fromkeys(subjects))

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

    # --- submission -----------------------------------------------------------------------------

    def job_client_call(self, method: str, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out a call on an `AgenticRL` client."""
        self._note_call(f"AgenticRL.{method}", arguments, site, -1, False)
        self._machine.ledger.snapshots[site, -1] = self._snapshot(arguments, state)
        return UNKNOWN

    def _component(self, name: str, arguments: Arguments, site: Site, state: State) -> Value:
        machine = self._machine
        family = JOB_CLIENT if name == "AgenticRL" else COMPONENT
        made = machine.allocate("component", ObjectInfo(heap.OUTSIDE, site, name, family=family))
        for argument in arguments.keywords:
            state.set((ATTRIBUTE, made.number, argument.keyword), argument.value)
        self._note_call(name, arguments, site, made.number, False)
        machine.ledger.snapshots[site, made.number] = self._snapshot(arguments, state)
        return (made,)

    def _snapshot(self, arguments: Arguments, state: State) -> Dict[int, Any]:
        """Returns what the objects that are reached from arguments hold now, by their numbers."""
        found: Dict[int, Any] = {}
        waiting = [atom for argument in arguments.everything() for atom in argument.value]
        while waiting:
            atom = waiting.pop()
            if not isinstance(atom, Object) or atom.number in found:
                continue
            content = state.get((CONTENT, atom.number))
            info = self._machine.heap.info(atom.number)
            if isinstance(content, MappingContent):
                found[atom.number] = content
                waiting.extend(content.values())
            elif isinstance(content, SequenceContent):
                found[atom.number] = content
                waiting.extend(content.any())
            elif info.family == COMPONENT:
                found[atom.number] = info
        return found
