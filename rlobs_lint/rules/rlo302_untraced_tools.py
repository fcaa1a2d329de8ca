"""Tools are used without `trace_tool`.

## What it does

Follows tools from where they are got (`get_tools()`, `load_mcp_tools()`) or built (`@tool`,
`StructuredTool`, classes that inherit `BaseTool`, plain functions that are given as tools) to where they are
invoked or given to a model, a `ToolNode` or an agent, and asks whether `trace_tool` got them on every path:
before or after that, since it patches the tools themselves. A tool around a function under `@observe_tool`
is fine, and so are tools that such a function runs: its span is there already, and `trace_tool` would make a
second one.

## Why it matters

Nothing fails. The console's tool analysis shows no call, no argument, no result and no time for these
tools, and the trajectory's span tree has LLM spans only.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor
from langchain_mcp_adapters.client import MultiServerMCPClient

SERVERS = {"calculator": {"transport": "sse", "url": "http://localhost:10086/sse"}}


class CalculatorRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        tools = await MultiServerMCPClient(SERVERS).get_tools()  # expect: RLO302
        result = await tools[0].ainvoke({"expression": "1+1"})
        return RolloutOutput(agent_output={"messages": [*input.messages, result]})
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
        tools = await MultiServerMCPClient(SERVERS).get_tools()
        trace_tool(tools)
        result = await tools[0].ainvoke({"expression": "1+1"})
        return RolloutOutput(agent_output={"messages": [*input.messages, result]})
```

## Fix safety

Safe for tools from `get_tools()` and its like: `trace_tool` records the calls and hands their results on. For
tools that are built one by one no fix is offered, since either the collection or each function can be traced;
nor where the call is awaited elsewhere (`asyncio.gather(client.get_tools(), ...)`): a coroutine holds none.

## Source

Both documents, "trace_tool()" and "@observe_tool"; measured with dashscope 2.0.2: untraced tools make no
TOOL span, and no warning is given; `trace_tool` after `ToolNode` or the agent works as well.
"""

from __future__ import annotations

from typing import Iterator, Optional

from rlobs_lint.flow.questions.places import location, note, place
from rlobs_lint.flow.questions.tool_spans import UntracedTools
from rlobs_lint.model import Applicability, Finding, Fix, Severity, Target, Text, parameters
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """使用了工具，却没有用 `trace_tool` 追踪。

## 作用

从获取工具（`get_tools()`、`load_mcp_tools()`）或构造工具（`@tool`、`StructuredTool`、继承 `BaseTool` 的类、当
作工具交出的普通函数）之处开始跟踪，直到它们被调用，或交给模型、`ToolNode`、agent，判断每条路径上是否都经过了
`trace_tool`；在交出之前或之后都可以，因为它包装的是工具本身。包装了带 `@observe_tool` 的函数的工具没有问
题，由这样的函数运行的工具也没有问题：已经有它的 Span，再 `trace_tool` 就会有两个。

## 影响

不会报错，但控制台的工具调用分析里看不到这些工具的调用、参数、返回值和耗时，轨迹的 Span 树里只有 LLM Span。

## 修复安全性

对来自 `get_tools()` 等的工具是安全的：`trace_tool` 只记录调用，并原样返回结果。逐个构造的工具不提供修复，因为
既可以追踪整个集合，也可以逐个追踪函数；调用在别处才被 await 时（`asyncio.gather(client.get_tools(), ...)`）
也不提供，因为协程里还没有工具。

## 依据

两份文档的“trace_tool()”和“@observe_tool”两节；在 dashscope 2.0.2 上实测：没有追踪的工具不产生 TOOL Span，也没
有警告；在 `ToolNode` 或 agent之后再 `trace_tool` 同样有效。
"""

_USED = Text("they are used here", "在这里使用")
_TITLE = Text("Trace them with `trace_tool`", "用 `trace_tool` 追踪它们")
_CHOICE = Text(
    "the collection can be traced, or each function observed", "既可以追踪整个集合，也可以逐个观测函数"
)

_LAZY = Text("the tools are there only once something else awaits them", "要等别处 await 之后才有这些工具")


class UntracedToolsRule(Rule):
    """Reports tools that some path uses untraced."""

    code = "RLO302"
    name = "untraced-tools"
    severity = Severity.ERROR
    fixes = ("safe", "none")
    messages = {
        "toolset": Text(
            "The tools got here are used ({use}) without `trace_tool` on some path: the console will show "
            "no TOOL span for their calls. Call `trace_tool` on them.",
            "这里获取的工具在某条路径上未经 `trace_tool` 追踪就被使用（{use}）：控制台看不到其调用的 TOOL "
            "Span。请对它们调用 `trace_tool`。",
        ),
        "tool": Text(
            "The tool{name} built here is used ({use}) without `trace_tool` on some path: the console will "
            "show no TOOL span for its calls. Call `trace_tool` on it, or put `@observe_tool` on its "
            "function.",
            "这里构造的工具{name}在某条路径上未经 `trace_tool` 追踪就被使用（{use}）：控制台看不到其调用的 "
            "TOOL Span。请对它调用 `trace_tool`，或在其函数上加 `@observe_tool`。",
        ),
        "function": Text(
            "The function `{name}` is used as a tool ({use}) without a trace: the console will show no TOOL "
            "span for its calls, and `trace_tool` does not take plain functions. Put `@observe_tool` on it.",
            "函数 `{name}` 被当作工具使用（{use}），却没有追踪：控制台看不到其调用的 TOOL Span，而 "
            "`trace_tool` 不支持普通函数。请加上 `@observe_tool`。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each collection that holds untraced tools, at the first of them."""
        for found in workspace.flow.tool_spans.untraced():
            fix = _fix(found)
            named = found.name if found.kind == "function" else f" `{found.name}`" if found.name else ""
            yield self.finding(
                found.site.path,
                location(workspace, found.site),
                found.kind,
                {"name": named, "use": place(workspace, found.use)},
                fix=fix,
                unfixable=None if fix else _LAZY if found.kind == "toolset" else _CHOICE,
                notes=(note(workspace, found.use, _USED),),
            )


def _fix(found: UntracedTools) -> Optional[Fix]:
    if found.value is None or found.value.path != found.site.path:
        return None
    target = Target("add_trace_call", found.value.span, parameters({"function": "trace_tool"}))
    return Fix(Applicability.SAFE, _TITLE, found.site.path, (target,))
