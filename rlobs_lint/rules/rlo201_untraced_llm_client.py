"""An LLM client is used without `trace_client`.

## What it does

Follows every client that function code builds (`OpenAI`, `AsyncOpenAI`, `AzureOpenAI`, `AsyncAzureOpenAI`,
`ChatOpenAI`, `AzureChatOpenAI`, subclasses of them in the workspace, and what the setting `llm-clients`
names) and every DashScope class whose `call` is used, through names, attributes, collections, parameters and
results. It is reported where some path calls the model, or hands the client to other code that will, and
does not trace it. A client that is never used is left alone, and so are embeddings and calls inside an LLM
span of one's own.

## Why it matters

Nothing fails. The calls of this client make no LLM span: the console shows no model name, request, tokens
or latency for them, and the trajectory's span tree has a hole.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor
from langchain_openai import ChatOpenAI


class ChatRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        llm = ChatOpenAI(model=input.model_resource.model_name)  # expect: RLO201
        answer = await llm.ainvoke(input.messages)
        return RolloutOutput(agent_output={"messages": [*input.messages, answer.model_dump()]})
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client
from langchain_openai import ChatOpenAI


class ChatRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        llm = ChatOpenAI(model=input.model_resource.model_name)
        trace_client(llm)
        answer = await llm.ainvoke(input.messages)
        return RolloutOutput(agent_output={"messages": [*input.messages, answer.model_dump()]})
```

## Fix safety

Safe: `trace_client` records the calls and hands their results on. No fix is offered

- where a synchronous call streams or may stream, since a traced client raises `TypeError` there: with
  `stream=True`, `streaming=True`, `stream()` of a model or chain, and every run of a LangGraph agent with
  `stream_mode="messages"`;
- where the type of an OpenAI client's answer matters (`isinstance`, `dict`, pydantic): the traced synchronous
  `create` returns an object that only behaves like a `ChatCompletion`;
- where tracing is no help, since no call is of a kind that it covers (see `traced-client-bypassed`);
- where the client has no name and cannot be given one.

## Source

Both documents, "trace_client()"; measured with dashscope 2.0.2: an untraced client makes no LLM span, and
no warning is given.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.llm_spans import UntracedClient
from rlobs_lint.flow.questions.places import location, note, place
from rlobs_lint.model import Applicability, Finding, Fix, Severity, Target, Text, parameters
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """使用了 LLM 客户端，却没有用 `trace_client` 追踪。

## 作用

跟踪函数代码中构造的每个客户端（`OpenAI`、`AsyncOpenAI`、`AzureOpenAI`、`AsyncAzureOpenAI`、`ChatOpenAI`、
`AzureChatOpenAI`、它们在工作区中的子类，以及配置项 `llm-clients` 所列的），以及被使用了 `call` 的 DashScope
类，包括经过变量、属性、集合、参数和返回值的传递。只要有一条路径调用了模型，或把客户端交给会调用模型的其他代
码，却没有追踪它，就会报告。从未使用的客户端、向量化调用，以及在自建 LLM Span 中的调用不会报告。

## 影响

不会报错，但该客户端的调用没有 LLM Span：控制台看不到模型名、请求内容、Token 用量和延迟，轨迹的 Span 树缺了一
块。

## 修复安全性

安全：`trace_client` 只记录调用，并返回其结果。以下情况不提供修复：

- 有（或可能有）同步的流式调用，追踪后会抛出 `TypeError`：`stream=True`、`streaming=True`、模型或链的
  `stream()`，以及以 `stream_mode="messages"` 运行 LangGraph agent；
- 代码依赖 OpenAI 客户端返回值的类型（`isinstance`、`dict`、pydantic）：追踪后的同步 `create` 返回的对象只是行
  为上与 `ChatCompletion` 相同；
- 所有调用都是追踪覆盖不到的方式，追踪也无济于事（见 `traced-client-bypassed`）；
- 客户端没有名字，也无法为它取名。

## 依据

两份文档的“trace_client()”一节；在 dashscope 2.0.2 上实测：没有追踪的客户端不产生 LLM Span，也没有警告。
"""

_USED = Text("it is used here", "在这里使用")
_TITLE = Text("Trace it with `trace_client`", "用 `trace_client` 追踪它")
_HINDRANCES = {
    "streams": Text(
        "a traced client raises `TypeError` where a synchronous call streams, and one does or may",
        "追踪之后，同步的流式调用会抛出 `TypeError`，而这里有（或可能有）这样的调用",
    ),
    "inspected": Text(
        "the answers of a traced client are no `ChatCompletion`, and their type matters to the code",
        "追踪之后，返回值不再是 `ChatCompletion`，而代码依赖于它的类型",
    ),
    "uncovered": Text(
        "its calls are of a kind that has no LLM span when it is traced, either",
        "它的调用方式即使追踪也没有 LLM Span",
    ),
    "field": Text(
        "each instance of the class builds its own; trace that, as in `trace_client(holder.client)`",
        "该类的每个实例都会构造自己的客户端；请追踪那个客户端，如 `trace_client(holder.client)`",
    ),
    "handed": Text("its `call` is handed to other code", "它的 `call` 被交给了其他代码"),
}


class UntracedLlmClient(Rule):
    """Reports a client that some path uses untraced."""

    code = "RLO201"
    name = "untraced-llm-client"
    severity = Severity.ERROR
    fixes = ("safe", "none")
    messages = {
        "client": Text(
            "`{name}` built here is used ({use}) without `trace_client` on some path: the console will show "
            "no LLM span for its calls, neither model and request nor tokens and latency. Trace it right "
            "after it is built.",
            "这里构造的 `{name}` 在某条路径上未经 `trace_client` 追踪就被使用（{use}）：控制台看不到其调用"
            "的 LLM Span，没有模型名、请求内容、Token 用量和延迟。请在构造之后立即追踪。",
        ),
        "class": Text(
            "`{name}` is called without `trace_client({name})` on some path: the console will show no LLM "
            "span for its calls, neither model and request nor tokens and latency. Trace the class once, "
            "before its first call.",
            "`{name}` 在某条路径上未经 `trace_client({name})` 追踪就被调用：控制台看不到其调用的 LLM Span，"
            "没有模型名、请求内容、Token 用量和延迟。请在首次调用之前对类追踪一次。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such client, and for the first call of each such class in a file."""
        for found in workspace.flow.llm_spans.untraced():
            yield self.finding(
                found.site.path,
                location(workspace, found.site),
                "class" if found.is_class else "client",
                {"name": found.name, "use": place(workspace, found.use)},
                fix=None if found.hindrance else _fix(found),
                unfixable=_HINDRANCES.get(found.hindrance),
                notes=() if found.use == found.site else (note(workspace, found.use, _USED),),
            )


def _fix(found: UntracedClient) -> Fix:
    if found.is_class:
        target = Target("add_class_trace", found.site.span)
    else:
        target = Target("add_trace_call", found.value.span, parameters({"function": "trace_client"}))
    return Fix(Applicability.SAFE, _TITLE, found.site.path, (target,))
