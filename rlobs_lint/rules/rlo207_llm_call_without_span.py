"""A model is called in a way that `trace_client` cannot see, and no LLM span is around it.

## What it does

Looks for requests to a chat endpoint by plain HTTP (`requests`, `httpx`, `aiohttp`, `urllib`): an address
that ends in `/chat/completions`, `/completions`, `/messages` or `/generation`, or that is built from
`model_resource.base_url`. Also for calls of chat models and clients that `trace_client` cannot patch
(Anthropic, `ChatTongyi`, `ChatOllama`, `litellm` and others) or does not help (`AioGeneration`). They are
fine inside a function under `@observe_llm`, a `genai_llm_span` block or `run_with_genai_llm_span`.

## Why it matters

The call makes no LLM span: the console shows no model name, request, tokens or latency for it.

## Example

```python
import httpx

from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class HttpRollout(AbstractRolloutProcessor):
    async def _chat(self, *, model: str, messages: list, base_url: str) -> dict:
        async with httpx.AsyncClient(timeout=60) as http:
            response = await http.post(  # expect: RLO207
                f"{base_url}/chat/completions", json={"model": model, "messages": messages}
            )
        return response.json()

    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        source = input.model_resource
        answer = await self._chat(model=source.model_name, messages=input.messages, base_url=source.base_url)
        return RolloutOutput(agent_output={"messages": [*input.messages, answer["choices"][0]["message"]]})
```

## Use instead

```python
import httpx

from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_llm, observe_processor
from openai.types.chat import ChatCompletion


class HttpRollout(AbstractRolloutProcessor):
    @observe_llm
    async def _chat(self, *, model: str, messages: list, base_url: str) -> ChatCompletion:
        async with httpx.AsyncClient(timeout=60) as http:
            response = await http.post(
                f"{base_url}/chat/completions", json={"model": model, "messages": messages}
            )
        return ChatCompletion.model_validate(response.json())

    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        source = input.model_resource
        answer = await self._chat(model=source.model_name, messages=input.messages, base_url=source.base_url)
        reply = {"role": "assistant", "content": answer.choices[0].message.content}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
```

## Source

Both documents, "@observe_llm" (for clients that `trace_client()` does not detect); measured with dashscope
2.0.2: none of these clients makes an LLM span by itself or through `trace_client`. Under `@observe_llm`, of a
result that is a text or a dictionary the span has neither output nor tokens; of an object with the
attributes of OpenAI's completion it has both.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """以 `trace_client` 无法识别的方式调用了模型，且外面没有 LLM Span。

## 作用

查找以普通 HTTP（`requests`、`httpx`、`aiohttp`、`urllib`）发往对话接口的请求：地址以 `/chat/completions`、
`/completions`、`/messages` 或 `/generation` 结尾，或由 `model_resource.base_url` 拼成；以及对 `trace_client`
不支持的模型和客户端（Anthropic、`ChatTongyi`、`ChatOllama`、`litellm` 等）或追踪后仍无内容的
（`AioGeneration`）的调用。放在带 `@observe_llm` 的函数、`genai_llm_span` 代码块或 `run_with_genai_llm_span`
中则没有问题。

## 影响

该调用没有 LLM Span：控制台看不到它的模型名、请求内容、Token 用量和延迟。

## 依据

两份文档的“@observe_llm”一节（用于 `trace_client()` 无法自动检测的客户端）；在 dashscope 2.0.2 上实测：这些客
户端自身或经 `trace_client` 都不产生 LLM Span。在 `@observe_llm` 之下，返回值若是文本或字典，Span 没有输出和
Token 用量；若是带有 OpenAI completion 属性的对象，则两者都有。
"""


class LlmCallWithoutSpan(Rule):
    """Reports a model call that leaves no LLM span."""

    code = "RLO207"
    name = "llm-call-without-span"
    severity = Severity.WARNING
    messages = {
        "http": Text(
            "This request reaches a chat endpoint by plain HTTP (`{name}`): the console will show no LLM "
            "span for it. Put it into a function under `@observe_llm` with keyword-only `model` and "
            "`messages`.",
            "该请求以普通 HTTP（`{name}`）访问对话接口：控制台看不到它的 LLM Span。请把它放进带 "
            "`@observe_llm`、以 `model` 和 `messages` 为仅限关键字参数的函数。",
        ),
        "unsupported": Text(
            "`trace_client` cannot patch `{name}`, which this calls: the console will show no LLM span for "
            "it. Put it into a function under `@observe_llm` with keyword-only `model` and `messages`.",
            "这里调用的 `{name}` 不受 `trace_client` 支持：控制台看不到它的 LLM Span。请把它放进带 "
            "`@observe_llm`、以 `model` 和 `messages` 为仅限关键字参数的函数。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such call."""
        for found in workspace.flow.llm_spans.bare():
            yield self.finding(
                found.site.path, location(workspace, found.site), found.what, {"name": found.name}
            )
