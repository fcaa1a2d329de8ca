"""`@observe_tool` is on a tool of an MCP server.

## What it does

Looks in every module of the workspace for functions that are tools of an MCP server (`@mcp.tool`,
`mcp.tool(...)(function)`, `mcp.add_tool(function)`) and bear `@observe_tool`, above or below.

## Why it matters

Server and client are different processes. The span that the server makes belongs to a trace of its own, if
it makes one at all: the console's trajectory never shows it, and the tool's calls are missing unless the
client traces its tools.

## Example

```python
# file: functions/server.py
from dashscope.finetune.reinforcement.component.observability import observe_tool
from fastmcp import FastMCP

mcp = FastMCP("calculator")


@mcp.tool()
@observe_tool  # expect: RLO304
def add(left: float, right: float) -> float:
    "Adds two numbers."
    return left + right
```

## Use instead

```python
# file: functions/server.py
from fastmcp import FastMCP

mcp = FastMCP("calculator")


@mcp.tool()
def add(left: float, right: float) -> float:
    "Adds two numbers."
    return left + right
```

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_tool
from langchain_mcp_adapters.client import MultiServerMCPClient


class CalculatorRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        client = MultiServerMCPClient({"calculator": {"transport": "sse", "url": "http://localhost:8000/sse"}})
        tools = await client.get_tools()
        trace_tool(tools)
        result = await tools[0].ainvoke({"left": 1, "right": 2})
        reply = {"role": "tool", "content": result}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
```

## Source

Both documents, "trace_tool()" (note on MCP: the server's `@observe_tool` has no effect on the client);
measured with fastmcp 2, 3 and mcp 1.30: the client has no TOOL span without `trace_tool`.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """`@observe_tool` 加在了 MCP Server 的工具上。

## 作用

在工作区的每个模块中，查找作为 MCP Server 工具的函数（`@mcp.tool`、`mcp.tool(...)(function)`、
`mcp.add_tool(function)`），而它们在上面或下面带有 `@observe_tool`。

## 影响

Server 与 Client 是不同的进程。Server 端的 Span 即使产生，也自成一条链路：控制台的轨迹里永远看不到它；除非
Client 端追踪了工具，否则这些工具的调用都会缺失。

## 依据

两份文档的“trace_tool()”一节（MCP 注意：Server 端的 `@observe_tool` 对 Client 端无效）；在 fastmcp 2、3 与
mcp 1.30 上实测：没有 `trace_tool` 时 Client 端没有 TOOL Span。
"""


class ServerSideObserveTool(Rule):
    """Reports a tool span that only the server sees."""

    code = "RLO304"
    name = "server-side-observe-tool"
    severity = Severity.WARNING
    messages = {
        "server": Text(
            "`{name}` is a tool of an MCP server, which runs in another process: the console will not show "
            "the span of its `@observe_tool`. Drop it, and call `trace_tool` on what the client's "
            "`get_tools()` returns.",
            "`{name}` 是 MCP Server 的工具，在另一个进程中运行：控制台不会显示它的 `@observe_tool` 产生的 "
            "Span。请去掉它，并在 Client 端对 `get_tools()` 返回的工具调用 `trace_tool`。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such decorator."""
        for site, name in workspace.flow.tool_spans.on_servers():
            yield self.finding(site.path, location(workspace, site), "server", {"name": name})
