"""Whether a `process` can be decorated where it is written: what the fixes of RLO101 and RLO102 ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Set

from rlobs_lint import ir
from rlobs_lint.flow import scopes
from rlobs_lint.flow.places import CallIndices, last_name
from rlobs_lint.flow.values import Site
from rlobs_lint.workspace import Module

if TYPE_CHECKING:
    from rlobs_lint.flow.analysis import Analysis

#: It stands in another function, which may make more than this one `process`.
NESTED = "nested"
#: A call names its input, which the decorator knows under another name only.
KEYWORD_CALL = "keyword-call"


class Decorating:
    """Answers it from the code of an analysis."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._machine = analysis.machine
        self._calls = CallIndices(analysis.machine.workspace)

    def hindrance(self, module: Module, node: ir.FunctionDef, owner: str) -> str:
        """Returns `NESTED` or `KEYWORD_CALL` where a decorator would do harm, else nothing.

        Args:
            module: The file.
            node: The definition of `process`.
            owner: Name of the class that it stands in, if it stands in one.
        """
        if not owner and all(node is not one for one in scopes.walk_statements(module.facts.body)):
            return NESTED
        return KEYWORD_CALL if self._has_keyword_call(node, owner) else ""

    def _has_keyword_call(self, node: ir.FunctionDef, owner: str) -> bool:
        """Whether a call passes the input by keyword: measured, the wrapper raises `TypeError` then."""
        called = self._sites_of(node)
        for path, module in self._machine.workspace.modules.items():
            is_followed = path in self._analysis.function_modules
            for span, enclosing in self._calls.of(path).all().items():
                call = enclosing.call
                if not _names_input(call):
                    continue
                site = Site(path, span)
                if site in called:
                    return True
                if site in self._analysis.ledger.callees or last_name(call.function) != node.name:
                    continue
                if _is_on_itself(call) or (not is_followed and owner and owner in module.source.text):
                    return True
        return False

    def _sites_of(self, node: ir.FunctionDef) -> Set[Site]:
        """Returns the calls that were seen to run a function."""
        definitions = self._machine.definitions
        return {
            site
            for site, numbers in self._analysis.ledger.callees.items()
            if any(definitions[number].node is node for number in numbers)
        }


def _names_input(call: ir.Call) -> bool:
    """Whether a call passes arguments by keyword; a wrapper's `function(*args, **kwargs)` may pass none."""
    is_positional = any(one.keyword is None and one.star != "**" for one in call.arguments)
    return any(one.keyword is not None or (one.star == "**" and not is_positional) for one in call.arguments)


def _is_on_itself(call: ir.Call) -> bool:
    """Whether a call is `self.process(...)` or `super().process(...)`."""
    receiver = call.function.value if isinstance(call.function, ir.Attribute) else None
    if isinstance(receiver, ir.Call):
        return last_name(receiver.function) == "super"
    return isinstance(receiver, ir.Name) and receiver.identifier == "self"
