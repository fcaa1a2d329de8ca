"""Which LLM calls make a span: what RLO201 to RLO203 and RLO207 to RLO209 ask."""

from __future__ import annotations

from typing import (
    TYPE_CHECKING,
    Dict,
    FrozenSet,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
    Union,
)

from rlobs_lint.facts import ir
from rlobs_lint.flow.domain.observations import (
    AnswerInspected,
    BareCall,
    Bypass,
    Detached,
    LateTrace,
    SdkCall,
    TracedUse,
    Unsupported,
    UntracedUse,
)
from rlobs_lint.flow.domain.values import Object, Site
from rlobs_lint.flow.interpreter.instances import FACTORIES
from rlobs_lint.flow.outside.clients import CLIENT_FAMILIES, DASHSCOPE, DASHSCOPE_ASYNC, LANGCHAIN
from rlobs_lint.flow.outside.traces import ASYNC, SYNC
from rlobs_lint.flow.questions.places import CallIndices

if TYPE_CHECKING:
    from rlobs_lint.flow.run import Run

_CLASSES = frozenset({DASHSCOPE, DASHSCOPE_ASYNC})


class UntracedClient(NamedTuple):
    """A client that some path uses without tracing it.

    Attributes:
        site: What builds it; of a DashScope class, its first call in the file.
        name: The class's name.
        use: A call of it that makes no span.
        is_class: Whether the class itself is to be traced.
        hindrance: Why tracing it is no help: `streams` where a call would or may raise, `inspected` where
            code would notice that the answers are of another type, `uncovered` where no call would have
            a span either, `handed` where a class is not called as `Class.call(...)`, `field` where the field
            of a class declares what builds it; or nothing.
        value: What can be traced: of a client of which only a copy is kept, the copy.
    """

    site: Site
    name: str
    use: Site
    is_class: bool
    hindrance: str
    value: Site


class LateClient(NamedTuple):
    """A `trace_client` call that comes after the client was used.

    Attributes:
        site: The call.
        built: What builds the client.
        use: The call before it.
        name: The class's name.
        lost: `sync`, `async` or `both` for a LangChain model, whose later calls of that kind stay dark;
            `early` for a client that only loses the calls before.
        maker: The call in the trace call's own function that gives it the client, if there is one.
        is_class: Whether it is a DashScope class; then nothing builds it.
        is_plain: Of a class, whether the use is written `Class.call(...)`.
    """

    site: Site
    built: Site
    use: Site
    name: str
    lost: str
    maker: Optional[Site]
    is_class: bool
    is_plain: bool


class LlmSpans:
    """Answers questions about LLM spans from the observations of a run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._machine = run.machine
        self._modules = run.machine.workspace.modules
        self._calls = CallIndices(run.machine.workspace)

    def _here(self, site: Site) -> bool:
        return site.path in self._run.function_modules

    # --- clients --------------------------------------------------------------------------------

    def untraced(self) -> Iterator[UntracedClient]:
        """Yields the clients that are used untraced and never traced afterwards."""
        late = {record.number for record in self._run.ledger.of(LateTrace)}
        blamed = self._blamed()
        uses: Dict[Tuple[Site, str], List[UntracedUse]] = {}
        for use in self._run.ledger.of(UntracedUse):
            info = self._machine.heap.info(use.number)
            if use.number in late or use.root.is_script:
                continue
            if blamed.intersection((use.number, info.cls, info.name)):
                continue
            if info.family in _CLASSES:
                if self._here(use.site):
                    uses.setdefault((Site(use.site.path, info.site.span), info.name), []).append(use)
            elif info.family in CLIENT_FAMILIES and self._here(info.site):
                uses.setdefault((info.site, info.name.rpartition(".")[2]), []).append(use)
        for (site, name), found in uses.items():
            is_class = self._machine.heap.info(found[0].number).family in _CLASSES
            plain = [use for use in found if self._is_method_call(use.site, "call")] if is_class else found
            first = min(plain or found, key=lambda use: (use.site.path, use.site.span)).site
            shown = first if is_class else site
            value = Site(shown.path, self._calls.of(shown.path).copied(shown.span))
            hindrance = self._hindrance(found) or ("" if plain else "handed")
            hindrance = hindrance or ("" if is_class or self._is_built_at(value) else "field")
            yield UntracedClient(shown, name, first, is_class, hindrance, value)

    def _hindrance(self, uses: Sequence[UntracedUse]) -> str:
        """Tells why tracing a client is no help to its uses, if so."""
        numbers = {use.number for use in uses}
        known = {use.effect for use in uses}
        # Where another path traces it already, the same calls are traced uses there.
        known |= {use.effect for use in self._run.ledger.of(TracedUse) if use.number in numbers}
        if known & {"raises", "unsure"}:
            return "streams"
        if any(record.number in numbers for record in self._run.ledger.of(AnswerInspected)):
            return "inspected"
        return "uncovered" if known == {"missing"} else ""

    def _is_built_at(self, site: Site) -> bool:
        """Whether a call gives a client, and is not `field(default_factory=OpenAI)`, which declares one."""
        found = self._calls.of(site.path).find(site.span)
        return found is None or all(one.keyword not in FACTORIES for one in found.call.arguments)

    def _is_method_call(self, site: Site, name: str) -> bool:
        """Whether a call is written `x.name(...)`."""
        found = self._calls.of(site.path).find(site.span)
        function = found.call.function if found is not None else None
        return isinstance(function, ir.Attribute) and function.name == name

    def late(self) -> Iterator[LateClient]:
        """Yields the trace calls that come after a use of their client."""
        seen: Set[Site] = set(self._run.ledger.misbound_calls())
        for record in self._run.ledger.of(LateTrace):
            info = self._machine.heap.info(record.number)
            if (
                info.family not in CLIENT_FAMILIES | _CLASSES
                or not self._here(record.site)
                or record.site in seen
            ):
                continue
            use = next(
                (
                    u
                    for u in self._run.ledger.of(UntracedUse)
                    if u.number == record.number and u.half & record.halves
                ),
                None,
            )
            if use is None:
                continue
            seen.add(record.site)
            lost = "early"
            if info.family == LANGCHAIN:
                lost = {SYNC: "sync", ASYNC: "async"}.get(record.halves, "both")
            is_class = info.family in _CLASSES
            makers = () if is_class else self._machine.makers(record.number)
            maker = self._calls.near(record.site, makers)
            built = use.site if is_class else info.site
            is_plain = not is_class or self._is_method_call(use.site, "call")
            name = info.name.rpartition(".")[2]
            yield LateClient(record.site, built, use.site, name, lost, maker, is_class, is_plain)

    def unsupported(self) -> Iterator[Unsupported]:
        """Yields the `trace_client` calls on what it does not patch."""
        seen: Set[Site] = set()
        for record in self._run.ledger.of(Unsupported):
            if record.function == "trace_client" and self._here(record.site) and record.site not in seen:
                seen.add(record.site)
                yield record

    def class_spelling(self, unsupported: Unsupported) -> str:
        """Returns how a file writes the class whose object it passes to `trace_client`, or nothing."""
        for record in self._run.ledger.of(SdkCall):
            argument = record.arguments.get(0, "client") if record.site == unsupported.site else None
            for atom in argument.value if argument is not None else ():
                site = self._machine.heap.info(atom.number).site if isinstance(atom, Object) else None
                if site is not None and site.path == record.site.path:
                    built = self._calls.of(site.path).find(site.span)
                    if built is not None:
                        start, end = built.call.function.at
                        return self._modules[site.path].source.text[start:end]
        return ""

    def bare(self) -> Iterator[BareCall]:
        """Yields the chat calls that no trace can cover and no LLM span is around."""
        seen: Set[Site] = set()
        blamed = self._blamed()
        for record in self._run.ledger.of(BareCall):
            if record.covered or record.root.is_script or self._is_blamed(record.subject, blamed):
                continue
            if self._here(record.site) and record.site not in seen:
                seen.add(record.site)
                yield record

    def _blamed(self) -> FrozenSet[Union[int, str]]:
        """Returns what was given to `trace_client` in vain: RLO203 speaks of it."""
        return frozenset(
            subject
            for record in self._run.ledger.of(Unsupported)
            if record.function == "trace_client" and record.what != "generation-instance"
            for subject in record.subjects
        )

    def _is_blamed(self, subject: Union[int, str], blamed: FrozenSet[Union[int, str]]) -> bool:
        """Whether what is called, or the module or class that it comes from, was traced in vain."""
        name = self._machine.heap.info(subject).name if isinstance(subject, int) else subject
        return bool(blamed.intersection((subject, name, name.partition(".")[0])))

    def bypassed(self) -> Iterator[Bypass]:
        """Yields the uses of traced clients that the patch does not cover."""
        seen: Set[Site] = set()
        for record in self._run.ledger.of(Bypass):
            if self._here(record.site) and record.site not in seen:
                seen.add(record.site)
                yield record

    def client_name(self, number: int) -> str:
        """Returns the class's name of a client."""
        return self._machine.heap.info(number).name.rpartition(".")[2]

    def detached(self) -> Iterator[Detached]:
        """Yields what runs traced calls without the context of their trace."""
        if self._run.ledger.carries_context:
            return
        seen: Set[Site] = set()
        for record in self._run.ledger.of(Detached):
            if record.traced and self._here(record.site) and record.site not in seen:
                seen.add(record.site)
                yield record
