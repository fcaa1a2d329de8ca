"""A metric is named like a debugging or logging value.

## What it does

Looks for keys of `reward_metrics` and `rollout_metrics` in which `debug`, `tmp`, `temp`, `log`, `logs`,
`raw` or `dump` stands as a word. Letters inside a word do not count (`temperature`, `catalog`, `logprob`),
nor do the logarithms `log_prob`, `log_probs`, `log_loss` and `log_likelihood`.

## Why it matters

What was wanted for one debugging session stays: two more curves for each such key in the console for the
whole training, more ARMS storage, and the metrics that one decides by are harder to find.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class TurnsReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        metrics = {
            "turns": turns,
            "debug_turns_seen": turns + 1,  # expect: RLO406
        }
        return RewardOutput(reward=Reward(reward_score=1 / (1 + turns), reward_metrics=metrics))
```

## Use instead

```python
import logging

from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor

logger = logging.getLogger(__name__)


class TurnsReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        logger.debug("turns seen: %d", turns + 1)
        return RewardOutput(reward=Reward(reward_score=1 / (1 + turns), reward_metrics={"turns": turns}))
```

## Source

Both documents: cost governance of custom metrics ("keep no temporary debugging metrics"), and the document
on reinforcement learning, "attribution value of custom metrics" (anti-pattern: logs and debugging values in
metrics).
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.metrics.keys import DEBUG_NAME
from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """指标的名字像是调试或日志信息。

## 作用

在 `reward_metrics`、`rollout_metrics` 的 key 中查找作为单词出现的 `debug`、`tmp`、`temp`、`log`、`logs`、
`raw`、`dump`。单词内部的字母不算（`temperature`、`catalog`、`logprob`），对数 `log_prob`、`log_probs`、
`log_loss`、`log_likelihood` 也不算。

## 影响

只为一次调试而加的指标会一直保留下来：整个训练期间，每个这样的 key 都在控制台多出两条曲线，增加 ARMS 存储，
用于决策的指标更难找到。

## 依据

两份文档的“自定义指标的成本治理”（“不留临时调试指标”），以及强化学习文档“自定义指标的归因价值”中的反模式（把
日志或调试信息塞进 metrics）。
"""


class DebugMetric(Rule):
    """Reports metrics that are named like debugging values."""

    code = "RLO406"
    name = "debug-metric"
    severity = Severity.WARNING
    messages = {
        "debug": Text(
            "The key `{key}` of `{parameter}` speaks of debugging or logging (`{detail}`): it fills the "
            "console with curves that nobody decides by. Log it, or put it into `rollout_extra`.",
            "`{parameter}` 的 key `{key}` 像是调试或日志信息（`{detail}`）：它会让控制台充满没有决策价值的曲"
            "线。请写入日志，或放入 `rollout_extra`。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such key."""
        for bad in workspace.flow.metrics.keys(DEBUG_NAME):
            yield self.finding(
                bad.site.path,
                location(workspace, bad.site),
                "debug",
                {
                    "key": bad.key,
                    "parameter": bad.parameter,
                    "detail": bad.detail,
                },
            )
