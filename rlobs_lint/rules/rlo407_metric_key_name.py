"""A metric's key breaks its path in the console.

## What it does

Looks for keys of `reward_metrics` and `rollout_metrics` that are empty or hold `/`, white space, quotes or
braces, also in the fixed pieces of a key that is put together. Chinese, `.`, `-` and `@` are fine.

## Why it matters

A key becomes a part of a path: `trace/reward_metrics/{reward-name}/{key}/{avg,sum}`. A slash makes another
group of it, and with the other characters, or nothing, the curve is hard to find, to filter or to name in a
query.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class TurnsReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        metrics = {"turns/total": turns}  # expect: RLO407
        return RewardOutput(reward=Reward(reward_score=1 / (1 + turns), reward_metrics=metrics))
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class TurnsReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        metrics = {"turns_total": turns}
        return RewardOutput(reward=Reward(reward_score=1 / (1 + turns), reward_metrics=metrics))
```

## Source

Document on distillation, "Custom metrics", console paths. Measured with dashscope 2.0.2: the SDK takes any
text as a key and sends it as it is.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.metrics.keys import BAD_NAME
from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """指标的 key 会破坏它在控制台中的路径。

## 作用

在 `reward_metrics`、`rollout_metrics` 的 key 中查找空字符串，以及 `/`、空白、引号、花括号，拼接而成的 key
的固定部分也会检查。中文、`.`、`-`、`@` 没有问题。

## 影响

key 会成为路径的一段：`trace/reward_metrics/{reward-name}/{key}/{avg,sum}`。斜杠会把它拆成另一个分组；含有其
他这些字符或者为空时，曲线难以查找、筛选，也难以在查询中引用。

## 依据

蒸馏文档“自定义指标”一节的控制台路径。在 dashscope 2.0.2 上实测：SDK 接受任意文本作为 key 并原样上报。
"""


class MetricKeyName(Rule):
    """Reports keys that break their path."""

    code = "RLO407"
    name = "metric-key-name"
    severity = Severity.WARNING
    messages = {
        "character": Text(
            "The key `{key}` of `{parameter}` holds {detail}, which breaks its console path "
            "`trace/{parameter}/.../avg`: the curve is misplaced or hard to find. Use letters, digits, `_`, "
            "`-` or `.`.",
            "`{parameter}` 的 key `{key}` 含有 {detail}，会破坏它的控制台路径 `trace/{parameter}/.../avg`："
            "曲线会错位或难以找到。请使用字母、数字、`_`、`-` 或 `.`。",
        ),
        "empty": Text(
            "A key of `{parameter}` is empty: its console path `trace/{parameter}/.../avg` has no name, and "
            "the curve cannot be found. Name the metric.",
            "`{parameter}` 有一个空的 key：它的控制台路径 `trace/{parameter}/.../avg` 没有名字，曲线无法找"
            "到。请为指标命名。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such key."""
        for bad in workspace.flow.metrics.keys(BAD_NAME):
            plain = bad.detail and not bad.detail.isspace() and bad.detail != "`"
            yield self.finding(
                bad.site.path,
                location(workspace, bad.site),
                "character" if bad.detail else "empty",
                {
                    "key": bad.key,
                    "parameter": bad.parameter,
                    "detail": f"`{bad.detail}`" if plain else repr(bad.detail),
                },
            )
