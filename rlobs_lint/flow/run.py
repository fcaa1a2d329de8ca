"""Runs a workspace through the machine: all modules, then every processor as its server would."""

from __future__ import annotations

from functools import cached_property
from typing import Dict, FrozenSet, List, Optional, Sequence, Set, Tuple

from rlobs_lint import sdk
from rlobs_lint.facts import scopes
from rlobs_lint.facts.module import Module
from rlobs_lint.flow.domain.arguments import Arguments, ArgumentValue
from rlobs_lint.flow.domain.observations import Decoration, EnvironmentChange, Ledger, Root, SdkCall
from rlobs_lint.flow.domain.state import State
from rlobs_lint.flow.domain.values import Atom, Function, Generated, Object, Request, Site, Value
from rlobs_lint.flow.interpreter.activations import Activation, Attempt, Frame
from rlobs_lint.flow.interpreter.assignments import Assignments
from rlobs_lint.flow.interpreter.attributes import Attributes
from rlobs_lint.flow.interpreter.calls import Calls
from rlobs_lint.flow.interpreter.comparisons import Comparisons
from rlobs_lint.flow.interpreter.comprehensions import Comprehensions
from rlobs_lint.flow.interpreter.conditions import Conditions
from rlobs_lint.flow.interpreter.contents import Contents
from rlobs_lint.flow.interpreter.enumerations import Enumerations
from rlobs_lint.flow.interpreter.exceptions import Exceptions
from rlobs_lint.flow.interpreter.expressions import Expressions
from rlobs_lint.flow.interpreter.functions import Functions
from rlobs_lint.flow.interpreter.guards import Guards
from rlobs_lint.flow.interpreter.inheritance import Inheritance
from rlobs_lint.flow.interpreter.instances import Instances
from rlobs_lint.flow.interpreter.loops import Loops
from rlobs_lint.flow.interpreter.machine import Exhausted, Machine
from rlobs_lint.flow.interpreter.memory import Memory
from rlobs_lint.flow.interpreter.modules import Modules
from rlobs_lint.flow.interpreter.names import Names
from rlobs_lint.flow.interpreter.narrowing import Narrowing
from rlobs_lint.flow.interpreter.operators import Operators
from rlobs_lint.flow.interpreter.statements import Statements
from rlobs_lint.flow.interpreter.tracing_switches import TracingSwitches
from rlobs_lint.flow.interpreter.type_tests import TypeTests
from rlobs_lint.flow.interpreter.unseen import Unseen
from rlobs_lint.flow.library.library import Library
from rlobs_lint.flow.outside.door import Outside
from rlobs_lint.model import Span
from rlobs_lint.project.imports import ModuleIndex, imported_modules
from rlobs_lint.project.upload import Upload

_NOWHERE = Span(0, 0)
#: How many requests a processor is sent, if each leaves something changed.
MOST_REQUESTS = 4


class Run:
    """What running a workspace shows.

    Attributes:
        ledger: The observations.
        machine: The machine, for names and places of objects and functions.
        outside: The knowledge of code outside the workspace.
        base: What holds after all modules were run.
        processors: Classes that are processors: object number and kind, in order.
        function_modules: Paths of the modules that are function code.
        exhausted: Processors that ran through too much: nothing is said about what they lack.
    """

    def __init__(self, workspace: Upload, roots: Sequence[str]) -> None:
        self._workspace = workspace
        self._index = ModuleIndex(workspace.modules, roots)
        self.base = State()
        self.machine = machine = Machine(workspace)
        self.ledger: Ledger = machine.ledger
        machine.statements = Statements(machine)
        machine.switches = TracingSwitches(machine)
        machine.loops = Loops(machine)
        machine.expressions = Expressions(machine)
        machine.names = Names(machine)
        machine.contents = Contents(machine)
        machine.assignments = Assignments(machine)
        machine.operators = Operators(machine)
        machine.comprehensions = Comprehensions(machine)
        machine.conditions = Conditions(machine)
        machine.type_tests = TypeTests(machine)
        machine.comparisons = Comparisons(machine)
        machine.narrowing = Narrowing(machine)
        machine.calls = Calls(machine)
        machine.instances = Instances(machine)
        machine.functions = Functions(machine)
        machine.exceptions = Exceptions(machine)
        machine.library = Library(machine)
        self.outside = Outside(machine)
        machine.world, machine.watcher = self.outside, self.outside.watching
        machine.enumerations = Enumerations(machine)
        machine.modules = Modules(machine, self._index, self.base)
        machine.attributes = Attributes(machine)
        machine.inheritance = Inheritance(machine)
        machine.unseen = Unseen(machine)
        machine.guards = Guards(machine)
        self._imports: Dict[str, Tuple[Module, ...]] = {}
        self._run_modules()
        self.processors: Dict[int, str] = self._find_processors()
        self.function_modules: FrozenSet[str] = self._find_function_modules()
        self.exhausted: Set[int] = set()
        self._servers: Dict[str, Tuple[State, Set[str]]] = {}
        self._run_processors()
        self._run_unreached()
        self._run_scripts()

    # --- modules --------------------------------------------------------------------------------

    def _run_modules(self) -> None:
        for module in self._workspace.modules.values():
            self.machine.begin(Root("module", module.path, None))
            with self._stage(self.base):
                try:
                    self.machine.modules.load(module)
                except Exhausted:
                    continue

    def _stage(self, state: State) -> _Stage:
        """Puts a body below everything that is run, so that calls have a caller."""
        return _Stage(self.machine, state, self._workspace)

    def _find_processors(self) -> Dict[int, str]:
        found: Dict[int, str] = {}
        for number in self.ledger.classes:
            info = self.machine.heap.info(number)
            if info.module is None or info.module.is_test:
                continue
            kind = self.processor_kind(number)
            if kind is not None:
                found[number] = kind
        return found

    def processor_kind(self, number: int) -> Optional[str]:
        """Returns the kind of processor that a class is, or `None`: `rollout`, `reward`, ... or `any`."""
        kinds = [
            sdk.PROCESSOR_BASES[base[4:]]
            for base in self.machine.inheritance.outside_bases(number)
            if base.startswith("sdk.") and base[4:] in sdk.PROCESSOR_BASES
        ]
        specific = [kind for kind in kinds if kind != "any"]
        return specific[0] if specific else kinds[0] if kinds else None

    def _find_function_modules(self) -> FrozenSet[str]:
        """Modules that hold a processor or have one made, and what they import, directly or not."""
        found: Set[str] = set()
        for number in self.processors:
            for site in self.machine.makers(number):
                module = self._workspace.modules[site.path]
                if module.path not in found and not module.is_test:
                    found.update(other.path for other in self._closure(module))
        return frozenset(found)

    # --- roots ----------------------------------------------------------------------------------

    def _run_processors(self) -> None:
        for number in self.processors:
            info = self.machine.heap.info(number)
            root = Root("processor", f"{info.site.path}:{info.site.span.start}", number)
            self.machine.begin(root)
            assert info.module is not None
            state = self._server_of(info.module).fork()
            with self._stage(state):
                try:
                    self._live(Object(number), state)
                except Exhausted:
                    self.exhausted.add(number)
        self.machine.modules.begin_world(self.base, set(self._workspace.modules))

    def _server_of(self, module: Module) -> State:
        """Returns what holds in a server that has imported a processor's module.

        A module that imports this one may be what the server is told to import, so it counts, too.
        """
        known = self._servers.get(module.path)
        if known is not None:
            self.machine.modules.begin_world(*known)
            return known[0]
        base = State()
        loaded: Set[str] = set()
        self._servers[module.path] = (base, loaded)
        self.machine.modules.begin_world(base, loaded)
        with self._stage(base):
            for other in (module, *self._importers[module.path]):
                try:
                    self.machine.modules.load(other)
                except Exhausted:
                    continue
        return base

    @cached_property
    def _importers(self) -> Dict[str, List[Module]]:
        """The modules of function code that import a module, directly or not, by its path."""
        found: Dict[str, List[Module]] = {path: [] for path in self.function_modules}
        for path in sorted(self.function_modules):
            module = self._workspace.modules[path]
            for imported in self._closure(module):
                if imported.path != path and imported.path in found:
                    found[imported.path].append(module)
        return found

    def _closure(self, module: Module) -> List[Module]:
        """Returns a module and all that it imports, directly or not."""
        closure: Dict[str, Module] = {}
        waiting = [module]
        while waiting:
            current = waiting.pop()
            if current.path not in closure:
                closure[current.path] = current
                waiting.extend(self._imports_of(current))
        return list(closure.values())

    def _imports_of(self, module: Module) -> Tuple[Module, ...]:
        known = self._imports.get(module.path)
        if known is None:
            around = self._index.packages_around(module)
            known = self._imports[module.path] = (*imported_modules(module, self._index), *around)
        return known

    def _live(self, cls: Object, state: State) -> None:
        """Runs a processor's life: it is built, set up, and processes an input."""
        machine = self.machine
        site = Site(machine.heap.info(cls.number).site.path, _NOWHERE)
        made = machine.instances.make(cls, Arguments(), site, state)
        self._method(made, "setup", Arguments(), site, state)
        if machine.inheritance.class_attribute(cls.number, "process", state) is not None:
            self._serve(cls, made, site, state)
        self.outside.handover.finish(state)
        self._run_other_methods(cls, made, site, state)

    def _serve(self, cls: Object, made: Value, site: Site, state: State) -> None:
        """Runs a processor's `process` once for every request that finds something else than the last one.

        The first may load what the second uses again, rebuild it after an error, or count.
        """
        machine = self.machine
        request = ArgumentValue(None, (Request(()),), site)
        for number in range(MOST_REQUESTS):
            memory = Memory(machine.heap, machine.frames, state)
            after = state.fork()
            inner = after.fork()
            attempt = Attempt(after, ())
            machine.activation.attempts.append(attempt)
            try:
                result = self._method(made, "process", Arguments((request,)), site, inner)
            except Exhausted:
                if not number:
                    raise
                machine.ledger.resume()
                break
            finally:
                machine.activation.attempts.pop()
                machine.renew()
            self.outside.models.results(cls.number, result, inner)
            after.merge([inner.changes_since(after), *attempt.raised])
            left = memory.changes(after)
            state.apply({**after.changes_since(state), **left})
            if not left:
                break

    def _method(self, made: Value, name: str, arguments: Arguments, site: Site, state: State) -> Value:
        machine = self.machine
        bound = machine.attributes.of(made, name, site, state)
        callable_atoms: Tuple[Atom, ...] = tuple(
            atom for atom in bound if isinstance(atom, (Function, Generated))
        )
        if not callable_atoms:
            return ()
        result = machine.calls.call(callable_atoms, arguments, site, state)
        return machine.expressions.awaited(result) if any(_is_coroutine(atom) for atom in result) else result

    def _run_other_methods(self, cls: Object, made: Value, site: Site, state: State) -> None:
        """Runs the methods of a class that nothing called: someone outside may."""
        machine = self.machine
        for number in machine.inheritance.linearized(cls.number):
            frame = machine.frames[machine.heap.info(number).frame]
            for name in sorted(frame.scope.local):
                found = machine.inheritance.class_attribute(cls.number, name, state)
                for atom in found[1] if found is not None else ():
                    if not isinstance(atom, Function) or atom.definition in machine.reached:
                        continue
                    after = state.fork()
                    root = machine.root
                    machine.begin(Root("unreached", machine.definitions[atom.definition].name, cls.number))
                    try:
                        bound = machine.attributes.of(made, name, site, after)
                        methods = tuple(item for item in bound if isinstance(item, Function))
                        if methods:
                            machine.calls.call(methods, Arguments(open=True), site, after)
                        self.outside.handover.finish(after)
                    except Exhausted:
                        pass
                    machine.root = root

    def _run_unreached(self) -> None:
        """Runs functions and classes of function code that no processor reaches, each by itself."""
        machine = self.machine
        for number in tuple(self.ledger.classes):
            info = machine.heap.info(number)
            if (
                info.module is None
                or info.module.path not in self.function_modules
                or number in self.processors
            ):
                continue
            if any(self._reached_method(number)):
                continue
            self._run_class(Object(number), info.site)
        for definition in tuple(self.ledger.functions):
            known = machine.definitions[definition]
            if (
                known.owner >= 0
                or definition in machine.reached
                or known.module.path not in self.function_modules
            ):
                continue
            machine.begin(Root("unreached", f"{known.module.path}:{known.site.span.start}", None))
            state = self.base.fork()
            with self._stage(state):
                try:
                    for atom in self.ledger.functions[definition]:
                        if isinstance(atom, Function):
                            machine.calls.call_atom(atom, Arguments(open=True), known.site, state)
                        elif isinstance(atom, Object):
                            # A decorator made something of it (a tool): the function inside is run.
                            self.outside.handover.run_parts(atom, known.site, state)
                    self.outside.handover.finish(state)
                except Exhausted:
                    continue

    def _reached_method(self, number: int) -> List[bool]:
        machine = self.machine
        return [
            definition in machine.reached
            for definition in self.ledger.functions
            if machine.definitions[definition].owner == number
        ]

    def _run_class(self, cls: Object, site: Site) -> None:
        """Runs a class of unknown use: its methods once to see what they trace, then for the record."""
        machine = self.machine
        machine.begin(Root("unreached", f"{site.path}:{site.span.start}", None))
        state = self.base.fork()
        with self._stage(state):
            try:
                made = machine.instances.make(cls, Arguments(open=True), site, state)
                names = [
                    name
                    for number in machine.inheritance.linearized(cls.number)
                    for name in sorted(machine.frames[machine.heap.info(number).frame].scope.local)
                    if name != "__init__"
                ]
                with self.ledger.paused():
                    for name in names:
                        self._method(made, name, Arguments(open=True), site, state)
                self.outside.traces.settle_by_best(state)
                for name in names:
                    self._method(made, name, Arguments(open=True), site, state)
                self.outside.handover.finish(state)
            except Exhausted:
                return

    def _run_scripts(self) -> None:
        """Runs what builds components as a script, `__main__` block and functions included."""
        machine = self.machine
        # What else a script does, it does on the developer's machine, where nothing has to be traced.
        self.ledger.keep_only(SdkCall, EnvironmentChange, Decoration)
        for module in self._workspace.modules.values():
            if not mentions_submission(module) and not self._serves_tools(module):
                continue
            machine.begin(Root("script", module.path, None))
            state = self.base.fork()
            frame = machine.modules.frame_of(module)
            if frame is None:
                continue
            with self._stage(state):
                try:
                    self._run_script(module, frame, state)
                except Exhausted:
                    continue

    def _run_script(self, module: Module, frame: Frame, state: State) -> None:
        machine = self.machine
        activation = Activation(frame, machine.context_of(0, ("script", module.path)), state, -1, None)
        machine.stack.append(activation)
        try:
            machine.run(module.facts.body, state)
        finally:
            machine.stack.pop()
        for definition in tuple(self.ledger.functions):
            known = machine.definitions[definition]
            if (
                known.module.path == module.path
                and definition not in machine.reached_in_root
                and known.owner < 0
            ):
                functions = tuple(self.ledger.functions[definition])
                machine.calls.call(functions, Arguments(open=True), known.site, state.fork())

    def _serves_tools(self, module: Module) -> bool:
        """Whether a module that is no function code may be an MCP server with traced tools."""
        is_function_code = module.path in self.function_modules
        return not is_function_code and not module.is_test and "observe_tool" in module.source.text


class _Stage:
    """The body below everything that a root runs."""

    def __init__(self, machine: Machine, state: State, workspace: Upload) -> None:
        self._machine = machine
        self._state = state
        module = next(iter(workspace.modules.values()))
        scope = scopes.Scope(frozenset(), frozenset(), frozenset(), False)
        self._frame = machine.new_frame(scope, module, None)

    def __enter__(self) -> None:
        context = self._machine.context_of(0, ("root", self._machine.root.name))
        self._machine.stack = [Activation(self._frame, context, self._state, -1, None)]

    def __exit__(self, *exception: object) -> None:
        self._machine.stack = []
        self._machine.ledger.resume()


def mentions_submission(module: Module) -> bool:
    """Whether a module may build components or datasets for a submission."""
    text = module.source.text
    return not module.is_test and any(name in text for name in (*sdk.COMPONENT_CLASSES, *sdk.DATASET_CLASSES))


def _is_coroutine(atom: Atom) -> bool:
    return type(atom).__name__ == "Coroutine"
