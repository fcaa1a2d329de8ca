"""How results are built and reward classes put together.

This is what RLO409, RLO410, RLO607, RLO608 and RLO701 to RLO703 ask.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

from rlobs_lint import sdk
from rlobs_lint.facts import ir
from rlobs_lint.facts.module import Module
from rlobs_lint.flow.domain.observations import (
    ElementRead,
    Given,
    ModelBuilt,
    ProviderReplaced,
    Result,
    Root,
    SubReward,
)
from rlobs_lint.flow.domain.values import Atom, Constant, Function, Site, Typed, Value, constants
from rlobs_lint.flow.outside.result_models import is_failed
from rlobs_lint.flow.outside.reward_parts import part_arguments
from rlobs_lint.flow.questions.metrics.words import words_of

if TYPE_CHECKING:
    from rlobs_lint.flow.questions.entry_spans import EntrySpans
    from rlobs_lint.flow.run import Run

_REWARD_KINDS = frozenset({"reward", "group_reward"})
#: Models that drop what they do not know, and the ones that keep it where nothing looks for it.
_DROPPING = frozenset({"Reward", "AgentOutput", "GroupReward"})
_KEEPING = frozenset({"RewardOutput", "RolloutOutput", "GroupRewardOutput"})
_METRIC_WORDS = frozenset({"metric", "metrics", "score", "scores"})
_NUMBERS = frozenset({"int", "float", "bool", "number"})


class DroppedParts(NamedTuple):
    """A reward class whose parts report metrics that never arrive; whether it has an aggregate."""

    module: Module
    node: ir.ClassDef
    has_aggregate: bool


class DroppedArgument(NamedTuple):
    """A keyword that a model does not have.

    Attributes:
        site: The keyword.
        model: The model.
        keyword: The keyword.
        what: `dropped`, `kept-aside`, or `refused` where a field that the model demands is missing.
    """

    site: Site
    model: str
    keyword: str
    what: str


class UnreadablePart(NamedTuple):
    """An argument of `@sub_reward_func` that the SDK cannot read; `argument` is `name` or `sub_weight`."""

    site: Site
    argument: str
    method: str


class SilentFailure(NamedTuple):
    """A result that failed without saying why."""

    site: Site
    model: str


class ConstantReward(NamedTuple):
    """A reward class that always gives the same score, and where the first is given."""

    site: Site
    score: str
    cls: str


class Rewards:
    """Answers questions about results and reward classes from the observations of a run."""

    def __init__(self, run: Run, entry_spans: EntrySpans) -> None:
        self._entry_spans = entry_spans
        self._run = run
        self._machine = run.machine

    # --- the questions --------------------------------------------------------------------------

    def dropped_parts(self) -> Iterator[DroppedParts]:
        """Yields the `@reward_func` classes whose parts report metrics that nobody merges."""
        reporting = {part.cls for part in self._run.ledger.of(SubReward) if part.keys}
        for number in self._run.ledger.reward_functions:
            info = self._machine.heap.info(number)
            if number not in reporting or number not in self._run.processors or info.module is None:
                continue
            if number in self._run.ledger.merging or number in self._run.exhausted:
                continue
            if info.node is not None:
                yield DroppedParts(info.module, info.node, self._has_aggregate(number))

    def dropped_arguments(self) -> Iterator[DroppedArgument]:
        """Yields the keywords that models do not have, each once."""
        seen: Set[Site] = set()
        for built in self._built():
            for argument in built.given if built.number >= 0 else ():
                what = self._dropped(built, argument)
                if what and argument.site not in seen:
                    seen.add(argument.site)
                    yield DroppedArgument(argument.site, built.model, argument.keyword, what)

    def replaced_providers(self) -> Iterator[Tuple[Site, str]]:
        """Yields the calls of `set_tracer_provider` before the server's own, and what makes them."""
        seen: Set[Site] = set()
        for record in self._run.ledger.of(ProviderReplaced):
            is_early = record.when in ("import", "setup", "__init__")
            if is_early and record.site not in seen and self._is_function_code(record.site, record.root):
                seen.add(record.site)
                yield record.site, record.when

    def unreadable_parts(self) -> Iterator[UnreadablePart]:
        """Yields the arguments of `@sub_reward_func` that are no plain literals."""
        for number in self._run.ledger.functions:
            definition = self._machine.definitions[number]
            path = definition.module.path
            if path not in self._run.function_modules:
                continue
            for function in self._run.ledger.defined(number)[:1]:
                for name, value in part_arguments(definition.node, function):
                    if not (_is_name(value) if name == "name" else name != "sub_weight" or _is_weight(value)):
                        yield UnreadablePart(Site(path, value.at), name, definition.name)

    def unguarded_reads(self) -> Iterator[Site]:
        """Yields the subscripts that read a message which may not be there, each once."""
        found: Dict[Site, None] = {}
        for read in self._run.ledger.of(ElementRead):
            if read.guarded or read.root.cls is None or read.root.kind != "processor":
                continue
            if self._run.processors.get(read.root.cls) == "rollout" or read.path[:1] == ("messages",):
                continue
            if self._is_function_code(read.site, read.root):
                found[read.site] = None
        yield from found

    def silent_failures(self) -> Iterator[SilentFailure]:
        """Yields the results that say that they failed, and not why."""
        seen: Set[Site] = set()
        for built in self._built():
            if built.model not in _KEEPING or built.open or built.number < 0 or built.site in seen:
                continue
            given = {argument.keyword: argument.value for argument in built.given}
            if not any(is_failed(atom) for atom in given.get("status", ())):
                continue
            if built.number not in self._run.ledger.amended and _is_empty(given.get("error", ())):
                seen.add(built.site)
                yield SilentFailure(built.site, built.model)

    def constant_rewards(self) -> Iterator[ConstantReward]:
        """Yields the reward classes whose every successful result has the same score."""
        results: Dict[int, List[Result]] = {}
        for result in self._run.ledger.of(Result):
            results.setdefault(result.cls, []).append(result)
        seen: Set[Site] = set()
        for number, found in results.items():
            if self._run.processors.get(number) not in _REWARD_KINDS or self._never_runs(number):
                continue
            successful = [result for result in found if not result.failed]
            scores = {_single(result.score) for result in successful}
            sites = [result.site for result in successful if result.site is not None]
            if len(scores) != 1 or None in scores or not sites:
                continue
            site = min(sites, key=lambda place: (place.path, place.span))
            if site.path in self._run.function_modules and site not in seen:
                seen.add(site)
                yield ConstantReward(site, f"{scores.pop():g}", self._machine.heap.info(number).name)

    # --- how they are answered ------------------------------------------------------------------

    def _never_runs(self, number: int) -> bool:
        """Whether what a processor returns cannot be told, or nothing calls it: it is a base of others."""
        linearized = self._machine.inheritance.linearized
        heirs = (other for other in self._run.processors if other != number)
        if number in self._run.exhausted or any(number in linearized(heir) for heir in heirs):
            return True
        found = self._machine.inheritance.class_attribute(number, "process", self._run.base)
        functions = [atom for atom in found[1] if isinstance(atom, Function)] if found is not None else []
        definitions = [self._machine.definitions[function.definition] for function in functions]
        return any(
            bad.process.module.path == definition.module.path and bad.process.node == definition.node
            for bad in self._entry_spans.bad_signatures()
            for definition in definitions
        )

    def _is_function_code(self, site: Site, root: Root) -> bool:
        return not root.is_script and site.path in self._run.function_modules

    def _built(self) -> Iterator[ModelBuilt]:
        for built in self._run.ledger.of(ModelBuilt):
            if self._is_function_code(built.site, built.root):
                yield built

    def _has_aggregate(self, number: int) -> bool:
        inheritance = self._machine.inheritance
        for name in inheritance.public_names(number):
            found = inheritance.class_attribute(number, name, self._run.base)
            for atom in found[1] if found is not None else ():
                if isinstance(atom, Function) and atom.marked("sdk.aggregate_func"):
                    return True
        return False

    def _dropped(self, built: ModelBuilt, argument: Given) -> str:
        """Returns what becomes of an argument that a model does not have, or nothing."""
        fields = sdk.MODEL_FIELDS[built.model]
        if built.model == "RewardOutput" and argument.keyword == "reward":
            return "refused" if argument.value and all(map(_is_number, argument.value)) else ""
        if argument.keyword in fields:
            return ""
        if built.model in _DROPPING:
            missing = fields[0] not in {other.keyword for other in built.given} and not built.open
            return "refused" if missing and built.model != "AgentOutput" else "dropped"
        about_metrics = _METRIC_WORDS.intersection(words_of((argument.keyword,)))
        if built.model in _KEEPING and about_metrics:
            missing = built.model != "RolloutOutput" and not built.open
            missing = missing and "reward" not in {other.keyword for other in built.given}
            return "refused" if missing else "kept-aside"
        return ""


def _is_name(value: ir.Expression) -> bool:
    return isinstance(value, ir.Literal) and value.kind in ("str", "int", "float")


def _is_weight(value: ir.Expression) -> bool:
    return isinstance(value, ir.Literal) and value.kind in ("int", "float", "bool")


def _is_empty(error: Value) -> bool:
    """Whether an `error` is surely missing, `None` or an empty text."""
    return all(isinstance(atom, Constant) and atom.value in (None, "") for atom in error)


def _is_number(atom: Atom) -> bool:
    return isinstance(atom, (Constant, Typed)) and atom.kind in _NUMBERS


def _single(score: Value) -> Optional[float]:
    """Returns the one number that a score is, or `None`."""
    known = constants(score) if score else None
    numbers = {float(value) for value in known or () if isinstance(value, (int, float))}
    return (
        numbers.pop()
        if known and len(numbers) == 1 and all(isinstance(v, (int, float)) for v in known)
        else None
    )
