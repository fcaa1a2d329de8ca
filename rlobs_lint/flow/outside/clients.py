"""LLM clients: what builds one, what is a chat call on it, and what tracing it covers."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Dict, Iterator, NamedTuple, Optional, Tuple, Union

from rlobs_lint import sdk
from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.heap import ObjectInfo, SequenceContent
from rlobs_lint.flow.domain.observations import BareCall, Bypass
from rlobs_lint.flow.domain.state import PARTS, State
from rlobs_lint.flow.domain.values import (
    NOTHING,
    UNKNOWN,
    Atom,
    Constant,
    External,
    Member,
    Object,
    Site,
    Unknown,
    Value,
    truth,
)
from rlobs_lint.flow.outside.traces import ASYNC, BOTH, SYNC

if TYPE_CHECKING:
    from rlobs_lint.flow.domain.arguments import Arguments
    from rlobs_lint.flow.interpreter.machine import Machine
    from rlobs_lint.flow.outside.knowledge import Knowledge

#: How calls on an object of the heap are understood: the families of the SDK contract, and our own.
OPENAI, OPENAI_ASYNC, LANGCHAIN, CUSTOM = "openai", "openai-async", "langchain", "custom"
DASHSCOPE, DASHSCOPE_ASYNC = "dashscope", "dashscope-async"
VIEW = "langchain-view"
UNSUPPORTED_MODEL, UNSUPPORTED_CLIENT, EMBEDDINGS = "unsupported-model", "unsupported-client", "embeddings"

CLIENT_FAMILIES = frozenset({OPENAI, OPENAI_ASYNC, LANGCHAIN, CUSTOM})
_CLASS_FAMILIES = frozenset({DASHSCOPE, DASHSCOPE_ASYNC})
#: Methods of a LangChain model that call it.
_RUNS = sdk.LANGCHAIN_SYNC | sdk.LANGCHAIN_ASYNC | sdk.LANGCHAIN_STREAM_SYNC | sdk.LANGCHAIN_STREAM_ASYNC
_HOUSEKEEPING = frozenset({"close", "aclose", "with_options", "copy", "__aenter__", "__enter__"})
_HALF_NAMES = {"sync": SYNC, "async": ASYNC}
#: Effects of a use that may stream, in an unknown mode: nothing is said, but nothing is promised either.
_UNSURE = "unsure"


#: Marks of code in an LLM span of its own making.
LLM_SPANS = frozenset({"sdk.observe_llm", "sdk.genai_llm_span", "sdk.run_with_genai_llm_span"})


class Streaming(NamedTuple):
    """A run of a chain or graph in which LangChain models stream.

    Attributes:
        api: How it is written.
        site: The run.
        is_sure: Whether they do, and not only may.
        reaches_functions: Whether models that functions in it invoke stream, too.
    """

    api: str
    site: Site
    is_sure: bool
    reaches_functions: bool

    def effect(self, half: int) -> str:
        """Returns what becomes of a call of a traced model in it."""
        if half == ASYNC:
            return "empty" if self.is_sure else "traced"
        return "raises" if self.is_sure else _UNSURE


class Flag(NamedTuple):
    """A constructor's argument that takes a traced client's calls out of the patch's reach."""

    api: str
    effect: str
    site: Site


class Clients:
    """Knows clients, for a machine."""

    def __init__(self, machine: Machine, outside: Knowledge) -> None:
        self._machine = machine
        self._outside = outside
        self._flags: Dict[int, Flag] = {}
        self._built: Dict[int, Tuple[str, str, Site]] = {}
        self._streaming: Optional[Streaming] = None
        self._custom = frozenset(map(_ends, machine.workspace.settings.llm_clients))

    # --- construction ---------------------------------------------------------------------------

    def family(self, name: str) -> str:
        """Returns the family of what a constructor (`openai.OpenAI`) makes, or nothing."""
        package, last = _ends(name)
        if (package, last) in self._custom or ("", last) in self._custom:
            return CUSTOM
        if last == "OpenAI" and package == "langchain_openai":
            return LANGCHAIN
        known = sdk.CLIENTS.get(last)
        if known is not None and package in known[1]:
            return known[0]
        if last in sdk.UNSUPPORTED_CHAT_MODELS and package.startswith("langchain"):
            return UNSUPPORTED_MODEL
        if f"{package}.{last}" in sdk.UNSUPPORTED_CLIENTS:
            return UNSUPPORTED_CLIENT
        if last.endswith(sdk.EMBEDDINGS_SUFFIX) and package.startswith("langchain"):
            return EMBEDDINGS
        return ""

    def construct(self, name: str, arguments: Arguments, site: Site, state: State) -> Optional[Value]:
        """Returns the client that a constructor makes, or `None` for any other name."""
        family = self.family(name)
        if not family:
            return None
        machine = self._machine
        if family in _CLASS_FAMILIES:
            base = self.of_class(name, site, state).number
            info = ObjectInfo(heap.OUTSIDE, site, name, family=f"{family}-instance", base=base)
            return (machine.allocate("instance", info),)
        made = machine.allocate("client", ObjectInfo(heap.OUTSIDE, site, name, family=family))
        self.begin(made, family, arguments, state)
        return (made,)

    def begin(self, made: Object, family: str, arguments: Arguments, state: State) -> None:
        """Starts following a new client (or an instance of a workspace subclass of one)."""
        machine = self._machine
        if family in CLIENT_FAMILIES:
            self._outside.traces.begin(made, state)
        if family != LANGCHAIN:
            return
        for name, wanted, effect in (
            ("streaming", True, "raises"),
            ("use_responses_api", True, "missing"),
            ("output_version", "responses/v1", "missing"),
        ):
            value = arguments.value(-1, name)
            is_set = len(value) == 1 and isinstance(value[0], Constant) and value[0].value == wanted
            if is_set or (effect == "raises" and _is_true(value) is None):
                site = machine.heap.info(made.number).site
                self._flags[made.number] = Flag(name, effect if is_set else _UNSURE, site)
                return

    def of_class(self, name: str, site: Site, state: State) -> Object:
        """Returns the object that stands for a DashScope class, whose `call` is patched as a whole."""
        machine = self._machine
        last = name.rpartition(".")[2]
        family = self.family(name)
        made = machine.heap.allocate(("class", last), ObjectInfo(heap.OUTSIDE, site, last, family=family))
        if not self._outside.traces.marks(made.number, state):
            self._outside.traces.begin(made, state)
        return made

    # --- members and calls ----------------------------------------------------------------------

    def member(self, atom: Object, path: Tuple[str, ...], site: Site, state: State, is_called: bool) -> Value:
        """Returns `client.a.b`; taking a bound `create` to keep it is a use."""
        machine = self._machine
        family = machine.heap.info(atom.number).family
        dotted = ".".join(path)
        is_kept = family in (OPENAI, OPENAI_ASYNC) and not is_called
        is_chat = is_kept and sdk.OPENAI_CALLS.get(dotted) == "traced"
        if is_chat and not self._outside.traces.is_traced(atom.number, BOTH, state):
            self._chat(atom.number, self._own_half(family), dotted, "traced", site, state)
        return (Member(atom, path),)

    def kept(self, owner: str, name: str, site: Site, state: State) -> None:
        """Hears of an attribute of a name outside that is taken to be kept: `Generation.call` is a use."""
        if name != "call" or self.family(owner) != DASHSCOPE:
            return
        made = self.of_class(owner, site, state)
        if not self._outside.traces.is_traced(made.number, BOTH, state):
            self._chat(made.number, SYNC, "call", "traced", site, state)

    def _own_half(self, family: str) -> int:
        return ASYNC if family == OPENAI_ASYNC else SYNC

    def call(
        self, atom: Object, path: Tuple[str, ...], arguments: Arguments, site: Site, state: State
    ) -> Optional[Value]:
        """Carries out a call on a client, view or chat model; `None` when it is none of them."""
        machine = self._machine
        info = machine.heap.info(atom.number)
        family = info.family
        if family in (OPENAI, OPENAI_ASYNC):
            return self._call_openai(atom, path, arguments, site, state)
        if family in (LANGCHAIN, VIEW):
            return self._call_langchain(atom, path, arguments, site, state)
        if family == CUSTOM:
            if path[-1] not in _HOUSEKEEPING:
                self._chat(atom.number, BOTH, ".".join(path), "traced", site, state)
            return UNKNOWN
        if family == UNSUPPORTED_MODEL:
            return self._call_unsupported_model(atom, path, arguments, site, state)
        if family == UNSUPPORTED_CLIENT:
            package, last = info.name.partition(".")[0], info.name.rpartition(".")[2]
            if ".".join(path) in sdk.UNSUPPORTED_CLIENTS[f"{package}.{last}"]:
                self.bare(site, "unsupported", last, atom.number)
            return UNKNOWN
        if family.endswith("-instance"):
            return self.call_class(machine.heap.info(info.base).name, path[-1], arguments, site, state)
        if family in _CLASS_FAMILIES:
            return self.call_class(info.name, path[-1], arguments, site, state)
        return None

    def _call_openai(
        self, atom: Object, path: Tuple[str, ...], arguments: Arguments, site: Site, state: State
    ) -> Value:
        machine = self._machine
        info = machine.heap.info(atom.number)
        dotted = ".".join(path)
        if dotted in sdk.OPENAI_COPIES:
            copied = ObjectInfo(
                heap.OUTSIDE, site, info.name, family=info.family, base=atom.number, verdict="copy"
            )
            made = machine.allocate("copy", copied)
            self._built[made.number] = (dotted, "missing", site)
            self._outside.traces.begin(made, state)
            return (made,)
        effect = sdk.OPENAI_CALLS.get(dotted)
        if info.family == OPENAI_ASYNC:
            effect = sdk.OPENAI_ASYNC_CALLS.get(dotted, effect)
        if effect is None:
            return UNKNOWN
        api = dotted
        streams = _is_true(arguments.value(-1, "stream"))
        if effect == "traced" and dotted.endswith("completions.create") and streams is not False:
            raising, losing = ("raises", "empty") if streams else (_UNSURE, "traced")
            api, effect = "stream=True" if streams else dotted, raising if info.family == OPENAI else losing
        self._chat(atom.number, self._own_half(info.family), api, effect, site, state)
        if api == "stream=True":
            return self._stream(site)
        return (Unknown(answer_of=atom.number),) if info.family == OPENAI and effect == "traced" else UNKNOWN

    def _stream(self, site: Site) -> Value:
        """Makes what yields an answer piece by piece."""
        return (self._machine.allocate("stream", ObjectInfo(heap.OUTSIDE, site, "stream", family="stream")),)

    def _call_langchain(
        self, atom: Object, path: Tuple[str, ...], arguments: Arguments, site: Site, state: State
    ) -> Value:
        machine = self._machine
        info = machine.heap.info(atom.number)
        name = path[-1]
        if len(path) > 1 and path[0] in sdk.LANGCHAIN_HALVES:
            if ".".join(path[1:]) == "create" or path[-1] == "create":
                half = _HALF_NAMES[sdk.LANGCHAIN_HALVES[path[0]]]
                self._chat(atom.number, half, ".".join(path), "traced", site, state)
            return UNKNOWN
        if name in sdk.LANGCHAIN_VIEWS:
            return self._view(atom, info, name, arguments, site, state)
        if name in _RUNS:
            with self.running(info, name, arguments, site, state):
                self._use_others(atom.number, ASYNC if name.startswith("a") else SYNC, site, state)
        if name in sdk.LANGCHAIN_SYNC:
            self._chat(atom.number, SYNC, name, "traced", site, state)
        elif name in sdk.LANGCHAIN_ASYNC:
            self._chat(atom.number, ASYNC, name, "traced", site, state)
        elif name in sdk.LANGCHAIN_STREAM_SYNC:
            self._chat(atom.number, SYNC, name, "raises", site, state)
            return self._stream(site)
        elif name in sdk.LANGCHAIN_STREAM_ASYNC:
            self._chat(atom.number, ASYNC, name, "empty", site, state)
            return self._stream(site)
        return UNKNOWN

    def _view(
        self, atom: Object, info: ObjectInfo, name: str, arguments: Arguments, site: Site, state: State
    ) -> Value:
        """Makes a runnable around a model: bound tools, structured output, retries, ..."""
        machine = self._machine
        made = machine.allocate(
            ("view", atom.number),
            ObjectInfo(heap.OUTSIDE, site, name, family=VIEW, base=atom.number, verdict=name),
        )
        api, effect = name, "traced"
        if name == "with_structured_output":
            method = arguments.value(1, "method")
            known = [piece.value for piece in method if isinstance(piece, Constant)]
            if arguments.open or (method and len(known) != len(method)) or known == ["function_calling"]:
                effect = "traced"
            else:
                effect = "missing"
        elif name in ("bind", "bind_tools") and arguments.value(-1, "response_format"):
            api, effect = f"{name}(response_format=...)", "missing"
        elif name in ("bind", "with_config"):
            streams = _is_true(arguments.value(-1, "stream"))
            if streams is not False:
                api, effect = f"{name}(stream=True)", "raises" if streams else _UNSURE
        if effect != "traced":
            self._built[made.number] = (api, effect, site)
        if name == "bind_tools":
            self._outside.tools.give(arguments.value(0, "tools"), site, state)
        elif name == "with_fallbacks":
            others = machine.contents.element(arguments.value(0, "fallbacks"), state)
            state.set((PARTS, made.number), others)
        elif name == "pipe":
            others = tuple(piece for argument in arguments.everything() for piece in argument.value)
            state.set((PARTS, made.number), others)
        return (made,)

    def _use_others(self, number: int, half: int, site: Site, state: State) -> None:
        """Runs what a view calls besides its own model: fallbacks, the rest of a chain."""
        info = self._machine.heap.info(number)
        while info.family == VIEW:
            self._outside.handover.use(tuple(state.get((PARTS, number), NOTHING)), half, site, state)
            number = info.base
            info = self._machine.heap.info(number)

    def base_of(self, number: int) -> int:
        """Returns the client that a view, or a view of a view, calls in the end."""
        info = self._machine.heap.info(number)
        while info.family == VIEW or (info.family == UNSUPPORTED_MODEL and info.base >= 0):
            number = info.base
            info = self._machine.heap.info(number)
        return number

    def _uncovered_view(self, number: int) -> Optional[Tuple[str, str, Site]]:
        info = self._machine.heap.info(number)
        while info.family == VIEW:
            if number in self._built:
                return self._built[number]
            number = info.base
            info = self._machine.heap.info(number)
        return None

    def _call_unsupported_model(
        self, atom: Object, path: Tuple[str, ...], arguments: Arguments, site: Site, state: State
    ) -> Value:
        machine = self._machine
        name = path[-1]
        info = machine.heap.info(atom.number)
        if name in sdk.LANGCHAIN_VIEWS:
            if name == "bind_tools":
                self._outside.tools.give(arguments.value(0, "tools"), site, state)
            view = ObjectInfo(heap.OUTSIDE, site, info.name, family=UNSUPPORTED_MODEL, base=atom.number)
            return (machine.allocate(("view", atom.number), view),)
        if name in _RUNS:
            self.bare(site, "unsupported", info.name.rpartition(".")[2], self.base_of(atom.number))
        return UNKNOWN

    def call_class(self, name: str, method: str, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out `Generation.call(...)`."""
        machine = self._machine
        made = self.of_class(name, site, state)
        if method == "call":
            family = machine.heap.info(made.number).family
            effect = "empty" if family == DASHSCOPE_ASYNC else "traced"
            api = f"{made_name(machine, made)}.call"
            if effect == "traced" and _is_true(arguments.value(-1, "stream")):
                api, effect = "stream=True", "missing"
            if family == DASHSCOPE:
                self._chat(made.number, SYNC, api, effect, site, state)
            elif self._outside.traces.is_traced(made.number, ASYNC, state):
                self._chat(made.number, ASYNC, api, effect, site, state)
            else:
                # Tracing it would not help: its span ends before the answer.
                self.bare(site, "unsupported", made_name(machine, made), made.number)
        return UNKNOWN

    def call_external(self, name: str, arguments: Arguments, site: Site, state: State) -> Optional[Value]:
        """Carries out a call of a dotted name outside the workspace, if it has to do with clients."""
        built = self.construct(name, arguments, site, state)
        if built is not None:
            return built
        if name in sdk.UNSUPPORTED_FUNCTIONS:
            self.bare(site, "unsupported", name, name)
            return UNKNOWN
        owner, _, method = name.rpartition(".")
        if self.family(owner) in _CLASS_FAMILIES:
            return self.call_class(owner, method, arguments, site, state)
        return None

    # --- uses -----------------------------------------------------------------------------------

    def use(self, atom: Object, half: int, site: Site, state: State) -> bool:
        """Uses a client that stands inside something else (a chain, an agent); false for no client."""
        family = self._machine.heap.info(atom.number).family
        if family in (LANGCHAIN, VIEW):
            self._chat(atom.number, half, "invoke", "traced", site, state, self._streaming)
            return True
        if family in CLIENT_FAMILIES:
            self._chat(atom.number, half, "invoke", "traced", site, state)
            return True
        if family == UNSUPPORTED_MODEL:
            name = self._machine.heap.info(atom.number).name.rpartition(".")[2]
            self.bare(site, "unsupported", name, self.base_of(atom.number))
            return True
        return False

    @contextmanager
    def running(
        self, owner: ObjectInfo, method: str, arguments: Arguments, site: Site, state: State
    ) -> Iterator[None]:
        """Runs something that models are parts of: a chain, a graph, an agent."""
        outer = self._streaming
        begun = self._begun(owner, method, arguments, site, state)
        self._streaming = begun or (outer if outer is not None and outer.reaches_functions else None)
        try:
            yield
        finally:
            self._streaming = outer

    def _begun(
        self, owner: ObjectInfo, method: str, arguments: Arguments, site: Site, state: State
    ) -> Optional[Streaming]:
        """Tells whether a run makes the models in it stream."""
        is_chain = owner.family in ("chain", LANGCHAIN, VIEW)
        if method in sdk.LANGCHAIN_EVENT_STREAMS:
            return Streaming(method, site, True, True)
        if is_chain:
            streams = method in sdk.LANGCHAIN_STREAM_SYNC | sdk.LANGCHAIN_STREAM_ASYNC
            return Streaming(method, site, True, False) if streams else None
        if owner.name.rpartition(".")[2] in sdk.STREAMING_AGENTS:
            return Streaming(method, site, False, True)
        mode = arguments.value(-1, sdk.STREAM_MODE)
        known = self._modes(mode, state)
        if sdk.MESSAGE_MODE in known:
            return Streaming(f'{method}({sdk.STREAM_MODE}="{sdk.MESSAGE_MODE}")', site, True, True)
        is_graph = owner.name.partition(".")[0] in sdk.GRAPH_PACKAGES
        may_stream = "stream" in method and (arguments.open or not is_graph)
        return Streaming(method, site, False, True) if None in known or (may_stream and not mode) else None

    def _modes(self, value: Value, state: State) -> Tuple[Optional[str], ...]:
        """Returns the modes of a `stream_mode`, or of a list of them; `None` stands for one not known."""
        found: Dict[Optional[str], None] = {}
        for atom in value:
            content = self._machine.contents.of(atom, state)
            for inner in content.any() if isinstance(content, SequenceContent) else (atom,):
                if isinstance(inner, Constant):
                    found[str(inner.value)] = None
                else:
                    found[None] = None
        return tuple(found)

    def _chat(
        self,
        number: int,
        half: int,
        api: str,
        effect: str,
        site: Site,
        state: State,
        streaming: Optional[Streaming] = None,
    ) -> None:
        """A chat call: it should make an LLM span."""
        machine = self._machine
        if self.inside_llm_span():
            return
        uncovered = self._uncovered_view(number)
        base = self.base_of(number)
        info = machine.heap.info(base)
        if info.verdict == "copy" and not self._outside.traces.is_traced(base, half, state):
            if self._outside.traces.is_traced(info.base, half, state):
                copied = self._built[base]
                machine.ledger.note(Bypass(info.base, copied[2], copied[0], copied[1], machine.root))
                return
            self._chat(info.base, half, api, effect, site, state, streaming)
            return
        build_site = site
        if self._streaming is not None and self._streaming.reaches_functions:
            streaming = self._streaming
        if uncovered is not None:
            api, effect, build_site = uncovered
        elif effect == "traced" and streaming is not None and info.family == LANGCHAIN:
            api, effect, build_site = streaming.api, streaming.effect(half), streaming.site
        elif effect == "traced" and base in self._flags:
            flag = self._flags[base]
            api, effect, build_site = f"{flag.api}=", flag.effect, flag.site
            if flag.api == "streaming" and half == ASYNC:
                effect = "empty" if flag.effect == "raises" else "traced"
        traced = self._outside.traces.use(base, half, site, state, api, effect)
        self._outside.threads.spanned("llm", site, traced and effect != "missing")
        if traced and effect not in ("traced", _UNSURE):
            machine.ledger.note(Bypass(base, build_site, api, effect, machine.root))

    def inside_llm_span(self) -> bool:
        """Whether the code that is run stands in an LLM span of its own making."""
        return any(mark in LLM_SPANS for activation in self._machine.stack for mark in activation.marks)

    def bare(self, site: Site, what: str, name: str, subject: Union[int, str] = "") -> None:
        """Notes a call that no `trace_client` can cover."""
        machine = self._machine
        covered = self.inside_llm_span()
        machine.ledger.note(BareCall(site, what, name, subject, covered, machine.root))

    # --- tracing --------------------------------------------------------------------------------

    def trace(self, atom: Atom, site: Site, state: State) -> Optional[str]:
        """Traces what `trace_client` is given; returns what kind of thing it cannot patch, if so."""
        machine = self._machine
        if isinstance(atom, External):
            return self._trace_external(atom, site, state)
        if isinstance(atom, Member) and isinstance(atom.owner, Object):
            return self._trace_member(atom.owner, atom.path, site, state)
        if not isinstance(atom, Object):
            return None
        info = machine.heap.info(atom.number)
        if info.family in CLIENT_FAMILIES:
            self._outside.traces.trace(atom.number, BOTH, site, state)
            return None
        if info.family == VIEW:
            base = self.base_of(atom.number)
            if info.verdict in sdk.LANGCHAIN_UNTRACEABLE_VIEWS:
                self._outside.traces.excuse(base, state)
                return info.verdict
            self._outside.traces.trace(base, BOTH, site, state)
            return None
        if info.family.endswith("-instance"):
            self._outside.traces.trace(info.base, BOTH, site, state)
            return "generation-instance"
        if info.family in (UNSUPPORTED_MODEL, UNSUPPORTED_CLIENT, EMBEDDINGS):
            return info.family
        if info.kind == heap.OUTSIDE and not info.family and state.get((PARTS, atom.number)):
            # `trace_client(wrap_openai(AsyncOpenAI()))`: what the wrapper does with the client is its affair.
            self._outside.excuses.parts((atom,), state)
            return None
        return ""

    def _trace_external(self, atom: External, site: Site, state: State) -> Optional[str]:
        family = self.family(atom.name)
        if family in _CLASS_FAMILIES:
            self._outside.traces.trace(self.of_class(atom.name, site, state).number, BOTH, site, state)
            return None
        if family:
            return "client-class"
        if atom.name in ("openai",):
            return None
        return "module" if atom.name in ("litellm", "dashscope", "anthropic", "ollama") else ""

    def _trace_member(self, owner: Object, path: Tuple[str, ...], site: Site, state: State) -> Optional[str]:
        machine = self._machine
        family = machine.heap.info(owner.number).family
        if family in (OPENAI, OPENAI_ASYNC):
            if path == ("chat", "completions"):
                self._outside.traces.trace(owner.number, BOTH, site, state)
                return None
            self._outside.traces.excuse(owner.number, state)
            return "client-part"
        if family in (LANGCHAIN, VIEW) and path[0] in sdk.LANGCHAIN_HALVES:
            base = self.base_of(owner.number)
            self._outside.traces.trace(base, _HALF_NAMES[sdk.LANGCHAIN_HALVES[path[0]]], site, state)
            return None
        return None


def _ends(name: str) -> Tuple[str, str]:
    """Returns the package and the last part of a dotted name: where in the package it lies is all one."""
    package, _, rest = name.partition(".")
    return (package, rest.rpartition(".")[2]) if rest else ("", name)


def made_name(machine: Machine, made: Object) -> str:
    """Returns the class's name of a client."""
    return machine.heap.info(made.number).name.rpartition(".")[2]


def _is_true(value: Value) -> Optional[bool]:
    """Whether a flag that may be left out is set; `None` where that is not known."""
    answers = {
        False if isinstance(atom, External) and atom.name in sdk.OPENAI_LEFT_OUT else truth(atom)
        for atom in value
    }
    return answers.pop() if len(answers) == 1 else None if answers else False
