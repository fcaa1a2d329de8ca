"""Tools: what makes one, what runs it, and whether it is traced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, Optional, Set, Tuple

from rlobs_lint import sdk
from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.heap import MappingContent, ObjectInfo, SequenceContent
from rlobs_lint.flow.domain.observations import Decoration, Handing, Premature
from rlobs_lint.flow.domain.state import PARTS, Key, State
from rlobs_lint.flow.domain.values import (
    NONE,
    NOTHING,
    UNKNOWN,
    Atom,
    Constant,
    Coroutine,
    External,
    Function,
    Member,
    Object,
    Site,
    Value,
    join,
    with_mark,
)
from rlobs_lint.flow.outside.traces import BOTH, ELEMENT

if TYPE_CHECKING:
    from rlobs_lint.flow.domain.arguments import Arguments
    from rlobs_lint.flow.interpreter.machine import Machine
    from rlobs_lint.flow.outside.knowledge import Knowledge

TOOL, TOOLSET, MCP_CLIENT, TOOL_NODE, PLAIN_TOOL = "tool", "toolset", "mcp-client", "tool-node", "plain-tool"
#: What `mcp.tool(name=...)` returns.
_SERVER_DECORATOR = "mcp-tool-decorator"
#: Families that have trace marks of their own.
TOOL_FAMILIES = frozenset({TOOL, TOOLSET, PLAIN_TOOL})


class Tools:
    """Knows tools, for a machine."""

    def __init__(self, machine: Machine, outside: Knowledge) -> None:
        self._machine = machine
        self._outside = outside
        # Trace calls on a variable or collection that holds nothing yet, by what they were given.
        self._early: Dict[Key, Tuple[Site, ...]] = {}
        self._entered: Set[int] = set()
        #: Definitions of the functions inside each tool.
        self.functions: Dict[int, Tuple[int, ...]] = {}
        #: The calls that give tools only when they are awaited.
        self.coroutines: Set[Site] = set()

    # --- making tools ---------------------------------------------------------------------------

    def call_external(self, name: str, arguments: Arguments, site: Site, state: State) -> Optional[Value]:
        """Carries out a call of a dotted name outside the workspace, if it makes or takes tools."""
        machine = self._machine
        package, last = name.partition(".")[0], name.rpartition(".")[2]
        if name in sdk.TOOL_DECORATORS:
            return self._tool_call(arguments, site, state)
        if last in sdk.MCP_CLIENTS:
            return (machine.allocate("mcp", ObjectInfo(heap.OUTSIDE, site, name, family=MCP_CLIENT)),)
        if last in sdk.MCP_LOADERS:
            return (Coroutine((self._toolset(site, state, is_awaited=True),), outside=True),)
        owner, _, method = name.rpartition(".")
        if owner.rpartition(".")[2] in sdk.TOOL_CONSTRUCTORS and method == "from_function":
            return (self.make(arguments, site, state, ("func", "coroutine"), 0),)
        if last in sdk.TOOL_CONSTRUCTORS and package in sdk.TOOL_PACKAGES:
            return (self.make(arguments, site, state, ("func", "coroutine"), 1),)
        if last.endswith("Toolkit") and package != "sdk":
            return (machine.allocate("toolkit", ObjectInfo(heap.OUTSIDE, site, name, family="toolkit")),)
        if last in sdk.TOOL_CONSUMERS and (package.startswith("lang") or package == "deepagents"):
            return self._consume(name, last, arguments, site, state)
        return None

    def _tool_call(self, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out `tool(f)`; `tool("name")` gives a decorator again."""
        functions = [
            a for argument in arguments.positional for a in argument.value if isinstance(a, Function)
        ]
        if functions:
            return (self.make_from((functions[0],), site, state),)
        return (External("langchain_core.tools.tool"),)

    def make(
        self, arguments: Arguments, site: Site, state: State, names: Tuple[str, ...], position: int
    ) -> Object:
        """Makes the tool that a constructor builds around functions."""
        value = join(
            (arguments.value(position, names[0]), *(arguments.value(-1, name) for name in names[1:]))
        )
        return self.make_from(value, site, state)

    def make_from(self, functions: Value, site: Site, state: State) -> Object:
        """Makes a tool of functions, at the decorator or constructor."""
        machine = self._machine
        inner = [atom for atom in functions if isinstance(atom, Function)]
        name = machine.definitions[inner[0].definition].name if inner else ""
        made = machine.allocate("tool", ObjectInfo(heap.OUTSIDE, site, name, family=TOOL))
        self._outside.traces.begin(made, state, traced=any(self.has_span(atom) for atom in inner))
        state.set((PARTS, made.number), tuple(inner))
        self.functions[made.number] = tuple(atom.definition for atom in inner)
        return made

    def has_span(self, function: Function) -> bool:
        """Whether a function makes a TOOL span by itself."""
        return function.marked("sdk.observe_tool")

    def _toolset(self, site: Site, state: State, source: int = -1, is_awaited: bool = False) -> Object:
        machine = self._machine
        if is_awaited:
            self.coroutines.add(site)
        info = ObjectInfo(heap.OUTSIDE, site, "get_tools", family=TOOLSET, base=source)
        made = machine.allocate("toolset", info)
        self._outside.traces.begin(made, state)
        return made

    def element_of(self, atom: Object) -> Object:
        """Returns what stands for any one of the tools of a collection from outside."""
        info = self._machine.heap.info(atom.number)
        if info.verdict == ELEMENT:
            return atom
        element = info._replace(base=atom.number, verdict=ELEMENT)
        return self._machine.heap.allocate(("element", atom.number), element)

    def constructed(self, made: Object, outside_bases: Tuple[str, ...], state: State) -> bool:
        """Starts following an instance of a workspace class that is a tool; tells whether it is one."""
        machine = self._machine
        names = {
            name.rpartition(".")[2] for name in outside_bases if name.partition(".")[0] in sdk.TOOL_PACKAGES
        }
        if not names & {"BaseTool", "StructuredTool", "Tool"}:
            return False
        info = machine.heap.info(made.number)
        functions: List[Atom] = []
        for method in ("_run", "_arun"):
            found = machine.inheritance.class_attribute(info.cls, method, state)
            functions.extend(
                atom for atom in (found[1] if found is not None else NOTHING) if isinstance(atom, Function)
            )
        traced = any(isinstance(atom, Function) and self.has_span(atom) for atom in functions)
        self._outside.traces.begin(made, state, traced=traced)
        inner = tuple(atom._replace(receiver=made) for atom in functions if isinstance(atom, Function))
        state.set((PARTS, made.number), inner)
        self.functions[made.number] = tuple(atom.definition for atom in inner)
        return True

    def is_tool(self, number: int) -> bool:
        """Whether an object is a tool or a collection of them from outside."""
        return self._machine.heap.info(number).family in TOOL_FAMILIES

    # --- methods --------------------------------------------------------------------------------

    def entered(self, atom: Object) -> None:
        """Notes that an MCP client was entered: an older adapter hands out its tools without awaiting."""
        self._entered.add(atom.number)

    def call(
        self, atom: Object, path: Tuple[str, ...], arguments: Arguments, site: Site, state: State
    ) -> Optional[Value]:
        """Carries out a call on a tool, toolset, MCP client or node; `None` when it is none of them."""
        machine = self._machine
        family = machine.heap.info(atom.number).family
        name = path[-1]
        if (
            name in ("tool", "call_tool")
            and machine.heap.info(atom.number).name.rpartition(".")[2] in sdk.MCP_SERVERS
        ):
            functions = any(
                isinstance(item, Function) for argument in arguments.positional for item in argument.value
            )
            if functions:
                return self.server_tool(arguments.positional[0].value, site)
            decorator = ObjectInfo(heap.OUTSIDE, site, "tool", family=_SERVER_DECORATOR)
            return (machine.allocate("server-tool", decorator),)
        if family == MCP_CLIENT or (family == "toolkit" and name == "get_tools"):
            if name in ("get_tools", "aget_tools"):
                is_awaited = family != "toolkit" and atom.number not in self._entered
                tools: Value = (self._toolset(site, state, atom.number, is_awaited),)
                return (Coroutine(tools, outside=True),) if is_awaited else tools
            return UNKNOWN
        if family == TOOLSET:
            return self._call_toolset(atom, path, arguments, site, state)
        is_instance = machine.heap.info(atom.number).kind == heap.INSTANCE and not family
        if family in (TOOL, PLAIN_TOOL) or (is_instance and self._outside.traces.marks(atom.number, state)):
            return self._invoke(atom, name, arguments, site, state)
        if family == _SERVER_DECORATOR and arguments.positional:
            return self.server_tool(arguments.positional[0].value, site)
        if family == TOOL_NODE:
            if path[0] == "tools_by_name":
                return state.get((PARTS, atom.number), NOTHING)  # type: ignore[no-any-return]
            if name in sdk.TOOL_INVOCATIONS or name.startswith(("stream", "astream")):
                self._outside.handover.use(tuple(state.get((PARTS, atom.number), NOTHING)), BOTH, site, state)
            return UNKNOWN
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

    def _call_toolset(
        self, atom: Object, path: Tuple[str, ...], arguments: Arguments, site: Site, state: State
    ) -> Value:
        """Carries out a call on a collection of tools, or on one of them."""
        name = path[-1]
        if name in sdk.TOOL_INVOCATIONS or name in sdk.TOOL_OTHER_RUNS:
            self.use(atom, site, state, name)
            return UNKNOWN
        if name in ("__getitem__", "pop", "get"):
            return (self.element_of(atom),)
        if name in ("copy", "values", "items"):
            return (atom,)
        if name in ("append", "insert", "extend") and arguments.positional:
            value = arguments.positional[-1].value
            more = self._machine.contents.element(value, state) if name == "extend" else value
            state.set((PARTS, atom.number), join((state.get((PARTS, atom.number), NOTHING), more)))
            return NONE
        return UNKNOWN

    def _invoke(self, atom: Object, name: str, arguments: Arguments, site: Site, state: State) -> Value:
        if name in sdk.TOOL_INVOCATIONS or name in sdk.TOOL_OTHER_RUNS:
            self.use(atom, site, state, name)
            return UNKNOWN
        if name in ("model_copy", "copy", "with_config"):
            return (atom,)
        return UNKNOWN

    def use(self, atom: Object, site: Site, state: State, how: str) -> None:
        """Runs a tool: it should make a TOOL span, unless the function that runs it makes one."""
        machine = self._machine
        self._outside.traces.runs(atom.number)
        if any("sdk.observe_tool" in activation.marks for activation in machine.stack):
            self._outside.handover.run_parts(atom, site, state)
            return
        traced = self._outside.traces.use(atom.number, BOTH, site, state, how, "traced")
        self._outside.threads.spanned("tool", site, traced)
        machine.ledger.note(Handing(site, (self._outside.traces.owner(atom.number),), machine.root))
        self._outside.handover.run_parts(atom, site, state)

    # --- giving tools to models and agents ------------------------------------------------------

    def _consume(self, name: str, last: str, arguments: Arguments, site: Site, state: State) -> Value:
        machine = self._machine
        position, keyword = sdk.TOOL_CONSUMERS[last]
        given = arguments.value(position, keyword)
        family = TOOL_NODE if last in ("ToolNode", "ToolExecutor") else "agent"
        made = machine.allocate("consumer", ObjectInfo(heap.OUTSIDE, site, name, family=family))
        parts = [piece for argument in arguments.everything() for piece in argument.value]
        state.set((PARTS, made.number), tuple(dict.fromkeys((*parts, *self._flat(given, state)))))
        self.give(given, site, state, runs=True)
        return (made,)

    def invoked_together(self, callee: Value, site: Site) -> None:
        """Notes that a call runs one of several tools: those of a collection, of which the first speaks."""
        numbers = [
            atom.owner.number
            for atom in callee
            if isinstance(atom, Member)
            and isinstance(atom.owner, Object)
            and atom.path[-1] in sdk.TOOL_INVOCATIONS
            and self.is_tool(atom.owner.number)
        ]
        if len(numbers) > 1:
            owners = tuple(dict.fromkeys(map(self._outside.traces.owner, numbers)))
            self._machine.ledger.note(Handing(site, owners, self._machine.root))

    def give(self, value: Value, site: Site, state: State, runs: bool = False) -> None:
        """Hands tools to a node or agent, which runs them later, or offers them to a model."""
        machine = self._machine
        numbers: List[int] = []
        for atom in self._flat(value, state):
            number = self._tool_number(atom, state)
            if number is not None:
                hand_over = self._outside.traces.hand_over if runs else self._outside.traces.offer
                hand_over(number, BOTH, site, state)
                numbers.append(number)
        if numbers:
            machine.ledger.note(Handing(site, tuple(dict.fromkeys(numbers)), machine.root))

    def _tool_number(self, atom: Atom, state: State) -> Optional[int]:
        """Returns the number of a tool; a plain function that is used as one gets one."""
        machine = self._machine
        if (
            isinstance(atom, Object)
            and self._outside.traces.marks(atom.number, state)
            and self._is_tool_like(atom)
        ):
            return self._outside.traces.owner(atom.number)
        if isinstance(atom, Function):
            definition = machine.definitions[atom.definition]
            info = ObjectInfo(heap.OUTSIDE, definition.site, definition.name, family=PLAIN_TOOL)
            made = machine.heap.allocate(("plain-tool", atom.definition), info)
            if not self._outside.traces.marks(made.number, state):
                self.functions[made.number] = (atom.definition,)
                self._outside.traces.begin(made, state, traced=self.has_span(atom))
                state.set((PARTS, made.number), (atom,))
            return made.number
        return None

    def _is_tool_like(self, atom: Object) -> bool:
        info = self._machine.heap.info(atom.number)
        return info.family in TOOL_FAMILIES or info.kind == heap.INSTANCE

    def _flat(self, value: Value, state: State) -> Tuple[Atom, ...]:
        """Returns the tools in a value, also those inside collections, in order."""
        machine = self._machine
        found: List[Atom] = []
        for atom in value:
            content = machine.contents.of(atom, state)
            if isinstance(content, SequenceContent):
                for element in (*content.elements, content.rest):
                    found.extend(self._flat(element, state) if element != value else ())
            elif isinstance(content, MappingContent):
                found.extend(self._flat(content.values(), state))
            elif isinstance(atom, Object) and machine.heap.info(atom.number).family == TOOL_NODE:
                found.extend(state.get((PARTS, atom.number), NOTHING))
            elif isinstance(atom, Object) and machine.heap.info(atom.number).family == TOOLSET:
                # What the workspace has put into the list is there besides what it was got with.
                found.extend((atom, *state.get((PARTS, atom.number), NOTHING)))
            else:
                found.append(atom)
        return tuple(dict.fromkeys(found))

    # --- trace_tool -----------------------------------------------------------------------------

    def trace(self, value: Value, argument: Site, call: Site, key: Optional[Key], state: State) -> str:
        """Traces what `trace_tool` is given.

        Args:
            value: The argument.
            argument: Where it is written.
            call: The call.
            key: Of a variable or attribute, where the state keeps it.
            state: What holds.

        Returns:
            What kind of thing the argument is, if `trace_tool` does not patch that; else nothing.
        """
        wrong: List[str] = []
        fine = False
        early = bool(value)
        for atom in value:
            verdict = self._trace_atom(atom, call, state)
            if verdict == "empty":
                self._note_early(atom, call)
                continue
            early = False
            if verdict:
                wrong.append(verdict)
            else:
                fine = True
        if (early or not value) and key is not None:
            self._early[key] = (*self._early.get(key, ()), call)
        if wrong and not fine:
            for atom in self._flat(value, state):
                if isinstance(atom, Coroutine):
                    for inner in atom.result:
                        if isinstance(inner, Object):
                            self._outside.traces.excuse(inner.number, state)
                number = self._tool_number(atom, state) if isinstance(atom, (Object, Function)) else None
                if number is not None:
                    self._outside.traces.excuse(number, state)
            return wrong[0]
        return ""

    def _note_early(self, atom: Atom, call: Site) -> None:
        if isinstance(atom, Object):
            key: Key = ("content", atom.number)
            self._early[key] = (*self._early.get(key, ()), call)

    def _trace_atom(self, atom: Atom, call: Site, state: State) -> str:
        machine = self._machine
        content = machine.contents.of(atom, state)
        if isinstance(content, SequenceContent):
            assert isinstance(atom, Object)
            return self._trace_sequence(machine.heap.info(atom.number).name, content, call, state)
        if isinstance(content, MappingContent):
            return self._trace_mapping(content, call, state)
        if isinstance(atom, Constant):
            return "empty" if atom.kind == "None" else "constant"
        if isinstance(atom, Coroutine):
            return (
                "coroutine" if atom.outside or any(isinstance(item, Object) for item in atom.result) else ""
            )
        if isinstance(atom, Function):
            return "function"
        if isinstance(atom, External):
            return "tool-class" if atom.name.rpartition(".")[2] in sdk.TOOL_CONSTRUCTORS else ""
        if isinstance(atom, Member):
            return self._trace_member(atom, state)
        if not isinstance(atom, Object):
            return ""
        if machine.heap.info(atom.number).family == TOOLSET:
            for part in state.get((PARTS, atom.number), NOTHING):
                self._trace_atom(part, call, state)
        info = machine.heap.info(atom.number)
        if info.family in TOOL_FAMILIES or (
            info.kind == heap.INSTANCE and self._outside.traces.marks(atom.number, state)
        ):
            self._outside.traces.trace(atom.number, BOTH, call, state)
            return ""
        if info.family == TOOL_NODE:
            for part in state.get((PARTS, atom.number), NOTHING):
                number = self._tool_number(part, state)
                if number is not None:
                    self._outside.traces.trace(number, BOTH, call, state)
            return ""
        if info.family in (MCP_CLIENT, "agent", "toolkit"):
            return info.family
        if info.kind == heap.CLASS:
            bases = machine.inheritance.outside_bases(atom.number)
            return "tool-class" if any(base.rpartition(".")[2] == "BaseTool" for base in bases) else ""
        return ""

    def _trace_sequence(self, kind: str, content: SequenceContent, call: Site, state: State) -> str:
        if kind in ("set", "generator", "view"):
            return kind if not content.known_empty else "empty"
        if content.known_empty:
            return "empty"
        machine = self._machine
        if any(self._is_collection(atom) for atom in content.any()):
            return "nested"
        verdicts = [self._trace_atom(atom, call, state) for atom in content.any()]
        for atom in content.any():
            inner = machine.contents.of(atom, state)
            if isinstance(inner, SequenceContent):
                return "nested"
            if isinstance(inner, MappingContent):
                keys = {key.value for key in inner.keys() if isinstance(key, Constant)}  # noqa: SIM118 - no dictionary
                return "schemas" if keys & {"type", "function", "name", "parameters"} else ""
        wrong = [verdict for verdict in verdicts if verdict not in ("", "empty")]
        return wrong[0] if wrong and len(wrong) == len(verdicts) else ""

    def _is_collection(self, atom: Atom) -> bool:
        """Whether an atom is all the tools of a collection from outside, and not one of them."""
        info = self._machine.heap.info(atom.number) if isinstance(atom, Object) else None
        return info is not None and info.family == TOOLSET and info.verdict != ELEMENT

    def _trace_mapping(self, content: MappingContent, call: Site, state: State) -> str:
        keys = {key.value for key in content.keys() if isinstance(key, Constant)}  # noqa: SIM118 - no dictionary
        if {"type", "function"} <= keys:
            return "schemas"
        if not content.entries:
            return "" if content.open else "empty"
        verdicts = [self._trace_atom(atom, call, state) for atom in content.values()]
        wrong = [verdict for verdict in verdicts if verdict not in ("", "empty")]
        return wrong[0] if wrong and len(wrong) == len(verdicts) else ""

    def _trace_member(self, atom: Member, state: State) -> str:
        if atom.path[-1] in ("values", "items", "keys") and isinstance(atom.owner, Object):
            return "view"
        owner = atom.owner
        if isinstance(owner, Object) and self._machine.heap.info(owner.number).family == MCP_CLIENT:
            return "method"
        return ""

    # --- tools that come too late ---------------------------------------------------------------

    def assigned(self, key: Key, value: Value, state: State) -> None:
        """Notes that a variable, attribute or collection which was traced empty gets its tools."""
        early = self._early.get(key)
        if not early:
            return
        machine = self._machine
        tools = [
            number
            for atom in self._flat(value, state)
            if isinstance(atom, Object)
            for number in (self._tool_number(atom, state),)
            if number is not None
        ]
        untraced = [number for number in tools if not self._outside.traces.is_traced(number, BOTH, state)]
        for number in untraced:
            for site in early:
                filled = machine.heap.info(number).site
                machine.ledger.note(Premature(site, filled, number, machine.root))

    def begin(self) -> None:
        """Forgets what the last root traced too early."""
        self._early = {}
