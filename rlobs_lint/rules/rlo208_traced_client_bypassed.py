"""A traced client is used through something that the trace does not cover.

## What it does

Looks at the chat calls of traced clients for those that the patch of `trace_client` misses
(`with_structured_output` by default, `bind(response_format=...)`, `parse`, `responses.create`, the legacy
`completions.create`, everything below `client.beta.chat`, `use_responses_api=True`, a copy by `with_options`
or `copy`), those that it breaks (`stream=True`, `.stream(...)` of a model or chain, `streaming=True` and
`stream_mode="messages"` of an agent in synchronous code, `chat.completions.stream` everywhere), and those
whose span stays empty (asynchronous streams, `with_streaming_response`, `AioGeneration`).

## Why it matters

Such calls make no LLM span, or one without output and tokens, though the client is traced; the broken ones
raise `TypeError` in the middle of the rollout.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client
from langchain_openai import ChatOpenAI

SCHEMA = {"title": "answer", "type": "object", "properties": {"text": {"type": "string"}}}


class TypedRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        llm = ChatOpenAI(model=input.model_resource.model_name)
        trace_client(llm)
        typed = llm.with_structured_output(SCHEMA)  # expect: RLO208
        answer = await typed.ainvoke(input.messages)
        return RolloutOutput(agent_output={"messages": [*input.messages, answer]})
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client
from langchain_openai import ChatOpenAI

SCHEMA = {"title": "answer", "type": "object", "properties": {"text": {"type": "string"}}}


class TypedRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        llm = ChatOpenAI(model=input.model_resource.model_name)
        trace_client(llm)
        typed = llm.with_structured_output(SCHEMA, method="function_calling")
        answer = await typed.ainvoke(input.messages)
        return RolloutOutput(agent_output={"messages": [*input.messages, answer]})
```

## Source

Measured with dashscope 2.0.2, langchain-openai 1.2 and 1.7, openai 2.54 and 3.57: each of these was called
on a traced client, and the exported spans were counted. Both documents, "trace_client()", promise a span for
every call.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """已追踪的客户端以追踪所覆盖不到的方式使用。

## 作用

在已追踪客户端的对话调用中，查找 `trace_client` 覆盖不到的（默认方式的 `with_structured_output`、
`bind(response_format=...)`、`parse`、`responses.create`、旧的 `completions.create`、`client.beta.chat` 之下的
所有调用、`use_responses_api=True`、由 `with_options` 或 `copy` 得到的副本）、会被它弄坏的（同步代码中的
`stream=True`、模型或链的 `.stream(...)`、`streaming=True`、agent 的 `stream_mode="messages"`，以及任何地方
的 `chat.completions.stream`），以及 Span 会留空的（异步流式调用、`with_streaming_response`、
`AioGeneration`）。

## 影响

客户端虽已追踪，这些调用却没有 LLM Span，或 Span 没有输出和 Token 用量；被弄坏的调用会在 rollout 途中抛出
`TypeError`。

## 依据

在 dashscope 2.0.2、langchain-openai 1.2 与 1.7、openai 2.54 与 3.57 上实测：在已追踪的客户端上逐一调用，并统
计导出的 Span。两份文档的“trace_client()”一节承诺所有请求都会产生 Span。
"""


class TracedClientBypassed(Rule):
    """Reports uses of a traced client that leave no span, or no whole one."""

    code = "RLO208"
    name = "traced-client-bypassed"
    severity = Severity.WARNING
    messages = {
        "missing": Text(
            "`{api}` of a traced `{name}` is not covered by the trace: the console will show no LLM span "
            "for these calls. Use a call that is covered, or put it into a function under `@observe_llm`.",
            "已追踪的 `{name}` 的 `{api}` 不在追踪范围内：控制台看不到这些调用的 LLM Span。请改用受支持的调"
            "用方式，或把它放进带 `@observe_llm` 的函数。",
        ),
        "structured": Text(
            "`{api}` of a traced `{name}` is not covered by the trace: the console will show no LLM span "
            'for these calls. Pass `method="function_calling"`, or put the call into a function under '
            "`@observe_llm`.",
            "已追踪的 `{name}` 的 `{api}` 不在追踪范围内：控制台看不到这些调用的 LLM Span。请传入 "
            '`method="function_calling"`，或把调用放进带 `@observe_llm` 的函数。',
        ),
        "copy": Text(
            "`{api}` makes another client of the traced `{name}`, which is not traced: the console will "
            "show no LLM span for its calls. Trace the new client, too.",
            "`{api}` 由已追踪的 `{name}` 得到另一个客户端，它没有被追踪：控制台看不到其调用的 LLM Span。请对"
            "新的客户端也进行追踪。",
        ),
        "raises": Text(
            "`{api}` of a traced `{name}` raises `TypeError`: the rollout fails, and the console will show "
            "an LLM span without output. Do not stream here, or leave the client untraced and use "
            "`@observe_llm`.",
            "已追踪的 `{name}` 的 `{api}` 会抛出 `TypeError`：rollout 会失败，控制台上的 LLM Span 没有输出。"
            "请不要使用流式调用，或不追踪该客户端而改用 `@observe_llm`。",
        ),
        "empty": Text(
            "The LLM span of `{api}` of a traced `{name}` ends before the answer: the console will show it "
            "without output and tokens. Do not stream here, or collect the answer in a function under "
            "`@observe_llm`.",
            "已追踪的 `{name}` 的 `{api}` 的 LLM Span 在回答之前就已结束：控制台看不到输出和 Token 用量。"
            "请不要使用流式调用，或在带 `@observe_llm` 的函数中收集回答。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such use."""
        spans = workspace.flow.llm_spans
        for found in spans.bypassed():
            message = found.effect
            if message == "missing":
                special = {"with_structured_output": "structured", "with_options": "copy", "copy": "copy"}
                message = special.get(found.api, message)
            yield self.finding(
                found.site.path,
                location(workspace, found.site),
                message,
                {"api": found.api, "name": spans.client_name(found.number)},
            )
