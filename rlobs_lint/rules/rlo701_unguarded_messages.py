"""A reward reads a message without asking whether there is one.

## What it does

Looks for `messages[-1]` and its like on the `messages` of an agent's output in reward and group reward
processors, also through variables, helpers and attributes, and asks whether something makes sure that the
list is neither empty nor `None` there: an `if`, an early return, a conditional expression, `and`, a check
of the length, a default (`messages or [...]`), an assertion, or a `try` that catches the error.

## Why it matters

A rollout that failed or was cut off comes without messages. The reward then raises, its sample is shown as
FAILED now and then, and the training loses it.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class AnswerReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        messages = input.agent_output.messages
        answer = messages[-1].get("content", "")  # expect: RLO701
        return RewardOutput(reward=Reward(reward_score=float(str(input.ground_truth) in answer)))
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class AnswerReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        messages = input.agent_output.messages
        answer = messages[-1].get("content", "") if messages else ""
        return RewardOutput(reward=Reward(reward_score=float(str(input.ground_truth) in answer)))
```

## Source

Document on distillation, self-check table ("reward now and then FAILED: empty messages are not handled"),
and its reward example, which guards the read. `AgentOutput.messages` is `None` unless it is set, measured
with dashscope 2.0.2.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """Reward 没有确认消息存在就读取它。

## 作用

在 Reward 与 Group Reward 处理器中查找对 `agent_output.messages` 元素的读取（`messages[-1]` 等，包括经由变
量、辅助函数和属性），并检查那里是否能保证列表既不为空也不是 `None`：`if`、提前返回、条件表达式、`and`、长度
检查、默认值（`messages or [...]`）、断言，或能捕获该错误的 `try`。

## 影响

失败或被截断的 Rollout 没有消息，此时 Reward 会抛出异常：样本偶发显示为 FAILED，训练损失这条样本。

## 依据

蒸馏文档的自查项（“Reward 偶发 FAILED：未处理空 messages”）及其 Reward 示例（读取前有判断）；在 dashscope
2.0.2 上实测：未设置时 `AgentOutput.messages` 为 `None`。
"""


class UnguardedMessages(Rule):
    """Reports reads of messages that may not be there."""

    code = "RLO701"
    name = "unguarded-messages"
    severity = Severity.WARNING
    messages = {
        "unguarded": Text(
            "The messages may be empty or `None` here: the reward then raises, and the console shows the "
            "sample as FAILED. Ask for them first (`if messages`), or return `TaskStatus.FAILED` with an "
            "`error`.",
            "这里的 messages 可能为空或为 `None`：Reward 会抛出异常，控制台把该样本显示为 FAILED。"
            "请先判断（`if messages`），或返回 `TaskStatus.FAILED` 并填写 `error`。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such subscript."""
        for site in workspace.flow.rewards.unguarded_reads():
            yield self.finding(site.path, location(workspace, site), "unguarded")
