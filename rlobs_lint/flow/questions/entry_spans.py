"""Who opens the ENTRY span of a processor: what RLO101 to RLO106 ask."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Dict, FrozenSet, Iterator, NamedTuple, Optional, Set, Tuple

from rlobs_lint.facts import ir
from rlobs_lint.facts.module import Module
from rlobs_lint.flow.domain.observations import Decoration, EntryCall, LostCoroutine, UnboundUse, WrongImport
from rlobs_lint.flow.domain.state import ATTRIBUTE
from rlobs_lint.flow.domain.values import Atom, Function, Generated, Site, Value
from rlobs_lint.flow.questions.decorating import Decorating
from rlobs_lint.flow.questions.hidden_decorators import ENTRY_MARKS, HiddenDecorators
from rlobs_lint.model import Span
from rlobs_lint.project.jobs.classpaths import resolve_classpath

if TYPE_CHECKING:
    from rlobs_lint.flow.questions.submissions import Submissions
    from rlobs_lint.flow.run import Run

_PARTS = ("sdk.sub_reward_func", "sdk.aggregate_func")
_ABSTRACT = frozenset({"abc.abstractmethod", "abc.abstractproperty"})
#: Bases that surely make no processor of a class, or are known to make one.
_PLAIN_BASES = (
    "sdk.", "builtins.", "abc.", "typing.", "typing_extensions.", "enum.", "collections.", "dataclasses.",
    "pydantic.", "threading.", "logging.",
)  # fmt: skip
#: Decorators that leave the parameters of a method as they are.
_TRANSPARENT = ("sdk.", "abc.", "functools.wraps", "functools.lru_cache", "typing.", "tenacity.", "builtins.")


class Process(NamedTuple):
    """The `process` of a class, as it is written.

    Attributes:
        module: The file.
        node: Its definition.
        class_name: The class that the definition stands in.
        processor: The processor that takes it, or the class itself.
        kind: What kind of processor takes it.
    """

    module: Module
    node: ir.FunctionDef
    class_name: str
    processor: str
    kind: str


class BadSignature(NamedTuple):
    """A `process` that cannot be called with one input; `why` is a key of the rule's messages."""

    process: Process
    why: str


class Misplaced(NamedTuple):
    """`@observe_processor` on something that is no `process` of a processor.

    Attributes:
        site: The decorator.
        what: `class`, `setup`, `method`, `sub-reward`, `function` or `other-process`.
        name: What it is on.
        process: The undecorated `process` that it belongs on, if there is one.
        is_call: Whether it is applied by a call instead of an `@`.
    """

    site: Site
    what: str
    name: str
    process: Optional[Process]
    is_call: bool


class RewardClass(NamedTuple):
    """A class under `@reward_func` whose generated `process` opens no span.

    Attributes:
        module: The file.
        node: Its definition.
        own_process: Whether it defines a `process` of its own, which is replaced.
        wrapped_below: Whether a subclass wraps the generated one by itself.
    """

    module: Module
    node: ir.ClassDef
    own_process: bool
    wrapped_below: bool


class WrongName(NamedTuple):
    """An observability name that is bound to nothing, or imported from where it is not.

    Attributes:
        site: The imported name, or the first use.
        name: What the SDK calls it.
        spelling: How the file writes it.
        why: `import`, `type-checking` or `unbound`.
        module: The module that it was imported from, of an import.
    """

    site: Site
    name: str
    spelling: str
    why: str
    module: str


class EntrySpans:
    """Answers questions about ENTRY spans from the observations of a run."""

    def __init__(self, run: Run, submissions: Submissions) -> None:
        self._submissions = submissions
        self._run = run
        self._machine = run.machine
        self._hidden = HiddenDecorators(run)
        self._entered = self._entered_classes()
        self._class_decorated = {
            record.cls
            for record in run.ledger.of(Decoration)
            if record.cls >= 0 and record.name in ENTRY_MARKS
        }

    # --- the questions --------------------------------------------------------------------------

    def undecorated(self) -> Iterator[Process]:
        """Yields every `process` that a processor runs without an ENTRY span, once."""
        seen: Set[int] = set()
        for number in self._run.processors:
            function = self._process(number)
            if function is None or function.definition in seen or self._is_entered(number):
                continue
            if number in self._class_decorated or self._signature(function) or self._is_abstract(function):
                continue
            if self._is_misbound(function) or self._hidden.may_decorate(number, function):
                continue
            seen.add(function.definition)
            process = self._described(function, number)
            if process is not None:
                yield process

    def hindrance(self, process: Process) -> str:
        """Returns why a `process` must not be decorated where it is written, or nothing."""
        return self._decorating.hindrance(process.module, process.node, process.class_name)

    def opener(self, process: Process) -> Process:
        """Returns the `process` that is to be decorated so that one opens a span.

        That is the one of a base class, where it calls that and both lack the decorator: on both of them it
        would open two spans in each run (measured).
        """
        while True:
            called = self._decorating.supers_of(process.module, process.node)
            bases = [self._undecorated[place] for place in called if place in self._undecorated]
            if len(bases) != 1 or bases[0].node is process.node or self.hindrance(bases[0]):
                return process
            process = bases[0]

    def bad_signatures(self) -> Iterator[BadSignature]:
        """Yields every `process` that cannot be called as `process(input)`."""
        seen: Set[int] = set()
        for number in self._run.processors:
            function = self._process(number)
            if function is None or function.definition in seen:
                continue
            why = self._signature(function)
            if why and not self._is_abstract(function):
                seen.add(function.definition)
                process = self._described(function, number)
                if process is not None:
                    yield BadSignature(process, why)

    def reward_classes(self) -> Iterator[RewardClass]:
        """Yields the `@reward_func` classes whose `process` opens no span."""
        for number, (_, own) in self._run.ledger.reward_functions.items():
            info = self._machine.heap.info(number)
            if info.module is None or info.node is None or info.module.path not in self._run.function_modules:
                continue
            found = self._run.base.get((ATTRIBUTE, number, "process"))
            if not any(isinstance(atom, Generated) and not self._opens(atom) for atom in found or ()):
                continue
            if self._is_entered(number) or number in self._class_decorated or self._parts_open(number):
                continue
            yield RewardClass(info.module, info.node, own is not None, self._is_wrapped_below(number))

    def misplaced(self) -> Iterator[Misplaced]:
        """Yields the entry decorators that are on the wrong thing."""
        right = self._process_definitions()
        for record in self._run.ledger.of(Decoration):
            if record.name not in ENTRY_MARKS or record.misbound:
                continue
            if record.site.path not in self._run.function_modules:
                continue
            if record.cls >= 0:
                yield self._misplaced_on_class(record)
            elif record.target >= 0 and record.target not in right:
                found = self._misplaced_on_function(record)
                if found is not None:
                    yield found

    def lost_coroutines(self) -> Iterator[Tuple[Site, str, str]]:
        """Yields sync wrappers around async functions: decorator, what they break, function's name."""
        for record in self._run.ledger.of(LostCoroutine):
            if record.site.path in self._run.function_modules:
                yield record.site, record.what, self._machine.definitions[record.definition].name
        seen: Set[Site] = set()
        for number in self._run.processors:
            found = self._machine.inheritance.class_attribute(number, "process", self._run.base)
            for atom in found[1] if found is not None else ():
                for mark in atom.marks if isinstance(atom, Function) else ():
                    if mark.name == "sync-wrapper" and mark.site not in seen:
                        seen.add(mark.site)
                        yield mark.site, "process", self._machine.heap.info(number).name

    def wrong_names(self) -> Iterator[WrongName]:
        """Yields the observability names that are wrongly imported or not bound."""
        for record in self._run.ledger.of(WrongImport):
            if record.site.path in self._run.function_modules:
                yield WrongName(record.site, record.name, record.name, "import", record.module)
        first: Dict[Tuple[str, str], UnboundUse] = {}
        for use in self._run.ledger.of(UnboundUse):
            if use.site.path in self._run.function_modules:
                known = first.get((use.site.path, use.spelling))
                if known is None or use.site.span < known.site.span:
                    first[use.site.path, use.spelling] = use
        for use in first.values():
            yield WrongName(use.site, use.name, use.spelling, use.why, use.module)

    # --- how they are answered ------------------------------------------------------------------

    @cached_property
    def _undecorated(self) -> Dict[Tuple[str, Span], Process]:
        """The `process` of the question of that name, by file and place."""
        return {(one.module.path, one.node.at): one for one in self.undecorated()}

    @cached_property
    def _decorating(self) -> Decorating:
        return Decorating(self._run, self._submitted)

    def _entered_classes(self) -> Set[int]:
        """Classes whose life opens an ENTRY span: around `process`, or a helper that gets the input."""
        return {
            record.root.cls
            for record in self._run.ledger.of(EntryCall)
            if record.root.kind == "processor"
            and record.root.cls is not None
            and (record.name == "process" or record.takes_input)
        } | self._run.exhausted

    def _is_entered(self, number: int) -> bool:
        """Whether a processor has an ENTRY span, or is only there for subclasses that have one."""
        if number in self._entered:
            return True
        info = self._machine.heap.info(number)
        if (info.site.path, info.name) in self._submitted:
            return False
        heirs = [
            other
            for other in self._run.processors
            if other != number and number in self._machine.inheritance.linearized(other)
        ]
        leaves = [heir for heir in heirs if self._overrides(heir, number)]
        return bool(leaves) and all(heir in self._entered for heir in heirs)

    @cached_property
    def _submitted(self) -> FrozenSet[Tuple[str, str]]:
        """Files and names of the classes that job files and scripts submit: they run themselves."""
        workspace = self._machine.workspace
        targets = (resolve_classpath(workspace, component) for component in self._submissions.components)
        return frozenset(
            (target.module.path, target.class_name)
            for target in targets
            if target is not None and target.module is not None
        )

    def _overrides(self, heir: int, base: int) -> bool:
        found = self._machine.inheritance.class_attribute(heir, "process", self._run.base)
        return found is not None and found[0] != base

    def _process(self, number: int) -> Optional[Function]:
        """Returns the function that a processor runs as `process`, if it is one of the workspace."""
        found = self._machine.inheritance.class_attribute(number, "process", self._run.base)
        functions = [atom for atom in found[1] if isinstance(atom, Function)] if found is not None else []
        if len(functions) != 1 or found is None or len(found[1]) != 1:
            return None
        if functions[0].marked("builtins.property", "functools.cached_property"):
            return None
        function = self._innermost(functions[0])
        return (
            function
            if isinstance(self._machine.definitions[function.definition].node, ir.FunctionDef)
            else None
        )

    def _innermost(self, function: Function) -> Function:
        """Returns the `def process` below a wrapper that a decorator of the workspace made of it."""
        wrapped = self._run.ledger.wrapped
        for _ in range(16):
            inner = wrapped.get((function.definition, function.frame))
            if inner is None:
                break
            function = inner
        return function

    def _described(self, function: Function, number: int) -> Optional[Process]:
        definition = self._machine.definitions[function.definition]
        if definition.module.path not in self._run.function_modules or definition.module.is_test:
            return None
        assert isinstance(definition.node, ir.FunctionDef)
        owner = self._machine.heap.info(definition.owner).name if definition.owner >= 0 else ""
        processor = self._machine.heap.info(number).name
        return Process(definition.module, definition.node, owner, processor, self._run.processors[number])

    def _is_abstract(self, function: Function) -> bool:
        node = self._machine.definitions[function.definition].node
        assert isinstance(node, ir.FunctionDef)
        if function.marked(*_ABSTRACT):
            return True
        body = [statement for statement in node.body if not _is_docstring(statement)]
        return all(_is_placeholder(statement) for statement in body)

    def _is_misbound(self, function: Function) -> bool:
        return any(
            record.misbound and record.target == function.definition and record.name in ENTRY_MARKS
            for record in self._run.ledger.of(Decoration)
        )

    def _signature(self, function: Function) -> str:
        """Returns why a method cannot be called with one input, or nothing."""
        definition = self._machine.definitions[function.definition]
        node = definition.node
        assert isinstance(node, ir.FunctionDef)
        # A decorator of the workspace may fill parameters in.
        is_wrapped = any(
            inner.definition == function.definition for inner in self._run.ledger.wrapped.values()
        )
        if definition.owner < 0 or is_wrapped:
            return ""
        if function.marked("builtins.staticmethod"):
            return "static"
        if function.marked("builtins.classmethod"):
            return "class-method"
        if any(not mark.name.startswith(_TRANSPARENT) for mark in function.marks):
            return ""
        if node.is_generator:
            return "generator"
        positional = [p for p in node.parameters if p.kind in ("positional-only", "plain")]
        variadic = any(p.kind == "variadic" for p in node.parameters)
        required_keywords = [p for p in node.parameters if p.kind == "keyword-only" and p.default is None]
        if not variadic and len(positional) < 2:
            return "keyword-only" if required_keywords else "no-parameter"
        if required_keywords:
            return "keyword-only"
        return "several" if sum(p.default is None for p in positional) > 2 else ""

    def _opens(self, atom: Atom) -> bool:
        return isinstance(atom, (Function, Generated)) and any(
            mark.name in ENTRY_MARKS for mark in atom.marks
        )

    def _is_wrapped_below(self, number: int) -> bool:
        """Whether a subclass wraps the `process` that `@reward_func` generates for a class."""
        found = (
            self._machine.inheritance.class_attribute(heir, "process", self._run.base)
            for heir in self._run.ledger.classes
            if heir != number and number in self._machine.inheritance.linearized(heir)
        )
        atoms = (atom for one in found for atom in (one[1] if one is not None else ()))
        return any(isinstance(it, Generated) and it.owner == number and self._opens(it) for it in atoms)

    def _parts_open(self, number: int) -> bool:
        """Whether a sub-reward or the aggregate of a class is decorated: RLO102 speaks of it."""
        for name in self._machine.inheritance.public_names(number):
            found = self._machine.inheritance.class_attribute(number, name, self._run.base)
            for atom in found[1] if found is not None else ():
                is_part = isinstance(atom, Function) and atom.marked(*_PARTS)
                if is_part and self._opens(atom):
                    return True
        return False

    def _process_definitions(self) -> Set[int]:
        """Returns the definitions that serve as `process` of a processor, or of a class that one inherits."""
        right: Set[int] = set()
        for number in self._run.processors:
            for cls in self._machine.inheritance.linearized(number):
                right.update(self._definitions(self._run.base.get((ATTRIBUTE, cls, "process")) or ()))
        for _, own in self._run.ledger.reward_functions.values():
            right.update(self._definitions(own or ()))
        return right

    def _definitions(self, value: Value) -> Iterator[int]:
        """Yields the functions among a value, and what they are wrapped around."""
        for atom in value:
            if isinstance(atom, Function):
                yield atom.definition
                yield self._innermost(atom).definition

    def _misplaced_on_class(self, record: Decoration) -> Misplaced:
        process = self._undecorated_process(record.cls) if record.cls in self._run.processors else None
        name = self._machine.heap.info(record.cls).name
        return Misplaced(record.site, "class", name, process, record.in_call)

    def _misplaced_on_function(self, record: Decoration) -> Optional[Misplaced]:
        definition = self._machine.definitions[record.target]
        if definition.owner < 0:
            return Misplaced(record.site, "function", definition.name, None, record.in_call)
        inheritance = self._machine.inheritance
        users = [
            number for number in self._run.processors if definition.owner in inheritance.linearized(number)
        ]
        bases = inheritance.outside_bases(definition.owner)
        if "?" in bases or not (users or all(base.startswith(_PLAIN_BASES) for base in bases)):
            # A base that is not known may be a processor.
            return None
        if definition.name == "process":
            if users:
                # Another definition has taken its place since.
                return None
            name = self._machine.heap.info(definition.owner).name
            return Misplaced(record.site, "other-process", name, None, record.in_call)
        functions = self._run.ledger.defined(record.target)
        if any(function.marked(*_PARTS) for function in functions):
            return Misplaced(record.site, "sub-reward", definition.name, None, record.in_call)
        process = next(filter(None, map(self._undecorated_process, users)), None)
        what = "setup" if definition.name == "setup" else "method"
        return Misplaced(record.site, what, definition.name, process, record.in_call)

    def _undecorated_process(self, number: int) -> Optional[Process]:
        """Returns the `process` that a processor runs, if it has no decorator yet and can take one."""
        function = self._process(number)
        if function is None or self._opens(function) or self._is_abstract(function):
            return None
        process = None if self._signature(function) else self._described(function, number)
        return None if process is None or self.hindrance(process) else process


def _is_docstring(statement: ir.Statement) -> bool:
    return (
        isinstance(statement, ir.Evaluate)
        and isinstance(statement.value, ir.Literal)
        and statement.value.kind == "str"
    )


def _is_placeholder(statement: ir.Statement) -> bool:
    """Whether a statement is `...`, `pass` or `raise NotImplementedError`."""
    if isinstance(statement, ir.Jump):
        return statement.keyword == "pass"
    if isinstance(statement, ir.Evaluate):
        return isinstance(statement.value, ir.Literal) and statement.value.kind == "ellipsis"
    if isinstance(statement, ir.Raise):
        raised = statement.exception
        raised = raised.function if isinstance(raised, ir.Call) else raised
        return isinstance(raised, ir.Name) and raised.identifier == "NotImplementedError"
    return False
