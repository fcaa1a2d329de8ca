"""What a name in a module is, as a processor class: what rules ask about the class at a classpath."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, FrozenSet, Iterable, Iterator, NamedTuple, Optional, Set, Union

from rlobs_lint import sdk
from rlobs_lint.facts import ir
from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.observations import MetricsGiven, Result, SubReward
from rlobs_lint.flow.domain.state import variable
from rlobs_lint.flow.domain.values import Atom, Constant, External, Function, Generated, Object, Value

if TYPE_CHECKING:
    from rlobs_lint.facts.module import Module
    from rlobs_lint.flow.run import Run

#: Packages whose classes are no processors and leave the building of an object alone.
_PLAIN_PACKAGES = frozenset({"builtins", "abc", "typing", "sdk"})
_REQUIRED_KINDS = frozenset({"positional-only", "plain", "keyword-only"})
_ABSTRACT = ("abc.abstractmethod", "abc.abstractproperty")
#: What shows that a module may give itself names which its statements do not bind.
_DYNAMIC = ("__getattr__", "globals()", "sys.modules", "exec(", "setattr(")

# Metrics that are changed after they were given to the model are not followed.
_MUTATION = re.compile(
    r"\.reward_metrics\s*(?:\[[^\]\n]*\]\s*(?:[-+*/%|]|//|\*\*)?=(?!=)|\|=|\.(?:update|setdefault|pop|clear)\b)"
)


class AbsentClass(NamedTuple):
    """A name under which a module surely has no class.

    Attributes:
        nearest: A class of the module whose name it resembles, or `None`.
    """

    nearest: Optional[str]


class ClassSummary(NamedTuple):
    """A class that a name stands for.

    Attributes:
        number: Its object number.
        kinds: The kinds of processor that it inherits, `any` for the one without a kind of its own;
            empty for a class that is none; `None` where that cannot be told.
        missing_argument: A parameter without a default that it cannot be built without, or `None`.
        missing_method: A method without which it is abstract and cannot be built, or `None`.
        reported: Names of the metrics and sub-rewards that it reports; `None` where they cannot all be told.
    """

    number: int
    kinds: Optional[FrozenSet[str]]
    missing_argument: Optional[str]
    missing_method: Optional[str]
    reported: Optional[FrozenSet[str]]


class Classes:
    """Looks classes up by module and name."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._machine = run.machine
        self._modules = run.machine.modules
        self._inheritance = run.machine.inheritance

    def find(self, module: Module, name: str) -> Union[ClassSummary, AbsentClass, None]:
        """Returns the class that a module has under a name, whether defined there or imported.

        Returns:
            The class; an `AbsentClass` where the module surely has none of that name; `None` where
            neither can be told, as for what a factory makes.
        """
        frame = self._modules.frame_of(module)
        if frame is None or module.facts.error is not None:
            return None
        value = variable(self._run.base, frame.number, name)
        if not value:
            bound = frame.scope.local
            is_dynamic = frame.scope.stars or any(word in module.source.text for word in _DYNAMIC)
            return None if name in bound or is_dynamic else AbsentClass(_nearest(name, bound))
        if all(map(self._is_no_class, value)):
            return AbsentClass(None)
        if len(value) > 1 or not isinstance(value[0], Object):
            return None
        is_class = self._machine.heap.info(value[0].number).kind == heap.CLASS
        return self._summary(value[0].number) if is_class else None

    def _is_no_class(self, atom: Atom) -> bool:
        """Whether a value cannot be called to build a processor."""
        if not isinstance(atom, Object):
            return isinstance(atom, Constant)
        info = self._machine.heap.info(atom.number)
        return info.kind == heap.INSTANCE and self._own(info.cls, "__call__") is None

    def _own(self, number: int, name: str) -> Optional[Value]:
        found = self._inheritance.class_attribute(number, name, self._run.base)
        return found[1] if found is not None else None

    def _summary(self, number: int) -> ClassSummary:
        bases = self._inheritance.outside_bases(number)
        kinds = frozenset(sdk.PROCESSOR_BASES[name] for name in self._processor_bases(number))
        if any(base.split(".")[0] not in _PLAIN_PACKAGES for base in bases):
            # A base from elsewhere may be a processor, and may define and report anything.
            return ClassSummary(number, kinds or None, None, None, None)
        return ClassSummary(
            number,
            kinds,
            self._missing_argument(number),
            self._missing_method(number) if kinds else None,
            self._reported(number),
        )

    def _processor_bases(self, number: int) -> FrozenSet[str]:
        """Returns the processor classes of the SDK that a class inherits."""
        bases = self._inheritance.outside_bases(number)
        names = (base[len("sdk.") :] for base in bases if base.startswith("sdk."))
        return frozenset(name for name in names if name in sdk.PROCESSOR_BASES)

    # --- building -------------------------------------------------------------------------------

    def _missing_argument(self, number: int) -> Optional[str]:
        value = self._own(number, "__init__")
        if value is None:
            return next(self._required_fields(number), None)
        atom = value[0] if len(value) == 1 else None
        if not isinstance(atom, Function) or atom.marks:
            return None
        node = self._machine.definitions[atom.definition].node
        assert isinstance(node, (ir.FunctionDef, ir.Lambda)), "what defines a function"
        for parameter in node.parameters[1:]:
            if parameter.kind in _REQUIRED_KINDS and parameter.default is None:
                return parameter.name
        return None

    def _required_fields(self, number: int) -> Iterator[str]:
        """Yields the fields of a dataclass that have no default."""
        node = self._machine.heap.info(number).node
        if node is None or not any(_is_dataclass(decorator.expression) for decorator in node.decorators):
            return
        for statement in node.body:
            if isinstance(statement, ir.AnnotatedAssign) and statement.value is None:
                target, kind = statement.target, statement.annotation
                kind = kind.value if isinstance(kind, ir.Subscript) else kind
                if isinstance(target, ir.Name) and _last_name(kind) not in ("ClassVar", "KW_ONLY"):
                    yield target.identifier

    def _missing_method(self, number: int) -> Optional[str]:
        process = self._inheritance.class_attribute(number, "process", self._run.base)
        if process is None or self._is_hidden(number, process[0]):
            return "process"
        for owner in self._inheritance.linearized(number):
            for name in sorted(self._machine.frames[self._machine.heap.info(owner).frame].scope.local):
                if any(map(_is_abstract, self._own(number, name) or ())):
                    return name
        return None

    def _is_hidden(self, number: int, mixin: int) -> bool:
        """Whether the abstract `process` of an SDK class comes before that of a mixin."""
        if self._processor_bases(mixin):
            return False
        for owner in self._inheritance.linearized(number):
            is_behind = False
            for atom in (atom for base in self._machine.heap.info(owner).bases for atom in base):
                if isinstance(atom, External) and atom.name[len("sdk.") :] in sdk.PROCESSOR_BASES:
                    is_behind = True
                elif is_behind and isinstance(atom, Object) and self._inherits(atom.number, mixin):
                    return True
        return False

    def _inherits(self, number: int, base: int) -> bool:
        return base in self._inheritance.linearized(number)

    # --- reporting ------------------------------------------------------------------------------

    def _reported(self, number: int) -> Optional[FrozenSet[str]]:
        run = self._run
        process = self._own(number, "process")
        if number in run.exhausted or number not in run.processors or process is None:
            return None
        if not self._returns_models(number, process):
            return None
        if any(_MUTATION.search(module.source.text) for module in self._modules_of(number)):
            return None
        names = self._metric_names(number)
        parts = self._part_names(number)
        return names | parts if names is not None and parts is not None else None

    def _returns_models(self, number: int, process: Value) -> bool:
        """Whether all that is returned are the SDK's models, so that no metrics come from elsewhere."""
        known = [
            bool(result.failed or result.score)
            for result in self._run.ledger.of(Result)
            if result.cls == number
        ]
        if all(isinstance(atom, Function) for atom in process):
            return bool(known) and all(known)
        if not all(isinstance(atom, Generated) for atom in process):
            return False
        # What `@reward_func` generates merges the parts, or returns what the aggregate makes of them.
        return any(known) or not self._has_aggregate(number)

    def _has_aggregate(self, number: int) -> bool:
        values = (self._own(number, name) or () for name in self._inheritance.public_names(number))
        functions = (atom for value in values for atom in value if isinstance(atom, Function))
        return any(atom.marked("sdk.aggregate_func") for atom in functions)

    def _modules_of(self, number: int) -> Iterator[Module]:
        """Yields the modules that a class and its bases are defined in."""
        for owner in self._inheritance.linearized(number):
            module = self._machine.heap.info(owner).module
            if module is not None:
                yield module

    def _metric_names(self, number: int) -> Optional[FrozenSet[str]]:
        names: Set[str] = set()
        for given in self._run.ledger.of(MetricsGiven):
            if given.root.cls != number or given.root.kind != "processor":
                continue
            if given.content is None:
                if not all(isinstance(atom, Constant) and atom.kind == "None" for atom in given.value):
                    return None
                continue
            keys = _texts(entry.key for entry in given.content.entries)
            if given.content.open or keys is None:
                return None
            names |= keys
        return frozenset(names)

    def _part_names(self, number: int) -> Optional[FrozenSet[str]]:
        names: Set[str] = set()
        for part in self._run.ledger.of(SubReward):
            if part.cls == number:
                keys = _texts(key for key, _ in part.keys)
                if part.name is None or keys is None:
                    return None
                names.add(part.name)
                names.update(f"{part.name}.{key}" for key in keys)
        return frozenset(names)


def _texts(keys: Iterable[Value]) -> Optional[FrozenSet[str]]:
    """Returns all that the keys of a mapping may be, where they are known texts."""
    atoms = [atom for key in keys for atom in key]
    texts = [atom.value for atom in atoms if isinstance(atom, Constant) and isinstance(atom.value, str)]
    return frozenset(texts) if len(texts) == len(atoms) else None


def _is_abstract(atom: Atom) -> bool:
    return isinstance(atom, Function) and atom.marked(*_ABSTRACT)


def _is_dataclass(expression: ir.Expression) -> bool:
    if isinstance(expression, ir.Call):
        if any(argument.keyword == "init" for argument in expression.arguments):
            return False
        expression = expression.function
    return _last_name(expression) == "dataclass"


def _last_name(expression: ir.Expression) -> Optional[str]:
    if isinstance(expression, ir.Attribute):
        return expression.name
    return expression.identifier if isinstance(expression, ir.Name) else None


def _nearest(name: str, known: FrozenSet[str]) -> Optional[str]:
    import difflib  # only a mistyped name pays for it

    close = difflib.get_close_matches(name, sorted(it for it in known if it[:1].isupper()), 1)
    return close[0] if close else None
