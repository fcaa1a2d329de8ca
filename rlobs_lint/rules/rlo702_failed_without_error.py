"""A result says that it failed, and not why.

## What it does

Looks for `RewardOutput`, `RolloutOutput` and `GroupRewardOutput` with `status=TaskStatus.FAILED` (or
`"failed"`) and without an `error`, or with one that is `None` or empty. An `error` that is set on the
result later counts.

## Why it matters

The console shows the sample as FAILED without a reason, and the span's status stays OK: nobody can tell an
empty answer from a broken judge.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, AgentOutput, RolloutInput
from dashscope.finetune.reinforcement import RolloutOutput, TaskStatus
from dashscope.finetune.reinforcement.component.observability import observe_processor


class EchoRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        if not input.messages:
            return RolloutOutput(status=TaskStatus.FAILED)  # expect: RLO702
        return RolloutOutput(agent_output=AgentOutput(messages=input.messages))
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, AgentOutput, RolloutInput
from dashscope.finetune.reinforcement import RolloutOutput, TaskStatus
from dashscope.finetune.reinforcement.component.observability import observe_processor


class EchoRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        if not input.messages:
            return RolloutOutput(status=TaskStatus.FAILED, error="the sample has no messages")
        return RolloutOutput(agent_output=AgentOutput(messages=input.messages))
```

## Source

Document on distillation, self-check table ("return `TaskStatus.FAILED` + `error`") and its reward example
("fill in the error where it fails"). Measured with dashscope 2.0.2: a result that says FAILED leaves the
span's status OK.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """结果标记为失败，却没有说明原因。

## 作用

查找 `status=TaskStatus.FAILED`（或 `"failed"`）而没有 `error`、或 `error` 为 `None` 或空字符串的
`RewardOutput`、`RolloutOutput`、`GroupRewardOutput`。之后再给结果设置 `error` 也算有。

## 影响

控制台把样本显示为 FAILED 却没有原因，而 Span 的状态仍是 OK：无法区分是回答为空，还是评分服务出错。

## 依据

蒸馏文档的自查项（“返回 `TaskStatus.FAILED + error`”）及其 Reward 示例（“失败时填错误信息”）。在 dashscope
2.0.2 上实测：返回 FAILED 的结果，其 Span 状态仍为 OK。
"""


class FailedWithoutError(Rule):
    """Reports failures without a reason."""

    code = "RLO702"
    name = "failed-without-error"
    severity = Severity.WARNING
    messages = {
        "silent": Text(
            "`{model}` says FAILED without an `error`: the console shows a failure without a reason. "
            "Say why, as in `error=str(exc)`.",
            "`{model}` 标记为 FAILED 却没有 `error`：控制台只显示失败，没有原因。请填写原因，例如 "
            "`error=str(exc)`。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such result."""
        for found in workspace.flow.rewards.silent_failures():
            yield self.finding(
                found.site.path, location(workspace, found.site), "silent", {"model": found.model}
            )
