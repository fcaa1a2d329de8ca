"""`trace_client` is given something that it does not patch.

## What it does

Judges the argument of every `trace_client` call. It patches OpenAI clients, their `chat.completions`,
LangChain models that have such a client inside, and DashScope classes. It does not patch a client class, a
structured output, `with_retry`, `with_fallbacks`, a chain, an agent, a list or dictionary of clients, an
object of one's own that wraps a client, or clients of other vendors. Embeddings are no chat model; for
`Generation()` the document asks for the class.

## Why it matters

At most one warning is logged; the calls go on without an LLM span, so the console shows no model name,
request, tokens or latency for them though the code looks traced. A traced embedding model is the other
way round: each of its calls is shown as an LLM span, without input and output.

## Example

```python
from dashscope import Generation
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client

trace_client(Generation())  # expect: RLO203


class QwenRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        answer = Generation.call(model=input.model_resource.model_name, messages=input.messages)
        return RolloutOutput(agent_output={"messages": [*input.messages, answer.output.choices[0].message]})
```

## Use instead

```python
from dashscope import Generation
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client

trace_client(Generation)


class QwenRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        answer = Generation.call(model=input.model_resource.model_name, messages=input.messages)
        return RolloutOutput(agent_output={"messages": [*input.messages, answer.output.choices[0].message]})
```

## Fix safety

Safe for an object of a DashScope class: the fix passes the class, whose `call` is what gets patched. For all
other arguments no fix is offered: what should be traced stands elsewhere, or has to become a function
under `@observe_llm`.

## Source

Both documents, "trace_client()" (the supported types; "the class itself, not an instance"); measured with
dashscope 2.0.2 for every other kind of argument. Of an instance such as `Generation()` that version patches
the class all the same: there only the documents ask for the class. Of a model `with_fallbacks` it patches
the first model, and not the others.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Applicability, Finding, Fix, Severity, Target, Text, parameters
from rlobs_lint.rulebook.refusals import CLIENT_MESSAGES
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """传给 `trace_client` 的对象它并不支持。

## 作用

检查每个 `trace_client` 调用的实参。它支持 OpenAI 客户端、其 `chat.completions`、内部带有这类客户端的
LangChain 模型，以及 DashScope 的类；不支持客户端的类、结构化输出、`with_retry`、`with_fallbacks`、链、agent、
客户端的列表或字典、自己包装了客户端的对象，以及其他厂商的客户端。向量化模型不是对话模型；`Generation()`
按文档应传入类本身。

## 影响

最多只有一条警告；调用照常进行，却没有 LLM Span：代码看似已追踪，控制台却没有模型名、请求内容、Token 用量和延
迟。向量化模型则相反：它的每次调用都会显示为一个没有输入和输出的 LLM Span。

## 修复安全性

对 DashScope 类的实例是安全的：修复改为传入类本身，被追踪的正是类的 `call`。其他实参不提供修复：应追踪的对象在
别处，或需要改写成带 `@observe_llm` 的函数。

## 依据

两份文档的“trace_client()”一节（支持的客户端类型；“传入类本身，非实例”）；其他各种实参均在 dashscope 2.0.2 上
实测。对 `Generation()` 这样的实例，该版本仍会包装其类：那里只是文档要求传入类本身。对 `with_fallbacks` 的对
象，它只包装第一个模型，不包装其余模型。
"""

_TITLE = Text("Pass the class to `trace_client`", "将类本身传给 `trace_client`")
_NO_FIX = Text("what should be traced instead is not plain", "看不出应改为追踪什么")


class TraceClientUnsupported(Rule):
    """Reports a `trace_client` call that traces nothing."""

    code = "RLO203"
    name = "trace-client-unsupported"
    severity = Severity.ERROR
    fixes = ("safe", "none")
    messages = CLIENT_MESSAGES

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such call."""
        for found in workspace.flow.llm_spans.unsupported():
            fix = None
            if found.what == "generation-instance":
                name = parameters({"class": workspace.flow.llm_spans.class_spelling(found)})
                target = Target("trace_the_class", found.site.span, name)
                fix = Fix(Applicability.SAFE, _TITLE, found.site.path, (target,))
            yield self.finding(
                found.site.path,
                location(workspace, found.site),
                found.what if found.what in self.messages else "object",
                fix=fix,
                unfixable=None if fix else _NO_FIX,
            )
