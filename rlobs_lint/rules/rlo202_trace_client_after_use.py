"""`trace_client` comes after the client was used.

## What it does

Looks for a use of a client that runs before its `trace_client` call on the same path: a chat call, an
`invoke` of the model or of anything made from it (bound tools, a chain, an agent), or its bound `create`
taken for later. Making such things is no use: `bind_tools` before `trace_client` is fine.

## Why it matters

A LangChain model keeps the method that it called first. After an `invoke` all synchronous calls stay
without a span for good, after an `ainvoke` all asynchronous ones, whatever is traced later. An OpenAI
client only loses the calls that were made before. The console shows no LLM span for them.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client
from langchain_openai import ChatOpenAI


class PlanRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        llm = ChatOpenAI(model=input.model_resource.model_name)
        plan = await llm.ainvoke(input.messages)
        trace_client(llm)  # expect: RLO202
        answer = await llm.ainvoke([*input.messages, plan])
        return RolloutOutput(agent_output={"messages": [*input.messages, answer.model_dump()]})
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client
from langchain_openai import ChatOpenAI


class PlanRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        llm = ChatOpenAI(model=input.model_resource.model_name)
        trace_client(llm)
        plan = await llm.ainvoke(input.messages)
        answer = await llm.ainvoke([*input.messages, plan])
        return RolloutOutput(agent_output={"messages": [*input.messages, answer.model_dump()]})
```

## Fix safety

Safe: the fix moves the call right behind the statement that builds the client, where it patches the same
object earlier. Where that is in another function or file, the client is traced there as well, and the late
call stays: tracing twice does no harm.

## Source

Both documents, "trace_client()" (calls made after it are recorded); measured with dashscope 2.0.2: invoke,
trace_client, invoke gives no span; of an OpenAI client the later calls have theirs.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.llm_spans import LateClient
from rlobs_lint.flow.questions.places import location, note, place
from rlobs_lint.model import Applicability, Finding, Fix, Severity, Target, Text, parameters
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """`trace_client` 写在了客户端使用之后。

## 作用

查找在同一路径上先于 `trace_client` 的使用：对话调用、对模型或由它构造的对象（绑定了工具的模型、链、agent）的
`invoke`，或取出其 `create` 方法留待后用。只是构造这些对象不算使用：在 `trace_client` 之前 `bind_tools` 没有问
题。

## 影响

LangChain 模型会记住第一次调用的方法。先 `invoke` 之后，所有同步调用都永远没有 Span；先 `ainvoke` 之后，所有异
步调用也是如此，之后再追踪也无济于事。OpenAI 客户端只会丢失之前的调用。控制台看不到这些调用的 LLM Span。

## 修复安全性

安全：修复把该调用移到构造客户端的语句之后，只是更早地追踪同一个对象。如果构造在其他函数或文件中，则在那里也追
踪它，原来的调用保留：重复追踪没有影响。

## 依据

两份文档的“trace_client()”一节（之后的请求才会被记录）；在 dashscope 2.0.2 上实测：invoke、trace_client、再
invoke，没有 Span；OpenAI 客户端之后的调用则有 Span。
"""

_USE = Text("the client is used here, before it is traced", "客户端在这里、追踪之前就已使用")
_BUILT = Text("the client is built here", "客户端在这里构造")
_MOVE = Text("Move it to where the client is built", "移到构造客户端之处")
_ADD = Text("Trace the client where it is built", "在构造客户端之处追踪它")
_HANDED = Text("its `call` is handed to other code", "它的 `call` 被交给了其他代码")
_DARK = "calls, later ones included, stay without an LLM span in the console"
_LOST = {
    "sync": (f"all its synchronous {_DARK}", "它的所有同步调用，包括之后的，在控制台都没有 LLM Span"),
    "async": (f"all its asynchronous {_DARK}", "它的所有异步调用，包括之后的，在控制台都没有 LLM Span"),
    "both": (f"all its {_DARK}", "它的所有调用，包括之后的，在控制台都没有 LLM Span"),
    "early": ("the calls before it have no LLM span in the console", "之前那些调用在控制台没有 LLM Span"),
}


class TraceClientAfterUse(Rule):
    """Reports a `trace_client` call that comes too late."""

    code = "RLO202"
    name = "trace-client-after-use"
    severity = Severity.ERROR
    fixes = ("safe", "none")
    messages = {
        lost: Text(
            f"The `{{name}}` ({{built}}) is called ({{use}}) before `trace_client`: {english}. Trace it "
            f"right "
            "after it is built.",
            f"`{{name}}`（{{built}}）在 `trace_client` 之前就已调用（{{use}}）：{chinese}。请在构造之后立即"
            f"追踪。",
        )
        for lost, (english, chinese) in _LOST.items()
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such call."""
        for found in workspace.flow.llm_spans.late():
            yield self.finding(
                found.site.path,
                location(workspace, found.site),
                found.lost,
                {
                    "name": found.name,
                    "built": place(workspace, found.built),
                    "use": place(workspace, found.use),
                },
                fix=_fix(found) if found.is_plain else None,
                unfixable=None if found.is_plain else _HANDED,
                notes=(note(workspace, found.use, _USE), note(workspace, found.built, _BUILT)),
            )


def _fix(found: LateClient) -> Fix:
    """Moves the call, or traces the client where it is built: tracing it again does no harm."""
    if found.maker is not None:
        start, end = found.maker.span
        after = parameters({"after_start": start, "after_end": end})
        path, target = found.site.path, Target("move_trace_call", found.site.span, after)
    elif found.is_class:
        path, target = found.use.path, Target("add_class_trace", found.use.span)
    else:
        function = parameters({"function": "trace_client"})
        path, target = found.built.path, Target("add_trace_call", found.built.span, function)
    return Fix(Applicability.SAFE, _MOVE if found.maker is not None else _ADD, path, (target,))
