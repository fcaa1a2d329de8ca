"""`@observe_tool` stands above `@tool`.

## What it does

Looks for functions whose `@observe_tool` is applied after a decorator that makes a tool object of the
function. The other order is right: the span is then inside the tool.

## Why it matters

`@observe_tool` wraps the tool object as if it were a function, and the name becomes a plain function without
`invoke`. Giving it to a `ToolNode` or an agent fails, and the console shows no TOOL span.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, observe_tool
from langchain_core.tools import tool


@observe_tool  # expect: RLO305
@tool
def add(left: float, right: float) -> float:
    "Adds two numbers."
    return left + right


class AddRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        result = await add.ainvoke({"left": 1, "right": 2})
        reply = {"role": "tool", "content": str(result)}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, observe_tool
from langchain_core.tools import tool


@tool
@observe_tool
def add(left: float, right: float) -> float:
    "Adds two numbers."
    return left + right


class AddRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        result = await add.ainvoke({"left": 1, "right": 2})
        reply = {"role": "tool", "content": str(result)}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
```

## Fix safety

Safe: as it is the tool cannot be used; in the other order it is the same tool with a span inside.

## Source

Both documents, "@observe_tool" (it marks functions); measured with dashscope 2.0.2: above `@tool` there is no
`.invoke` any more, and `ToolNode` raises `ValueError`.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Applicability, Finding, Fix, Severity, Target, Text, parameters
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """`@observe_tool` 写在了 `@tool` 上面。

## 作用

查找这样的函数：先由装饰器变成工具对象，之后才套上 `@observe_tool`。相反的顺序才是对的，Span 会在工具内部。

## 影响

`@observe_tool` 会把工具对象当作函数来包装，该名称变成没有 `invoke` 的普通函数。交给 `ToolNode` 或 agent 会失
败，控制台也看不到 TOOL Span。

## 修复安全性

安全：原来的写法下工具无法使用；调换顺序后仍是同一个工具，只是内部多了 Span。

## 依据

两份文档的“@observe_tool”一节（用于标记函数）；在 dashscope 2.0.2 上实测：写在 `@tool` 上面后不再有
`.invoke`，`ToolNode` 会抛出 `ValueError`。
"""

_TITLE = Text("Move `@observe_tool` below `@tool`", "将 `@observe_tool` 移到 `@tool` 下面")


class ObserveToolOrder(Rule):
    """Reports `@observe_tool` around a tool object."""

    code = "RLO305"
    name = "observe-tool-order"
    severity = Severity.ERROR
    fixes = ("safe",)
    messages = {
        "order": Text(
            "`@observe_tool` stands above the decorator that makes `{name}` a tool, and wraps the tool "
            "object instead of the function: the tool cannot be invoked, and the console will show no TOOL "
            "span. Put it below.",
            "`@observe_tool` 写在了把 `{name}` 变成工具的装饰器上面，包装的是工具对象而不是函数：工具无法调"
            "用，控制台看不到 TOOL Span。请写到它下面。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such decorator."""
        for found in workspace.flow.tool_spans.wrong_orders():
            start, end = found.below.span
            below = parameters({"below_start": start, "below_end": end})
            target = Target("reorder_decorators", found.site.span, below)
            yield self.finding(
                found.site.path,
                location(workspace, found.site),
                "order",
                {"name": found.name},
                fix=Fix(Applicability.SAFE, _TITLE, found.site.path, (target,)),
            )
