"""A function under `@observe_llm` does not take `model` and `messages` by keyword alone.

## What it does

Looks at the parameters of every function under `@observe_llm`: both must stand behind a `*`. The arguments
`request_model_arg`, `messages_arg` and `prompt_arg` of the decorator give them other names, and a
keyword-only `prompt` serves for messages. It also reports the decorator on a `staticmethod` or `classmethod`
object (above those decorators), where the call fails.

## Why it matters

The decorator reads the model and the messages from the keyword arguments of each call. What is passed by
position, or hidden in `**kwargs` or another name, is not on the span: the console shows `chat None`, or no
input.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_llm, observe_processor


class GatewayRollout(AbstractRolloutProcessor):
    @observe_llm
    async def _chat(self, model: str, messages: list) -> dict:  # expect: RLO204
        return await self.gateway.send(model, messages)

    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        answer = await self._chat(model=input.model_resource.model_name, messages=input.messages)
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

The fix puts a `*` in front of the parameters, and names the arguments of the calls that pass them by
position, in whatever file these are. It is safe where every call in the workspace passes them by keyword
then; else it is unsafe, since such a call would fail. It is not offered where a call that has to change with
it stands in a file that is not checked, or that a comment skips. Parameters that do not exist, and a
decorator on a static or class method object, have no fix.

## Source

Both documents, "@observe_llm" ("must have the keyword parameters model and messages after `*`"); measured
with dashscope 2.0.2: the decorator sees keyword arguments only.
"""

from __future__ import annotations

from typing import Iterator, Mapping, Optional, Sequence

from rlobs_lint.flow.domain.values import Site
from rlobs_lint.flow.questions.observed_functions import LlmCall, LlmFunction, LlmSignature, ObservedFunctions
from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Applicability, Finding, Fix, Severity, Target, Text, parameters
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """带有 `@observe_llm` 的函数没有把 `model` 和 `messages` 作为仅限关键字参数。

## 作用

检查每个带有 `@observe_llm` 的函数的参数：两者都必须在 `*` 之后。装饰器的 `request_model_arg`、
`messages_arg`、`prompt_arg` 可以指定其他名字；仅限关键字的 `prompt` 可以代替 messages。装饰器加在
`staticmethod` 或 `classmethod` 对象上（写在它们上面）也会报告，那样的调用会失败。

## 影响

装饰器从每次调用的关键字参数中读取模型名和消息。按位置传入的，或藏在 `**kwargs` 及其他名字里的，不会出现在
Span 上：控制台显示 `chat None`，或没有输入。

## 修复安全性

修复会在这些参数前加上 `*`，并为按位置传入它们的调用（无论在哪个文件中）写上参数名。此后工作区中的每个调用都以
关键字传入时，是安全的；否则是不安全的，因为这样的调用会失败。如果需要一并修改的调用位于未检查或被注释跳过的
文件中，则不提供修复。参数不存在，或装饰器加在静态方法、类方法对象上时，也不提供修复。

## 依据

两份文档的“@observe_llm”一节（“函数必须包含 `*` 后的关键字参数 `model` 和 `messages`”）；在 dashscope 2.0.2 上
实测：装饰器只看得到关键字参数。
"""

_TITLE = Text("Make {names} keyword-only", "将 {names} 改为仅限关键字参数")
_TITLE_WITH_CALLS = Text(
    "Make {names} keyword-only, and pass them so in its calls",
    "将 {names} 改为仅限关键字参数，并在调用处以关键字传入",
)
_TITLE_WITH_FAILURES = Text(
    "Make {names} keyword-only; calls that go on passing them by position will fail",
    "将 {names} 改为仅限关键字参数；仍按位置传入的调用将会失败",
)
_NONE_TO_MARK = Text(
    "the parameters do not exist, or cannot be made keyword-only", "参数不存在，或无法改为仅限关键字参数"
)


class ObserveLlmSignature(Rule):
    """Reports a function whose signature hides model or messages from the span."""

    code = "RLO204"
    name = "observe-llm-signature"
    severity = Severity.ERROR
    fixes = ("safe", "unsafe", "none")
    messages = {
        "loose": Text(
            "`{function}` takes {names} by position, too: its LLM spans in the console will lack them, "
            "except where a call happens to pass them by keyword. Put a `*` in front of them.",
            "`{function}` 也能按位置接收 {names}：除非调用恰好以关键字传入，控制台上它的 LLM Span 将缺少这些"
            "内容。请在它们前面加上 `*`。",
        ),
        "missing": Text(
            "`{function}` has no keyword-only {names}: its LLM spans in the console will lack them. Take "
            "them behind a `*`, or name the parameters that hold them in the decorator.",
            "`{function}` 没有仅限关键字的 {names}：控制台上它的 LLM Span 将缺少这些内容。请在 `*` 之后接收"
            "它们，或在装饰器中指定对应的参数名。",
        ),
        "object": Text(
            "`@observe_llm` is above `@{on}` on `{function}`: its calls fail, or make LLM spans without "
            "output in the console. Put `@{on}` on top.",
            "`{function}` 的 `@observe_llm` 写在了 `@{on}` 上面：调用会失败，或在控制台留下没有输出的 LLM "
            "Span。请把 `@{on}` 放到最上面。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such function."""
        functions = workspace.flow.observed_functions
        calls = {call.site: call for call in functions.calls() if call.can_be_mended}
        for found in functions.signatures():
            site = found.function.site
            is_read = not _may_be_called_unseen(found.function, workspace)
            fix = _fix(found, _calls_of(found.function, functions, calls), is_read)
            yield self.finding(
                site.path,
                location(workspace, site),
                "object" if found.on else "missing" if found.missing else "loose",
                {
                    "function": found.function.node.name,
                    "names": ", ".join(f"`{name}`" for name in found.loose),
                    "on": found.on,
                },
                fix=fix,
                unfixable=None if fix else _NONE_TO_MARK,
            )


def _fix(found: LlmSignature, calls: Sequence[LlmCall], is_read: bool) -> Optional[Fix]:
    """Returns a fix that goes for the function and for its calls, since these would fail without it.

    Args:
        found: The function.
        calls: Its calls that are to be changed.
        is_read: Whether all files that may call it could be read.
    """
    if not found.can_be_mended:
        return None
    function = found.function
    mended = [call for call in calls if _means_the_same(call.function, function)]
    fits = found.all_fit and is_read and len(mended) == len(calls)
    names = parameters({"names": ",".join(found.loose)})
    targets = [Target("make_keyword_only", function.node.at, names, function.site.path)]
    targets += [
        Target(
            "pass_by_keyword", call.site.span, parameters({"names": ",".join(call.spelled)}), call.site.path
        )
        for call in mended
    ]
    if not fits:
        return Fix(Applicability.UNSAFE, _TITLE_WITH_FAILURES, function.site.path, tuple(targets))
    title = _TITLE_WITH_CALLS if mended else _TITLE
    return Fix(Applicability.SAFE, title, function.site.path, tuple(targets))


def _calls_of(
    function: LlmFunction, functions: ObservedFunctions, calls: Mapping[Site, LlmCall]
) -> Sequence[LlmCall]:
    """Returns the calls of a function that pass arguments by position and can name them."""
    sites = dict.fromkeys(record.site for record in functions.calls_of(function.definition))
    return [calls[site] for site in sites if site in calls]


def _may_be_called_unseen(function: LlmFunction, workspace: Workspace) -> bool:
    """Whether a file that does not parse mentions a function."""
    broken = (module for module in workspace.modules.values() if module.facts.error is not None)
    return any(function.node.name in module.source.text for module in broken)


def _means_the_same(called: LlmFunction, function: LlmFunction) -> bool:
    """Whether the names of arguments are those of a function, too, where a call may reach several."""
    names = [[parameter.name for parameter in one.node.parameters] for one in (called, function)]
    return names[0] == names[1]
