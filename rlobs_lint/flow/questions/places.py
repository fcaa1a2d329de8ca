"""From places in the flow's records to what findings say about them."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Dict, Iterable, Mapping, NamedTuple, Optional, Sequence

from rlobs_lint import sdk
from rlobs_lint.facts import ir, scopes
from rlobs_lint.facts.walks import last_name
from rlobs_lint.flow.domain.values import Site
from rlobs_lint.model import Note, Range, Span, Text

if TYPE_CHECKING:
    from rlobs_lint.facts.module import Module
    from rlobs_lint.project.upload import Upload


def location(workspace: Upload, site: Site) -> Range:
    """Returns the rows and columns of a place."""
    return workspace.modules[site.path].range(site.span)


def place(workspace: Upload, site: Site) -> str:
    """Returns a place as messages name it: `rollout.py:12`."""
    return f"{PurePath(site.path).name}:{location(workspace, site).start.row}"


def note(workspace: Upload, site: Site, text: Text) -> Note:
    """Makes a note about a further place."""
    return Note(site.path, location(workspace, site), text)


class Enclosing(NamedTuple):
    """A call as it is written: the expression, and the function whose body it stands in, if any."""

    call: ir.Call
    function: Optional[Span]


class CallIndices:
    """All calls of a workspace, by file and place."""

    def __init__(self, workspace: Upload) -> None:
        self._modules = workspace.modules
        self._indices: Dict[str, CallIndex] = {}

    def of(self, path: str) -> CallIndex:
        """Returns the calls of a file."""
        known = self._indices.get(path)
        if known is None:
            known = self._indices[path] = CallIndex(self._modules[path])
        return known

    def near(self, site: Site, makers: Iterable[Site]) -> Optional[Site]:
        """Returns the first of some calls that stands in the same function as another."""
        index = self.of(site.path)
        for maker in makers:
            if maker.path == site.path and maker != site and index.holds_together(site.span, maker.span):
                return maker
        return None


class CallIndex:
    """All calls of a file, by their place."""

    def __init__(self, module: Module) -> None:
        self._calls: Dict[Span, Enclosing] = {}
        self._awaited: Dict[Span, Span] = {}
        self._copies: Dict[Span, Span] = {}
        self._walk(module.facts.body, None)

    def find(self, span: Span) -> Optional[Enclosing]:
        """Returns the call at a place."""
        return self._calls.get(span)

    def awaited(self, span: Span) -> Optional[Span]:
        """Returns the expression behind an `await` that gives what the call at a place gives, if any.

        `await client.get_tools()`, and all of `wait_for(...)` in `await wait_for(client.get_tools(), 30)`.
        """
        return self._awaited.get(span)

    def copied(self, span: Span) -> Span:
        """Returns what is kept of the client that a call builds: all of `OpenAI().with_options(...)`."""
        while span in self._copies:
            span = self._copies[span]
        return span

    def all(self) -> Mapping[Span, Enclosing]:
        """Returns every call by its place, in order."""
        return self._calls

    def holds_together(self, one: Span, other: Span) -> bool:
        """Whether two calls stand in the same function, or both in none."""
        first, second = self.find(one), self.find(other)
        return first is not None and second is not None and first.function == second.function

    def _walk(self, body: Sequence[ir.Statement], function: Optional[Span]) -> None:
        for statement in scopes.walk_statements(body):
            for expression in scopes.own_expressions(statement):
                for part in scopes.walk_expression(expression):
                    if isinstance(part, ir.Call):
                        self._calls[part.at] = Enclosing(part, function)
                        if (
                            isinstance(part.function, ir.Attribute)
                            and part.function.name in sdk.OPENAI_COPIES
                        ):
                            self._copies[part.function.value.at] = part.at
                    elif isinstance(part, ir.Await) and isinstance(part.value, ir.Call):
                        self._await(part.value)
            if isinstance(statement, ir.FunctionDef):
                self._walk(statement.body, statement.at)
            elif isinstance(statement, ir.ClassDef):
                self._walk(statement.body, function)

    def _await(self, call: ir.Call) -> None:
        self._awaited[call.at] = call.at
        if last_name(call.function) in ("wait_for", "shield") and call.arguments:
            self._awaited[call.arguments[0].value.at] = call.at
