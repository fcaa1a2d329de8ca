"""Metrics or a score are given under a name, or to a model, that does not have them.

## What it does

Looks for keywords of `Reward` and `AgentOutput`, or keys of a dictionary in their place, that these models
do not have (`metrics=`, `custom_metrics=`, `score=`), and for metrics or scores that are given to
`RewardOutput` or `RolloutOutput` instead of the `Reward` or `AgentOutput` inside. Other further fields of
`RewardOutput` and `RolloutOutput` are theirs to have, and fine.

## Why it matters

The models drop what they do not know without a word: the console shows no such metric, and nothing says
why. Where the right name is then missing, they refuse the whole result instead, and the server answers HTTP
500.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class TurnsReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        reward = Reward(
            reward_score=1 / (1 + turns),
            metrics={"turns": turns},  # expect: RLO410
        )
        return RewardOutput(reward=reward)
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class TurnsReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        reward = Reward(
            reward_score=1 / (1 + turns),
            reward_metrics={"turns": turns},
        )
        return RewardOutput(reward=reward)
```

## Source

Measured with dashscope 2.0.2: `Reward(reward_score=..., metrics=...)` and `AgentOutput(custom_metrics=...)`
drop the argument; `Reward(score=...)` and `RewardOutput(reward_score=...)` raise a ValidationError;
`RewardOutput(reward=..., reward_metrics=...)` keeps it as a further field that nothing reads. Document on
distillation, "Custom metrics": the two places that metrics are read from.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """指标或分数用了模型没有的参数名，或者传给了错误的模型。

## 作用

查找 `Reward`、`AgentOutput`（或代替它们的字典）没有的参数（`metrics=`、`custom_metrics=`、`score=` 等），以
及本应传给内层 `Reward` 或 `AgentOutput`、却传给了 `RewardOutput` 或 `RolloutOutput` 的指标和分数。
`RewardOutput`、`RolloutOutput` 的其他扩展字段是允许的，没有问题。

## 影响

模型会悄悄丢弃不认识的参数：控制台看不到这些指标，也没有任何提示。如果正确的参数因此缺失，则整个结果会被拒
绝，服务返回 HTTP 500。

## 依据

在 dashscope 2.0.2 上实测：`Reward(reward_score=..., metrics=...)` 与 `AgentOutput(custom_metrics=...)` 会丢
弃该参数；`Reward(score=...)` 与 `RewardOutput(reward_score=...)` 抛出 ValidationError；
`RewardOutput(reward=..., reward_metrics=...)` 只把它当作没有人读取的扩展字段。蒸馏文档“自定义指标”一节：指
标只从两个入口读取。
"""

_RIGHT = {
    "Reward": "reward_score / reward_metrics",
    "AgentOutput": "rollout_metrics / rollout_extra",
    "GroupReward": "Reward(...)",
    "RewardOutput": "Reward(...)",
    "GroupRewardOutput": "Reward(...)",
    "RolloutOutput": "AgentOutput(...)",
}


class DroppedMetricsArgument(Rule):
    """Reports keywords that the SDK's models do not have."""

    code = "RLO410"
    name = "dropped-metrics-argument"
    severity = Severity.ERROR
    messages = {
        "dropped": Text(
            "`{model}` has no `{keyword}` and drops it without a word: it never reaches the console. "
            "Use `{right}`.",
            "`{model}` 没有参数 `{keyword}`，会悄悄丢弃它：控制台看不到这些内容。请使用 `{right}`。",
        ),
        "kept-aside": Text(
            "`{keyword}` of `{model}` is read by nobody: it never reaches the console. Give it to `{right}`.",
            "没有人读取 `{model}` 的 `{keyword}`：控制台看不到这些内容。请传给 `{right}`。",
        ),
        "refused": Text(
            "`{model}` does not take `{keyword}` so: the SDK refuses the result, and the server answers 500 "
            "without score or metrics. Use `{right}`.",
            "`{model}` 不能这样接收 `{keyword}`：SDK 会拒绝该结果，服务返回 500，没有分数也没有指标。请使用 "
            "`{right}`。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such keyword."""
        for found in workspace.flow.rewards.dropped_arguments():
            yield self.finding(
                found.site.path,
                location(workspace, found.site),
                found.what,
                {
                    "model": found.model,
                    "keyword": found.keyword,
                    "right": _RIGHT[found.model],
                },
            )
