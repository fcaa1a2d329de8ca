"""Tracing is switched off for a function.

## What it does

Flags a value of `ENABLE_TRAJECTORY` that switches tracing off: in the `runtime` environment of a function
component, in a job file or a script, and where function code sets it through `os.environ`. Only `true`,
`1` and `yes`, in any case, keep tracing on; an empty or null value in a component leaves the default.
Under `observability:` and `training.resources.env` the SDK ignores the variable, and so does this rule.
Code below a condition that reads the environment, and `os.environ.setdefault`, are left alone.

## Why it matters

Without tracing no span is exported, and nothing says so: the tracing page of the console stays blank for
the whole training.

## Example

```yaml
# file: job.yaml
functions:
- type: rollout
  name: qa-rollout
  runtime:
    env:
      ENABLE_TRAJECTORY: "off"  # expect: RLO601
```

```python
import os

from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor

os.environ["ENABLE_TRAJECTORY"] = "false"  # expect: RLO601


class QARollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        return await self.answer(input)
```

## Use instead

```yaml
# file: job.yaml
functions:
- type: rollout
  name: qa-rollout
  runtime:
    env:
      ENABLE_TRAJECTORY: "true"
```

## Source

Reinforcement learning document, cost governance: `ENABLE_TRAJECTORY` set to `false` is the command that
turns tracing off; on-policy distillation document, self-check for a blank tracing console. Measured with
dashscope 2.0.2: which values count as on, that the SDK drops empty ones, that `on` in quotes, `y`, `1.0`
and other numbers turn tracing off, and that a value set in code beats the platform's.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint import sdk
from rlobs_lint.flow.questions.environment import variables_set
from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.project.jobs.components import FieldValue, field_value
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """某个函数的追踪被关闭。

## 作用

报告会关闭追踪的 `ENABLE_TRAJECTORY` 取值：任务文件或脚本中函数组件的 `runtime.env`，以及函数代码通过
`os.environ` 的设置。只有 `true`、`1`、`yes`（不分大小写）保持开启；组件中的空值或 null 等于不设置。写在
`observability:` 或 `training.resources.env` 下的变量会被 SDK 忽略，本规则也不检查。读取环境变量的条件之下的
代码以及 `os.environ.setdefault` 也不检查。

## 影响

追踪关闭后不会上报任何 Span，也没有任何提示：整个训练期间控制台的 Tracing 页签一片空白。

## 依据

强化学习文档「开发期 vs 大规模训练的开关策略」：关闭命令为 `ENABLE_TRAJECTORY` 设为 `false`；在线策略蒸馏文档
自查项「Tracing 控制台空白」。实测（dashscope 2.0.2）：哪些取值算开启；空值会被 SDK 丢弃；带引号的 `on`、`y`、
`1.0` 及其他数字都会关闭追踪；代码中的设置优先于平台的设置。
"""

_SHOWN_LENGTH = 40


class TracingDisabled(Rule):
    """Reports values of the tracing variable that turn tracing off."""

    code = "RLO601"
    name = "tracing-disabled"
    severity = Severity.WARNING
    messages = {
        "component": Text(
            "`ENABLE_TRAJECTORY` is {value} here, which switches tracing off: no span of this function "
            "reaches the console; set it to `true`, or remove it",
            "这里的 `ENABLE_TRAJECTORY` 为 {value}，会关闭追踪：该函数没有任何 Span 到达控制台；"
            "请设为 `true` 或删除它",
        ),
        "code": Text(
            "This sets `ENABLE_TRAJECTORY` to {value}, which switches tracing off whatever the platform set: "
            "no span of this function reaches the console; remove the line",
            "这里把 `ENABLE_TRAJECTORY` 设为 {value}，会覆盖平台的设置并关闭追踪：该函数没有任何 Span 到达"
            "控制台；请删除这一行",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields one finding a value; components that share a value share the finding."""
        for component in workspace.components:
            for name, value in component.environment:
                if name == sdk.TRACING_VARIABLE and switches_tracing_off(value):
                    yield self.finding(component.path, value.location, "component", {"value": _shown(value)})
        for change in variables_set(workspace.flow, sdk.TRACING_VARIABLE):
            location = change.module.range(change.at)
            values = [field_value(location, value) for value in change.values]
            # Unlike a component's, a variable that code sets to nothing is not dropped: it stays off.
            if all(value.text == "" or switches_tracing_off(value) for value in values):
                yield self.finding(change.module.path, location, "code", {"value": _shown(values[0])})


def switches_tracing_off(value: FieldValue) -> bool:
    """Tells whether a value of `ENABLE_TRAJECTORY` surely turns tracing off."""
    if value.kind in ("unknown", "null", "empty"):
        return False
    text = str(value.value).strip().lower() if value.kind != "other" else value.kind
    return text != "" and text not in sdk.TRACING_ON_VALUES


def _shown(value: FieldValue) -> str:
    text = repr(value.value) if value.kind == "str" else str(value.value).lower()
    text = "..." if value.kind == "other" else text
    return text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 1] + "…"
