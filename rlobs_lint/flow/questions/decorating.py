"""Whether a `process` can be decorated where it is written: what the fixes of RLO101 and RLO102 ask."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, AbstractSet, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from rlobs_lint.facts import ir, scopes
from rlobs_lint.facts.module import Module
from rlobs_lint.facts.walks import all_statements, last_name
from rlobs_lint.flow.domain.values import Function, Site
from rlobs_lint.flow.questions.hidden_decorators import ENTRY_MARKS
from rlobs_lint.flow.questions.places import CallIndices
from rlobs_lint.model import Span

if TYPE_CHECKING:
    from rlobs_lint.flow.run import Run

#: It stands in another function, which may make more than this one `process`.
NESTED = "nested"
#: Another class opens the span around it already, and would open a second one.
SHARED = "shared"
#: A call names its input, which the decorator knows under another name only.
KEYWORD_CALL = "keyword-call"
#: Stands for the keywords of an unpacked mapping.
_ALL = "**"


class Decorating:
    """Answers that from the code of a run.

    Args:
        run: The run.
        submitted: Files and names of the classes that are submitted, as far as that is known.
    """

    def __init__(self, run: Run, submitted: AbstractSet[Tuple[str, str]]) -> None:
        self._run = run
        self._submitted = submitted
        self._machine = run.machine
        self._calls = CallIndices(run.machine.workspace)
        self._made: Dict[str, Dict[str, Set[str]]] = {}

    def hindrance(self, module: Module, node: ir.FunctionDef, owner: str) -> str:
        """Returns `NESTED`, `SHARED` or `KEYWORD_CALL` where a decorator would do harm, else nothing.

        Args:
            module: The file.
            node: The definition of `process`.
            owner: Name of the class that it stands in, if it stands in one.
        """
        if not owner and all(node is not one for one in scopes.walk_statements(module.facts.body)):
            return NESTED
        wrapping = [cls for number, cls in self._with_span if self._machine.definitions[number].node is node]
        if any(cls is None or self._may_be_served(cls) for cls in wrapping):
            return SHARED
        return KEYWORD_CALL if self._has_keyword_call(node, owner) else ""

    def _has_keyword_call(self, node: ir.FunctionDef, owner: str) -> bool:
        """Whether a call passes the input by keyword: measured, the wrapper raises `TypeError` then."""
        callees, definitions = self._run.ledger.callees, self._machine.definitions
        for name in (*(parameter.name for parameter in node.parameters[1:]), _ALL):
            for site, call in self._by_keyword.get(name, ()):
                if site in callees:
                    if any(definitions[number].node is node for number in callees[site]):
                        return True
                    continue
                receiver = _receiver(call, node.name)
                if receiver is not None and self._may_be(receiver, owner, site.path):
                    return True
        return False

    @cached_property
    def _with_span(self) -> Set[Tuple[int, Optional[int]]]:
        """The functions that a class has in its own ENTRY span, by their definitions, and that class."""
        found: Set[Tuple[int, Optional[int]]] = set(self._run.ledger.inside_entry)
        for number in self._run.ledger.classes:
            known = self._machine.inheritance.class_attribute(number, "process", self._run.base)
            for atom in known[1] if known is not None else ():
                if isinstance(atom, Function) and atom.marked(*ENTRY_MARKS):
                    found.add((atom.definition, number))
        return found

    def _may_be_served(self, cls: int) -> bool:
        """Whether a class is submitted, as far as is known what is."""
        info = self._machine.heap.info(cls)
        return not self._submitted or (info.site.path, info.name) in self._submitted

    @cached_property
    def _by_keyword(self) -> Mapping[str, Sequence[Tuple[Site, ir.Call]]]:
        """The calls of the workspace by the keywords that they pass."""
        found: Dict[str, List[Tuple[Site, ir.Call]]] = {}
        for path in self._machine.workspace.modules:
            for span, enclosing in self._calls.of(path).all().items():
                for name in _keywords(enclosing.call):
                    found.setdefault(name, []).append((Site(path, span), enclosing.call))
        return found

    def supers_of(self, module: Module, node: ir.FunctionDef) -> Set[Tuple[str, Span]]:
        """Returns the methods that a method runs by `super().method(...)`, as their files and places."""
        definitions = self._machine.definitions
        found: Set[Tuple[str, Span]] = set()
        for span, enclosing in self._calls.of(module.path).all().items():
            receiver = _receiver(enclosing.call, node.name)
            is_super = isinstance(receiver, ir.Call) and last_name(receiver.function) == "super"
            if enclosing.function == node.at and is_super:
                numbers = self._run.ledger.callees.get(Site(module.path, span), ())
                sites = (definitions[number].site for number in numbers)
                found.update((site.path, site.span) for site in sites)
        return found

    def _may_be(self, receiver: ir.Expression, owner: str, path: str) -> bool:
        """Whether what a call that was not met is made on may be of a class, by how it is written."""
        if isinstance(receiver, ir.Call):
            # `super().process(...)`, `Rollout().process(...)`
            return last_name(receiver.function) in ("super", owner)
        name = last_name(receiver)
        if name == "self" and isinstance(receiver, ir.Name):
            return True
        made = self._makers(path).get(name)
        if made is not None:
            return owner in made
        # A parameter, of a test say, which gets it from a fixture; the flow knows those of function code.
        return path not in self._run.function_modules

    def _makers(self, path: str) -> Mapping[str, AbstractSet[str]]:
        """Returns the names and attributes of a file that get the results of calls, and what is called."""
        known = self._made.get(path)
        if known is None:
            known = self._made[path] = {}
            for statement in all_statements(self._machine.workspace.modules[path].facts.body):
                if isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Call):
                    for target in statement.targets:
                        known.setdefault(last_name(target), set()).add(last_name(statement.value.function))
        return known


def _keywords(call: ir.Call) -> Iterator[str]:
    """Yields the keywords of a call, and `_ALL` for an unpacked mapping that may hold the input.

    A wrapper's `function(*args, **kwargs)` passes it by position.
    """
    is_positional = any(one.keyword is None and one.star != "**" for one in call.arguments)
    for one in call.arguments:
        if one.keyword is not None:
            yield one.keyword
        elif one.star == "**" and not is_positional:
            yield _ALL


def _receiver(call: ir.Call, method: str) -> Optional[ir.Expression]:
    """Returns `x` of `x.process(...)` and `partial(x.process, ...)`."""
    function = call.function
    if last_name(function) == "partial" and call.arguments:
        function = call.arguments[0].value
    is_method = isinstance(function, ir.Attribute) and function.name == method
    return function.value if isinstance(function, ir.Attribute) and is_method else None
