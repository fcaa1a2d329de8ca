"""The parts of a `@reward_func` class: its sub-rewards, and the aggregate that makes one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, List, Mapping, Optional, Set, Tuple

from rlobs_lint.facts import ir
from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.arguments import Arguments, ArgumentValue
from rlobs_lint.flow.domain.heap import Entry, MappingContent, ObjectInfo
from rlobs_lint.flow.domain.observations import SubReward
from rlobs_lint.flow.domain.state import ATTRIBUTE, State
from rlobs_lint.flow.domain.values import (
    NONE,
    NOTHING,
    UNKNOWN,
    Atom,
    Constant,
    External,
    Function,
    Object,
    Site,
    Value,
    constant,
    join,
    typed,
)
from rlobs_lint.flow.outside.result_models import MODEL

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine
    from rlobs_lint.flow.outside.knowledge import Knowledge

#: Methods of the reward base class that work on what the sub-rewards gave.
PART_METHODS = frozenset({"get_reward_metrics", "get_total", "get_scores", "get_weights"})


class Parts:
    """Runs what `@reward_func` makes of a class, for a machine. Measured."""

    def __init__(self, machine: Machine, outside: Knowledge) -> None:
        self._machine = machine
        self._outside = outside
        self._given: Set[Object] = set()

    def run(self, receiver: Object, arguments: Arguments, site: Site, state: State) -> Value:
        """Runs the sub-rewards of a class, then its aggregate; returns what that gives."""
        machine = self._machine
        info = machine.heap.info(receiver.number)
        aggregates: List[Function] = []
        content = MappingContent()
        for name in machine.inheritance.public_names(info.cls):
            for atom in machine.attributes.attribute(receiver, name, site, state):
                if not isinstance(atom, Function):
                    continue
                if atom.marked("sdk.aggregate_func"):
                    aggregates.append(atom)
                elif atom.marked("sdk.sub_reward_func"):
                    part, result = self._run_part(info.cls, atom, arguments, site, state)
                    key = constant(part) if part is not None else typed("str")
                    content = content.put(Entry(key, join((result, self._failed(site, state))), site, site))
        if not aggregates:
            return UNKNOWN
        given = machine.contents.mapping(content, site, state, "parts")
        self._given.update(atom for atom in given if isinstance(atom, Object))
        results: List[Value] = []
        for aggregate in aggregates[-1:]:  # the last one wins
            way = "" if machine.calls.is_async(aggregate) else "aggregate"
            with self._outside.threads.detached(machine.signature(aggregate.definition), way):
                argument = ArgumentValue(None, given, site)
                result = machine.calls.call_function(aggregate, Arguments((argument,)), site, state)
            is_async = machine.calls.is_async(aggregate)
            results.append(machine.expressions.awaited(result) if is_async else result)
        return join(results)

    def _failed(self, site: Site, state: State) -> Value:
        """Returns what the SDK puts in the place of a part that raises."""
        metrics = self._machine.contents.mapping(MappingContent(), site, state, "no-metrics")
        fields = {"reward_score": constant(0.0), "reward_metrics": metrics}
        reward = self._model("Reward", fields, site, state)
        failed: Value = (External("sdk.TaskStatus.FAILED"),)
        given = {"reward": reward, "status": failed, "error": typed("str"), "error_code": NONE}
        return self._model("RewardOutput", given, site, state)

    def _model(self, name: str, given: Mapping[str, Value], site: Site, state: State) -> Value:
        made = self._machine.allocate(("failed", name), ObjectInfo(heap.OUTSIDE, site, name, family=MODEL))
        for field, value in given.items():
            state.set((ATTRIBUTE, made.number, field), value)
        return (made,)

    def metrics_read(self) -> None:
        """Notes that the metrics of a reward are read: in an aggregate, those of its parts."""
        machine = self._machine
        root = machine.root
        if root.cls is not None and any("sdk.aggregate_func" in frame.marks for frame in machine.stack):
            machine.ledger.merging.add(root.cls)

    def handed_over(self, value: Value, state: State) -> None:
        """Notes that code which is not followed gets a result, or the parts of a class."""
        for atom in value:
            if isinstance(atom, Object) and self._machine.heap.info(atom.number).family == MODEL:
                self._machine.ledger.amended.add(atom.number)
                self.metrics_read()
            elif atom in self._given:
                self.metrics_read()

    def _run_part(
        self, cls: int, method: Function, arguments: Arguments, site: Site, state: State
    ) -> Tuple[Optional[str], Value]:
        machine = self._machine
        is_async = machine.calls.is_async(method)
        with self._outside.threads.detached(
            machine.signature(method.definition), "" if is_async else "sub-reward"
        ):
            result = machine.calls.call_function(method, arguments, site, state)
        keys: List[Tuple[Value, Site]] = []
        result = machine.expressions.awaited(result) if is_async else result
        for atom in result:
            if isinstance(atom, Object):
                for reward in state.get((ATTRIBUTE, atom.number, "reward"), NOTHING):
                    if isinstance(reward, Object):
                        keys.extend(self._reported_keys(reward, state))
        name = self._name(method)
        machine.ledger.note(SubReward(cls, method.definition, name, tuple(dict.fromkeys(keys))))
        return name, result

    def _reported_keys(self, reward: Object, state: State) -> List[Tuple[Value, Site]]:
        """Returns the keys of a reward's metrics, or of those of a dictionary in its place."""
        contents = self._machine.contents
        metrics = state.get((ATTRIBUTE, reward.number, "reward_metrics"), NOTHING)
        inner = contents.of(reward, state)
        if isinstance(inner, MappingContent):
            metrics = inner.lookup((Constant("str", "reward_metrics"),))
        keys: List[Tuple[Value, Site]] = []
        for mapping in metrics:
            content = contents.of(mapping, state)
            if isinstance(content, MappingContent):
                keys.extend((entry.key, entry.key_site) for entry in content.entries)
        return keys

    def call(self, receiver: Object, name: str, site: Site, state: State) -> Value:
        """Carries out `self.get_reward_metrics(sub_rewards)` and its like in an aggregate."""
        machine = self._machine
        if name == "get_total":
            return typed("float")
        content = MappingContent()
        cls = machine.heap.info(receiver.number).cls
        if name == "get_reward_metrics":
            machine.ledger.merging.add(cls)
        for part in machine.ledger.of(SubReward):
            if part.cls != cls or part.name is None:
                content = content._replace(open=content.open or part.cls == cls)
            elif name == "get_reward_metrics":
                for key, key_site in part.keys:
                    prefixed = machine.operators.concatenate((constant(f"{part.name}."), key))
                    # A part that failed has none.
                    content = content.put(Entry(prefixed, typed("float"), key_site, site, always=False))
            else:
                content = content.put(Entry(constant(part.name), typed("float"), site, site))
        return machine.contents.mapping(content, site, state, name)

    def _name(self, method: Function) -> Optional[str]:
        """Returns the name that `@sub_reward_func("name")` gives, or the method's own."""
        definition = self._machine.definitions[method.definition]
        for argument_name, value in part_arguments(definition.node, method):
            if argument_name == "name":
                is_text = isinstance(value, ir.Literal) and isinstance(value.value, str)
                return value.value if is_text else None  # type: ignore[union-attr, return-value]
        return definition.name if isinstance(definition.node, ir.FunctionDef) else None


def part_arguments(node: object, method: Atom) -> Tuple[Tuple[str, ir.Expression], ...]:
    """Returns what `@sub_reward_func(...)` on a method is given: `name` and `sub_weight`, as written."""
    if not isinstance(node, ir.FunctionDef) or not isinstance(method, Function):
        return ()
    sites = {mark.site.span for mark in method.marks if mark.name == "sdk.sub_reward_func"}
    found: List[Tuple[str, ir.Expression]] = []
    for decorator in node.decorators:
        if decorator.at in sites and isinstance(decorator.expression, ir.Call):
            for position, argument in enumerate(decorator.expression.arguments):
                name = argument.keyword or ("name", "sub_weight", "")[min(position, 2)]
                if name and not argument.star:
                    found.append((name, argument.value))
    return tuple(found)
