"""More metrics are reported at once than the console can usefully show.

## What it does

Counts the different keys that a mapping given as `reward_metrics` or `rollout_metrics` may have, on all
paths together, and reports more than the setting `max-metrics` allows (10). Every value of a bounded key
counts, a key without bounds counts once. The parts of a `@reward_func` class that an aggregate merges count
together, under their names `<part>.<key>`, and are reported at the class.

## Why it matters

Every key is two more curves (`avg` and `sum`) in the console's `trace/` group, and more storage in ARMS.
Beyond some ten the important ones are no longer seen.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor

SIGNS = (".", ",", "!", "?", ":", ";", "-", "+", "=", "*", "#", "@")


class SignsReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        text = str(input.agent_output.messages)
        counts = {f"sign{sign}": text.count(sign) for sign in SIGNS}
        score = 1 / (1 + sum(counts.values()))
        return RewardOutput(reward=Reward(reward_score=score, reward_metrics=counts))  # expect: RLO404
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor

SIGNS = (".", ",", "!", "?", ":", ";", "-", "+", "=", "*", "#", "@")


class SignsReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        text = str(input.agent_output.messages)
        signs = sum(text.count(sign) for sign in SIGNS)
        return RewardOutput(reward=Reward(reward_score=1 / (1 + signs), reward_metrics={"signs": signs}))
```

## Source

Both documents, cost governance of custom metrics ("key metrics: at most 10"). Measured with dashscope
2.0.2: the SDK itself takes any number.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """一次上报的指标过多，控制台上难以看出重点。

## 作用

统计作为 `reward_metrics` 或 `rollout_metrics` 传入的字典在所有路径上可能出现的不同 key，超过设置项
`max-metrics` （默认 10）时报告。有界 key 的每个取值都计数，没有上限的 key 只计一次。`@reward_func` 类中由聚
合函数合并的各子维度，以 `<子维度名>.<key>` 的形式合并计数，并在类上报告。

## 影响

每个 key 都会在控制台 `trace/` 分组中增加两条曲线（`avg` 与 `sum`），也增加 ARMS 存储。超过十个左右，重要的
指标就淹没了。

## 依据

两份文档的“自定义指标的成本治理”（“关键指标 ≤10 个”）。在 dashscope 2.0.2 上实测：SDK 本身不限制数量。
"""


class TooManyMetrics(Rule):
    """Reports mappings with too many keys."""

    code = "RLO404"
    name = "too-many-metrics"
    severity = Severity.WARNING
    messages = {
        "mapping": Text(
            "`{parameter}` may have {count} keys, more than {most}: each is two more curves in the console, "
            "where the important ones get lost, and more ARMS storage. Keep the ones that you decide by.",
            "`{parameter}` 可能有 {count} 个 key，超过 {most} 个：每个 key 都会在控制台增加两条曲线，重要的"
            "指标会被淹没，ARMS 存储也会增加。请只保留用于决策的关键指标。",
        ),
        "parts": Text(
            "The merged parts of `{cls}` may report {count} keys, more than {most}: each is two more curves "
            "in the console, where the important ones get lost, and more ARMS storage. Keep the ones that "
            "you decide by.",
            "`{cls}` 的子维度合并后可能有 {count} 个 key，超过 {most} 个：每个 key 都会在控制台增加两条曲线，"
            "重要的指标会被淹没，ARMS 存储也会增加。请只保留用于决策的关键指标。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such mapping or class."""
        most = workspace.settings.max_metrics
        for found in workspace.flow.metrics.too_many(most):
            yield self.finding(
                found.site.path,
                location(workspace, found.site),
                "parts" if found.cls else "mapping",
                {
                    "parameter": found.parameter,
                    "cls": found.cls,
                    "count": found.number,
                    "most": most,
                },
            )
