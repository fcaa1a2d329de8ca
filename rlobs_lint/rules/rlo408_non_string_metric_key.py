"""A metric's key is not a string.

## What it does

Looks for keys of `reward_metrics` and `rollout_metrics` that are numbers, `bool`, `None`, tuples or other
things that are no text. Members of enumerations are fine: the SDK takes their values.

## Why it matters

The SDK refuses the whole mapping: the server answers HTTP 500, and the sample has neither score nor
metrics. What is put into a finished result is not checked, and has no name in the console. In a sub-reward
the SDK swallows the error, and the part scores 0.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class HitReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        words = str(input.agent_output.messages).split()
        target = str(input.ground_truth)
        metrics = {}
        for first in (1, 5, 10):
            metrics[first] = float(target in words[:first])  # expect: RLO408
        return RewardOutput(reward=Reward(reward_score=float(target in words), reward_metrics=metrics))
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class HitReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        words = str(input.agent_output.messages).split()
        target = str(input.ground_truth)
        metrics = {}
        for first in (1, 5, 10):
            metrics[f"hit_at_{first}"] = float(target in words[:first])
        return RewardOutput(reward=Reward(reward_score=float(target in words), reward_metrics=metrics))
```

## Source

Measured with dashscope 2.0.2: keys that are `int`, `float`, `bool`, `None`, tuples or UUIDs raise a
ValidationError; strings and enumerations pass. Document on distillation, "Custom metrics": console paths
are made of the keys.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.metrics.keys import NON_STRING
from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """指标的 key 不是字符串。

## 作用

在 `reward_metrics`、`rollout_metrics` 中查找不是文本的 key：数字、`bool`、`None`、元组等。枚举成员没有问
题，SDK 会取其值。

## 影响

SDK 会拒绝整个字典：服务返回 HTTP 500，这条样本既没有分数也没有指标。事后写入结果对象的内容不会被校验，在控
制台中没有名字。在子维度函数中，SDK 会吞掉错误，该子维度记 0 分。

## 依据

在 dashscope 2.0.2 上实测：key 为 `int`、`float`、`bool`、`None`、元组、UUID 时抛出 ValidationError，字符串
和枚举可以通过。蒸馏文档“自定义指标”一节：控制台路径由 key 组成。
"""


class NonStringMetricKey(Rule):
    """Reports keys that are no strings."""

    code = "RLO408"
    name = "non-string-metric-key"
    severity = Severity.ERROR
    messages = {
        "key": Text(
            "The key `{key}` of `{parameter}` is of type `{detail}`, not a string: the SDK refuses the whole "
            'mapping, and the sample loses score and metrics. Name the metric, such as `f"hit_at_{{k}}"`.',
            "`{parameter}` 的 key `{key}` 是 `{detail}`，不是字符串：SDK 会拒绝整个字典，这条样本的分数和指"
            '标都会丢失。请为指标命名，例如 `f"hit_at_{{k}}"`。',
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such key."""
        for bad in workspace.flow.metrics.keys(NON_STRING):
            yield self.finding(
                bad.site.path,
                location(workspace, bad.site),
                "key",
                {
                    "key": bad.key,
                    "parameter": bad.parameter,
                    "detail": bad.detail,
                },
            )
