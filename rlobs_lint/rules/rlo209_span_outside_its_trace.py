"""An LLM or tool call runs outside of its trace.

## What it does

Looks for traced LLM and tool calls that run in another thread without their context: handed to
`run_in_executor`, to `submit` or `map` of a `ThreadPoolExecutor`, or to a `Thread`; and for those in a plain
`def` sub-reward or aggregate of a `@reward_func` class, which the SDK runs in a thread. `asyncio.to_thread`,
`copy_context().run` and `async def` sub-rewards keep the context.

## Why it matters

The span is exported, but as a trace of its own without the rollout's id: in the console it is missing
from the trajectory's span tree, and nobody finds it.

## Example

```python
import asyncio

from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client
from langchain_openai import ChatOpenAI


class ThreadRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        llm = ChatOpenAI(model=input.model_resource.model_name)
        trace_client(llm)
        loop = asyncio.get_running_loop()
        answer = await loop.run_in_executor(None, llm.invoke, input.messages)  # expect: RLO209
        reply = {"role": "assistant", "content": answer.content}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
```

## Use instead

```python
import asyncio

from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client
from langchain_openai import ChatOpenAI


class ThreadRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        llm = ChatOpenAI(model=input.model_resource.model_name)
        trace_client(llm)
        answer = await asyncio.to_thread(llm.invoke, input.messages)
        reply = {"role": "assistant", "content": answer.content}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
```

## Source

Measured with dashscope 2.0.2: the span becomes a root without `rollout_id` in each of these cases, and stays
in the tree with `asyncio.to_thread`, `copy_context().run` and `async def` sub-rewards. Both documents promise
one nested tree.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.places import location, note, place
from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """LLM 或工具调用在其调用链之外运行。

## 作用

查找在另一个线程中、没有带上下文运行的已追踪的 LLM 与工具调用：交给 `run_in_executor`、`ThreadPoolExecutor`
的 `submit` 或 `map`、`Thread` 的；以及 `@reward_func` 类中普通 `def` 的子奖励或聚合方法里的，SDK 会在线程中运
行它们。`asyncio.to_thread`、`copy_context().run` 和 `async def` 的子奖励会保留上下文。

## 影响

Span 会被导出，但自成一条链路，没有 rollout 的 ID：控制台上该轨迹的 Span 树里看不到它，也无从找起。

## 依据

在 dashscope 2.0.2 上实测：以上各种情况下 Span 都成为没有 `rollout_id` 的根 Span；使用 `asyncio.to_thread`、
`copy_context().run` 和 `async def` 子奖励时则仍在树中。两份文档承诺所有 Span 自动嵌套成一棵树。
"""

_CALL = Text("this call's span leaves the trace", "该调用的 Span 会脱离调用链")
_KINDS = {"llm": "LLM", "tool": "TOOL"}


class SpanOutsideItsTrace(Rule):
    """Reports what runs traced calls without the context of their trace."""

    code = "RLO209"
    name = "span-outside-its-trace"
    severity = Severity.WARNING
    messages = {
        "thread": Text(
            "`{way}` runs a traced call ({call}) without its context: the console will not show its {kind} "
            "span in the trajectory's tree. Use `asyncio.to_thread`, or hand `copy_context().run` over with "
            "it.",
            "`{way}` 在没有上下文的情况下运行已追踪的调用（{call}）：控制台上该轨迹的 Span 树里看不到它的 "
            "{kind} Span。请使用 `asyncio.to_thread`，或连同 `copy_context().run` 一起交出。",
        ),
        "sub-reward": Text(
            "This plain `def` sub-reward runs in a thread of its own: the console will not show the {kind} "
            "span of its call ({call}) in the tree. Make it `async def`.",
            "该普通 `def` 的子奖励在单独的线程中运行：控制台的 Span 树里看不到其中调用（{call}）的 {kind} "
            "Span。请写成 `async def`。",
        ),
        "aggregate": Text(
            "This plain `def` aggregate runs in a thread of its own: the console will not show the {kind} "
            "span of its call ({call}) in the tree. Make it `async def`.",
            "该普通 `def` 的聚合方法在单独的线程中运行：控制台的 Span 树里看不到其中调用（{call}）的 {kind} "
            "Span。请写成 `async def`。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such place."""
        for found in workspace.flow.llm_spans.detached():
            yield self.finding(
                found.site.path,
                location(workspace, found.site),
                found.way if found.way in self.messages else "thread",
                {
                    "way": found.way,
                    "call": place(workspace, found.call),
                    "kind": _KINDS[found.kind],
                },
                notes=() if found.call == found.site else (note(workspace, found.call, _CALL),),
            )
