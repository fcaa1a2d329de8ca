"""`@observe_llm` is on a generator, or on a function that returns one.

## What it does

Reports functions under `@observe_llm` that `yield`, and those that return a generator or the stream of a
model's answer instead of the answer.

## Why it matters

Calling a generator only makes it; its code runs later. The span ends before the first token: the console
shows an LLM span of 0 ms without output and tokens, and success even if the stream breaks off.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_llm, observe_processor


class StreamRollout(AbstractRolloutProcessor):
    @observe_llm
    async def _stream(self, *, model: str, messages: list):  # expect: RLO206
        async for piece in self.gateway.stream(model, messages):
            yield piece

    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        name = input.model_resource.model_name
        text = "".join([piece async for piece in self._stream(model=name, messages=input.messages)])
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_llm, observe_processor


class StreamRollout(AbstractRolloutProcessor):
    @observe_llm
    async def _complete(self, *, model: str, messages: list):
        return await self.gateway.complete(model, messages)

    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        answer = await self._complete(model=input.model_resource.model_name, messages=input.messages)
        reply = {"role": "assistant", "content": answer.choices[0].message.content}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
```

## Source

Measured with dashscope 2.0.2: on a sync or async generator, and on a function that returns an iterator, the
span lasts 0 ms and has no output and no tokens; a later exception is not on it. A collected text, or a
dictionary, gives the span its time and errors, but output and tokens come only from a result that has the
attributes of OpenAI's completion (`choices`, `usage`) or of a DashScope response.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """`@observe_llm` 加在了生成器上，或返回生成器的函数上。

## 作用

报告带有 `@observe_llm` 且使用 `yield` 的函数，以及不返回回答本身、而返回生成器或模型流式回答的函数。

## 影响

调用生成器只是创建它，其代码稍后才运行。Span 在第一个 Token 之前就已结束：控制台上的 LLM Span 只有 0 毫秒，没
有输出和 Token 用量，即使流中途断开也显示成功。

## 依据

在 dashscope 2.0.2 上实测：加在同步或异步生成器、或返回迭代器的函数上，Span 只有 0 毫秒，没有输出和 Token 用
量，之后的异常也不会记录。收集成文本或字典再返回，Span 有耗时和错误，但输出和 Token 用量只取自带有 OpenAI
completion 属性（`choices`、`usage`）或 DashScope 响应属性的返回值。
"""


class ObserveLlmGenerator(Rule):
    """Reports an LLM span that ends before the first token."""

    code = "RLO206"
    name = "observe-llm-generator"
    severity = Severity.WARNING
    messages = {
        "generator": Text(
            "`{function}` is a generator: its LLM span ends before the first token, and the console will "
            "show 0 ms without output and tokens. Collect the answer in the function and return it.",
            "`{function}` 是生成器：它的 LLM Span 在第一个 Token 之前就已结束，控制台显示 0 毫秒，没有输出"
            "和 Token 用量。请在函数中收集回答并返回。",
        ),
        "returns": Text(
            "`{function}` returns a generator: its LLM span ends before the first token, and the console "
            "will show 0 ms without output and tokens. Collect the answer in the function and return it.",
            "`{function}` 返回的是生成器：它的 LLM Span 在第一个 Token 之前就已结束，控制台显示 0 毫秒，没有"
            "输出和 Token 用量。请在函数中收集回答并返回。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such function."""
        for function, only_returns in workspace.flow.observed_functions.generators():
            yield self.finding(
                function.site.path,
                location(workspace, function.site),
                "returns" if only_returns else "generator",
                {"function": function.node.name},
            )
