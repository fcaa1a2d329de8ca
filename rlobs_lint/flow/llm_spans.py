"""Which LLM calls make a span: what RLO201 to RLO209 ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Set, Tuple

from rlobs_lint import ir
from rlobs_lint.flow.clients import CLIENT_FAMILIES, DASHSCOPE, DASHSCOPE_ASYNC, LANGCHAIN
from rlobs_lint.flow.observations import (
    BareCall,
    Bypass,
    Decoration,
    Detached,
    FunctionCall,
    LateTrace,
    Unsupported,
    UntracedUse,
)
from rlobs_lint.flow.traces import ASYNC, SYNC
from rlobs_lint.flow.values import Site

if TYPE_CHECKING:
    from rlobs_lint.flow.analysis import Analysis

_CLASSES = frozenset({DASHSCOPE, DASHSCOPE_ASYNC})


class UntracedClient(NamedTuple):
    """A client that some path uses without tracing it.

    Attributes:
        site: What builds it; of a DashScope class, its first call in the file.
        name: The class's name.
        use: A call of it that makes no span.
        is_class: Whether the class itself is to be traced.
        streams: Whether a call of it would raise if it were traced.
    """

    site: Site
    name: str
    use: Site
    is_class: bool
    streams: bool


class LateClient(NamedTuple):
    """A `trace_client` call that comes after the client was used.

    Attributes:
        site: The call.
        built: What builds the client.
        use: The call before it.
        name: The class's name.
        lost: `sync`, `async` or `both` for a LangChain model, whose later calls of that kind stay dark;
            `early` for a client that only loses the calls before.
    """

    site: Site
    built: Site
    use: Site
    name: str
    lost: str


class LlmFunction(NamedTuple):
    """A function under `@observe_llm`.

    Attributes:
        site: The `def`, its name included.
        node: The definition.
        decorator: The decorator.
        model: The parameter that holds the model's name.
        messages: The parameters that may hold the messages.
        below: Decorators that were applied before.
        definition: Its number.
    """

    site: Site
    node: ir.FunctionDef
    decorator: Site
    model: str
    messages: Tuple[str, str]
    below: Tuple[str, ...]
    definition: int


class LlmCall(NamedTuple):
    """A call of such a function.

    Attributes:
        function: What is called.
        site: The call.
        positional: Parameters that are passed by position and should not be, in order of position;
            empty names stand for arguments that are none of them.
        missing: Parameters that are left to their defaults.
    """

    function: LlmFunction
    site: Site
    positional: Tuple[str, ...]
    missing: Tuple[str, ...]


class LlmSpans:
    """Answers questions about LLM spans from the observations of an analysis."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._machine = analysis.machine

    def _here(self, site: Site) -> bool:
        return site.path in self._analysis.function_modules

    # --- clients --------------------------------------------------------------------------------

    def untraced(self) -> Iterator[UntracedClient]:
        """Yields the clients that are used untraced and never traced afterwards."""
        late = {record.number for record in self._analysis.ledger.of(LateTrace)}
        uses: Dict[Tuple[Site, str], List[UntracedUse]] = {}
        for use in self._analysis.ledger.of(UntracedUse):
            info = self._machine.heap.info(use.number)
            if use.number in late or use.root.is_script:
                continue
            if info.family in _CLASSES:
                if self._here(use.site):
                    uses.setdefault((Site(use.site.path, info.site.span), info.name), []).append(use)
            elif info.family in CLIENT_FAMILIES and self._here(info.site):
                uses.setdefault((info.site, info.name.rpartition(".")[2]), []).append(use)
        for (site, name), found in uses.items():
            is_class = self._machine.heap.info(found[0].number).family in _CLASSES
            first = min(found, key=lambda use: (use.site.path, use.site.span))
            streams = any(use.effect == "raises" for use in found)
            yield UntracedClient(first.site if is_class else site, name, first.site, is_class, streams)

    def late(self) -> Iterator[LateClient]:
        """Yields the trace calls that come after a use of their client."""
        seen: Set[Site] = set()
        for record in self._analysis.ledger.of(LateTrace):
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
                    for u in self._analysis.ledger.of(UntracedUse)
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
            yield LateClient(record.site, info.site, use.site, info.name.rpartition(".")[2], lost)

    def unsupported(self) -> Iterator[Unsupported]:
        """Yields the `trace_client` calls on what it does not patch."""
        seen: Set[Site] = set()
        for record in self._analysis.ledger.of(Unsupported):
            if record.function == "trace_client" and self._here(record.site) and record.site not in seen:
                seen.add(record.site)
                yield record

    def bare(self) -> Iterator[BareCall]:
        """Yields the chat calls that no trace can cover and no LLM span is around."""
        seen: Set[Site] = set()
        for record in self._analysis.ledger.of(BareCall):
            if not record.covered and self._here(record.site) and record.site not in seen:
                seen.add(record.site)
                yield record

    def bypassed(self) -> Iterator[Bypass]:
        """Yields the uses of traced clients that the patch does not cover."""
        seen: Set[Site] = set()
        for record in self._analysis.ledger.of(Bypass):
            if self._here(record.site) and record.site not in seen:
                seen.add(record.site)
                yield record

    def client_name(self, number: int) -> str:
        """Returns the class's name of a client."""
        return self._machine.heap.info(number).name.rpartition(".")[2]

    def detached(self) -> Iterator[Detached]:
        """Yields what runs traced calls without the context of their trace."""
        seen: Set[Site] = set()
        for record in self._analysis.ledger.of(Detached):
            if record.traced and self._here(record.site) and record.site not in seen:
                seen.add(record.site)
                yield record

    # --- functions under observe_llm ------------------------------------------------------------

    def llm_functions(self) -> Iterator[LlmFunction]:
        """Yields the functions under `@observe_llm`."""
        for record in self._analysis.ledger.of(Decoration):
            if (
                record.name != "sdk.observe_llm"
                or record.misbound
                or record.target < 0
                or not self._here(record.site)
            ):
                continue
            function = self._llm_function(record.target, record)
            if function is not None:
                yield function

    def _llm_function(self, number: int, record: Decoration) -> Optional[LlmFunction]:
        definition = self._machine.definitions[number]
        node = definition.node
        if not isinstance(node, ir.FunctionDef) or "sync-wrapper" in record.below or self._is_wrapper(number):
            return None
        options = self._options(node, record.site)
        if options is None:
            return None
        return LlmFunction(
            self._machine.signature(number),
            node,
            record.site,
            options.get("request_model_arg", "model"),
            (options.get("messages_arg", "messages"), options.get("prompt_arg", "prompt")),
            record.below,
            number,
        )

    def _is_wrapper(self, number: int) -> bool:
        """Whether a function was made by a decorator: its parameters are not those that are called."""
        return any(definition == number for definition, _ in self._analysis.ledger.wrapped)

    def _options(self, node: ir.FunctionDef, site: Site) -> Optional[Dict[str, str]]:
        """Returns the literal options of the decorator; `None` where they cannot be read."""
        for decorator in node.decorators:
            if decorator.at == site.span and isinstance(decorator.expression, ir.Call):
                options = {}
                for argument in decorator.expression.arguments:
                    if argument.star:
                        return None
                    if argument.keyword in ("request_model_arg", "messages_arg", "prompt_arg"):
                        value = argument.value
                        if not isinstance(value, ir.Literal) or not isinstance(value.value, str):
                            return None
                        options[argument.keyword] = value.value
                return options
        return {}

    def llm_calls(self) -> Iterator[LlmCall]:
        """Yields the calls of functions under `@observe_llm` whose span misses model or messages."""
        functions = {function.definition: function for function in self.llm_functions()}
        seen: Set[Site] = set()
        for record in self._analysis.ledger.of(FunctionCall):
            function = functions.get(record.definition)
            if (
                function is None
                or record.site in seen
                or record.arguments.open
                or not self._here(record.site)
            ):
                continue
            if record.site.span == function.node.at:
                # A call that nobody wrote: the function was run to look into it.
                continue
            call = self._judge(function, record)
            if call.positional or call.missing:
                seen.add(record.site)
                yield call

    def _judge(self, function: LlmFunction, record: FunctionCall) -> LlmCall:
        wanted = self._wanted(function)
        parameters = [p for p in function.node.parameters if p.kind in ("positional-only", "plain")]
        receiver = (
            self._machine.definitions[function.definition].owner >= 0
            and "builtins.staticmethod" not in function.below
        )
        if receiver:
            parameters = parameters[1:]
        given = len(record.arguments.positional)
        names = [p.name for p in parameters[:given]]
        # The signature rule speaks of parameters that are not there; a call can pass what is written.
        names += [""] * (given - len(names))
        keyword_only = [p.name for p in function.node.parameters if p.kind == "keyword-only"]
        if not parameters and given:
            names = [name if name in wanted else "" for name in keyword_only[:given]] + [""] * (
                given - len(keyword_only)
            )
        positional = tuple(name if name in wanted else "" for name in names)
        passed = {argument.keyword for argument in record.arguments.keywords} | set(names)
        present = {p.name for p in function.node.parameters}
        missing = []
        if function.model in present and function.model not in passed:
            missing.append(function.model)
        messages = [name for name in function.messages if name in present]
        if messages and not passed.intersection(messages):
            missing.append(messages[0])
        return LlmCall(function, record.site, positional if any(positional) else (), tuple(missing))

    def _wanted(self, function: LlmFunction) -> FrozenSet[str]:
        return frozenset({function.model, *function.messages})

    def calls_of(self, definition: int) -> Tuple[FunctionCall, ...]:
        """Returns all calls of a function under `@observe_llm` that were met."""
        return tuple(
            record for record in self._analysis.ledger.of(FunctionCall) if record.definition == definition
        )
