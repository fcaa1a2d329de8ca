"""`process` cannot be called with its one input.

## What it does

Judges the signature of every processor's `process`. The server calls `processor.process(input)`: a static
or class method, a method without a parameter for the input, one that takes it by keyword only, one that
requires further arguments, and a generator all fail. The name of the parameter, defaults behind it, `*args`
and both `def` and `async def` are fine.

## Why it matters

Every call ends in a `TypeError` or in a result that cannot be sent (HTTP 500): the console shows failed
trajectories, or spans without a result.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class EchoRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput, tools: list) -> RolloutOutput:  # expect: RLO104
        return RolloutOutput(agent_output={"messages": [*input.messages, *tools]})
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class EchoRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        return RolloutOutput(agent_output={"messages": [*input.messages, *(input.tools or [])]})
```

## Source

Both documents, "@observe_processor" (`process(self, input)`); measured with dashscope 2.0.2: each of these
forms raises `TypeError` or hands a generator back.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """`process` 无法以一个输入来调用。

## 作用

检查每个处理器 `process` 的签名。服务以 `processor.process(input)` 的方式调用它：静态方法或类方法、没有接收输
入的参数、只能以关键字接收、还要求其他参数，以及生成器，都会失败。参数叫什么名字、其后带默认值的参数、
`*args`、`def` 或 `async def` 都没有问题。

## 影响

每次调用都会抛出 `TypeError`，或得到无法返回的结果（HTTP 500）：控制台上是失败的轨迹，或没有结果的 Span。

## 依据

两份文档的“@observe_processor”一节（`process(self, input)`）；在 dashscope 2.0.2 上实测：以上写法会抛出
`TypeError`，或只返回一个生成器。
"""

_WHY = {
    "static": ("it is a static method", "它是静态方法"),
    "class-method": ("it is a class method", "它是类方法"),
    "no-parameter": ("it takes no input", "它没有接收输入的参数"),
    "keyword-only": ("it has required keyword-only parameters", "它有必填的仅限关键字参数"),
    "several": ("it requires several arguments", "它要求多个参数"),
    "generator": ("it is a generator", "它是生成器"),
}
_END_EN = "every call fails, and the console will show no result. Declare it as `process(self, input)`."
_END_ZH = "每次调用都会失败，控制台看不到结果。请声明为 `process(self, input)`。"


class InvalidProcessSignature(Rule):
    """Reports a `process` that the server cannot call."""

    code = "RLO104"
    name = "invalid-process-signature"
    severity = Severity.ERROR
    messages = {
        why: Text(
            f"`{{cls}}.process` cannot be called as `process(input)`: {english}, so {_END_EN}",
            f"`{{cls}}.process` 无法以 `process(input)` 调用：{chinese}，{_END_ZH}",
        )
        for why, (english, chinese) in _WHY.items()
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such `def process`."""
        for found in workspace.flow.entry_spans.bad_signatures():
            process = found.process
            yield self.finding(
                process.module.path,
                process.module.range(process.node.signature),
                found.why,
                {"cls": process.class_name or process.processor},
            )
