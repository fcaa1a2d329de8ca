"""Code outside the workspace: what calling it may do with the values that it is given."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Dict, Hashable, Iterator, List, Optional, Set, Tuple

from rlobs_lint import ir, sdk
from rlobs_lint.flow import heap
from rlobs_lint.flow.calls import FIELDS, Arguments, ArgumentValue, PartialContent, with_mark
from rlobs_lint.flow.contract import COMPONENT, JOB_CLIENT
from rlobs_lint.flow.heap import MappingContent, ObjectInfo, SequenceContent
from rlobs_lint.flow.models import MODEL
from rlobs_lint.flow.observations import (
    Decoration,
    Detached,
    ElementRead,
    EntryCall,
    EnvironmentChange,
    FunctionCall,
    ProviderReplaced,
)
from rlobs_lint.flow.parts import PART_METHODS
from rlobs_lint.flow.places import last_name
from rlobs_lint.flow.scopes import walk_expression
from rlobs_lint.flow.state import ATTRIBUTE, CONTENT, PARTS, PRESENT, Key, State
from rlobs_lint.flow.traces import ASYNC, BOTH, SYNC
from rlobs_lint.flow.values import (
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
    constants,
    origin_of,
    strings,
    typed,
)

if TYPE_CHECKING:
    from rlobs_lint.flow.machine import Machine

_ENUMS = frozenset({"enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag"})
_LLM_SPANS = frozenset({"sdk.observe_llm", "sdk.genai_llm_span", "sdk.run_with_genai_llm_span"})
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
#: How far containers in containers are looked through: the rows of a view, and their items.
DEEPEST_EXCUSE = 3
_LOGGERS = frozenset({"logging", "loguru", "structlog"})
_STRUCTURED = frozenset({"instructor"})
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


class Outside:
    """Knows what is not the workspace's code, for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        #: Whether a callee is being evaluated.
        self.calling = False
        self._detached: List[Optional[Tuple[Site, str]]] = []
        self._handed: Dict[Hashable, Tuple[Atom, Site]] = {}
        self._asked: Dict[Tuple[str, ...], None] = {}
        self._families: Dict[int, str] = {}
        self._running: Set[Tuple[int, str]] = set()

    def begin(self) -> None:
        """Forgets what the last root left to be run."""
        self._handed = {}
        self._detached = []
        self._running = set()

    # --- calls ----------------------------------------------------------------------------------

    def call_external(
        self, name: str, arguments: Arguments, site: Site, state: State, misbound: bool = False
    ) -> Value:
        """Carries out a call of a dotted name outside the workspace."""
        machine = self._machine
        if name.startswith("sdk."):
            return machine.contract.call(name[4:], arguments, site, state, misbound)
        if name in _WATCHED:
            machine.ledger.note(ProviderReplaced(site, self._stage(), machine.root))
            return NONE
        if name == "builtins.object.__new__":
            return self._new(arguments, UNKNOWN, site, state)
        if name in FIELDS and arguments.value(-1, "default_factory"):
            return machine.calls.declare_field(name, arguments, site, state)
        result = machine.library.call(name, arguments, site, state)
        if result is not None:
            return result
        result = self._thread_call(name, arguments, site, state)
        if result is not None:
            return result
        result = machine.http.call_external(name, arguments, site, state)
        if result is not None:
            return result
        result = machine.clients.call_external(name, arguments, site, state)
        if result is not None:
            return result
        result = machine.tools.call_external(name, arguments, site, state)
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
        parts = self._interesting(arguments, state)
        is_class = last[:1].isupper() or name == "threading.local"
        if (name.partition(".")[0] in _LOGGERS or name == "contextlib.suppress") and not is_class:
            info = ObjectInfo(heap.OUTSIDE, site, name)
            return (machine.allocate("outside", info),)
        if not is_class:
            self.hand_over(arguments, site, state)
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
        if isinstance(owner, Object):
            for part in (machine.clients, machine.tools, machine.http):
                result = part.call(owner, path, arguments, site, state)
                if result is not None:
                    return result
            info = machine.heap.info(owner.number)
            if info.kind in (heap.SEQUENCE, heap.MAPPING):
                return machine.library.methods.call(owner, name, arguments, site, state) or UNKNOWN
            if info.kind == heap.CLASS:
                return self._class_call(owner, name, arguments, site, state)
            if info.kind == heap.INSTANCE and name in PART_METHODS and not info.family:
                return machine.parts.call(owner, name, site, state)
            return self._object_call(owner, info, path, arguments, site, state)
        if isinstance(owner, (Constant, Typed)):
            result = machine.library.methods.call(owner, name, arguments, site, state)
            return result if result is not None else UNKNOWN
        if isinstance(owner, (Function, Generated)):
            return self.call_external("?", arguments, site, state) if name != "__wrapped__" else UNKNOWN
        if name == "run_in_executor":
            return self._run_in_executor(arguments, site, state)
        machine.http.unknown_call(name, arguments, site)
        self.hand_over(arguments, site, state)
        return (Unknown(origin_of(owner)),) if isinstance(owner, Unknown) and name in _READERS else UNKNOWN

    def _class_call(self, owner: Object, name: str, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out a class method that a workspace class inherits from outside."""
        if name == "__subclasses__":
            return self._machine.library.objects.subclasses(owner, site, state)
        family = self.family_of_class(owner.number)
        if family.startswith("dashscope"):
            base = next(
                base
                for base in self._machine.modules.outside_bases(owner.number)
                if self._machine.clients.family(base)
            )
            return self._machine.clients.call_class(base, name, arguments, site, state)
        self.hand_over(arguments, site, state)
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
            with self.detached(site, "Thread"):
                run = machine.modules.attribute(owner, "run", site, state)
                return machine.calls.call(run, Arguments(), site, state)
        if info.family == JOB_CLIENT:
            return machine.contract.job_client_call(name, arguments, site, state)
        if info.family in ("event-loop", "executor", "context"):
            return self._thread_method(info.family, name, arguments, site, state)
        if info.family == MODEL:
            return self._model_method(owner, name, arguments, site, state)
        if info.family == COMPONENT and name in ("model_copy", "copy"):
            # `component.model_copy(update={"name": ...})`: what becomes of the copy is not followed.
            machine.ledger.changed_fields.setdefault(owner.number, {})["name"] = None
            return UNKNOWN
        if info.family == "processor-executor":
            return self._thread_method("executor", name, arguments, site, state)
        if info.name.partition(".")[0] in _LOGGERS:
            return UNKNOWN
        if name in ("enter_context", "enter_async_context") and arguments.positional:
            is_async = name == "enter_async_context"
            value = machine.calls.enter(arguments.positional[0].value, is_async, site, state)
            return (Coroutine(value),) if is_async else value
        parts = tuple(state.get((PARTS, owner.number), NOTHING))
        added = self._interesting(arguments, state)
        if name in _RUNNERS:
            half = ASYNC if name.startswith("a") and name not in ("answer", "assign", "add") else SYNC
            self.use(parts, half, site, state)
            self.hand_over(arguments, site, state)
            return self.unknown_result(path, is_async=half == ASYNC)
        if added:
            state.set((PARTS, owner.number), tuple(dict.fromkeys((*parts, *added))))
        if name.startswith(_BUILDERS) or name in ("connect", "append", "extend"):
            return (owner,)
        for atom in parts if parts else ():
            self._defer(atom, site, state)
        if added:
            self.hand_over(arguments, site, state)
        return UNKNOWN

    def _model_method(
        self, owner: Object, name: str, arguments: Arguments, site: Site, state: State
    ) -> Value:
        if name not in ("model_copy", "copy"):
            self._machine.parts.metrics_read()
        if name in ("model_dump", "dict"):
            content = MappingContent(open=True)
            return self._machine.contents.mapping(content, site, state)
        if name in ("model_copy", "copy") and not (arguments.keywords or arguments.open):
            return (owner,)
        self._machine.ledger.amended.add(owner.number)
        return UNKNOWN

    def call_base(self, receiver: Atom, name: str, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out `super().name(...)` where only a base outside the workspace has it."""
        machine = self._machine
        if isinstance(receiver, Object) and name == "__init__":
            info = machine.heap.info(receiver.number)
            if info.family and not machine.traces.marks(receiver.number, state):
                machine.clients.begin(receiver, info.family, arguments, state)
            return NONE
        if name == "__new__":
            return self._new(arguments, (receiver,), site, state)
        machine.unseen.methods_of(receiver)
        if isinstance(receiver, Object) and machine.heap.info(receiver.number).kind == heap.INSTANCE:
            result = machine.clients.call(receiver, (name,), arguments, site, state)
            if result is not None:
                return result
        self.hand_over(arguments, site, state)
        return UNKNOWN

    def _new(self, arguments: Arguments, default: Value, site: Site, state: State) -> Value:
        """Carries out `super().__new__(cls)`: a plain instance."""
        machine = self._machine
        for atom in arguments.positional[0].value if arguments.positional else default:
            if isinstance(atom, Object) and machine.heap.info(atom.number).kind == heap.CLASS:
                return machine.calls.create_plainly(atom, site, state)
        return UNKNOWN

    def call_request(self, atom: Request, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out a call of something reached from the input: a method of its data."""
        self.hand_over(arguments, site, state)
        owner = Request(atom.path[:-1]) if atom.path else atom
        if atom.path[-1:] in (("append",), ("insert",)):
            state.set((PRESENT, owner.path), True)
        return self._machine.library.methods.of_request(owner, atom.path[-1] if atom.path else "", arguments)

    def unknown_result(self, path: Tuple[str, ...], is_async: bool = False) -> Value:
        """Returns the result of a call that is not followed."""
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
                return machine.contract.decorated(plain, value, site, state, misbound)
            if name in sdk.TOOL_DECORATORS:
                functions = tuple(item for item in value if isinstance(item, (Function, Object)))
                self._note_tool_decorator(name, value, site)
                return (machine.tools.make_from(functions, site, state),)
            return None
        if isinstance(atom, Member) and isinstance(atom.owner, Object):
            return self._decorated_by_member(atom, value, site)
        if isinstance(atom, Object) and machine.heap.info(atom.number).family == "mcp-tool-decorator":
            return self.server_tool(value, site)
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
            return self.server_tool(value, site)
        return None

    def server_tool(self, value: Value, site: Site) -> Value:
        """Registers a function as a tool of an MCP server."""
        for item in value:
            if isinstance(item, Function):
                below = tuple(mark.name for mark in item.marks)
                self._machine.ledger.note(
                    Decoration("mcp-tool", site, item.definition, -1, below, False, False)
                )
        return with_mark(value, "mcp-tool", site)

    # --- members --------------------------------------------------------------------------------

    def member(self, owner: Atom, path: Tuple[str, ...], site: Site, state: State) -> Value:
        """Returns an attribute chain on something outside the workspace."""
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
            return machine.clients.member(owner, path, site, state)
        return (Member(owner, path),)

    def member_or(self, owner: Object, name: str, own: Value, state: State) -> Value:
        """Returns an instance's own attribute."""
        return own

    def inherited(self, receiver: Atom, cls: int, name: str, site: Site, state: State) -> Value:
        """Returns an attribute that an instance can only have from a base outside the workspace."""
        machine = self._machine
        if self.calling:
            machine.unseen.methods_of(receiver)
        family = self.family_of_class(cls)
        if family:
            return (
                machine.clients.member(receiver, (name,), site, state)
                if isinstance(receiver, Object)
                else UNKNOWN
            )
        bases = machine.modules.outside_bases(cls)
        if name == "start" and "threading.Thread" in bases:
            return (Member(receiver, (name,)),)
        if name == "executor" and "sdk.AbstractRewardProcessor" in bases:
            info = ObjectInfo(heap.OUTSIDE, site, "executor", family="processor-executor")
            return (machine.heap.allocate(("executor", receiver), info),)
        if isinstance(receiver, Object) and machine.traces.marks(receiver.number, state):
            return (Member(receiver, (name,)),)
        if name in PART_METHODS and any(base.startswith("sdk.") for base in bases):
            return (Member(receiver, (name,)),)
        return UNKNOWN

    def entered(self, atom: Atom, site: Site, state: State) -> Value:
        """Returns what `with x as y` binds for something outside the workspace."""
        if isinstance(atom, Object):
            if self._machine.heap.info(atom.number).family == "manager":
                return tuple(state.get((PARTS, atom.number), NOTHING))
            self._machine.tools.entered(atom)
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
        return tuple(atom.name for atom in value if isinstance(atom, External) and atom.name in _LLM_SPANS)

    # --- enumerations and class families --------------------------------------------------------

    def is_enumeration(self, atom: Object) -> bool:
        """Whether an object is a workspace enumeration."""
        if self._machine.heap.info(atom.number).kind != heap.CLASS:
            return False
        return bool(_ENUMS.intersection(self._machine.modules.outside_bases(atom.number)))

    def is_integer_enumeration(self, number: int) -> bool:
        """Whether the members of an enumeration are numbers."""
        bases = self._machine.modules.outside_bases(number)
        return bool({"enum.IntEnum", "enum.IntFlag", "builtins.int", "builtins.float"}.intersection(bases))

    def enum_members(self, cls: Object, state: State) -> Value:
        """Returns all members of an enumeration, in order."""
        node = self._machine.heap.info(cls.number).node
        names = []
        for statement in node.body if node is not None else ():
            if isinstance(statement, ir.Assign):
                names += [target.identifier for target in statement.targets if isinstance(target, ir.Name)]
        return tuple(EnumMember(cls.number, name) for name in names if not name.startswith("_")) or UNKNOWN

    def enum_text(self, atom: EnumMember) -> Optional[str]:
        """Returns what formatting a member of an enumeration gives; the Python version decides for most."""
        return None

    def family_of_class(self, number: int) -> str:
        """Returns the client family that a workspace class inherits."""
        known = self._families.get(number)
        if known is None:
            bases = self._machine.modules.outside_bases(number)
            known = next((f for f in map(self._machine.clients.family, bases) if f), "")
            self._families[number] = known
        return known

    def constructed(self, made: Object, cls: int, arguments: Arguments, site: Site, state: State) -> None:
        """Starts following an instance of a workspace class that is a client or a tool."""
        family = self.family_of_class(cls)
        if family:
            self._machine.clients.begin(made, family, arguments, state)
        else:
            self._machine.tools.constructed(made, self._machine.modules.outside_bases(cls), state)

    def forget(self, made: Object, state: State) -> None:
        """Begins an instance anew: a loop makes the same one again."""

    # --- elements -------------------------------------------------------------------------------

    def element_of(self, atom: Object, state: State) -> Value:
        """Returns what an element of an outside object is, or of an instance by its `__iter__`."""
        self._machine.unseen.methods_of(atom)
        if self.is_enumeration(atom):
            return self.enum_members(atom, state)
        family = self._machine.heap.info(atom.number).family
        return (self._machine.tools.element_of(atom),) if family == "toolset" else UNKNOWN

    def item_of(self, atom: Object, index: Value, site: Site, state: State) -> Value:
        """Returns what `x[i]` of an outside object is."""
        if self.is_enumeration(atom):
            names = strings(index)
            return tuple(EnumMember(atom.number, name) for name in names) or self.enum_members(atom, state)
        family = self._machine.heap.info(atom.number).family
        if family == "toolset":
            return (self._machine.tools.element_of(atom),)
        found = self._machine.modules.attribute(atom, "__getitem__", site, state)
        if any(isinstance(item, Function) for item in found):
            arguments = Arguments((ArgumentValue(None, index, site),))
            return self._machine.calls.call(found, arguments, site, state)
        return UNKNOWN

    def truth_of(self, atom: Object) -> Optional[bool]:
        """Tells whether an object is true as a condition."""
        info = self._machine.heap.info(atom.number)
        if info.family == "toolset" or info.verdict == "maybe":
            return None
        if info.kind == heap.INSTANCE:
            found = ("__bool__", "__len__")
            has = any(name in self._machine.frames[self._machine.heap.info(c).frame].scope.local
                      for c in self._machine.modules.linearized(info.cls) for name in found)  # fmt: skip
            return None if has else True
        return True

    def may_be_none(self, atom: Object) -> bool:
        """Whether an object may be `None` after all: the result of a function that is not known."""
        return self._machine.heap.info(atom.number).verdict == "maybe"

    # --- what is asked of the input -------------------------------------------------------------

    def asked_paths(self, prefix: Tuple[str, ...]) -> Tuple[Tuple[str, ...], ...]:
        """Returns the paths below a prefix that conditions asked about."""
        return tuple(path for path in self._asked if path[: len(prefix)] == prefix)

    def subscripted(
        self, owner: Value, expression: ir.Expression, index: Value, site: Site, state: State
    ) -> None:
        """Notes that an element of the messages of an agent's output is read."""
        machine = self._machine
        if constants(index) is None and _has_variable(expression):
            return  # somebody has worked out which element there is
        for atom in owner:
            # `messages[-3:][-1]`: a slice has nothing where the messages have nothing.
            path = atom.path[:-1] if isinstance(atom, Request) and atom.path[-1:] == ("[:]",) else None
            if not isinstance(atom, Request) or (path or atom.path)[-1:] != ("messages",):
                continue
            number = index[0] if len(index) == 1 else None
            if isinstance(number, Constant) and isinstance(number.value, str):
                continue
            path = path or atom.path
            self._asked[path] = None
            # Where the messages are known to be there, `messages or []` is none but them.
            is_there = any(state.get((PRESENT, known), False) for known in (atom.path, path))
            empty = any(isinstance(other, Object) and self._is_empty(other, state) for other in owner)
            caught = any(
                name in ("BaseException", "Exception", "LookupError", "IndexError", "TypeError", "?")
                for activation in machine.stack
                for attempt in activation.attempts
                for name in attempt.catches
            )
            machine.ledger.note(
                ElementRead(site, path, is_there or (atom.present and not empty) or caught, machine.root)
            )

    def _is_empty(self, atom: Object, state: State) -> bool:
        content = self._machine.contents.of(atom, state)
        return isinstance(content, SequenceContent) and content.known_empty

    # --- assignments ----------------------------------------------------------------------------

    def assigned(self, key: Key, value: Value, state: State) -> None:
        """Hears of every assignment: tools that were traced before they were there."""
        self._machine.tools.assigned(key, value, state)

    def attribute_assigned(
        self, owner: Value, name: str, value: Value, site: Site, state: State, source: Optional[ir.Expression]
    ) -> None:
        """Hears of assignments to attributes: metrics that are set on a result."""
        value_site = self._machine.site(source.at) if source is not None else site
        for atom in owner:
            if isinstance(atom, Object):
                if self._machine.heap.info(atom.number).family == COMPONENT:
                    self._machine.ledger.changed_fields.setdefault(atom.number, {})[name] = None
                self._set_by_method(atom, name, state)
                self._machine.models.attribute_assigned(atom, name, value, value_site, state)

    def _set_by_method(self, atom: Object, name: str, state: State) -> None:
        """Hears of an assignment that a setter carries out, or `__setattr__`."""
        info = self._machine.heap.info(atom.number)
        for method in (name, "__setattr__") if info.kind == heap.INSTANCE else ():
            found = self._machine.modules.class_attribute(info.cls, method, state)
            if found is not None and any(isinstance(item, Function) for item in found[1]):
                self._machine.unseen.methods_of(atom)

    def item_assigned(self, owner: Value, key: Value, value: Value, site: Site, state: State) -> None:
        """Hears of assignments to items: environment variables."""
        for atom in owner:
            self._machine.unseen.methods_of(atom)
            if isinstance(atom, External) and atom.name == "os.environ":
                for name in strings(key):
                    self._machine.ledger.note(EnvironmentChange(site, name, value, self._machine.root))

    def item_deleted(self, owner: Value, key: Value, site: Site, state: State) -> None:
        """Hears of deletions of items."""
        for atom in owner:
            self._machine.unseen.methods_of(atom)

    # --- running functions ----------------------------------------------------------------------

    def entering(self, function: Atom, arguments: Arguments, site: Site, state: State) -> None:
        """Hears of a function that is about to run: spans that begin with it."""
        machine = self._machine
        assert isinstance(function, (Function, Generated))
        marks = {mark.name for mark in function.marks}
        if not marks:
            return
        definition = function.definition if isinstance(function, Function) else -1
        if marks & {f"sdk.{name}" for name in sdk.ENTRY_DECORATORS}:
            given = arguments.positional[:1] or arguments.keywords[:1]
            takes_input = any(isinstance(atom, Request) and not atom.path for a in given for atom in a.value)
            name = machine.definitions[definition].name if definition >= 0 else "process"
            machine.ledger.note(EntryCall(definition, name, site, takes_input, machine.root))
        if "sdk.observe_llm" in marks:
            called = self._outermost_call(function, site)
            is_bound = function.receiver is not None
            machine.ledger.note(
                FunctionCall(definition, called, function.marks, arguments, is_bound, machine.root)
            )
            self.spanned("llm", site, True)
        if "sdk.observe_tool" in marks:
            self.spanned("tool", site, True)

    def _outermost_call(self, function: Atom, site: Site) -> Site:
        """Returns the call of a function, or that of the outermost decorator's wrapper around it."""
        machine = self._machine
        for activation in reversed(machine.stack):
            parent = activation.frame.parent
            key = (activation.definition, parent.number if parent is not None else -1)
            inner = machine.ledger.wrapped.get(key)
            if activation.site is None or inner is None or not isinstance(function, Function):
                break
            if inner.definition != function.definition:
                break
            function, site = Function(*key), activation.site
        return site

    def inside_span(self, kind: str) -> bool:
        """Whether the code that is run stands in an LLM span of its own making."""
        return any(mark in _LLM_SPANS for activation in self._machine.stack for mark in activation.marks)

    def spanned(self, kind: str, site: Site, traced: bool) -> None:
        """Notes a call that makes a span, if it runs without the context of its trace."""
        if self._detached and self._detached[-1] is not None:
            handing, way = self._detached[-1]
            self._machine.ledger.note(Detached(handing, way, site, kind, traced, self._machine.root))

    @contextmanager
    def detached(self, site: Site, way: str) -> Iterator[None]:
        """Runs code in another thread without its context; no `way`: with it."""
        self._detached.append((site, way) if way else None)
        try:
            yield
        finally:
            self._detached.pop()

    # --- threads --------------------------------------------------------------------------------

    def _thread_call(self, name: str, arguments: Arguments, site: Site, state: State) -> Optional[Value]:
        machine = self._machine
        last = name.rpartition(".")[2]
        if name in (
            "asyncio.to_thread",
            "anyio.to_thread.run_sync",
            "starlette.concurrency.run_in_threadpool",
        ):
            return (Coroutine(self._run_given(arguments, 0, site, state)),)
        if name in ("asyncio.get_running_loop", "asyncio.get_event_loop", "asyncio.new_event_loop"):
            return (machine.allocate("loop", ObjectInfo(heap.OUTSIDE, site, name, family="event-loop")),)
        if last == "ThreadPoolExecutor":
            return (machine.allocate("executor", ObjectInfo(heap.OUTSIDE, site, name, family="executor")),)
        if name in ("contextvars.copy_context", "contextvars.Context"):
            return (machine.allocate("context", ObjectInfo(heap.OUTSIDE, site, name, family="context")),)
        if name in ("threading.Thread", "threading.Timer"):
            target = arguments.value(1, "target") if last == "Thread" else arguments.value(1, "function")
            given = arguments.value(3 if last == "Thread" else 2, "args")
            values = self._machine.contents.of(given[0], state) if len(given) == 1 else None
            elements = values.elements if isinstance(values, SequenceContent) else ()
            passed = Arguments(
                tuple(ArgumentValue(None, element, site) for element in elements), (), not elements
            )
            with self.detached(site, last):
                machine.expressions.awaited(
                    machine.calls.call(target, passed, site, state)
                ) if target else None
            return UNKNOWN
        if name.endswith("context.attach") and self._detached:
            self._detached[-1] = None
            return UNKNOWN
        return None

    def _thread_method(self, family: str, name: str, arguments: Arguments, site: Site, state: State) -> Value:
        if name == "run_in_executor":
            return self._run_in_executor(arguments, site, state)
        if family == "executor" and name == "submit":
            with self.detached(site, "submit"):
                return self._run_given(arguments, 0, site, state)
        if family == "executor" and name == "map":
            with self.detached(site, "map"):
                return self._machine.library.call("builtins.map", arguments, site, state) or UNKNOWN
        if family == "context" and name == "run":
            with self.detached(site, ""):
                return self._run_given(arguments, 0, site, state)
        if name in ("run_until_complete", "create_task"):
            value = arguments.value(0, "future") or arguments.value(0, "coro")
            awaited = self._machine.expressions.awaited(value)
            return awaited if name == "run_until_complete" else (Coroutine(awaited),)
        if name in ("call_soon", "call_soon_threadsafe", "call_later"):
            return self._run_given(arguments, 1 if name == "call_later" else 0, site, state)
        self.hand_over(arguments, site, state)
        return UNKNOWN

    def _run_in_executor(self, arguments: Arguments, site: Site, state: State) -> Value:
        with self.detached(site, "run_in_executor"):
            return (Coroutine(self._run_given(arguments, 1, site, state)),)

    def _run_given(self, arguments: Arguments, position: int, site: Site, state: State) -> Value:
        """Calls the argument at a position with those behind it."""
        if len(arguments.positional) <= position:
            return UNKNOWN
        callee = arguments.positional[position].value
        rest = Arguments(arguments.positional[position + 1 :], arguments.keywords, arguments.open)
        return self._machine.calls.call(callee, rest, site, state)

    # --- what outside code is given -------------------------------------------------------------

    def _interesting(self, arguments: Arguments, state: State) -> Value:
        """Returns the clients, tools, functions and things made of them among arguments."""
        found: Dict[Atom, None] = {}
        for argument in arguments.everything():
            for atom in argument.value:
                self._collect(atom, state, found, 0)
        return tuple(found)

    def _collect(self, atom: Atom, state: State, found: Dict[Atom, None], depth: int) -> None:
        machine = self._machine
        if isinstance(atom, Function):
            found[atom] = None
        elif isinstance(atom, Coroutine):
            for inner in atom.result:
                self._collect(inner, state, found, depth + 1)
        elif (
            isinstance(atom, Member)
            and isinstance(atom.owner, Object)
            and machine.traces.marks(atom.owner.number, state)
        ):
            found[atom] = None
        elif isinstance(atom, Object) and depth < 4:
            content = machine.contents.of(atom, state)
            if isinstance(content, SequenceContent):
                for inner in content.any():
                    self._collect(inner, state, found, depth + 1)
            elif isinstance(content, MappingContent):
                for inner in content.values():
                    self._collect(inner, state, found, depth + 1)
            elif isinstance(content, PartialContent):
                if any(isinstance(inner, Function) for inner in content.callee):
                    found[atom] = None
                for inner in content.callee if atom not in found else ():
                    self._collect(inner, state, found, depth + 1)
            elif self._is_interesting(atom, state):
                found[atom] = None
            else:
                found.update(dict.fromkeys(self._called_as(atom, state)))

    def _called_as(self, atom: Object, state: State) -> Value:
        """Returns the `__call__` of a workspace class's instance."""
        info = self._machine.heap.info(atom.number)
        if info.kind != heap.INSTANCE:
            return NOTHING
        found = self._machine.modules.class_attribute(info.cls, "__call__", state)
        methods = found[1] if found is not None else NOTHING
        return tuple(item._replace(receiver=atom) for item in methods if isinstance(item, Function))

    def _is_interesting(self, atom: Object, state: State) -> bool:
        machine = self._machine
        info = machine.heap.info(atom.number)
        if machine.traces.marks(atom.number, state) or info.family in ("langchain-view", "unsupported-model"):
            return True
        return info.kind == heap.OUTSIDE and bool(state.get((PARTS, atom.number), NOTHING))

    def hand_over(self, arguments: Arguments, site: Site, state: State) -> None:
        """Hands arguments to code outside the workspace, which may use and fill them from now on."""
        self._machine.unseen.given(arguments, state)
        for argument in arguments.everything():
            self._machine.parts.handed_over(argument.value, state)
            for atom in argument.value:
                content = self._machine.contents.of(atom, state)
                if isinstance(content, MappingContent) and isinstance(atom, Object) and not content.open:
                    state.set((CONTENT, atom.number), content._replace(open=True))
                elif isinstance(content, SequenceContent) and isinstance(atom, Object):
                    self._may_change(atom, content, state)
        for atom in self._interesting(arguments, state):
            self._defer(atom, site, state)

    def _may_change(self, atom: Object, content: SequenceContent, state: State) -> None:
        """Lets outside code fill, empty and sort a collection of plain values: `heappush(heap, x)`."""
        is_plain = not any(isinstance(item, (Object, Function, Member)) for item in content.any())
        if is_plain and self._machine.heap.info(atom.number).name in ("list", "set"):
            state.set((CONTENT, atom.number), content.changed(UNKNOWN))

    def _defer(self, atom: Atom, site: Site, state: State) -> None:
        """Lets outside code use something later: at the end of the root at the latest."""
        machine = self._machine
        if isinstance(atom, Function):
            self._handed.setdefault((atom.definition, atom.frame, atom.receiver), (atom, site))
            return
        if isinstance(atom, Member):
            atom = atom.owner
        if not isinstance(atom, Object):
            return
        info = machine.heap.info(atom.number)
        if info.kind == heap.PARTIAL:
            self._handed.setdefault((atom.number, "partial"), (atom, site))
        base = machine.clients.base_of(atom.number)
        if machine.heap.info(base).family in ("openai", "openai-async", "langchain", "custom"):
            half = {"openai": SYNC, "openai-async": ASYNC}.get(machine.heap.info(base).family, BOTH)
            if not self.inside_span("llm"):
                machine.traces.hand_over(base, half, site, state)
        elif info.kind == heap.OUTSIDE and info.family in ("", "chain", "agent", "tool-node"):
            key = (atom.number, "defer")
            if key not in self._running:
                self._running.add(key)
                for part in state.get((PARTS, atom.number), NOTHING):
                    self._defer(part, site, state)
                self._running.discard(key)

    def lose(self, arguments: Arguments, state: State) -> None:
        """Gives up following arguments: nothing is said about them on this path."""
        for atom in self._interesting(arguments, state):
            self.excuse(atom, state)

    def use(self, value: Value, half: int, site: Site, state: State) -> None:
        """Runs something that outside code was given: its clients, tools and functions are used."""
        machine = self._machine
        for atom in value:
            if isinstance(atom, Function):
                self._run_once(atom, site, state)
            elif isinstance(atom, Member):
                self.call_member(atom.owner, atom.path, Arguments(open=True), site, state)
            elif isinstance(atom, Object):
                if machine.clients.use(atom, half, site, state):
                    continue
                if machine.tools.is_tool(atom.number) or self._is_tool_instance(atom, state):
                    machine.tools.use(atom, site, state, "agent")
                    continue
                if machine.heap.info(atom.number).kind == heap.PARTIAL:
                    self._run_partial(atom, site, state)
                    continue
                key = (atom.number, "use")
                if key not in self._running:
                    self._running.add(key)
                    self.use(tuple(state.get((PARTS, atom.number), NOTHING)), half, site, state)
                    self._running.discard(key)

    def _is_tool_instance(self, atom: Object, state: State) -> bool:
        info = self._machine.heap.info(atom.number)
        return (
            info.kind == heap.INSTANCE
            and not info.family
            and bool(self._machine.traces.marks(atom.number, state))
        )

    def _run_once(self, function: Function, site: Site, state: State) -> None:
        """Runs a function that outside code calls, with arguments that are not known."""
        key = (function.definition, f"run:{function.frame}:{function.receiver}")
        if key in self._running:
            return
        self._running.add(key)
        result = self._machine.calls.call_function(function, Arguments(open=True), site, state)
        self._machine.expressions.awaited(result)
        self._running.discard(key)
        self._handed.pop((function.definition, function.frame, function.receiver), None)

    def _run_partial(self, atom: Object, site: Site, state: State) -> None:
        """Runs a partial function that outside code calls."""
        key = (atom.number, "partial")
        if key not in self._running:
            self._running.add(key)
            result = self._machine.calls.call_atom(atom, Arguments(open=True), site, state)
            self._machine.expressions.awaited(result)
            self._running.discard(key)
        self._handed.pop(key, None)

    def run_parts(self, atom: Object, site: Site, state: State) -> None:
        """Runs the functions inside a tool."""
        for part in state.get((PARTS, atom.number), NOTHING):
            if isinstance(part, Function):
                self._run_once(part, site, state)

    def finish(self, state: State) -> None:
        """At the end of a root: runs what was handed over and not run yet, then settles the traces."""
        for _ in range(3):
            waiting, self._handed = self._handed, {}
            if not waiting:
                break
            functions = [atom.definition for atom, _ in waiting.values() if isinstance(atom, Function)]
            for atom, site in waiting.values():
                if isinstance(atom, Object):
                    self._run_partial(atom, site, state)
                elif isinstance(atom, Function):
                    # A method of one object was reached already; of several, each is run.
                    is_run = atom.definition in self._machine.reached_in_root
                    if not is_run or functions.count(atom.definition) > 1:
                        self._run_once(atom, site, state)
        self._machine.traces.settle(state)

    # --- excuses --------------------------------------------------------------------------------

    def excuse(self, atom: Atom, state: State, depth: int = DEEPEST_EXCUSE) -> None:
        """Notes that on this path nothing has to be traced in a value, or in what it holds."""
        machine = self._machine
        if isinstance(atom, Coroutine):
            for inner in atom.result:
                self.excuse(inner, state, depth)
        if isinstance(atom, Member):
            atom = atom.owner
        if not isinstance(atom, Object):
            return
        machine.traces.excuse(atom.number, state)
        machine.traces.excuse(machine.clients.base_of(atom.number), state)
        content = state.get((CONTENT, atom.number))
        inner_atoms: Value = NOTHING
        if isinstance(content, SequenceContent):
            inner_atoms = content.any()
        elif isinstance(content, MappingContent):
            inner_atoms = content.values()
        for inner in inner_atoms if depth else ():
            self.excuse(inner, state, depth - 1)

    def excuse_everything(self, state: State) -> None:
        """Notes that on this path nothing has to be traced at all."""
        self._machine.traces.excuse_everything(state)

    def excuse_parts(self, value: Value, state: State) -> None:
        """Excuses the clients inside something that was traced in vain: its own rule speaks."""
        for atom in value:
            self.excuse(atom, state)
            if isinstance(atom, Object):
                for part in state.get((PARTS, atom.number), NOTHING):
                    self.excuse(part, state)

    def untraceable(self, atom: Object, state: State) -> str:
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

    # --- chains ---------------------------------------------------------------------------------

    def piped(self, operator: str, left: Atom, right: Atom, site: Site, state: State) -> Optional[Value]:
        """Carries out `prompt | model`: a chain of runnables."""
        if operator != "|":
            return None
        parts: Dict[Atom, None] = {}
        contents = [self._machine.contents.of(atom, state) for atom in (left, right)]
        pairs = zip((left, right), contents)
        others = [atom for atom, content in pairs if not isinstance(content, MappingContent)]
        runnable = any(isinstance(atom, Object) and self._is_interesting(atom, state) for atom in others)
        if len(others) < 2 and not runnable:
            return None
        for atom in (left, right):
            self._collect(atom, state, parts, 0)
        if not any(isinstance(atom, Object) for atom in parts):
            return None
        info = ObjectInfo(heap.OUTSIDE, site, "chain", family="chain")
        made = self._machine.allocate("chain", info)
        state.set((PARTS, made.number), tuple(parts))
        return (made,)

    # --- snapshots ------------------------------------------------------------------------------

    def snapshot(self, arguments: Arguments, state: State) -> Dict[int, Any]:
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


def _has_variable(index: ir.Expression) -> bool:
    """Whether an index is made of a variable, and not only of the length of a list."""
    calls = [part for part in walk_expression(index) if isinstance(part, ir.Call)]
    measured = {part for call in calls if last_name(call.function) == "len" for part in walk_expression(call)}
    return any(isinstance(part, ir.Name) and part not in measured for part in walk_expression(index))
