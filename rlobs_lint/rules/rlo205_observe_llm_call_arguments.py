"""A call of an `@observe_llm` function does not pass model and messages by keyword.

## What it does

Looks at every call of a function under `@observe_llm`: the model and the messages (or what the decorator's
arguments name instead) have to be passed by keyword. It reports those that are passed by position, and those
that are left to their defaults. Calls that unpack `*arguments` or `**options` whose content is not known are
not judged.

## Why it matters

The decorator reads the keyword arguments of the call and nothing else. The console shows the span of such a
call as `chat None` or without its input; where the parameters are keyword-only, the call raises `TypeError`.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_llm, observe_processor


class GatewayRollout(AbstractRolloutProcessor):
    @observe_llm
    async def _chat(self, *, model: str, messages: list) -> dict:
        return await self.gateway.send(model, messages)

    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        answer = await self._chat(input.model_resource.model_name, input.messages)  # expect: RLO205
        return RolloutOutput(agent_output={"messages": [*input.messages, answer]})
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_llm, observe_processor


class GatewayRollout(AbstractRolloutProcessor):
    @observe_llm
    async def _chat(self, *, model: str, messages: list) -> dict:
        return await self.gateway.send(model, messages)

    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        answer = await self._chat(model=input.model_resource.model_name, messages=input.messages)
        return RolloutOutput(agent_output={"messages": [*input.messages, answer]})
```

## Fix safety

Safe: the fix names the arguments, in their order. No fix is offered for an argument that is left to its
default, nor where the call goes through something else (`partial`, an executor).

## Source

Both documents, "@observe_llm"; measured with dashscope 2.0.2: positional arguments and defaults are not
on the span.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.observed_functions import LlmCall
from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Applicability, Finding, Fix, Severity, Target, Text, parameters
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """调用带有 `@observe_llm` 的函数时，没有以关键字传入模型名和消息。

## 作用

检查对带有 `@observe_llm` 的函数的每个调用：模型名和消息（或装饰器参数所指定的名字）必须以关键字传入。按位置传
入的，以及使用默认值而没有传入的，都会报告。解包内容未知的 `*arguments` 或 `**options` 的调用不作判断。

## 影响

装饰器只读取调用的关键字参数。控制台上这次调用的 Span 显示为 `chat None`，或没有输入；如果这些参数是仅限关键字
的，调用会抛出 `TypeError`。

## 修复安全性

安全：修复按原有顺序为实参加上名字。使用默认值的参数不提供修复；经由其他方式（`partial`、线程池）发起的调用也
不提供。

## 依据

两份文档的“@observe_llm”一节；在 dashscope 2.0.2 上实测：按位置传入的实参和默认值不会出现在 Span 上。
"""

_TITLE = Text("Pass {names} by keyword", "以关键字传入 {names}")
_INDIRECT = Text("the call does not pass them itself", "不是由该调用直接传入的")
_DEFAULT = Text(
    "which value to pass for what is left to its default is not known", "不知道应为使用默认值的参数传入什么值"
)


class ObserveLlmCallArguments(Rule):
    """Reports a call whose span will lack the model or the messages."""

    code = "RLO205"
    name = "observe-llm-call-arguments"
    severity = Severity.ERROR
    fixes = ("safe", "none")
    messages = {
        "position": Text(
            "This call passes {names} of `{function}` by position: its LLM span in the console will lack "
            "them. Pass them by keyword.",
            "该调用按位置传入了 `{function}` 的 {names}：控制台上它的 LLM Span 将缺少这些内容。请以关键字传"
            "入。",
        ),
        "default": Text(
            "This call leaves {names} of `{function}` to the default: its LLM span in the console will lack "
            "it. Pass it by keyword.",
            "该调用没有传入 `{function}` 的 {names}，而使用默认值：控制台上它的 LLM Span 将缺少该内容。请以"
            "关键字传入。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such call."""
        for found in workspace.flow.observed_functions.calls():
            names = found.by_position or found.missing
            is_mended = found.can_be_mended and not found.missing
            is_passed = found.by_position and not found.can_be_mended
            yield self.finding(
                found.site.path,
                location(workspace, found.site),
                "position" if found.by_position else "default",
                {"function": found.function.node.name, "names": ", ".join(f"`{name}`" for name in names)},
                fix=_fix(found) if is_mended else None,
                unfixable=None if is_mended else _INDIRECT if is_passed else _DEFAULT,
            )


def _fix(found: LlmCall) -> Fix:
    target = Target("pass_by_keyword", found.site.span, parameters({"names": ",".join(found.spelled)}))
    return Fix(Applicability.SAFE, _TITLE, found.site.path, (target,))
