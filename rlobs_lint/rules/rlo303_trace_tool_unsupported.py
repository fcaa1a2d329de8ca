"""`trace_tool` is given something that it does not patch.

## What it does

Judges the argument of every `trace_tool` call. It patches a LangChain tool, lists, tuples and dictionaries
of them, and a `ToolNode`. It does not patch the coroutine of an un-awaited `get_tools()`, an MCP client, the
JSON schemas of tools, plain functions, a tool class, an agent, a set, a generator, `map`, `filter` or
`dict.values()`, or lists inside lists. The provider has to be passed by keyword.

## Why it matters

At most one warning a type is logged; the tools run on without a TOOL span, so the console's tool analysis
lacks them though the code looks traced. An agent is taken for one tool, with one span around the whole of
it. A set of tools and a provider by position raise `TypeError`.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_tool
from langchain_mcp_adapters.client import MultiServerMCPClient

SERVERS = {"calculator": {"transport": "sse", "url": "http://localhost:10086/sse"}}


class CalculatorRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        client = MultiServerMCPClient(SERVERS)
        trace_tool(client)  # expect: RLO303
        tools = await client.get_tools()
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
        client = MultiServerMCPClient(SERVERS)
        tools = await client.get_tools()
        trace_tool(tools)
        result = await tools[0].ainvoke({"expression": "1+1"})
        reply = {"role": "tool", "content": result}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
```

## Source

Both documents, "trace_tool()" (the supported inputs) and "@observe_tool" (for plain functions); measured with
dashscope 2.0.2 for every other kind of argument.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Finding, Severity
from rlobs_lint.rulebook.refusals import TOOL_MESSAGES
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """传给 `trace_tool` 的对象它并不支持。

## 作用

检查每个 `trace_tool` 调用的实参。它支持 LangChain 工具、由工具组成的列表、元组和字典，以及 `ToolNode`；不支持
没有 await 的 `get_tools()` 的协程、MCP 客户端、工具的 JSON schema、普通函数、工具类、agent、集合、生成器、
`map`、`filter`、`dict.values()`，以及嵌套的列表。provider 必须以关键字传入。

## 影响

每种类型最多只有一条警告；工具照常运行，却没有 TOOL Span：代码看似已追踪，控制台的工具调用分析里却没有它们。
agent 会被当作一个工具，只有一个包住整体的 Span。工具的 set 和按位置传入的 provider 会抛出 `TypeError`。

## 依据

两份文档的“trace_tool()”一节（支持的输入格式）和“@observe_tool”一节（用于普通函数）；其他各种实参均在
dashscope 2.0.2 上实测。
"""


class TraceToolUnsupported(Rule):
    """Reports a `trace_tool` call that traces nothing."""

    code = "RLO303"
    name = "trace-tool-unsupported"
    severity = Severity.ERROR
    messages = TOOL_MESSAGES

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such call."""
        for found in workspace.flow.tool_spans.unsupported():
            what = found.what if found.what in self.messages else "object"
            yield self.finding(found.site.path, location(workspace, found.site), what)
