"""The metrics of sub-rewards never arrive.

## What it does

Runs the classes under `@reward_func`: where a `@sub_reward_func` reports `reward_metrics`, it asks whether
there is an `@aggregate_func` that takes them over, by `self.get_reward_metrics(sub_rewards)` or by hand.

## Why it matters

Without an aggregate the SDK sums the scores and drops all metrics of the parts without a word: the console
has no curve under `trace/reward_metrics/{reward-name}`, though the document says that they are merged
there.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement import reward_func, sub_reward_func
from dashscope.finetune.reinforcement.component.observability import observe_processor


@reward_func("quality")
class QualityReward(AbstractRewardProcessor):  # expect: RLO409
    @sub_reward_func("brevity", sub_weight=1.0)
    async def brevity(self, input: RewardInput) -> RewardOutput:
        size = len(str(input.agent_output.messages))
        return RewardOutput(reward=Reward(reward_score=1 / (1 + size), reward_metrics={"size": size}))


QualityReward.process = observe_processor(QualityReward.process)
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement import aggregate_func, reward_func, sub_reward_func
from dashscope.finetune.reinforcement.component.observability import observe_processor


@reward_func("quality")
class QualityReward(AbstractRewardProcessor):
    @sub_reward_func("brevity", sub_weight=1.0)
    async def brevity(self, input: RewardInput) -> RewardOutput:
        size = len(str(input.agent_output.messages))
        return RewardOutput(reward=Reward(reward_score=1 / (1 + size), reward_metrics={"size": size}))

    @aggregate_func
    async def merge(self, sub_rewards) -> RewardOutput:
        total = self.get_total(sub_rewards)
        metrics = self.get_reward_metrics(sub_rewards)
        return RewardOutput(reward=Reward(reward_score=total, reward_metrics=metrics))


QualityReward.process = observe_processor(QualityReward.process)
```

## Source

Measured with dashscope 2.0.2: the default aggregation returns `reward_metrics=None`; `get_reward_metrics`
merges the parts under `<part>.<key>`. Document on reinforcement learning, cost governance of custom
metrics: it says that sub-dimensions are merged into the `reward_metrics` of their reward function.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """子维度的指标不会上报。

## 作用

运行带 `@reward_func` 的类：如果某个 `@sub_reward_func` 上报了 `reward_metrics`，就检查是否有
`@aggregate_func` 通过 `self.get_reward_metrics(sub_rewards)` 或者自行取出的方式合并它们。

## 影响

没有聚合函数时，SDK 只对分数加权求和，子维度的所有指标都被丢弃，没有任何提示：控制台的
`trace/reward_metrics/{reward-name}` 下没有曲线，尽管文档说它们会合并到那里。

## 依据

在 dashscope 2.0.2 上实测：默认聚合返回 `reward_metrics=None`；`get_reward_metrics` 以 `<子维度名>.<key>` 合
并。强化学习文档“自定义指标的成本治理”：`@sub_reward_func` 子维度合并后落到对应 Reward 函数的 reward_metrics
下。
"""


class SubMetricsDropped(Rule):
    """Reports reward classes that drop the metrics of their parts."""

    code = "RLO409"
    name = "sub-metrics-dropped"
    severity = Severity.WARNING
    messages = {
        "no-aggregate": Text(
            "The sub-rewards of `{cls}` report metrics, but nothing merges them: the SDK drops them, and the "
            "console shows none. Add an `@aggregate_func` that gives `self.get_reward_metrics(sub_rewards)` "
            "as `reward_metrics`.",
            "`{cls}` 的子维度上报了指标，但没有合并：SDK 会丢弃它们，控制台看不到。请添加 `@aggregate_func`，"
            "并把 `self.get_reward_metrics(sub_rewards)` 作为 `reward_metrics` 返回。",
        ),
        "aggregate": Text(
            "The sub-rewards of `{cls}` report metrics, but its `@aggregate_func` does not take them over: "
            "the console shows none. Give `self.get_reward_metrics(sub_rewards)` as `reward_metrics`.",
            "`{cls}` 的子维度上报了指标，但 `@aggregate_func` 没有合并它们：控制台看不到。"
            "请把 `self.get_reward_metrics(sub_rewards)` 作为 `reward_metrics` 返回。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such class."""
        for found in workspace.flow.rewards.dropped_parts():
            yield self.finding(
                found.module.path,
                found.module.range(found.node.signature),
                "aggregate" if found.has_aggregate else "no-aggregate",
                {"cls": found.node.name},
            )
