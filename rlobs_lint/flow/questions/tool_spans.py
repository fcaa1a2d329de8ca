"""Which tool calls make a span: what RLO301 to RLO306 ask."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Set, Tuple

from rlobs_lint.facts import ir
from rlobs_lint.facts.walks import last_name
from rlobs_lint.flow.domain.heap import INSTANCE
from rlobs_lint.flow.domain.observations import (
    Decoration,
    Handing,
    Premature,
    SdkCall,
    TracedUse,
    Unsupported,
    UntracedUse,
)
from rlobs_lint.flow.domain.values import Function, Site
from rlobs_lint.flow.outside.tools import PLAIN_TOOL, TOOL_FAMILIES, TOOLSET
from rlobs_lint.flow.questions.places import CallIndices

if TYPE_CHECKING:
    from rlobs_lint.flow.run import Run


class UntracedTools(NamedTuple):
    """Tools that are run, or given to something that runs them, without a trace.

    Attributes:
        site: The `get_tools()` call, the decorator or constructor, or the plain function's `def`.
        kind: `toolset`, `tool` or `function`.
        name: The function's name, of a plain function.
        use: Where they are run or given away.
        value: The expression whose value can be traced, where there is one.
    """

    site: Site
    kind: str
    name: str
    use: Site
    value: Optional[Site] = None


class EarlyTrace(NamedTuple):
    """A `trace_tool` call on what holds its tools only later.

    Attributes:
        site: The call.
        filled: The call that gives the tools.
        maker: The call in the trace call's own function, or else in its file, that gives them.
    """

    site: Site
    filled: Site
    maker: Optional[Site]


class WrongOrder(NamedTuple):
    """`@observe_tool` above a decorator that makes a tool object; `below` is the other's place."""

    site: Site
    below: Site
    name: str


class ToolSpans:
    """Answers questions about TOOL spans from the observations of a run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._machine = run.machine
        self._calls = CallIndices(run.machine.workspace)

    def _here(self, site: Site) -> bool:
        return site.path in self._run.function_modules

    def premature(self) -> Iterator[EarlyTrace]:
        """Yields the `trace_tool` calls on what holds its tools only later, unless those are traced later."""
        seen: Set[Site] = set()
        dark = {record.number for record in self._run.ledger.of(UntracedUse)}
        traced = {record.number for record in self._run.ledger.of(TracedUse)} - dark
        misbound = self._run.ledger.misbound_calls()
        for record in self._run.ledger.of(Premature):
            if record.site in misbound:
                continue
            if self._here(record.site) and record.site not in seen and record.number not in traced:
                seen.add(record.site)
                makers = list(self._machine.makers(record.number))
                calls = self._calls.of(record.site.path)
                same_file = (
                    maker
                    for maker in makers
                    if maker.path == record.site.path and calls.find(maker.span) is not None
                )
                maker = self._calls.near(record.site, makers) or next(same_file, None)
                yield EarlyTrace(record.site, record.filled, maker)

    def untraced(self) -> Iterator[UntracedTools]:
        """Yields the first untraced tool of every collection that is used."""
        blamed = {
            subject
            for record in self._run.ledger.of(Unsupported)
            if record.function == "trace_tool"
            for subject in record.subjects
        }
        blamed.update(record.number for record in self._run.ledger.of(Premature))
        untraced = {
            record.number
            for record in self._run.ledger.of(UntracedUse)
            if self._is_tool(record.number) and not blamed.intersection(self._origins(record.number))
        }
        untraced -= {number for number in untraced if self._has_inner_span(number)}
        handings = sorted(self._run.ledger.of(Handing), key=lambda record: -len(record.numbers))
        covered: Set[int] = set()
        seen: Set[Site] = set()
        for record in handings:
            dark = [number for number in record.numbers if number in untraced]
            if not dark or covered.issuperset(dark) or record.root.is_script:
                covered.update(dark)
                continue
            covered.update(record.numbers)
            info = self._machine.heap.info(dark[0])
            if info.site in seen or not self._here(info.site):
                continue
            seen.add(info.site)
            if info.family == TOOLSET:
                yield UntracedTools(info.site, "toolset", "", record.site, self._value(info.site))
            elif info.family == PLAIN_TOOL:
                yield UntracedTools(self._signature(info.site), "function", info.name, record.site)
            else:
                yield UntracedTools(info.site, "tool", info.name, record.site)

    def _value(self, site: Site) -> Optional[Site]:
        """Returns what stands for the tools themselves: nothing where a coroutine is handed around."""
        if site not in self._run.outside.tools.coroutines:
            return site
        awaited = self._calls.of(site.path).awaited(site.span)
        return Site(site.path, awaited) if awaited is not None else None

    def _has_inner_span(self, number: int) -> bool:
        """Whether the function inside a tool leaves its work to one under `@observe_tool`."""
        for definition in self._run.outside.tools.functions.get(number, ()):
            site = self._machine.definitions[definition].site
            for enclosing in self._calls.of(site.path).all().values():
                if enclosing.function == site.span and last_name(enclosing.call.function) in self._observed:
                    return True
        return False

    @cached_property
    def _observed(self) -> FrozenSet[str]:
        """Names of the functions under `@observe_tool`."""
        return frozenset(
            self._machine.definitions[number].name
            for number, functions in self._run.ledger.functions.items()
            if any(isinstance(one, Function) and one.marked("sdk.observe_tool") for one in functions)
        )

    def _origins(self, number: int) -> Tuple[int, int, int]:
        """Returns a tool, its class and the client that it comes from, by their numbers."""
        info = self._machine.heap.info(number)
        return number, info.cls, info.base if info.base >= 0 else number

    def _is_tool(self, number: int) -> bool:
        info = self._machine.heap.info(number)
        return info.family in TOOL_FAMILIES or (info.kind == INSTANCE and not info.family)

    def _signature(self, site: Site) -> Site:
        for number, definition in enumerate(self._machine.definitions):
            if definition.site == site:
                return self._machine.signature(number)
        return site

    def unsupported(self) -> Iterator[Unsupported]:
        """Yields the `trace_tool` calls on what it does not patch."""
        seen: Set[Site] = set()
        for record in self._run.ledger.of(Unsupported):
            if record.function == "trace_tool" and self._here(record.site) and record.site not in seen:
                seen.add(record.site)
                yield record

    def on_servers(self) -> Iterator[Tuple[Site, str]]:
        """Yields `@observe_tool` decorators on tools of an MCP server, in any file, with the name."""
        served = {record.target for record in self._run.ledger.of(Decoration) if record.name == "mcp-tool"}
        for record in self._run.ledger.of(Decoration):
            is_ours = record.name == "sdk.observe_tool" and not record.misbound and not record.in_call
            if is_ours and record.target in served:
                yield record.site, self._machine.definitions[record.target].name

    def wrong_orders(self) -> Iterator[WrongOrder]:
        """Yields `@observe_tool` decorators that wrap a tool object instead of a function."""
        for record in self._run.ledger.of(Decoration):
            if record.name != "sdk.observe_tool" or record.below != ("tool",) or record.misbound:
                continue
            if not self._here(record.site):
                continue
            for definition in self._machine.definitions:
                node = definition.node
                if not isinstance(node, ir.FunctionDef) or definition.module.path != record.site.path:
                    continue
                places = [decorator.at for decorator in node.decorators]
                if record.site.span in places:
                    made = {r.site.span for r in self._run.ledger.of(Decoration) if r.name == "tool"}
                    lower = [at for at in places[places.index(record.site.span) + 1 :] if at in made]
                    if lower:
                        yield WrongOrder(record.site, Site(record.site.path, lower[0]), definition.name)

    def results_used(self) -> Iterator[SdkCall]:
        """Yields the trace calls whose result, always `None`, is used."""
        spoken: Set[Site] = {record.site for record in self._run.ledger.of(Unsupported)}
        kept: Dict[Site, List[SdkCall]] = {}
        for record in self._run.ledger.of(SdkCall):
            if (
                record.name in ("trace_tool", "trace_client")
                and not record.misbound
                and self._here(record.site)
            ):
                kept.setdefault(record.site, []).append(record)
        for site, records in kept.items():
            if site in spoken or any(record.discarded for record in records):
                continue
            if self._is_written(records[0]):
                yield records[0]

    def _is_written(self, record: SdkCall) -> bool:
        """Whether a call stands in the code as such, and is not made by `map` or an executor."""
        found = self._calls.of(record.site.path).find(record.site.span)
        given = record.arguments.everything()
        return (
            found is not None
            and len(found.call.arguments) > 0
            and bool(given)
            and found.call.arguments[0].value.at == given[0].site.span
        )
