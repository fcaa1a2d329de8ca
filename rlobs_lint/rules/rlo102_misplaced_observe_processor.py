"""`@observe_processor` is on something other than a processor's `process`.

## What it does

Looks at everything that the decorator is put on: a helper that `process` calls, `setup`, a sub-reward or
aggregate method, a plain function, a whole class, or the `process` of a class that is no processor. The
`process` of a mixin that a processor inherits is the right place.

## Why it matters

The decorator opens the ENTRY span of one run of the processor and takes the method's first argument for
its input. On a helper the console shows that helper's argument, result and time in place of the
processor's, once per call. On `setup`, which has no input, or on a class it raises while the server starts.
On a plain function or another class it makes no span, only a warning.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class EchoRollout(AbstractRolloutProcessor):
    async def process(self, input: RolloutInput) -> RolloutOutput:
        return await self._answer(input)

    @observe_processor  # expect: RLO102
    async def _answer(self, input: RolloutInput) -> RolloutOutput:
        return RolloutOutput(agent_output={"messages": input.messages})
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class EchoRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        return await self._answer(input)

    async def _answer(self, input: RolloutInput) -> RolloutOutput:
        return RolloutOutput(agent_output={"messages": input.messages})
```

## Fix safety

Unsafe: the fix moves the decorator to an undecorated `process` of the same file, or takes it away where
there is none. Spans that somebody may look for then bear other inputs and times, or are gone.

## Source

Both documents, "@observe_processor" ("on the process() method"); measured with dashscope 2.0.2: on
`setup` the start fails, on a class the name becomes a function, on other functions there is no span.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.entry_spans import Misplaced
from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Applicability, Finding, Fix, Severity, Target, Text, parameters
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """`@observe_processor` 没有加在处理器的 `process` 上。

## 作用

检查该装饰器加在了什么上面：被 `process` 调用的辅助方法、`setup`、子奖励或聚合方法、普通函数、整个类，或者并非
处理器的类的 `process`。处理器所继承的 mixin 的 `process` 是正确的位置。

## 影响

该装饰器为处理器的一次运行创建 ENTRY Span，并把方法的第一个参数当作输入。加在辅助方法上，控制台显示的是该方法
的参数、结果和耗时，而不是处理器的，而且每调用一次就多一个；加在没有输入的 `setup` 或类上，服务启动时就会报
错；加在普通函数或其他类上则没有 Span，只有一条警告。

## 修复安全性

不安全：修复会把装饰器移到同一文件中尚无装饰器的 `process` 上，没有这样的方法时则去掉它。已有的 Span 会换成别
的输入和耗时，或者消失。

## 依据

两份文档的“@observe_processor”一节（“加在 `process()` 方法上”）；在 dashscope 2.0.2 上实测：加在 `setup` 上启
动失败，加在类上类名变成函数，加在其他函数上没有 Span。
"""

_MOVE = Text("Move `@observe_processor` to `process`", "将 `@observe_processor` 移到 `process` 上")
_REMOVE = Text("Remove `@observe_processor`", "去掉 `@observe_processor`")
_CALLED = Text("it is applied by a call, not by an `@`", "它是以调用方式而不是 `@` 使用的")


class MisplacedObserveProcessor(Rule):
    """Reports an entry decorator that is on no `process` of a processor."""

    code = "RLO102"
    name = "misplaced-observe-processor"
    severity = Severity.ERROR
    fixes = ("unsafe",)
    messages = {
        "method": Text(
            "`@observe_processor` is on the helper `{name}`: the console will show the helper's argument, "
            "result and time as the processor's, or no ENTRY span at all. Put it on `process`.",
            "`@observe_processor` 加在了辅助方法 `{name}` 上：控制台会把它的参数、结果和耗时当作处理器的，"
            "或者根本没有 ENTRY Span。请加在 `process` 上。",
        ),
        "setup": Text(
            "`@observe_processor` is on `{name}`, which gets no input: the server will not start, and the "
            "console will show nothing. Put it on `process`.",
            "`@observe_processor` 加在了没有输入的 `{name}` 上：服务无法启动，控制台什么也不会显示。"
            "请加在 `process` 上。",
        ),
        "sub-reward": Text(
            "`@observe_processor` is on the sub-reward `{name}`: the console will show a REWARD span for "
            "this part and none for the whole. Wrap the generated `process` after the class instead.",
            "`@observe_processor` 加在了子奖励 `{name}` 上：控制台只有这一部分的 REWARD Span，没有整体的。"
            "请在类之后包装自动生成的 `process`。",
        ),
        "function": Text(
            "`@observe_processor` is on the function `{name}`, not on a processor's `process`: the console "
            "will show no ENTRY span for it. Put it on `process`.",
            "`@observe_processor` 加在了函数 `{name}` 上，而不是处理器的 `process` 上：控制台不会有它的 "
            "ENTRY Span。请加在 `process` 上。",
        ),
        "class": Text(
            "`@observe_processor` is on the class `{name}` and turns its name into a function: the server "
            "cannot build it, and the console will show nothing. Put it on `process`.",
            "`@observe_processor` 加在了类 `{name}` 上，类名会变成函数：服务无法创建它，控制台什么也不会显"
            "示。请加在 `process` 上。",
        ),
        "other-process": Text(
            "`@observe_processor` is on the `process` of `{name}`, which is no processor: the console will "
            "show no ROLLOUT or REWARD span for it. Inherit a processor base, or take the decorator away.",
            "`@observe_processor` 加在了 `{name}` 的 `process` 上，但它不是处理器：控制台不会有它的 ROLLOUT "
            "或 REWARD Span。请继承处理器基类，或去掉该装饰器。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such decorator."""
        for found in workspace.flow.entry_spans.misplaced():
            yield self.finding(
                found.site.path,
                location(workspace, found.site),
                found.what,
                {"name": found.name},
                fix=None if found.is_call else _fix(found),
                unfixable=_CALLED if found.is_call else None,
            )


def _fix(found: Misplaced) -> Fix:
    path, process = found.site.path, found.process
    if process is None or process.module.path != path:
        target = Target("move_observe_processor", found.site.span)
        return Fix(Applicability.UNSAFE, _REMOVE, path, (target,))
    start, end = process.node.at
    place = parameters({"process_start": start, "process_end": end})
    return Fix(Applicability.UNSAFE, _MOVE, path, (Target("move_observe_processor", found.site.span, place),))
