"""`trace_tool` is called before the tools are there.

## What it does

Looks for a `trace_tool(x)` where `x` is empty or `None` on every path to the call, and is given tools only
afterwards: by `get_tools()`, `load_mcp_tools()` and their like, by assignment, `append` or `extend`.

## Why it matters

`trace_tool` patches the tools that it finds. An empty list has none, and nothing is said. The console's tool
analysis shows no call, no argument, no result and no time for these tools.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_tool
from langchain_mcp_adapters.client import MultiServerMCPClient

SERVERS = {"calculator": {"transport": "sse", "url": "http://localhost:10086/sse"}}


class CalculatorRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        tools = []
        trace_tool(tools)  # expect: RLO301
        tools = await MultiServerMCPClient(SERVERS).get_tools()
        result = await tools[0].ainvoke({"expression": "1+1"})
        reply = {"role": "tool", "content": result}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_tool
from langchain_mcp_adapters.client import MultiServerMCPClient

SERVERS = {"calculator": {"transport": "sse", "url": "http://localhost:10086/sse"}}


class CalculatorRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        tools = []
        tools = await MultiServerMCPClient(SERVERS).get_tools()
        trace_tool(tools)
        result = await tools[0].ainvoke({"expression": "1+1"})
        reply = {"role": "tool", "content": result}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
```

## Fix safety

Safe: the fix moves the call behind the statement that gets the tools; before it did nothing. No fix is
offered where that is in another function and not put into the very attribute that is traced.

## Source

Both documents, "trace_tool()" ("must be called after get_tools()"); measured with dashscope 2.0.2: on the
empty list there is neither a span nor a warning.
"""

from __future__ import annotations

from typing import Iterator, Optional

from rlobs_lint.flow.questions.places import location, note, place
from rlobs_lint.flow.questions.tool_spans import EarlyTrace
from rlobs_lint.model import Applicability, Finding, Fix, Severity, Target, Text, parameters
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """在拿到工具之前就调用了 `trace_tool`。

## 作用

查找这样的 `trace_tool(x)`：到达该调用的每条路径上 `x` 都是空的或 `None`，之后才得到工具，无论是来自
`get_tools()`、`load_mcp_tools()` 等，还是通过赋值、`append` 或 `extend`。

## 影响

`trace_tool` 只包装它当时看到的工具。空列表里什么也没有，也不会有任何提示。控制台的工具调用分析里看不到这些工
具的调用、参数、返回值和耗时。

## 修复安全性

安全：修复把该调用移到获取工具的语句之后；它原本不起任何作用。在其他函数中获取、且没有存入所追踪的那个属性时，
不提供修复。

## 依据

两份文档的“trace_tool()”一节（“必须在 get_tools() 之后调用”）；在 dashscope 2.0.2 上实测：对空列表既没有 Span
也没有警告。
"""

_FILLED = Text("the tools come from here", "工具来自这里")
_TITLE = Text("Move it to where the tools are there", "移到获取工具之后")
_ELSEWHERE = Text("the tools come from another file", "工具来自其他文件")


class TraceToolBeforeGetTools(Rule):
    """Reports a `trace_tool` call that comes too early."""

    code = "RLO301"
    name = "trace-tool-before-get-tools"
    severity = Severity.ERROR
    fixes = ("safe", "none")
    messages = {
        "early": Text(
            "`trace_tool` is called before the tools are there ({filled}): it traces nothing, and the "
            "console will show no TOOL span for them. Call it right after the tools are got.",
            "`trace_tool` 在拿到工具（{filled}）之前就已调用：它什么也没有追踪，控制台看不到这些工具的 TOOL "
            "Span。请在获取工具之后立即调用。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such call."""
        for found in workspace.flow.tool_spans.premature():
            yield self.finding(
                found.site.path,
                location(workspace, found.site),
                "early",
                {"filled": place(workspace, found.filled)},
                fix=_fix(found),
                unfixable=None if found.maker is not None else _ELSEWHERE,
                notes=(note(workspace, found.filled, _FILLED),),
            )


def _fix(found: EarlyTrace) -> Optional[Fix]:
    if found.maker is None:
        return None
    start, end = found.maker.span
    after = parameters({"after_start": start, "after_end": end})
    target = Target("move_trace_call", found.site.span, after)
    return Fix(Applicability.SAFE, _TITLE, found.site.path, (target,))
