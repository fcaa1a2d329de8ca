"""What the SDK's result models (`Reward`, `AgentOutput`, ...) are given: metrics, scores, states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, NamedTuple, Optional, Tuple

from rlobs_lint import sdk
from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.heap import MappingContent, ObjectInfo
from rlobs_lint.flow.domain.observations import Given, MetricsGiven, ModelBuilt, Result
from rlobs_lint.flow.domain.state import ATTRIBUTE, State
from rlobs_lint.flow.domain.values import (
    NONE,
    NOTHING,
    UNKNOWN,
    Atom,
    Constant,
    External,
    Object,
    Site,
    Value,
    join,
)

if TYPE_CHECKING:
    from rlobs_lint.flow.domain.arguments import Arguments
    from rlobs_lint.flow.interpreter.machine import Machine

MODEL = "sdk-model"
_SCORE: Value = (Constant("str", "reward_score"),)


class Reported(NamedTuple):
    """A mapping inside a model: its own copy of what it was given, or one that was assigned to its field.

    Attributes:
        parameter: Which field.
        model: The model's name.
        site: Where it was given.
        holder: Number of the model that it was assigned to; on other paths it may not be.
    """

    parameter: str
    model: str
    site: Site
    holder: int = -1


class Models:
    """Builds the result models for a machine, and notes what they are given."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._reported: Dict[int, Reported] = {}

    # --- building -------------------------------------------------------------------------------

    def build(self, name: str, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out `Reward(...)` and its like."""
        machine = self._machine
        made = machine.allocate("model", ObjectInfo(heap.OUTSIDE, site, name, family=MODEL))
        given = tuple(
            Given(argument.keyword or "", argument.value, argument.name_site or argument.site, argument.site)
            for argument in arguments.keywords
        )
        is_open = arguments.open or bool(arguments.positional)
        for argument in given:
            state.set((ATTRIBUTE, made.number, argument.keyword), argument.value)
        for field in sdk.MODEL_FIELDS[name]:
            if not any(argument.keyword == field for argument in given):
                state.set((ATTRIBUTE, made.number, field), UNKNOWN if is_open else NONE)
        self._note(name, given, is_open, site, made.number, state)
        self._copy_metrics(name, made, given, is_open, site, state)
        return (made,)

    def make(self, name: str, method: str, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out `Reward.model_validate({...})`, and `model_construct(...)`, which checks nothing."""
        machine = self._machine
        if method != "model_construct":
            self._nested(name, arguments.value(0, "obj"), state)
            return UNKNOWN
        parameter = sdk.METRICS_FIELDS.get(name)
        for argument in arguments.keywords:
            if parameter is not None and argument.keyword == parameter:
                self.metrics_given(parameter, name, argument.value, argument.site, False, state)
        made = machine.allocate("constructed", ObjectInfo(heap.OUTSIDE, site, name, family=MODEL))
        for argument in arguments.keywords:
            state.set((ATTRIBUTE, made.number, argument.keyword), argument.value)
        return (made,)

    def inherited(self, name: str, made: Object, arguments: Arguments, site: Site, state: State) -> None:
        """Notes what a class of the workspace that inherits a model is given for the model's own fields."""
        given = tuple(
            Given(argument.keyword, argument.value, argument.name_site or argument.site, argument.site)
            for argument in arguments.keywords
            if argument.keyword in sdk.MODEL_FIELDS[name]
        )
        self._note(name, given, True, site, made.number, state)

    def _copy_metrics(
        self, name: str, made: Object, given: Tuple[Given, ...], is_open: bool, site: Site, state: State
    ) -> None:
        """Gives a model its own copy of its metrics: later changes to the original are not seen."""
        parameter = sdk.METRICS_FIELDS.get(name)
        if parameter is None:
            return
        contents = self._machine.contents
        known: List[MappingContent] = []
        others: List[Atom] = []
        source = next((argument for argument in given if argument.keyword == parameter), None)
        for atom in source.value if source is not None else ():
            content = contents.of(atom, state)
            if isinstance(content, MappingContent):
                known.append(content)
            else:
                others.append(atom)
        if source is None and name == "AgentOutput" and not is_open:
            known.append(MappingContent())  # its default is an empty dictionary
        if not known:
            return
        joined = known[0]
        for content in known[1:]:
            joined = joined.join(content)
        copy = contents.mapping(joined, site, state, "reported")
        for atom in copy:
            if isinstance(atom, Object):
                place = source.value_site if source is not None else site
                self._reported[atom.number] = Reported(parameter, name, place)
        state.set((ATTRIBUTE, made.number, parameter), (*copy, *others))

    def _note(
        self, name: str, given: Tuple[Given, ...], is_open: bool, site: Site, number: int, state: State
    ) -> None:
        machine = self._machine
        record = ModelBuilt(name, site, given, is_open, number, machine.root, self.in_sub_reward())
        machine.ledger.note(record)
        for argument in given:
            if sdk.METRICS_FIELDS.get(name) == argument.keyword:
                self.metrics_given(argument.keyword, name, argument.value, argument.value_site, True, state)
            if argument.keyword == "reward_score" and number >= 0:
                machine.ledger.scores[number] = argument.value_site
            nested = sdk.NESTED_MODELS.get((name, argument.keyword))
            if nested is not None:
                self._nested(nested, argument.value, state)
            if (name, argument.keyword) == ("GroupReward", "rewards"):
                self._nested("Reward", machine.contents.element(argument.value, state), state)

    def _nested(self, name: str, value: Value, state: State) -> None:
        """Looks into a dictionary that is given in place of a model."""
        machine = self._machine
        for atom in value:
            content = machine.contents.of(atom, state)
            if not isinstance(content, MappingContent) or not isinstance(atom, Object):
                continue
            given = []
            for entry in content.entries:
                key = entry.key[0] if len(entry.key) == 1 else None
                if isinstance(key, Constant) and isinstance(key.value, str):
                    given.append(Given(key.value, entry.value, entry.key_site, entry.value_site))
            site = machine.heap.info(atom.number).site
            self._note(name, tuple(given), content.open, site, atom.number, state)

    # --- what is noted --------------------------------------------------------------------------

    def metrics_given(
        self, parameter: str, model: str, value: Value, site: Site, checked: bool, state: State
    ) -> None:
        """Notes a mapping that is reported as metrics, with what it holds now."""
        machine = self._machine
        for atom in value:
            content = machine.contents.of(atom, state)
            known = content if isinstance(content, MappingContent) else None
            record = MetricsGiven(
                parameter, model, site, known, (atom,), checked, machine.root, self.in_sub_reward()
            )
            machine.ledger.note(record)

    def in_sub_reward(self) -> bool:
        """Whether a `@sub_reward_func` method is being run."""
        return any("sdk.sub_reward_func" in activation.marks for activation in self._machine.stack)

    def attribute_assigned(self, owner: Object, name: str, value: Value, site: Site, state: State) -> None:
        """Notes `reward.reward_metrics = value` and its like; `site` is the value's."""
        machine = self._machine
        info = machine.heap.info(owner.number)
        if info.family != MODEL:
            return
        if sdk.METRICS_FIELDS.get(info.name) == name:
            self.metrics_given(name, info.name, value, site, False, state)
            for atom in value:
                if isinstance(atom, Object):
                    self._reported.setdefault(atom.number, Reported(name, info.name, site, owner.number))
        elif name == "reward_score":
            machine.ledger.scores[owner.number] = site
            given = (Given(name, value, site, site),)
            record = ModelBuilt(info.name, site, given, True, -1, machine.root, self.in_sub_reward())
            machine.ledger.note(record)
        elif name == "error":
            machine.ledger.amended.add(owner.number)

    def mapping_changed(self, number: int, state: State) -> None:
        """Notes what is put into metrics after they were given to a model."""
        reported = self._reported.get(number)
        if reported is not None:
            value: Value = (Object(number),)
            key = (ATTRIBUTE, reported.holder, reported.parameter)
            if reported.holder >= 0 and state.get(key, NOTHING) != value:
                return
            self.metrics_given(reported.parameter, reported.model, value, reported.site, False, state)

    # --- results of processors ------------------------------------------------------------------

    def results(self, cls: int, value: Value, state: State) -> None:
        """Notes the scores that a processor's `process` may return."""
        for atom in value:
            result = self._result(cls, atom, state)
            if self._machine.unseen.is_read:
                result = result._replace(score=UNKNOWN)
            self._machine.ledger.note(result)

    def _result(self, cls: int, atom: Atom, state: State) -> Result:
        machine = self._machine
        info = machine.heap.info(atom.number) if isinstance(atom, Object) else None
        if not isinstance(atom, Object) or info is None or info.family != MODEL:
            return Result(cls, False, NOTHING, None)
        status = state.get((ATTRIBUTE, atom.number, "status"), NONE)
        failed = bool(status) and all(is_failed(item) for item in status)
        rewards: Value = state.get((ATTRIBUTE, atom.number, "reward"), NOTHING)
        if info.name == "GroupRewardOutput":
            rewards = join(self._members(group, state) for group in rewards)
        elif info.name != "RewardOutput":
            return Result(cls, False, NOTHING, None)
        scores = [self._score(reward, state) for reward in rewards]
        sites = [self._score_site(reward) for reward in rewards]
        known = bool(scores) and all(scores)
        site = next((place for place in sites if place is not None), None)
        return Result(cls, failed, join(scores) if known else NOTHING, site)

    def _members(self, group: Atom, state: State) -> Value:
        """Returns the rewards inside a `GroupReward`, or a dictionary in its place."""
        if not isinstance(group, Object):
            return UNKNOWN
        rewards: Value = state.get((ATTRIBUTE, group.number, "rewards"), NOTHING)
        content = self._machine.contents.of(group, state)
        if isinstance(content, MappingContent):
            rewards = content.lookup((Constant("str", "rewards"),))
        return self._machine.contents.element(rewards, state) or UNKNOWN

    def _score(self, reward: Atom, state: State) -> Value:
        """Returns the score of a reward, or of a dictionary in its place; nothing when it is not known."""
        if not isinstance(reward, Object):
            return NOTHING
        content = self._machine.contents.of(reward, state)
        if isinstance(content, MappingContent):
            return content.lookup(_SCORE)
        if self._machine.heap.info(reward.number).name == "Reward":
            score: Value = state.get((ATTRIBUTE, reward.number, "reward_score"), NOTHING)
            return score
        return NOTHING

    def _score_site(self, reward: Atom) -> Optional[Site]:
        return self._machine.ledger.scores.get(reward.number) if isinstance(reward, Object) else None


def is_failed(atom: Atom) -> bool:
    """Whether a status is `TaskStatus.FAILED`, in any spelling that the SDK takes."""
    if isinstance(atom, External):
        return atom.name in ("sdk.TaskStatus.FAILED", "sdk.TaskStatus.FAILED.value")
    return isinstance(atom, Constant) and atom.value == "failed"
