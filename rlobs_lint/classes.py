"""What a module has under a name when a function's server takes its processor from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, FrozenSet, Iterator, NamedTuple, Optional, Union

from rlobs_lint import ir, sdk
from rlobs_lint.flow import heap
from rlobs_lint.flow.state import variable
from rlobs_lint.flow.values import External, Function, Object

if TYPE_CHECKING:
    from rlobs_lint.flow.analysis import Analysis
    from rlobs_lint.workspace import Module, Workspace

#: Packages whose classes are no processors and leave the building of an object alone.
_PLAIN_PACKAGES = frozenset({"builtins", "abc", "typing", "sdk"})
_REQUIRED_KINDS = frozenset({"positional-only", "plain", "keyword-only"})


class Absent(NamedTuple):
    """A name that a module surely does not have.

    Attributes:
        nearest: A class of the module that the name resembles, or `None`.
    """

    nearest: Optional[str]


class ClassSummary(NamedTuple):
    """A class, as far as it matters to the server that builds it.

    Attributes:
        number: The class's object in the analysis.
        kinds: The kinds of processor that it inherits; empty for a class that is none; `None` where
            that cannot be told.
        missing_argument: A parameter without a default that it cannot be built without, or `None`.
        missing_method: A method without which it is abstract, or `None`.
    """

    number: int
    kinds: Optional[FrozenSet[str]]
    missing_argument: Optional[str]
    missing_method: Optional[str]


def find_class(workspace: Workspace, module: Module, name: str) -> Union[ClassSummary, Absent, None]:
    """Returns the class that a module has under a name, whether defined there or imported.

    Returns:
        The class; `Absent` for a name that is surely not there; `None` where neither can be told, as
        for a class that a factory makes.
    """
    flow = workspace.flow
    frame = flow.machine.modules.frame_of(module)
    if module.facts.error is not None or frame is None:
        return None
    value = variable(flow.base, frame.number, name)
    if not value:
        may_be_there = frame.scope.stars or {name, "__getattr__"} & frame.scope.local or _is_dynamic(module)
        return None if may_be_there else Absent(_nearest(name, frame.scope.local))
    (atom,) = value if len(value) == 1 else (None,)
    if not isinstance(atom, Object) or flow.machine.heap.info(atom.number).kind != heap.CLASS:
        return None
    return _summarize(flow, atom.number)


def _is_dynamic(module: Module) -> bool:
    """Tells whether a module may give itself names that its text does not show."""
    return "globals()" in module.source.text or "sys.modules" in module.source.text


def _nearest(name: str, known: FrozenSet[str]) -> Optional[str]:
    import difflib  # only a mistyped name pays for it

    close = difflib.get_close_matches(name, sorted(it for it in known if it[:1].isupper()), 1)
    return close[0] if close else None


def _summarize(flow: Analysis, number: int) -> ClassSummary:
    bases = flow.machine.modules.outside_bases(number)
    kinds = frozenset(sdk.PROCESSOR_BASES[name] for name in _processor_names(flow, number))
    is_known = all(base.split(".")[0] in _PLAIN_PACKAGES for base in bases)
    if not is_known:  # a base from elsewhere may be a processor, and may define anything
        return ClassSummary(number, kinds or None, None, None)
    return ClassSummary(number, kinds, _missing_argument(flow, number), _missing_method(flow, number, kinds))


def _processor_names(flow: Analysis, number: int) -> FrozenSet[str]:
    """Returns the processor classes of the SDK that a class inherits."""
    bases = flow.machine.modules.outside_bases(number)
    names = (base[len("sdk.") :] for base in bases if base.startswith("sdk."))
    return frozenset(name for name in names if name in sdk.PROCESSOR_BASES)


def _missing_argument(flow: Analysis, number: int) -> Optional[str]:
    found = flow.machine.modules.class_attribute(number, "__init__", flow.base)
    if found is None:
        return next(_required_fields(flow, number), None)
    (atom,) = found[1] if len(found[1]) == 1 else (None,)
    if not isinstance(atom, Function) or atom.marks:
        return None
    node = flow.machine.definitions[atom.definition].node
    assert isinstance(node, (ir.FunctionDef, ir.Lambda)), "what defines a function"
    for parameter in node.parameters[1:]:
        if parameter.kind in _REQUIRED_KINDS and parameter.default is None:
            return parameter.name
    return None


def _required_fields(flow: Analysis, number: int) -> Iterator[str]:
    """Yields the fields of a dataclass that have no default."""
    node = flow.machine.heap.info(number).node
    if node is None or not any(_is_dataclass(decorator.expression) for decorator in node.decorators):
        return
    for statement in node.body:
        if isinstance(statement, ir.AnnotatedAssign) and statement.value is None:
            target, kind = statement.target, statement.annotation
            kind = kind.value if isinstance(kind, ir.Subscript) else kind
            if isinstance(target, ir.Name) and _last_name(kind) not in ("ClassVar", "KW_ONLY"):
                yield target.identifier


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


def _missing_method(flow: Analysis, number: int, kinds: FrozenSet[str]) -> Optional[str]:
    if not kinds:
        return None
    modules = flow.machine.modules
    process = modules.class_attribute(number, "process", flow.base)
    if process is None or _is_hidden(flow, number, process[0]):
        return "process"
    for owner in modules.linearized(number):
        for name in sorted(flow.machine.frames[flow.machine.heap.info(owner).frame].scope.local):
            found = modules.class_attribute(number, name, flow.base)
            if found is not None and any(map(_is_abstract, found[1])):
                return name
    return None


def _is_hidden(flow: Analysis, number: int, mixin: int) -> bool:
    """Tells whether the abstract `process` of an SDK class comes before that of a mixin."""
    if _processor_names(flow, mixin):
        return False
    modules = flow.machine.modules
    for owner in modules.linearized(number):
        is_behind = False
        for atom in (atom for base in flow.machine.heap.info(owner).bases for atom in base):
            if isinstance(atom, External) and atom.name[len("sdk.") :] in sdk.PROCESSOR_BASES:
                is_behind = True
            elif is_behind and isinstance(atom, Object) and mixin in modules.linearized(atom.number):
                return True
    return False


def _is_abstract(atom: object) -> bool:
    return isinstance(atom, Function) and atom.marked("abc.abstractmethod")
