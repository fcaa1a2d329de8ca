"""A metric or score is written as `nan` or an infinity.

## What it does

Looks for `float("nan")`, `float("inf")`, `math.nan`, `math.inf`, `numpy.nan`, `1e999` and their like among
the values of metrics and as `reward_score`, also through names, constants and imports. An infinity that
only begins a search for the smallest or largest value is left alone.

## Why it matters

The SDK's models accept these values, but JSON has no word for them: the server answers HTTP 500 after the
work is done, and the sample has neither score nor metrics.

## Example

```python
import math

from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class OverlapReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        words = str(input.agent_output.messages).split()
        share = len(set(words)) / len(words) if words else 0.0
        metrics = {
            "share": share,
            "perplexity": math.nan,  # expect: RLO411
        }
        return RewardOutput(reward=Reward(reward_score=share, reward_metrics=metrics))
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class OverlapReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        words = str(input.agent_output.messages).split()
        share = len(set(words)) / len(words) if words else 0.0
        return RewardOutput(reward=Reward(reward_score=share, reward_metrics={"share": share}))
```

## Source

Measured with dashscope 2.0.2: `nan` and `inf` pass the validation of `Reward` and `AgentOutput`, and the
server then answers HTTP 500 because they cannot be written as JSON. The documents ask for floats.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.metrics.values import NON_FINITE
from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """指标或分数写成了 `nan` 或无穷大。

## 作用

在指标的值和 `reward_score` 中查找 `float("nan")`、`float("inf")`、`math.nan`、`math.inf`、`numpy.nan`、
`1e999` 等，包括经由变量、常量和导入得到的。只用作求最小值或最大值初值的无穷大不报告。

## 影响

SDK 的数据模型接受这些值，但 JSON 无法表示：工作做完之后服务才返回 HTTP 500，这条样本既没有分数也没有指标。

## 依据

在 dashscope 2.0.2 上实测：`nan` 和 `inf` 能通过 `Reward` 与 `AgentOutput` 的校验，随后因无法写成 JSON，服务
返回 HTTP 500。文档要求每值为 float。
"""


class NonFiniteMetric(Rule):
    """Reports metrics and scores that JSON cannot carry."""

    code = "RLO411"
    name = "non-finite-metric"
    severity = Severity.ERROR
    messages = {
        "non-finite": Text(
            "`{target}` is `{type}`: the model accepts it, but JSON cannot carry it, so the server answers "
            "500 and the sample loses score and metrics. Report a finite number, or leave the key out.",
            "`{target}` 是 `{type}`：模型校验能通过，但 JSON 无法表示，服务返回 500，这条样本的分数和指标都"
            "会丢失。请上报有限数值，或者不上报该 key。",
        ),
        "score": Text(
            "`{target}` is `{type}`: the model accepts it, but JSON cannot carry it, so the server answers "
            "500 and the sample loses score and metrics. Give a finite score, or return `TaskStatus.FAILED` "
            "with an `error`.",
            "`{target}` 是 `{type}`：模型校验能通过，但 JSON 无法表示，服务返回 500，这条样本的分数和指标都"
            "会丢失。请给出有限的分数，或者返回 `TaskStatus.FAILED` 并填写 `error`。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such value."""
        for bad in workspace.flow.metrics.values(NON_FINITE):
            message = "score" if bad.given.target == "reward_score" else "non-finite"
            yield self.finding(
                bad.given.site.path,
                location(workspace, bad.given.site),
                message,
                {"target": bad.given.target, "type": bad.type},
            )
