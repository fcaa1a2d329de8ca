"""A processor's `process` opens no ENTRY span.

## What it does

Looks at every class that inherits one of the processor bases, also through other classes and files of
the workspace, and asks whether running its `process` opens an ENTRY span: because the method is
decorated, because it was wrapped afterwards (`Cls.process = observe_processor(Cls.process)`), or because
it calls a decorated `super().process(...)`. An abstract `process` is left alone, and so is a class that
only serves subclasses which open the span themselves.

## Why it matters

Nothing fails. The console's trajectory page lacks the ROLLOUT or REWARD span with input, output, time
and status, and the LLM and tool calls below it hang in the air. An override without the decorator loses
the span of its base class.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput


class EchoRollout(AbstractRolloutProcessor):
    async def process(self, input: RolloutInput) -> RolloutOutput:  # expect: RLO101
        return RolloutOutput(agent_output={"messages": input.messages})
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class EchoRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        return RolloutOutput(agent_output={"messages": input.messages})
```

## Fix safety

Safe: the decorator records what goes in and out and hands both on unchanged. Where `process` calls that of a
base class, and both lack it, the base class gets it, since two decorators open two spans. No fix is offered
where a call passes the input by keyword, since the decorated `process` does not know it under its name, nor
where a function makes `process`, since it may make others, too, nor where another class opens the span around
the same function by itself: that one would have two.

## Source

Both documents, "@observe_processor"; measured with dashscope 2.0.2: without it only the outer CHAIN span
is exported, and no warning is given.
"""

from __future__ import annotations

from typing import Iterator, Mapping

from rlobs_lint.flow.questions import decorating
from rlobs_lint.model import Applicability, Finding, Fix, Severity, Target, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """处理器的 `process` 没有创建 ENTRY Span。

## 作用

检查每个继承处理器基类的类（包括经由工作区内其他类和文件的继承），判断运行 `process` 时是否会创建 ENTRY Span：
方法带有装饰器、事后被包装（`Cls.process = observe_processor(Cls.process)`），或者调用了带装饰器的
`super().process(...)`，都算有。抽象的 `process` 不检查；只供子类继承、而子类自己会创建 Span 的类也不检查。

## 影响

不会报错，但控制台轨迹页没有 ROLLOUT 或 REWARD Span：输入、输出、耗时和状态都看不到，其下的 LLM 与工具调用也失
去了入口。重写 `process` 却漏掉装饰器，会丢掉基类原有的 Span。

## 修复安全性

安全：装饰器只记录输入和输出，并原样传递。如果 `process` 调用了基类的 `process` 而两者都没有装饰器，则加在基类
上，因为两个装饰器会创建两个 Span。如果有调用以关键字传入 input（加上装饰器后的 `process` 不认识这个名
字），或者 `process` 是由某个函数创建的（它还可能创建其他函数），或者另一个类已经自行为同一个函数创建了 Span
（加上装饰器后会有两个），则不提供修复。

## 依据

两份文档的“@observe_processor”一节；在 dashscope 2.0.2 上实测：没有装饰器时只会导出外层的 CHAIN Span，且没有任
何警告。
"""

_TITLE = Text("Add `@observe_processor`", "添加 `@observe_processor`")
#: What keeps a fix away, by the flow's word for it.
_HINDRANCES: Mapping[str, Text] = {
    decorating.NESTED: Text(
        "it is made inside a function, which may make other functions, too",
        "它是在函数内部创建的，该函数还可能创建其他函数",
    ),
    decorating.SHARED: Text(
        "another class opens the span around it, and would open two; wrap it in the class that lacks one: "
        "`process = observe_processor(...)`",
        "另一个类已经为它创建了 Span，加上装饰器后会有两个；请在缺少 Span 的类中包装："
        "`process = observe_processor(...)`",
    ),
    decorating.KEYWORD_CALL: Text(
        "a call passes the input by keyword, which fails once `process` is decorated; pass it by position",
        "有调用以关键字传入 input，加上装饰器后会报错；请按位置传入",
    ),
}


class MissingObserveProcessor(Rule):
    """Reports a `process` that runs without an ENTRY span."""

    code = "RLO101"
    name = "missing-observe-processor"
    severity = Severity.ERROR
    fixes = ("safe", "none")
    messages = {
        "own": Text(
            "`{cls}.process` opens no ENTRY span: the console will show no {kind} span for it. "
            "Decorate it with `@observe_processor`.",
            "`{cls}.process` 没有创建 ENTRY Span，控制台将看不到它的 {kind} Span。请加上 "
            "`@observe_processor` 装饰器。",
        ),
        "inherited": Text(
            "`{cls}.process`, which `{processor}` runs, opens no ENTRY span: the console will show no "
            "{kind} span for it. Decorate it with `@observe_processor`.",
            "`{processor}` 运行的 `{cls}.process` 没有创建 ENTRY Span，控制台将看不到它的 {kind} Span。"
            "请加上 `@observe_processor` 装饰器。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such `def process`."""
        for process in workspace.flow.entry_spans.undecorated():
            path = process.module.path
            owner = process.class_name or process.processor
            spans = workspace.flow.entry_spans
            hindrance = _HINDRANCES.get(spans.hindrance(process))
            opener = spans.opener(process)
            target = Target("add_observe_processor", opener.node.at, (), opener.module.path)
            yield self.finding(
                path,
                process.module.range(process.node.signature),
                "own" if owner == process.processor else "inherited",
                {
                    "cls": owner,
                    "processor": process.processor,
                    "kind": {"any": "processor"}.get(process.kind, process.kind.upper()),
                },
                fix=None if hindrance else Fix(Applicability.SAFE, _TITLE, path, (target,)),
                unfixable=hindrance,
            )
