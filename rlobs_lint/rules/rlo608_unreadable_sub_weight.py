"""The SDK cannot read the name or weight of a sub-reward.

## What it does

Looks at the arguments of `@sub_reward_func`: the name must be a plain string literal, and `sub_weight` a
plain number literal that is not negative. A constant, a calculation (`7 / 10`) or a sign (`-0.5`) is none.

## Why it matters

At registration the SDK does not run the class but reads its source. A weight that is no literal ends
registration with a TypeError; a part whose name is no literal is missing from the weights of the job, so
the console and the training do not know it.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement import reward_func, sub_reward_func
from dashscope.finetune.reinforcement.component.observability import observe_processor

WEIGHT = 0.7


@reward_func("quality")
class QualityReward(AbstractRewardProcessor):
    @sub_reward_func("brevity", sub_weight=WEIGHT)  # expect: RLO608
    async def brevity(self, input: RewardInput) -> RewardOutput:
        size = len(str(input.agent_output.messages))
        return RewardOutput(reward=Reward(reward_score=1 / (1 + size)))


QualityReward.process = observe_processor(QualityReward.process)
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement import reward_func, sub_reward_func
from dashscope.finetune.reinforcement.component.observability import observe_processor


@reward_func("quality")
class QualityReward(AbstractRewardProcessor):
    @sub_reward_func("brevity", sub_weight=0.7)
    async def brevity(self, input: RewardInput) -> RewardOutput:
        size = len(str(input.agent_output.messages))
        return RewardOutput(reward=Reward(reward_score=1 / (1 + size)))


QualityReward.process = observe_processor(QualityReward.process)
```

## Source

Measured with dashscope 2.0.2: `sub_weight=W`, `7/10` and `-0.5` raise a TypeError at `register()`; a name
that is no literal leaves its part out. Document on distillation, "Custom metrics": dimensions are told
apart by their names.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """SDK 读不出子维度的名称或权重。

## 作用

检查 `@sub_reward_func` 的参数：名称必须是普通的字符串字面量，`sub_weight` 必须是普通的、非负的数字字面量。
常量、算式（`7 / 10`）和带负号的写法（`-0.5`）都不行。

## 影响

注册时 SDK 不会运行这个类，而是读取它的源码。权重不是字面量会使注册以 TypeError 失败；名称不是字面量的子维度
不会出现在任务的权重中，控制台和训练都不知道它。

## 依据

在 dashscope 2.0.2 上实测：`sub_weight=W`、`7/10`、`-0.5` 在 `register()` 时抛出 TypeError；名称不是字面量时
该子维度缺失。蒸馏文档“自定义指标”一节：各维度以名称区分。
"""


class UnreadableSubWeight(Rule):
    """Reports arguments of `@sub_reward_func` that are no literals."""

    code = "RLO608"
    name = "unreadable-sub-weight"
    severity = Severity.ERROR
    messages = {
        "sub_weight": Text(
            "The weight of the sub-reward `{method}` is no plain number: the SDK reads it from the source, "
            "and registration fails. Write a literal that is not negative, such as `0.7`.",
            "子维度 `{method}` 的权重不是普通数字：SDK 从源码中读取它，注册会失败。请写成非负的数字字面量，"
            "例如 `0.7`。",
        ),
        "name": Text(
            "The name of the sub-reward `{method}` is no plain string: the SDK reads it from the source, and "
            "the job lacks this part. Write a string literal.",
            "子维度 `{method}` 的名称不是普通字符串：SDK 从源码中读取它，任务中会缺少该子维度。请写成字符串"
            "字面量。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such argument."""
        for found in workspace.flow.rewards.unreadable_parts():
            yield self.finding(
                found.site.path,
                location(workspace, found.site),
                found.argument,
                {"method": found.method},
            )
