"""A reward gives the same score whatever the answer is.

## What it does

Collects the `reward_score` of every result that a reward or group reward processor can return without
saying `TaskStatus.FAILED`, and reports the processor if all of them are one and the same number. Where a
single score is not known, it says nothing.

## Why it matters

The policy has nothing to learn: the console's `critic/rewards/mean` is a flat line, `actor/ppo_kl` stays
near zero and the gradients vanish, while the training runs and costs as usual.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class AnswerReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        right = str(input.ground_truth) in str(input.agent_output.messages)
        reward = Reward(reward_score=1.0, reward_metrics={"right": right})  # expect: RLO703
        return RewardOutput(reward=reward)
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class AnswerReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        right = str(input.ground_truth) in str(input.agent_output.messages)
        reward = Reward(reward_score=1.0 if right else 0.0, reward_metrics={"right": right})
        return RewardOutput(reward=reward)
```

## Source

Document on reinforcement learning, "P1 does not converge" (cause: the reward always returns the same value).
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """无论回答如何，Reward 都给出相同的分数。

## 作用

收集 Reward 或 Group Reward 处理器所有未标记 `TaskStatus.FAILED` 的结果的 `reward_score`；如果它们都是同一个
数值，就报告该处理器。只要有一个分数无法确定，就不报告。

## 影响

策略没有可学习的信号：控制台的 `critic/rewards/mean` 是一条水平线，`actor/ppo_kl` 接近 0，梯度极小，而训练照
常运行、照常计费。

## 依据

强化学习文档“P1 不收敛”（根因：Reward 恒返回相同值）。
"""


class ConstantReward(Rule):
    """Reports rewards that do not depend on the answer."""

    code = "RLO703"
    name = "constant-reward"
    severity = Severity.WARNING
    messages = {
        "constant": Text(
            "`{cls}` scores every answer {score}: the policy has nothing to learn, and the console's "
            "`critic/rewards/mean` will be a flat line. Let the score depend on the answer.",
            "`{cls}` 对每个回答都给 {score} 分：策略没有可学习的信号，控制台的 `critic/rewards/mean` 会是一"
            "条水平线。请让分数取决于回答。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such processor."""
        for found in workspace.flow.rewards.constant_rewards():
            yield self.finding(
                found.site.path,
                location(workspace, found.site),
                "constant",
                {"cls": found.cls, "score": found.score},
            )
