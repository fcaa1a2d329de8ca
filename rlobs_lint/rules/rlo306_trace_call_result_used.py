"""The result of `trace_tool` or `trace_client` is used, which is always `None`.

## What it does

Looks for trace calls whose result is assigned, returned, awaited or passed on. `_ = trace_tool(tools)`,
`trace_tool(tools) or tools` and a comprehension that stands alone are harmless.

## Why it matters

Both functions patch what they are given, in place, and return `None`. The tools or the client are lost: the
next line that uses them raises, and the console shows failed trajectories, or ones without tools.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client
from langchain_openai import ChatOpenAI


class ChatRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        llm = trace_client(ChatOpenAI(model=input.model_resource.model_name))  # expect: RLO306
        answer = await llm.ainvoke(input.messages)
        reply = {"role": "assistant", "content": answer.content}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client
from langchain_openai import ChatOpenAI


class ChatRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        llm = ChatOpenAI(model=input.model_resource.model_name)
        trace_client(llm)
        answer = await llm.ainvoke(input.messages)
        reply = {"role": "assistant", "content": answer.content}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
```

## Fix safety

Safe: the fix puts the argument in the place of the call, and the call on a line of its own, in the same
order of evaluation. No fix is offered where that cannot be done.

## Source

Both documents, "trace_client()" and "trace_tool()" (the examples call them as statements); measured with
dashscope 2.0.2: both return `None`, and using that raises.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Applicability, Finding, Fix, Severity, Target, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """使用了 `trace_tool` 或 `trace_client` 的返回值，而它总是 `None`。

## 作用

查找返回值被赋值、返回、await 或继续传递的追踪调用。`_ = trace_tool(tools)`、`trace_tool(tools) or tools` 和单
独成句的推导式没有影响，不会报告。

## 影响

两个函数都是原地包装所传入的对象，并返回 `None`。工具或客户端就此丢失：之后使用它的代码会抛出异常，控制台上是
失败的轨迹，或没有工具的轨迹。

## 修复安全性

安全：修复把实参放回原处，把追踪调用单独写成一行，求值顺序不变。做不到时不提供修复。

## 依据

两份文档的“trace_client()”和“trace_tool()”两节（示例都是单独成句的调用）；在 dashscope 2.0.2 上实测：两者都返
回 `None`，使用它会抛出异常。
"""

_TITLE = Text("Call `{function}` on a line of its own", "将 `{function}` 单独写成一行")


class TraceCallResultUsed(Rule):
    """Reports a trace call whose `None` is taken for the traced thing."""

    code = "RLO306"
    name = "trace-call-result-used"
    severity = Severity.ERROR
    fixes = ("safe",)
    messages = {
        "trace_client": Text(
            "`{function}` returns `None`, which is used here in place of the client: what calls it fails, "
            "and the console will show no LLM span of it. Call it on a line of its own.",
            "`{function}` 返回 `None`，这里却把它当作客户端使用：之后的调用会失败，控制台看不到它的 LLM "
            "Span。请单独写成一行。",
        ),
        "trace_tool": Text(
            "`{function}` returns `None`, which is used here in place of the tools: what uses them fails, "
            "and the console will show no TOOL span of them. Call it on a line of its own.",
            "`{function}` 返回 `None`，这里却把它当作工具使用：之后的使用会失败，控制台看不到它们的 TOOL "
            "Span。请单独写成一行。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such call."""
        for found in workspace.flow.tool_spans.results_used():
            target = Target("unwrap_trace_call", found.site.span)
            yield self.finding(
                found.site.path,
                location(workspace, found.site),
                found.name,
                {"function": found.name},
                fix=Fix(Applicability.SAFE, _TITLE, found.site.path, (target,)),
            )
