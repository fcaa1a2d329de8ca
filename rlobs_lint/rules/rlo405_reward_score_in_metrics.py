"""The main score is repeated among the metrics.

## What it does

Looks for the key `reward_score` in `reward_metrics`.

## Why it matters

The console has the main score under `trace/reward/{reward-name}` already. The copy is one more pair of
curves with the same values, more ARMS storage, and counts against the ten metrics that a reward should
have.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class TurnsReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        score = 1 / (1 + turns)
        metrics = {"turns": turns, "reward_score": score}  # expect: RLO405
        return RewardOutput(reward=Reward(reward_score=score, reward_metrics=metrics))
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class TurnsReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        score = 1 / (1 + turns)
        metrics = {"turns": turns}
        return RewardOutput(reward=Reward(reward_score=score, reward_metrics=metrics))
```

## Fix safety

Unsafe: the fix drops the entry, and a dashboard that reads the key no longer finds it. No fix is offered
where code of the workspace reads the key, or may do so since the mapping goes elsewhere than into the result
or is looked through, nor where the value does more than make a number: it binds a name, awaits something or
calls a function that is not known to compute only.

## Source

Document on distillation, "Custom metrics", value types ("reward_score goes into `Reward.reward_score` alone
and is not repeated in reward_metrics").
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.metrics.keys import SCORE_NAME
from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Applicability, Finding, Fix, Severity, Target, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """主分在指标里重复上报。

## 作用

查找 `reward_metrics` 中的 key `reward_score`。

## 影响

控制台在 `trace/reward/{reward-name}` 下已经有主分。重复的一份只会多出一对数值相同的曲线，增加 ARMS 存储，还
占用“关键指标≤10 个”的名额。

## 修复安全性

不安全：修复会删除该条目，读取这个 key 的看板将找不到它。工作区中的代码会（或可能会）读取这个 key（例如该字典
不只交给了结果，或被整体遍历）时，或者它的值不只是计算一个数（会绑定名字、等待结果，或调用并非仅作计算的函数）
时，不提供修复。

## 依据

蒸馏文档“自定义指标”一节的值类型约束（“reward_score 单独放入 `Reward.reward_score`，不重复放入
reward_metrics”）。
"""

_READ = Text("other code reads the key, or may read it", "其他代码会（或可能会）读取这个 key")
_TITLE = Text("Drop `reward_score` from the metrics", "从指标中删除 `reward_score`")


class RewardScoreInMetrics(Rule):
    """Reports the main score among the metrics."""

    code = "RLO405"
    name = "reward-score-in-metrics"
    severity = Severity.WARNING
    fixes = ("unsafe", "none")
    messages = {
        "repeated": Text(
            "`reward_metrics` repeats the main score: the console shows it under "
            "`trace/reward/{{reward-name}}` already. Drop the key, and keep the score in "
            "`Reward.reward_score` alone.",
            "`reward_metrics` 重复上报了主分：控制台在 `trace/reward/{{reward-name}}` 下已经展示它。"
            "请删除该 key，主分只放入 `Reward.reward_score`。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such key."""
        metrics = workspace.flow.metrics
        for bad in metrics.keys(SCORE_NAME):
            target = Target("remove_metric", bad.site.span)
            is_unread = metrics.is_only_reported(bad.site, bad.key, False)
            yield self.finding(
                bad.site.path,
                location(workspace, bad.site),
                "repeated",
                fix=Fix(Applicability.UNSAFE, _TITLE, bad.site.path, (target,)) if is_unread else None,
                unfixable=None if is_unread else _READ,
            )
