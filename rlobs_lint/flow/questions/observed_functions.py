"""The functions under `@observe_llm`, and their calls: what RLO204 to RLO206 ask."""

from __future__ import annotations

from typing import (
    TYPE_CHECKING,
    AbstractSet,
    Dict,
    Iterator,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
)

from rlobs_lint.facts import ir, scopes
from rlobs_lint.facts.walks import last_name
from rlobs_lint.flow.domain.observations import Decoration, FunctionCall, StreamReturned
from rlobs_lint.flow.domain.values import Site
from rlobs_lint.flow.questions.places import CallIndices

if TYPE_CHECKING:
    from rlobs_lint.flow.run import Run


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


class LlmSignature(NamedTuple):
    """Such a function that does not take model and messages as keyword-only parameters.

    Attributes:
        function: The function.
        on: `staticmethod` or `classmethod`, where the decorator is on such an object; else nothing.
        loose: The parameters that should be keyword-only and are not.
        missing: Those of them that do not exist.
        can_be_mended: Whether a `*` can make them so.
        all_fit: Whether every call passes them by keyword, or is mended by RLO205 so that it does.
    """

    function: LlmFunction
    on: str
    loose: Tuple[str, ...]
    missing: Tuple[str, ...]
    can_be_mended: bool
    all_fit: bool


class LlmCall(NamedTuple):
    """A call of such a function.

    Attributes:
        function: What is called.
        site: The call.
        by_position: Of model and messages, those that are passed by position.
        missing: Of them, those that are left to their defaults.
        spelled: The names that the arguments passed by position should get, in order; empty for those
            in front of model and messages.
        can_be_mended: Whether the call can be rewritten so.
    """

    function: LlmFunction
    site: Site
    by_position: Tuple[str, ...]
    missing: Tuple[str, ...]
    spelled: Tuple[str, ...]
    can_be_mended: bool


class ObservedFunctions:
    """Answers questions about functions under `@observe_llm` from the observations of a run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._machine = run.machine
        self._modules = run.machine.workspace.modules
        self._calls = CallIndices(run.machine.workspace)
        self._aliases: Dict[str, Dict[str, Set[str]]] = {}

    def _here(self, site: Site) -> bool:
        return site.path in self._run.function_modules

    def functions(self) -> Iterator[LlmFunction]:
        """Yields the functions under `@observe_llm`."""
        for record in self._run.ledger.of(Decoration):
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
        return any(definition == number for definition, _ in self._run.ledger.wrapped)

    def _options(self, node: ir.FunctionDef, site: Site) -> Optional[Dict[str, str]]:
        """Returns the literal options of the decorator; `None` where they cannot be read."""
        written = next((one.expression for one in node.decorators if one.at == site.span), None)
        if written is None:
            # `f = observe_llm(f, ...)`, or `f = observe_llm(...)(f)`.
            found = self._calls.of(site.path).find(site.span)
            written = found.call if found is not None else None
            if isinstance(written, ir.Call) and isinstance(written.function, ir.Call):
                written = written.function
        if not isinstance(written, ir.Call):
            return {} if written is not None and self._is_plain(written, site.path) else None
        options = {}
        for argument in written.arguments:
            if argument.star:
                return None
            if argument.keyword in ("request_model_arg", "messages_arg", "prompt_arg"):
                value = argument.value
                if not isinstance(value, ir.Literal) or not isinstance(value.value, str):
                    return None
                options[argument.keyword] = value.value
        return options

    def _is_plain(self, decorator: ir.Expression, path: str) -> bool:
        """Whether a decorator without brackets is the SDK's own, and not one that was made with options."""
        if isinstance(decorator, ir.Attribute):
            return decorator.name == "observe_llm"
        if not isinstance(decorator, ir.Name):
            return False
        return decorator.identifier == "observe_llm" or bool(self._imported_as(decorator.identifier, path))

    def _imported_as(self, alias: str, path: str) -> Set[str]:
        """Returns the names that `from ... import name as alias` in a file gives an alias to."""
        if path not in self._aliases:
            names = self._aliases[path] = {}
            for statement in scopes.walk_statements(self._modules[path].facts.body):
                for name in statement.names if isinstance(statement, ir.ImportFrom) else ():
                    if name.alias is not None:
                        names.setdefault(name.alias, set()).add(name.name)
        return self._aliases[path].get(alias, set())

    def signatures(self) -> Iterator[LlmSignature]:
        """Yields the functions under `@observe_llm` that do not take model and messages by keyword alone."""
        for function in self.functions():
            on = [name for name in ("staticmethod", "classmethod") if f"builtins.{name}" in function.below]
            kinds = {parameter.name: parameter.kind for parameter in function.node.parameters}
            strict = {name for name, kind in kinds.items() if kind == "keyword-only"}
            loose = [name for name in (function.model,) if name not in strict]
            if not strict.intersection(function.messages):
                written = [name for name in function.messages if name in kinds]
                loose.append(written[0] if written else function.messages[0])
            if on or loose:
                named = {name for name in loose if kinds.get(name) in ("plain", "positional-only")}
                missing = tuple(name for name in loose if name not in named)
                by_position = "positional-only" in {kinds[name] for name in named}
                variadic = "variadic" in kinds.values()
                yield LlmSignature(
                    function,
                    on[0] if on else "",
                    tuple(loose),
                    missing,
                    not (on or missing or by_position or variadic),
                    not on and self._all_fit(function, loose),
                )

    def _all_fit(self, function: LlmFunction, loose: Sequence[str]) -> bool:
        """Whether every call passes some parameters by keyword, or is mended so that it does."""
        known = self.calls_of(function.definition)
        for record in known:
            if record.site.span == function.node.at:
                continue
            if record.arguments.open:
                return False
            call = self._judge(function, record)
            if call.by_position and not (call.can_be_mended and self._here(record.site)):
                return False
        return not self._may_be_called_otherwise(function, {record.site for record in known}, loose)

    def _may_be_called_otherwise(
        self, function: LlmFunction, known: AbstractSet[Site], loose: Sequence[str]
    ) -> bool:
        """Whether a call that was not met (in a test or script, say) may pass the parameters by position."""
        places = [index for index, one in enumerate(function.node.parameters) if one.name in loose]
        first = min(places, default=0) - self._receivers(function)
        for module in self._modules.values():
            for span, enclosing in self._calls.of(module.path).all().items():
                call = enclosing.call
                if Site(module.path, span) in known:
                    continue
                if not self._names(call.function, function.node.name, module.path):
                    continue
                positional = [argument for argument in call.arguments if argument.keyword is None]
                if len(positional) > first or any(argument.star for argument in call.arguments):
                    return True
        return False

    def _receivers(self, function: LlmFunction) -> int:
        """Returns how many parameters a call of a function binds by itself: `self`, or none."""
        is_method = self._machine.definitions[function.definition].owner >= 0
        return 1 if is_method and not self._is_static(function) else 0

    def _is_static(self, function: LlmFunction) -> bool:
        known = self._run.ledger.defined(function.definition)
        return any(one.marked("builtins.staticmethod") for one in known)

    def generators(self) -> Iterator[Tuple[LlmFunction, bool]]:
        """Yields the functions under `@observe_llm` that are generators, or (then true) only return one."""
        returning = {record.definition for record in self._run.ledger.of(StreamReturned)}
        for function in self.functions():
            if function.node.is_generator or function.definition in returning:
                yield function, not function.node.is_generator

    def calls(self) -> Iterator[LlmCall]:
        """Yields the calls of functions under `@observe_llm` whose span misses model or messages."""
        functions = {function.definition: function for function in self.functions()}
        seen: Set[Site] = set()
        for record in self._run.ledger.of(FunctionCall):
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
            if call.by_position or call.missing:
                seen.add(record.site)
                yield call

    def _judge(self, function: LlmFunction, record: FunctionCall) -> LlmCall:
        wanted = {function.model, *function.messages}
        parameters = [p for p in function.node.parameters if p.kind in ("positional-only", "plain")]
        parameters = parameters[1 if record.is_bound else 0 :]
        given = len(record.arguments.positional)
        names = [p.name for p in parameters[:given]]
        if not parameters:
            # All are keyword-only: the call fails, and means them in their order.
            names = [p.name for p in function.node.parameters if p.kind == "keyword-only"][:given]
        by_position = tuple(name for name in names if name in wanted)
        passed = {argument.keyword for argument in record.arguments.keywords} | set(names)
        present = {p.name for p in function.node.parameters}
        missing = [name for name in (function.model,) if name in present and name not in passed]
        messages = [name for name in function.messages if name in present]
        if messages and not passed.intersection(messages):
            missing.append(messages[0])
        # What stands behind the first of them has to be passed by keyword, too.
        first = next((index for index, name in enumerate(names) if name in wanted), given)
        spelled = tuple("" if index < first else name for index, name in enumerate(names))
        positional_only = {p.name for p in function.node.parameters if p.kind == "positional-only"}
        fits = len(names) == given and not positional_only.intersection(names[first:])
        written = self._written(function, record)
        can_be_mended = bool(by_position) and fits and written is not None and self._agree(record.site)
        spelled = spelled[given - (written or 0) :]
        return LlmCall(function, record.site, by_position, tuple(missing), spelled, can_be_mended)

    def _agree(self, site: Site) -> bool:
        """Whether all functions that a call may run have the same parameters."""
        found = set()
        for number in self._run.ledger.callees.get(site, ()):
            node = self._machine.definitions[number].node
            if isinstance(node, (ir.FunctionDef, ir.Lambda)):
                found.add(tuple(one.name for one in node.parameters if one.name != "self"))
        return len(found) <= 1

    def _written(self, function: LlmFunction, record: FunctionCall) -> Optional[int]:
        """Returns how many arguments a call passes by position as it is written.

        `None` where those are not the very arguments that the function gets: through `partial`, an executor
        or unpacking. A wrapper passes the receiver on as one more.
        """
        found = self._calls.of(record.site.path).find(record.site.span)
        if found is None or not self._names(found.call.function, function.node.name, record.site.path):
            return None
        if any(argument.star for argument in found.call.arguments):
            return None
        written = sum(argument.keyword is None for argument in found.call.arguments)
        extra = 0 if record.is_bound else self._receivers(function)
        given = len(record.arguments.positional)
        return written if written in (given, given - extra) else None

    def _names(self, expression: ir.Expression, name: str, path: str) -> bool:
        """Whether a name or attribute is a function's own name, or one that an import gives it."""
        if isinstance(expression, ir.Name) and self._imported_as(expression.identifier, path) == {name}:
            return True
        return last_name(expression) == name

    def calls_of(self, definition: int) -> Tuple[FunctionCall, ...]:
        """Returns all calls of a function under `@observe_llm` that were met."""
        return tuple(
            record for record in self._run.ledger.of(FunctionCall) if record.definition == definition
        )
