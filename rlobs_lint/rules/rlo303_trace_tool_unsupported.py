"""`trace_tool` is given something that it does not patch.

## What it does

Judges the argument of every `trace_tool` call. It patches a LangChain tool, lists, tuples and dictionaries
of them, and a `ToolNode`. It does not patch the coroutine of an un-awaited `get_tools()`, an MCP client, the
JSON schemas of tools, plain functions, a tool class, an agent, a set, a generator, `map`, `filter` or
`dict.values()`, or lists inside lists. The provider has to be passed by keyword.

## Why it matters

At most one warning a type is logged; the tools run on without a TOOL span, so the console's tool analysis
lacks them though the code looks traced. An un-awaited coroutine leaves no tools at all.

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

from typing import TYPE_CHECKING, ClassVar, Iterator, Mapping, Tuple

from rlobs_lint.flow.places import location
from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.rule import Rule

if TYPE_CHECKING:
    from rlobs_lint.workspace import Workspace

CHINESE = """传给 `trace_tool` 的对象它并不支持。

## 作用

检查每个 `trace_tool` 调用的实参。它支持 LangChain 工具、由工具组成的列表、元组和字典，以及 `ToolNode`；不支持
没有 await 的 `get_tools()` 的协程、MCP 客户端、工具的 JSON schema、普通函数、工具类、agent、集合、生成器、
`map`、`filter`、`dict.values()`，以及嵌套的列表。provider 必须以关键字传入。

## 影响

每种类型最多只有一条警告；工具照常运行，却没有 TOOL Span：代码看似已追踪，控制台的工具调用分析里却没有它们。没
有 await的协程则根本拿不到工具。

## 依据

两份文档的“trace_tool()”一节（支持的输入格式）和“@observe_tool”一节（用于普通函数）；其他各种实参均在
dashscope 2.0.2 上实测。
"""

_LIST = Text("Pass a list of the tools.", "请传入工具的列表。")
_TOOLS = Text("Pass the tools that `get_tools()` returns.", "请传入 `get_tools()` 返回的工具。")
_OBSERVE = Text("Put `@observe_tool` on the functions.", "请在函数上加 `@observe_tool`。")
_OBJECTS = Text("Pass the tools themselves.", "请传入工具本身。")
_AWAIT = Text("Await it, and pass what comes out.", "请先 await，再传入得到的工具。")
_INSTANCE = Text("Pass the tool that is built of it.", "请传入由它构造的工具。")
_KEYWORD = Text("Pass `provider=` by keyword.", "请以关键字传入 `provider=`。")
_FLAT = Text("Pass one flat list of the tools.", "请传入一个不嵌套的工具列表。")
#: What the argument is, in both languages, and what to do instead.
_KINDS: Mapping[str, Tuple[str, str, Text]] = {
    "coroutine": ("a coroutine that is not awaited", "没有 await 的协程", _AWAIT),
    "mcp-client": ("an MCP client", "MCP 客户端", _TOOLS),
    "toolkit": ("a toolkit", "工具包", _TOOLS),
    "method": ("a method that is not called", "没有调用的方法", _TOOLS),
    "schemas": ("JSON schemas of tools", "工具的 JSON schema", _OBJECTS),
    "function": ("plain functions", "普通函数", _OBSERVE),
    "tool-class": ("a tool class", "工具类", _INSTANCE),
    "agent": ("an agent", "agent", _OBJECTS),
    "set": ("a set", "集合（set）", _LIST),
    "generator": ("a generator", "生成器", _LIST),
    "view": ("a view of a dictionary", "字典视图", _LIST),
    "nested": ("lists inside a list", "嵌套的列表", _FLAT),
    "positional-provider": ("the provider by position", "按位置传入的 provider", _KEYWORD),
    "object": ("no tool", "并非工具的对象", _OBJECTS),
}


class TraceToolUnsupported(Rule):
    """Reports a `trace_tool` call that traces nothing."""

    code: ClassVar[str] = "RLO303"
    name: ClassVar[str] = "trace-tool-unsupported"
    severity: ClassVar[Severity] = Severity.ERROR
    fixes: ClassVar[Tuple[str, ...]] = ("none",)
    messages: ClassVar[Mapping[str, Text]] = {
        what: Text(
            f"`trace_tool` is given {english}, which it does not take: the console will show no TOOL span "
            f"for these tools. {advice.en}",
            f"传给 `trace_tool` 的是{chinese}，它并不支持：控制台看不到这些工具的 TOOL Span。{advice.zh}",
        )
        for what, (english, chinese, advice) in _KINDS.items()
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such call."""
        for found in workspace.flow.tool_spans.unsupported():
            what = found.what if found.what in _KINDS else "object"
            yield self.finding(found.site.path, location(workspace, found.site), what)
