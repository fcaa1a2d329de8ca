"""Code outside the workspace: what calling it may do with the values that it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Optional, Tuple

from rlobs_lint import sdk
from rlobs_lint.facts import ir
from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.arguments import Arguments, ArgumentValue
from rlobs_lint.flow.domain.heap import MappingContent, ObjectInfo
from rlobs_lint.flow.domain.observations import Decoration, ProviderReplaced
from rlobs_lint.flow.domain.state import ATTRIBUTE, PARTS, PRESENT, State
from rlobs_lint.flow.domain.values import (
    BOUNDED,
    NONE,
    NOTHING,
    UNKNOWN,
    Atom,
    Constant,
    Coroutine,
    EnumMember,
    External,
    Function,
    Generated,
    Member,
    Misbound,
    Object,
    Request,
    Site,
    Typed,
    Unknown,
    Value,
    origin_of,
    strings,
    typed,
)
from rlobs_lint.flow.interpreter.instances import FIELDS, factory
from rlobs_lint.flow.interpreter.world import World
from rlobs_lint.flow.outside.answers import VALIDATING, Answers
from rlobs_lint.flow.outside.clients import CLIENT_FAMILIES, LLM_SPANS, Clients
from rlobs_lint.flow.outside.excuses import Excuses
from rlobs_lint.flow.outside.handover import Handover
from rlobs_lint.flow.outside.http import Http
from rlobs_lint.flow.outside.knowledge import Knowledge
from rlobs_lint.flow.outside.result_models import MODEL, Models
from rlobs_lint.flow.outside.reward_parts import PART_METHODS, Parts
from rlobs_lint.flow.outside.sdk_calls import COMPONENT, JOB_CLIENT, Contract
from rlobs_lint.flow.outside.threads import Threads
from rlobs_lint.flow.outside.tools import TOOL, TOOLSET, Tools
from rlobs_lint.flow.outside.traces import ASYNC, SYNC, Traces
from rlobs_lint.flow.outside.watching import Watching

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine

_BUILDERS = (
    "compile",
    "build",
    "add",
    "set_",
    "with_",
    "bind",
    "pipe",
    "assign",
    "register",
    "from_",
    "partial",
)
_RUNNERS = frozenset(
    """
    invoke ainvoke run arun stream astream batch abatch call acall execute aexecute kickoff
    kickoff_async chat achat generate agenerate predict apredict process aprocess __call__
    astream_events stream_events astream_log transform atransform query aquery complete acomplete
    rollout arollout step astep answer
    """.split()
)
_LOGGERS = frozenset({"logging", "loguru", "structlog"})
#: Methods that read from what they belong to: if that varies with the input, so does their result.
_READERS = frozenset(
    """
    get group groups groupdict hexdigest digest hex items keys values pop copy split splitlines strip lower
    upper title replace decode encode json text isoformat strftime findall
    """.split()
)
#: Methods of the SDK's models that give what they hold.
_MODEL_METHODS = frozenset({"model_dump", "model_dump_json", "dict", "json", "model_copy", "copy"})
#: Names whose assignment or call rules of their own ask about.
_WATCHED = frozenset({"opentelemetry.trace.set_tracer_provider", "opentelemetry.trace._set_tracer_provider"})


class Outside(World):
    """Knows what is not the workspace's code, for a machine: the parts that each know some packages."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        knowledge = Knowledge()
        self.traces = knowledge.traces = Traces(machine)
        self.clients = knowledge.clients = Clients(machine, knowledge)
        self.answers = knowledge.answers = Answers(machine)
        self.tools = knowledge.tools = Tools(machine, knowledge)
        self.http = Http(machine, knowledge)
        self.contract = Contract(machine, knowledge)
        self.models = knowledge.models = Models(machine)
        self.parts = knowledge.parts = Parts(machine, knowledge)
        self.handover = knowledge.handover = Handover(machine, knowledge)
        self.threads = knowledge.threads = Threads(machine, knowledge)
        self.excuses = knowledge.excuses = Excuses(machine, knowledge)
        self.watching = Watching(machine, knowledge)
        self._families: Dict[int, str] = {}

    def begin(self) -> None:
        """Begins anew for another root."""
        self.handover.begin()
        self.threads.begin()
        self.tools.begin()

    # --- calls ----------------------------------------------------------------------------------

    def call_external(
        self, name: str, arguments: Arguments, site: Site, state: State, misbound: bool = False
    ) -> Value:
        """Carries out a call of a dotted name outside the workspace."""
        machine = self._machine
        self.answers.given(name, arguments, state)
        if name.startswith("sdk."):
            return self.contract.call(name[4:], arguments, site, state, misbound)
        if name in _WATCHED:
            machine.ledger.note(ProviderReplaced(site, self._stage(), machine.root))
            return NONE
        if name == "builtins.object.__new__":
            return self._new(arguments, UNKNOWN, site, state)
        if name in FIELDS and factory(arguments):
            return machine.instances.declare_field(name, arguments, site, state)
        result = machine.library.call(name, arguments, site, state)
        if result is not None:
            return result
        result = self.threads.call(name, arguments, site, state)
        if result is not None:
            return result
        result = self.http.call_external(name, arguments, site, state)
        if result is not None:
            return result
        result = self.clients.call_external(name, arguments, site, state)
        if result is not None:
            return result
        result = self.tools.call_external(name, arguments, site, state)
        if result is not None:
            return result
        return self._construct(name, arguments, site, state)

    def _stage(self) -> str:
        """Returns the method of a processor's life that is being run, `import`, or nothing."""
        machine = self._machine
        if machine.root.kind != "processor":
            return "import" if machine.root.kind == "module" else ""
        outermost = next((frame.definition for frame in machine.stack if frame.definition >= 0), -1)
        return machine.definitions[outermost].name if outermost >= 0 else ""

    def _construct(self, name: str, arguments: Arguments, site: Site, state: State) -> Value:
        """Makes an object of a class outside the workspace, or the result of a function there."""
        machine = self._machine
        last = name.rpartition(".")[2]
        parts = self.handover.interesting(arguments, state)
        is_class = last[:1].isupper() or name == "threading.local"
        if (name.partition(".")[0] in _LOGGERS or name == "contextlib.suppress") and not is_class:
            info = ObjectInfo(heap.OUTSIDE, site, name)
            return (machine.allocate("outside", info),)
        if not is_class:
            self.handover.give(arguments, site, state)
            if not parts:
                return UNKNOWN
        info = ObjectInfo(heap.OUTSIDE, site, name, verdict="" if is_class else "maybe")
        made = machine.allocate("outside", info)
        state.set((PARTS, made.number), parts)
        return (made,)

    def call_member(
        self, owner: Atom, path: Tuple[str, ...], arguments: Arguments, site: Site, state: State
    ) -> Value:
        """Carries out a call of an attribute chain on something outside the workspace."""
        machine = self._machine
        name = path[-1]
        self.answers.given(name, arguments, state)
        if isinstance(owner, Object):
            for part in (self.clients, self.tools, self.http):
                result = part.call(owner, path, arguments, site, state)
                if result is not None:
                    return result
            info = machine.heap.info(owner.number)
            if info.kind in (heap.SEQUENCE, heap.MAPPING):
                return machine.library.methods.call(owner, name, arguments, site, state) or UNKNOWN
            if info.kind == heap.CLASS:
                return self._class_call(owner, name, arguments, site, state)
            if info.kind == heap.INSTANCE and name in PART_METHODS and not info.family:
                return self.parts.call(owner, name, site, state)
            return self._object_call(owner, info, path, arguments, site, state)
        if isinstance(owner, (Constant, Typed)):
            result = machine.library.methods.call(owner, name, arguments, site, state)
            return result if result is not None else UNKNOWN
        if isinstance(owner, (Function, Generated)):
            return self.call_external("?", arguments, site, state) if name != "__wrapped__" else UNKNOWN
        if name == "run_in_executor":
            return self.threads.run_in_executor(arguments, site, state)
        self.http.unknown_call(name, arguments, site)
        self.handover.give(arguments, site, state)
        return (Unknown(origin_of(owner)),) if isinstance(owner, Unknown) and name in _READERS else UNKNOWN

    def _class_call(self, owner: Object, name: str, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out a class method that a workspace class inherits from outside."""
        machine = self._machine
        if name == "__subclasses__":
            return machine.library.objects.subclasses(owner, site, state)
        family = self.family_of_class(owner.number)
        if family.startswith("dashscope"):
            base = next(
                base for base in machine.inheritance.outside_bases(owner.number) if self.clients.family(base)
            )
            return self.clients.call_class(base, name, arguments, site, state)
        self.handover.give(arguments, site, state)
        return UNKNOWN

    def _object_call(
        self,
        owner: Object,
        info: ObjectInfo,
        path: Tuple[str, ...],
        arguments: Arguments,
        site: Site,
        state: State,
    ) -> Value:
        """Carries out a method of an object whose class is outside the workspace and not known."""
        machine = self._machine
        name = path[-1]
        if info.kind == heap.INSTANCE and name == "start":
            with self.threads.detached(site, "Thread"):
                run = machine.attributes.attribute(owner, "run", site, state)
                return machine.calls.call(run, Arguments(), site, state)
        if info.family == JOB_CLIENT:
            # Read: `init` returns the client itself.
            return (owner,) if name == "init" else self.contract.job_client_call(name, arguments, site, state)
        if info.family in ("event-loop", "executor", "context", "worker-context"):
            return self.threads.method(info.family, name, arguments, site, state)
        if info.family == MODEL:
            return self._model_method(owner, name, arguments, site, state)
        if info.family == COMPONENT and name in ("model_copy", "copy"):
            # `component.model_copy(update={"name": ...})`: what becomes of the copy is not followed.
            machine.ledger.changed_fields.setdefault(owner.number, {})["name"] = None
            return UNKNOWN
        if info.family == "processor-executor":
            return self.threads.method("executor", name, arguments, site, state)
        if info.name.partition(".")[0] in _LOGGERS:
            return UNKNOWN
        if info.name.endswith(".ThreadingInstrumentor") and name == "instrument":
            machine.ledger.carries_context = machine.ledger.carries_context or not machine.root.is_script
            return NONE
        if name in ("enter_context", "enter_async_context") and arguments.positional:
            is_async = name == "enter_async_context"
            value = machine.calls.enter(arguments.positional[0].value, is_async, site, state)
            return (Coroutine(value),) if is_async else value
        parts = tuple(state.get((PARTS, owner.number), NOTHING))
        added = self.handover.interesting(arguments, state)
        if name in _RUNNERS:
            half = ASYNC if name.startswith("a") and name not in ("answer", "assign", "add") else SYNC
            with self.clients.running(info, name, arguments, site, state):
                self.handover.use(parts, half, site, state)
            self.handover.give(arguments, site, state)
            return UNKNOWN
        if added:
            state.set((PARTS, owner.number), tuple(dict.fromkeys((*parts, *added))))
        if name.startswith(_BUILDERS) or name in ("connect", "append", "extend"):
            return (owner,)
        for atom in parts if parts else ():
            self.handover.defer(atom, site, state)
        if added:
            self.handover.give(arguments, site, state)
        return UNKNOWN

    def _model_method(
        self, owner: Object, name: str, arguments: Arguments, site: Site, state: State
    ) -> Value:
        machine = self._machine
        if name not in ("model_copy", "copy"):
            self.parts.metrics_read()
        if name in ("model_dump", "dict"):
            content = MappingContent(open=True)
            return machine.contents.mapping(content, site, state)
        if name in ("model_copy", "copy") and not (arguments.keywords or arguments.open):
            return (owner,)
        machine.ledger.amended.add(owner.number)
        return UNKNOWN

    def call_base(self, receiver: Atom, name: str, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out `super().name(...)` where only a base outside the workspace has it."""
        machine = self._machine
        if isinstance(receiver, Object) and name == "__init__":
            info = machine.heap.info(receiver.number)
            if info.family and not self.traces.marks(receiver.number, state):
                self.clients.begin(receiver, info.family, arguments, state)
            return NONE
        if name == "__new__":
            return self._new(arguments, (receiver,), site, state)
        machine.unseen.methods_of(receiver)
        if isinstance(receiver, Object) and machine.heap.info(receiver.number).kind == heap.INSTANCE:
            result = self.clients.call(receiver, (name,), arguments, site, state)
            if result is not None:
                return result
        self.handover.give(arguments, site, state)
        return UNKNOWN

    def _new(self, arguments: Arguments, default: Value, site: Site, state: State) -> Value:
        """Carries out `super().__new__(cls)`: a plain instance."""
        machine = self._machine
        for atom in arguments.positional[0].value if arguments.positional else default:
            if isinstance(atom, Object) and machine.heap.info(atom.number).kind == heap.CLASS:
                return machine.instances.make_plainly(atom, site, state)
        return UNKNOWN

    def call_request(self, atom: Request, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out a call of something reached from the input: a method of its data."""
        self.handover.give(arguments, site, state)
        owner = Request(atom.path[:-1]) if atom.path else atom
        if atom.path[-1:] in (("append",), ("insert",)):
            state.set((PRESENT, owner.path), True)
        return self._machine.library.methods.of_request(owner, atom.path[-1] if atom.path else "", arguments)

    def call_generated(self, atom: Generated, arguments: Arguments, site: Site, state: State) -> Value:
        """Runs the `process` that `@reward_func` makes: all sub-rewards, then the aggregate."""
        if not isinstance(atom.receiver, Object):
            return (Coroutine(UNKNOWN),)
        return (Coroutine(self.parts.run(atom.receiver, arguments, site, state)),)

    def call_unknown(self, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out a call of something that is not known."""
        self.handover.give(arguments, site, state)
        return UNKNOWN

    # --- decorators -----------------------------------------------------------------------------

    def decorated(self, atom: Atom, value: Value, site: Site, state: State) -> Optional[Value]:
        """Applies a decorator from outside the workspace; `None` for a workspace one."""
        machine = self._machine
        if isinstance(atom, (External, Misbound)):
            misbound = isinstance(atom, Misbound)
            name = atom.name
            if misbound or name.startswith("sdk."):
                plain = name if misbound else name[4:]
                return self.contract.decorated(plain, value, site, state, misbound)
            if name in sdk.TOOL_DECORATORS:
                functions = tuple(item for item in value if isinstance(item, (Function, Object)))
                self._note_tool_decorator(name, value, site)
                return (self.tools.make_from(functions, site, state),)
            return None
        if isinstance(atom, Member) and isinstance(atom.owner, Object):
            return self._decorated_by_member(atom, value, site)
        if isinstance(atom, Object) and machine.heap.info(atom.number).family == "mcp-tool-decorator":
            return self.tools.server_tool(value, site)
        return None

    def _note_tool_decorator(self, name: str, value: Value, site: Site) -> None:
        for item in value:
            if isinstance(item, Function):
                below = tuple(mark.name for mark in item.marks)
                self._machine.ledger.note(Decoration("tool", site, item.definition, -1, below, False, False))

    def _decorated_by_member(self, atom: Member, value: Value, site: Site) -> Optional[Value]:
        assert isinstance(atom.owner, Object)
        server = self._machine.heap.info(atom.owner.number).name.rpartition(".")[2] in sdk.MCP_SERVERS
        if server and atom.path[-1] in ("tool", "call_tool"):
            return self.tools.server_tool(value, site)
        return None

    # --- members --------------------------------------------------------------------------------

    def member(
        self, owner: Atom, path: Tuple[str, ...], site: Site, state: State, is_called: bool = False
    ) -> Value:
        """Returns an attribute chain on something outside the workspace, taken to be called or kept."""
        machine = self._machine
        if isinstance(owner, Object):
            info = machine.heap.info(owner.number)
            if info.name.rpartition(".")[2] in sdk.MCP_SERVERS and path == ("tool",):
                return (Member(owner, path),)
            if info.family in ("toolset", "tool", "plain-tool") and path[-1] in (
                "name",
                "description",
                "args_schema",
            ):
                return typed("str", BOUNDED)
            if info.family == MODEL and len(path) == 1:
                own = state.get((ATTRIBUTE, owner.number, path[0]))
                if own is None and path[0] in _MODEL_METHODS:
                    return (Member(owner, path),)
                return own if own is not None else UNKNOWN
            return self.clients.member(owner, path, site, state, is_called)
        return (Member(owner, path),)

    def inherited(
        self, receiver: Atom, cls: int, name: str, site: Site, state: State, is_called: bool
    ) -> Value:
        """Returns an attribute that an instance can only have from a base outside the workspace."""
        machine = self._machine
        if is_called:
            machine.unseen.methods_of(receiver)
        family = self.family_of_class(cls)
        if family:
            return (
                self.clients.member(receiver, (name,), site, state, is_called)
                if isinstance(receiver, Object)
                else UNKNOWN
            )
        bases = machine.inheritance.outside_bases(cls)
        if name == "start" and "threading.Thread" in bases:
            return (Member(receiver, (name,)),)
        if name == "executor" and "sdk.AbstractRewardProcessor" in bases:
            info = ObjectInfo(heap.OUTSIDE, site, "executor", family="processor-executor")
            return (machine.heap.allocate(("executor", receiver), info),)
        if isinstance(receiver, Object) and self.traces.marks(receiver.number, state):
            return (Member(receiver, (name,)),)
        if name in PART_METHODS and any(base.startswith("sdk.") for base in bases):
            return (Member(receiver, (name,)),)
        return UNKNOWN

    def entered(self, atom: Atom, site: Site, state: State) -> Value:
        """Returns what `with x as y` binds for something outside the workspace."""
        self.answers.gone_through(atom)
        if isinstance(atom, Object):
            if self._machine.heap.info(atom.number).family == "manager":
                return tuple(state.get((PARTS, atom.number), NOTHING))
            self.tools.entered(atom)
            return (atom,)
        return (atom,) if isinstance(atom, Request) else UNKNOWN

    def is_log_call(self, atom: Atom) -> bool:
        """Whether something is a logger, or a function that only writes a line to a log."""
        if isinstance(atom, Member):
            atom = atom.owner
        if isinstance(atom, Object):
            return self._machine.heap.info(atom.number).name.partition(".")[0] in _LOGGERS
        name = atom.name if isinstance(atom, External) else ""
        return name == "builtins.print" or name.partition(".")[0] in _LOGGERS

    def suppresses(self, manager: Value) -> bool:
        """Whether a context manager lets the code behind the block go on after an exception."""
        return any(
            isinstance(atom, Object) and self._machine.heap.info(atom.number).name == "contextlib.suppress"
            for atom in manager
        )

    def span_names(self, expression: ir.Expression, state: State) -> Tuple[str, ...]:
        """Returns the mark of a `with genai_llm_span():` block."""
        if not isinstance(expression, ir.Call):
            return ()
        function = expression.function
        value: Value = NOTHING
        if isinstance(function, ir.Name):
            value = self._machine.names.load(function.identifier, state)
        elif isinstance(function, ir.Attribute):
            value = self._machine.evaluate(function, state)
        return tuple(atom.name for atom in value if isinstance(atom, External) and atom.name in LLM_SPANS)

    # --- enumerations and class families --------------------------------------------------------

    def family_of_class(self, number: int) -> str:
        """Returns the client family that a workspace class inherits."""
        known = self._families.get(number)
        if known is None:
            bases = self._machine.inheritance.outside_bases(number)
            known = next((f for f in map(self.clients.family, bases) if f), "")
            self._families[number] = known
        return known

    def constructed(self, made: Object, cls: int, arguments: Arguments, site: Site, state: State) -> None:
        """Starts following an instance of a workspace class that is a client or a tool."""
        machine = self._machine
        bases = machine.inheritance.outside_bases(cls)
        self.answers.built(bases, arguments, state)
        family = self.family_of_class(cls)
        if family:
            self.clients.begin(made, family, arguments, state)
        else:
            self.tools.constructed(made, bases, state)

    def fields_given(self, made: Object, cls: int, arguments: Arguments, site: Site, state: State) -> None:
        """Hears of what an instance is given for the fields of the SDK's models that its class inherits."""
        for base in self._machine.inheritance.outside_bases(cls):
            if base.startswith("sdk.") and base[len("sdk.") :] in sdk.MODEL_FIELDS:
                self.models.inherited(base[len("sdk.") :], made, arguments, site, state)

    def has_class_member(self, cls: int, name: str) -> bool:
        """Whether a workspace class inherits a member from outside that can be called on the class."""
        return bool(self.family_of_class(cls)) or name in VALIDATING

    def classes_of(self, atom: Object) -> Tuple[str, ...]:
        """Returns the classes of a client or a tool, its own first; nothing where they are not known."""
        info = self._machine.heap.info(atom.number)
        own = info.name.rpartition(".")[2]
        if info.family == TOOLSET:
            return ("list",)
        if info.family == TOOL and info.kind == heap.OUTSIDE:
            return ("StructuredTool", "BaseTool", *sdk.RUNNABLE_BASES)
        if info.family not in CLIENT_FAMILIES or own not in sdk.CLIENTS:
            return ()
        return (own, *sdk.CLIENT_BASES.get(own, ()))

    # --- elements -------------------------------------------------------------------------------

    def is_collection(self, atom: Atom) -> bool:
        """Whether a slice of something, or a sum with it, is like it: tools from outside."""
        return isinstance(atom, Object) and self.tools.is_tool(atom.number)

    def element_of(self, atom: Object, state: State) -> Value:
        """Returns what an element of an outside object is, or of an instance by its `__iter__`."""
        machine = self._machine
        machine.unseen.methods_of(atom)
        if machine.enumerations.is_enumeration(atom):
            return machine.enumerations.members(atom, state)
        family = machine.heap.info(atom.number).family
        return (self.tools.element_of(atom),) if family == "toolset" else UNKNOWN

    def item_of(self, atom: Object, index: Value, site: Site, state: State) -> Value:
        """Returns what `x[i]` of an outside object is."""
        machine = self._machine
        if machine.enumerations.is_enumeration(atom):
            names = strings(index)
            return tuple(EnumMember(atom.number, name) for name in names) or machine.enumerations.members(
                atom, state
            )
        family = machine.heap.info(atom.number).family
        if family == "toolset":
            return (self.tools.element_of(atom),)
        found = machine.attributes.attribute(atom, "__getitem__", site, state)
        if any(isinstance(item, Function) for item in found):
            arguments = Arguments((ArgumentValue(None, index, site),))
            return machine.calls.call(found, arguments, site, state)
        return UNKNOWN

    def truth_of(self, atom: Object) -> Optional[bool]:
        """Tells whether an object is true as a condition."""
        machine = self._machine
        info = machine.heap.info(atom.number)
        if info.family == "toolset" or info.verdict == "maybe":
            return None
        if info.kind == heap.INSTANCE:
            found = ("__bool__", "__len__")
            has = any(name in machine.frames[machine.heap.info(c).frame].scope.local
                      for c in machine.inheritance.linearized(info.cls) for name in found)  # fmt: skip
            return None if has else True
        return True

    def may_be_none(self, atom: Object) -> bool:
        """Whether an object may be `None` after all: the result of a function that is not known."""
        return self._machine.heap.info(atom.number).verdict == "maybe"

    # --- chains ---------------------------------------------------------------------------------

    def piped(self, operator: str, left: Atom, right: Atom, site: Site, state: State) -> Optional[Value]:
        """Carries out `prompt | model`: a chain of runnables."""
        machine = self._machine
        if operator != "|":
            return None
        parts: Dict[Atom, None] = {}
        contents = [machine.contents.of(atom, state) for atom in (left, right)]
        pairs = zip((left, right), contents)
        others = [atom for atom, content in pairs if not isinstance(content, MappingContent)]
        runnable = any(
            isinstance(atom, Object) and self.handover.is_interesting(atom, state) for atom in others
        )
        if len(others) < 2 and not runnable:
            return None
        for atom in (left, right):
            self.handover.collect(atom, state, parts, 0)
        if not any(isinstance(atom, Object) for atom in parts):
            return None
        info = ObjectInfo(heap.OUTSIDE, site, "chain", family="chain")
        made = machine.allocate("chain", info)
        state.set((PARTS, made.number), tuple(parts))
        return (made,)
