"""The metrics and scores that processors report, judged: what RLO401 to RLO408 and RLO411 ask."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Dict, FrozenSet, Iterator, NamedTuple, Optional, Tuple

from rlobs_lint.flow.domain.heap import Entry
from rlobs_lint.flow.domain.observations import MetricsGiven, ModelBuilt, Root, SubReward
from rlobs_lint.flow.domain.values import Constant, Site, strings
from rlobs_lint.flow.questions.metrics.keys import BadKey, KeyJudge
from rlobs_lint.flow.questions.metrics.uses import MappingUses
from rlobs_lint.flow.questions.metrics.values import NESTED, NON_NUMBER, BadValue, Giving, ValueJudge

if TYPE_CHECKING:
    from rlobs_lint.flow.run import Run


class ManyMetrics(NamedTuple):
    """Metrics that may have more keys than they should.

    Attributes:
        site: The expression that is given as metrics, or the class whose parts are merged.
        number: How many keys there may be.
        parameter: `reward_metrics` or `rollout_metrics`.
        cls: Name of the class of the parts; nothing for one mapping.
    """

    site: Site
    number: int
    parameter: str
    cls: str


class Metrics:
    """Answers questions about reported metrics from the observations of a run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._keys = KeyJudge(run)
        self._values = ValueJudge(run)
        self._uses = MappingUses(run)

    # --- the questions --------------------------------------------------------------------------

    def keys(self, *kinds: str) -> Iterator[BadKey]:
        """Yields the keys whose worst mistake is of one of the kinds, each once."""
        return (bad for bad in self._bad_keys.values() if bad.what in kinds)

    def values(self, *kinds: str) -> Iterator[BadValue]:
        """Yields the values whose worst mistake is of one of the kinds, each once."""
        return (bad for bad in self._bad_values.values() if bad.what in kinds)

    def is_only_reported(self, site: Site, key: Optional[str], stays: bool) -> bool:
        """Whether nothing but the SDK reads an entry, which a fix drops or, where it stays, converts."""
        return self._uses.is_only_reported(site, key, stays)

    def too_many(self, most: int) -> Iterator[ManyMetrics]:
        """Yields the mappings, and the reward classes, that may have more than `most` keys."""
        found: Dict[Site, ManyMetrics] = {}
        for given in self._given:
            if given.content is None or given.sub_reward:
                continue
            site, cls = self._owner_of_count(given)
            number = self._keys.count(given.content)
            known = found.get(site)
            if number > most and (known is None or number > known.number):
                found[site] = ManyMetrics(site, number, given.parameter, cls)
        yield from found.values()

    # --- what is reported -----------------------------------------------------------------------

    @cached_property
    def _given(self) -> Tuple[MetricsGiven, ...]:
        records = self._run.ledger.of(MetricsGiven)
        return tuple(given for given in records if self._is_function_code(given.site, given.root))

    def _is_function_code(self, site: Site, root: Root) -> bool:
        return not root.is_script and site.path in self._run.function_modules

    @cached_property
    def _part_keys(self) -> FrozenSet[Tuple[int, Site]]:
        """Keys of sub-rewards, by the class that merges them."""
        parts = self._run.ledger.of(SubReward)
        return frozenset((part.cls, site) for part in parts for _, site in part.keys)

    def _is_merged(self, given: MetricsGiven, entry: Entry) -> bool:
        """Whether an entry comes from a sub-reward, where it is judged already."""
        cls = given.root.cls
        return not given.sub_reward and cls is not None and (cls, entry.key_site) in self._part_keys

    def _own_entries(self) -> Iterator[Tuple[MetricsGiven, Entry]]:
        for given in self._given:
            for entry in given.content.entries if given.content is not None else ():
                if not self._is_merged(given, entry):
                    yield given, entry

    def _owner_of_count(self, given: MetricsGiven) -> Tuple[Site, str]:
        """Returns where too many metrics are told: at the class where those of parts are among them."""
        cls = given.root.cls
        assert given.content is not None
        if cls is not None and any(self._is_merged(given, entry) for entry in given.content.entries):
            info = self._run.machine.heap.info(cls)
            if info.node is not None:
                return Site(info.site.path, info.node.signature), info.name
        return given.site, ""

    # --- judging --------------------------------------------------------------------------------

    @cached_property
    def _bad_keys(self) -> Dict[Site, BadKey]:
        found: Dict[Site, BadKey] = {}
        for given, entry in self._own_entries():
            bad = self._keys.judge(entry, given.parameter)
            known = found.get(entry.key_site)
            if bad is not None and (known is None or bad.rank < known.rank):
                found[entry.key_site] = bad
        return found

    @cached_property
    def _bad_values(self) -> Dict[Site, BadValue]:
        found: Dict[Site, BadValue] = {}
        for bad in (*self._bad_containers(), *self._bad_entries(), *self._bad_scores()):
            known = found.get(bad.given.site)
            if known is None or bad.rank < known.rank:
                found[bad.given.site] = bad
        return found

    def _bad_containers(self) -> Iterator[BadValue]:
        for given in self._given:
            if given.content is None:
                giving = Giving(given.site, given.parameter, given.checked, given.sub_reward)
                yield from self._values.judge_container(given.value, giving)

    def _bad_entries(self) -> Iterator[BadValue]:
        for given, entry in self._own_entries():
            target = f'{given.parameter}["{self._keys.shown(entry.key)}"]'
            key = strings(entry.key)[0] if len(entry.key) == 1 and strings(entry.key) else None
            giving = Giving(entry.value_site, target, given.checked, given.sub_reward, key)
            yield from self._values.judge(entry.value, giving)

    def _bad_scores(self) -> Iterator[BadValue]:
        for built in self._run.ledger.of(ModelBuilt):
            if built.model not in ("Reward", "AgentOutput") or not self._is_function_code(
                built.site, built.root
            ):
                continue
            is_checked = built.number >= 0
            for argument in built.given:
                if argument.keyword != "reward_score":
                    continue
                value = argument.value
                if built.model == "AgentOutput" or not is_checked:
                    value = tuple(it for it in value if not (isinstance(it, Constant) and it.kind == "None"))
                keyword = argument.keyword
                giving = Giving(argument.value_site, keyword, is_checked, built.sub_reward, keyword)
                for bad in self._values.judge(value, giving):
                    yield bad._replace(what=NON_NUMBER) if bad.what == NESTED else bad
