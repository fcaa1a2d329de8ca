"""A class under `@reward_func` has no REWARD span.

## What it does

Looks at every class under `@reward_func(...)` and asks whether its `process` was wrapped after the class
was made: by `Cls.process = observe_processor(Cls.process)`, also in a loop over classes or by a class
decorator above `@reward_func`. A subclass that overrides `process` with the decorator is fine, too.

## Why it matters

`@reward_func` generates `process` and puts it on the class, over any `process` that the class defines:
one decorated with `@observe_processor` is never called. The console's trajectory page then lacks the
REWARD span with input, output, score and time.

## Example

```python
from dashscope.finetune.reinforcement import (
    AbstractRewardProcessor,
    Reward,
    RewardInput,
    RewardOutput,
    TaskStatus,
    reward_func,
    sub_reward_func,
)


@reward_func("brevity")
class BrevityReward(AbstractRewardProcessor):  # expect: RLO103
    @sub_reward_func("brevity", sub_weight=1.0)
    def brevity(self, input: RewardInput) -> RewardOutput:
        score = 1.0 / (1 + len(input.agent_output.messages or []))
        return RewardOutput(reward=Reward(reward_score=score), status=TaskStatus.SUCCESS)
```

## Use instead

```python
from dashscope.finetune.reinforcement import (
    AbstractRewardProcessor,
    Reward,
    RewardInput,
    RewardOutput,
    TaskStatus,
    reward_func,
    sub_reward_func,
)
from dashscope.finetune.reinforcement.component.observability import observe_processor


@reward_func("brevity")
class BrevityReward(AbstractRewardProcessor):
    @sub_reward_func("brevity", sub_weight=1.0)
    def brevity(self, input: RewardInput) -> RewardOutput:
        score = 1.0 / (1 + len(input.agent_output.messages or []))
        return RewardOutput(reward=Reward(reward_score=score), status=TaskStatus.SUCCESS)


BrevityReward.process = observe_processor(BrevityReward.process)
```

## Fix safety

Safe: the wrapper records what goes in and out and hands both on unchanged. No fix is offered where a subclass
wraps the generated `process` by itself: that one would have two spans.

## Source

Both documents, "@observe_processor" (it belongs on `process()`); measured with dashscope 2.0.2:
`@reward_func` replaces `process`, and only wrapping the result gives the REWARD span.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.model import Applicability, Finding, Fix, Severity, Target, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """带有 `@reward_func` 的类没有 REWARD Span。

## 作用

检查每个带有 `@reward_func(...)` 的类，判断其 `process` 是否在类创建之后被包装：
`Cls.process = observe_processor(Cls.process)`，在循环中对多个类这样做，或由写在 `@reward_func` 上面的类装饰器
来做，都算有。子类用装饰器重写 `process` 也没有问题。

## 影响

`@reward_func` 会自动生成 `process` 并放到类上，覆盖类自己定义的 `process`：即使后者加了
`@observe_processor`，也不会被调用。控制台轨迹页因此没有 REWARD Span：输入、输出、分数和耗时都看不到。

## 修复安全性

安全：包装只记录输入和输出，并原样传递。如果子类已经自行包装了生成的 `process`，则不提供修复，因为会有两个
Span。

## 依据

两份文档的“@observe_processor”一节（应加在 `process()` 上）；在 dashscope 2.0.2 上实测：`@reward_func` 会替换
`process`，只有包装替换后的方法才有 REWARD Span。
"""

_TITLE = Text("Wrap `{cls}.process` after the class", "在类之后包装 `{cls}.process`")
_WRAPPED = Text(
    "a subclass wraps the generated `process` already, and would open two spans",
    "已有子类包装了自动生成的 `process`，再次包装会创建两个 Span",
)


class RewardFuncWithoutEntrySpan(Rule):
    """Reports a `@reward_func` class whose generated `process` opens no span."""

    code = "RLO103"
    name = "reward-func-without-entry-span"
    severity = Severity.ERROR
    fixes = ("safe", "none")
    messages = {
        "generated": Text(
            "`@reward_func` generates `{cls}.process`, which opens no ENTRY span: the console will show no "
            "REWARD span for it. Add `{cls}.process = observe_processor({cls}.process)` after the class.",
            "`@reward_func` 生成的 `{cls}.process` 没有创建 ENTRY Span，控制台将看不到它的 REWARD Span。"
            "请在类之后加上 `{cls}.process = observe_processor({cls}.process)`。",
        ),
        "replaced": Text(
            "`@reward_func` replaces the `process` that `{cls}` defines, decorated or not: it is never "
            "called, and the console will show no REWARD span. Add "
            "`{cls}.process = observe_processor({cls}.process)` after the class.",
            "`@reward_func` 会替换 `{cls}` 自己定义的 `process`（无论有没有装饰器）：它不会被调用，控制台将"
            "看不到 REWARD Span。请在类之后加上 `{cls}.process = observe_processor({cls}.process)`。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such class."""
        for found in workspace.flow.entry_spans.reward_classes():
            path = found.module.path
            target = Target("wrap_process", found.node.at)
            yield self.finding(
                path,
                found.module.range(found.node.signature),
                "replaced" if found.own_process else "generated",
                {"cls": found.node.name},
                fix=None if found.wrapped_below else Fix(Applicability.SAFE, _TITLE, path, (target,)),
                unfixable=_WRAPPED if found.wrapped_below else None,
            )
