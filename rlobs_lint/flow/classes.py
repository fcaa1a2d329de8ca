"""What a name in a file is, as a processor class: what RLO603 and RLO604 ask about a classpath."""

from __future__ import annotations

from typing import TYPE_CHECKING, FrozenSet, NamedTuple, Optional, Set, Union

from rlobs_lint import ir
from rlobs_lint.flow import heap
from rlobs_lint.flow.observations import MetricsGiven, SubReward
from rlobs_lint.flow.state import variable
from rlobs_lint.flow.values import Constant, External, Function, Generated, Object, is_opaque

if TYPE_CHECKING:
    from rlobs_lint.flow.analysis import Analysis
    from rlobs_lint.workspace import Module

#: What is said of a name that cannot be followed: it may be anything.
UNKNOWN_NAME = "unknown"
_ABSTRACT = ("abc.abstractmethod", "abc.abstractproperty")


class ClassSummary(NamedTuple):
    """A class that a name stands for.

    Attributes:
        number: Its object number.
        kind: The kind of processor that it is, `any` for one without a kind, `None` for none.
        needs_arguments: Whether it cannot be built without arguments.
        is_abstract: Whether it lacks a `process`, so that it cannot be built at all.
        reported: Names of the metrics and sub-rewards that it reports; `None` where they cannot all be told.
    """

    number: int
    kind: Optional[str]
    needs_arguments: bool
    is_abstract: bool
    reported: Optional[FrozenSet[str]]


class Classes:
    """Looks classes up by file and name."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._machine = analysis.machine

    def find(self, module: Module, name: str) -> Union[ClassSummary, str, None]:
        """Returns the class that `name` is in a file.

        Returns:
            The class; `None` where the file surely has no class of that name; `UNKNOWN_NAME` where the
            name stands for something that is not followed.
        """
        frame = self._machine.modules.frame_of(module)
        if frame is None or module.facts.error is not None:
            return UNKNOWN_NAME
        value = variable(self._analysis.base, frame.number, name)
        if value is None:
            certain = name not in frame.scope.local and not frame.scope.stars and not self._is_dynamic(module)
            return None if certain else UNKNOWN_NAME
        if len(value) != 1 or is_opaque(value[0]):
            return UNKNOWN_NAME
        atom = value[0]
        if isinstance(atom, Object):
            info = self._machine.heap.info(atom.number)
            return self._summary(atom.number) if info.kind == heap.CLASS else None
        if isinstance(atom, External):
            # A class of the SDK or of another package: it may be one of theirs.
            return UNKNOWN_NAME
        return None

    def _is_dynamic(self, module: Module) -> bool:
        """Whether a file may have names that its statements do not bind."""
        return any(word in module.source.text for word in ("__getattr__", "globals()", "exec(", "setattr("))

    def _summary(self, number: int) -> Union[ClassSummary, str]:
        modules = self._machine.modules
        if "?" in modules.outside_bases(number):
            return UNKNOWN_NAME
        kind = self._analysis.processor_kind(number)
        return ClassSummary(
            number, kind, self._needs_arguments(number), self._is_abstract(number), self._reported(number)
        )

    def _needs_arguments(self, number: int) -> bool:
        found = self._machine.modules.class_attribute(number, "__init__", self._analysis.base)
        if found is None:
            return False
        for atom in found[1]:
            if not isinstance(atom, Function):
                return False
            node = self._machine.definitions[atom.definition].node
            if not isinstance(node, ir.FunctionDef):
                return False
            required = [
                p for p in node.parameters if p.kind not in ("variadic", "keywords") and p.default is None
            ]
            positional = [p for p in required if p.kind != "keyword-only"]
            receiver = 0 if any(p.kind == "variadic" for p in node.parameters) and not positional else 1
            return len(required) > receiver
        return False

    def _is_abstract(self, number: int) -> bool:
        if self._analysis.processor_kind(number) is None:
            return False
        found = self._machine.modules.class_attribute(number, "process", self._analysis.base)
        if found is None:
            return True
        if any(isinstance(atom, Generated) for atom in found[1]):
            return False
        return self._has_abstract_method(number)

    def _has_abstract_method(self, number: int) -> bool:
        """Whether an abstract method of a class or its bases is left without a body."""
        modules = self._machine.modules
        names: Set[str] = set()
        for cls in modules.linearized(number):
            names.update(self._machine.frames[self._machine.heap.info(cls).frame].scope.local)
        for name in names:
            found = modules.class_attribute(number, name, self._analysis.base)
            for atom in found[1] if found is not None else ():
                if isinstance(atom, Function) and atom.marked(*_ABSTRACT):
                    return True
        return False

    def _reported(self, number: int) -> Optional[FrozenSet[str]]:
        """Returns the names that a reward class reports, where all of them are known."""
        names: Set[str] = set()
        if number in self._analysis.exhausted or number not in self._analysis.processors:
            return None
        found = self._machine.modules.class_attribute(number, "process", self._analysis.base)
        if found is None or not all(isinstance(atom, (Function, Generated)) for atom in found[1]):
            return None
        for record in self._analysis.ledger.of(MetricsGiven):
            if record.root.cls != number or record.root.kind != "processor":
                continue
            if record.content is None:
                if not all(isinstance(atom, Constant) and atom.kind == "None" for atom in record.value):
                    return None
                continue
            if record.content.open:
                return None
            for entry in record.content.entries:
                for atom in entry.key:
                    if not isinstance(atom, Constant) or not isinstance(atom.value, str):
                        return None
                    names.add(atom.value)
        for part in self._analysis.ledger.of(SubReward):
            if part.cls != number:
                continue
            if part.name is None:
                return None
            names.add(part.name)
            for key, _ in part.keys:
                for atom in key:
                    if not isinstance(atom, Constant) or not isinstance(atom.value, str):
                        return None
                    names.add(f"{part.name}.{atom.value}")
        return frozenset(names)
