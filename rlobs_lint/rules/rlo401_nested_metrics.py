"""Metrics are not a flat mapping of names to numbers.

## What it does

Follows the mappings that are given as `reward_metrics` or `rollout_metrics`, through helpers, updates and
comprehensions, and looks for values that are dictionaries, lists, tuples or sets, and for metrics that are
no mapping at all: a list of pairs, a JSON string, a dataclass or pydantic object, a coroutine that nobody
awaits. `model_dump()`, `asdict()`, `vars()`, `OrderedDict`, `Counter` and their like give mappings and are
fine.

## Why it matters

The SDK's models want a flat dictionary of floats. They refuse anything else: the server answers HTTP 500,
and the sample has neither score nor metrics. What is assigned to a finished result is not checked, and the
console cannot draw it. In a sub-reward the SDK swallows the error, and the part scores 0.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class LengthReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        sizes = [len(str(message)) for message in input.agent_output.messages or []]
        metrics = {
            "turns": len(sizes),
            "sizes": sizes,  # expect: RLO401
        }
        return RewardOutput(reward=Reward(reward_score=1 / (1 + sum(sizes)), reward_metrics=metrics))
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class LengthReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        sizes = [len(str(message)) for message in input.agent_output.messages or []]
        metrics = {
            "turns": len(sizes),
            "longest": max(sizes, default=0),
        }
        return RewardOutput(reward=Reward(reward_score=1 / (1 + sum(sizes)), reward_metrics=metrics))
```

## Source

Document on distillation, "Custom metrics", value types ("flat dictionary"); measured with dashscope 2.0.2:
the model raises a ValidationError, the server answers 500, and assignment to a finished result is not
checked.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.metrics.values import NESTED, NO_MAPPING
from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """指标不是“名称到数值”的扁平字典。

## 作用

跟踪作为 `reward_metrics` 或 `rollout_metrics` 传入的字典（经由辅助函数、update、推导式等），查找值为字典、
列表、元组或集合的条目，以及根本不是字典的指标：键值对列表、JSON 字符串、dataclass 或 pydantic 对象、没有
await 的协程。`model_dump()`、`asdict()`、`vars()`、`OrderedDict`、`Counter` 等得到的是字典，没有问题。

## 影响

SDK 的数据模型要求扁平字典，每值为 float，其他一律拒绝：服务返回 HTTP 500，这条样本既没有分数也没有指标。事
后赋值给结果对象的内容不会被校验，控制台无法绘制。在子维度函数中，SDK 会吞掉这个错误，该子维度记 0 分。

## 依据

蒸馏文档“自定义指标”一节的值类型约束（“扁平字典”）；在 dashscope 2.0.2 上实测：模型抛出 ValidationError，服
务返回 500；事后赋值不校验。
"""


class NestedMetrics(Rule):
    """Reports metrics that are not flat."""

    code = "RLO401"
    name = "nested-metrics"
    severity = Severity.ERROR
    messages = {
        "nested": Text(
            "`{target}` is a `{type}`: the SDK refuses metrics that are not flat, the server answers 500 and "
            "the sample loses score and metrics. Report numbers, one key each; the rest belongs in "
            "`rollout_extra`.",
            "`{target}` 是 `{type}`：SDK 拒绝非扁平的指标，服务返回 500，这条样本的分数和指标都会丢失。"
            "请每个 key 只上报一个数值，其余内容放入 `rollout_extra`。",
        ),
        "nested-assigned": Text(
            "`{target}` is a `{type}`, set on a finished result, where nothing checks it: the console cannot "
            "draw it. Report numbers, one key each; the rest belongs in `rollout_extra`.",
            "`{target}` 是 `{type}`，在结果构造之后才写入，不会被校验，控制台无法绘制。"
            "请每个 key 只上报一个数值，其余内容放入 `rollout_extra`。",
        ),
        "nested-part": Text(
            "`{target}` is a `{type}`: the SDK refuses metrics that are not flat, swallows the error and "
            "scores this part 0. Report numbers, one key each.",
            "`{target}` 是 `{type}`：SDK 拒绝非扁平的指标，并吞掉错误，把该子维度记为 0 分。请每个 key 只上"
            "报一个数值。",
        ),
        "no-mapping": Text(
            "`{target}` is of type `{type}`, not a mapping: the SDK refuses it, the server answers 500 and "
            "the sample loses score and metrics. Give a dictionary of names and numbers.",
            "`{target}` 是 `{type}`，不是字典：SDK 会拒绝，服务返回 500，这条样本的分数和指标都会丢失。"
            "请传入“名称到数值”的字典。",
        ),
        "no-mapping-assigned": Text(
            "`{target}` is of type `{type}`, not a mapping, and set on a finished result, where nothing "
            "checks it: the console gets no metrics. Give a dictionary of names and numbers.",
            "`{target}` 是 `{type}`，不是字典，且在结果构造之后才写入，不会被校验：控制台得不到任何指标。"
            "请传入“名称到数值”的字典。",
        ),
        "no-mapping-part": Text(
            "`{target}` is of type `{type}`, not a mapping: the SDK refuses it, swallows the error and "
            "scores this part 0. Give a dictionary of names and numbers.",
            "`{target}` 是 `{type}`，不是字典：SDK 会拒绝并吞掉错误，把该子维度记为 0 分。请传入“名称到数值”"
            "的字典。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such value."""
        for bad in workspace.flow.metrics.values(NESTED, NO_MAPPING):
            yield self.finding(
                bad.given.site.path,
                location(workspace, bad.given.site),
                bad.what + bad.circumstance,
                {"target": bad.given.target, "type": bad.type},
            )
