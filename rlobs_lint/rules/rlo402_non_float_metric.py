"""A metric or score is not a number.

## What it does

Looks at the values of `reward_metrics` and `rollout_metrics`, and at `reward_score`, for what is surely no
number: text, bytes, `None`, a date, a function, an object, a member of an enumeration that is no `IntEnum`.
Types come from literals, conversions such as `str()` and `json.dumps()`, and annotations; what is not known
is left alone, and so are `int`, `bool`, numpy scalars, `Decimal` and `Fraction`, which become floats. Text
that spells a number is reported too: the SDK happens to convert it, the document asks for a float.

## Why it matters

The SDK refuses such a value: the server answers HTTP 500, and the sample has neither score nor metrics.
What is assigned to a finished result is not checked and leaves as it is, and in a sub-reward the SDK
swallows the error and scores the part 0. What is no number belongs in `rollout_extra`: it is stored, and no
metric.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class FormatReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        metrics = {"turns": turns, "weight": "0.5"}  # expect: RLO402
        return RewardOutput(reward=Reward(reward_score=1 / (1 + turns), reward_metrics=metrics))
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class FormatReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        metrics = {"turns": turns, "weight": 0.5}
        return RewardOutput(reward=Reward(reward_score=1 / (1 + turns), reward_metrics=metrics))
```

## Fix safety

Safe: a string literal that spells a number is replaced by that number, which is what the SDK makes of it.
Nothing is offered for other values, nor where the string is written elsewhere, nor where the code uses it
as text, too, or may do so: it has another name, its key is read, or the mapping goes to other code.

## Source

Document on distillation, "Custom metrics", value types ("each value is a float", "what is no float goes to
`rollout_extra`"); measured with dashscope 2.0.2: numeric text is converted, other text, `None`,
enumerations and dates raise a ValidationError, assignment to a finished result is not checked.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.metrics.values import NON_NUMBER, BadValue
from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Applicability, Finding, Fix, Severity, Target, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """指标或分数的值不是数值。

## 作用

检查 `reward_metrics`、`rollout_metrics` 的值以及 `reward_score`，查找可以确定不是数值的内容：文本、bytes、
`None`、日期、函数、对象、非 `IntEnum` 的枚举成员。类型来自字面量、`str()`、`json.dumps()` 等转换以及类型注
解；无法确定的不报告。`int`、`bool`、numpy 标量、`Decimal`、`Fraction` 会转换为 float，没有问题。写成文本的
数字也会报告：SDK 恰好会转换它，但文档要求 float。

## 影响

SDK 会拒绝这样的值：服务返回 HTTP 500，这条样本既没有分数也没有指标。事后赋值给结果对象的内容不会被校验，原
样流出；在子维度函数中，SDK 会吞掉错误，该子维度记 0 分。非数值的内容应放入 `rollout_extra`：只落盘，不进指
标。

## 修复安全性

安全：把写成字符串字面量的数字替换为该数字，与 SDK 转换的结果相同。其他值，字符串写在别处，以及代码还（可能）
把它作为文本使用（它另有名字、它的 key 被读取、或该字典交给了其他代码）时，不提供修复。

## 依据

蒸馏文档“自定义指标”一节的值类型约束（“每值为 float”“非 float 只落盘”）；在 dashscope 2.0.2 上实测：数字文本
会被转换，其他文本、`None`、枚举和日期会抛出 ValidationError，事后赋值不校验。
"""

_TITLE = Text("Write the number", "改为数字")
_READ = Text("the string is, or may be, used as text elsewhere", "该字符串在别处（可能）还作为文本使用")
_ELSEWHERE = Text("the string is not written here", "字符串不是写在这里的")


class NonFloatMetric(Rule):
    """Reports metrics and scores that are no numbers."""

    code = "RLO402"
    name = "non-float-metric"
    severity = Severity.ERROR
    fixes = ("safe", "none")
    messages = {
        "non-number": Text(
            "`{target}` gets `{type}`, which is no number: the SDK refuses it, the server answers 500 and "
            "the sample loses score and metrics. Report a float; the rest belongs in `rollout_extra`.",
            "`{target}` 的值是 `{type}`，不是数值：SDK 会拒绝，服务返回 500，这条样本的分数和指标都会丢失。"
            "请上报 float，其余内容放入 `rollout_extra`。",
        ),
        "text": Text(
            "`{target}` gets `{type}`: unless it happens to spell a number, the SDK refuses it, the server "
            "answers 500 and the sample loses score and metrics. Report a float; the rest belongs in "
            "`rollout_extra`.",
            "`{target}` 的值是 `{type}`：除非恰好是数字文本，否则 SDK 会拒绝，服务返回 500，这条样本的分数和"
            "指标都会丢失。请上报 float，其余内容放入 `rollout_extra`。",
        ),
        "non-number-assigned": Text(
            "`{target}` gets `{type}`, which is no number, on a finished result, where nothing checks it: "
            "the console cannot draw it. Report a float; the rest belongs in `rollout_extra`.",
            "`{target}` 的值是 `{type}`，不是数值，且在结果构造之后才写入，不会被校验，控制台无法绘制。"
            "请上报 float，其余内容放入 `rollout_extra`。",
        ),
        "non-number-part": Text(
            "`{target}` gets `{type}`, which is no number: the SDK refuses it, swallows the error and scores "
            "this part 0. Report a float.",
            "`{target}` 的值是 `{type}`，不是数值：SDK 会拒绝并吞掉错误，把该子维度记为 0 分。请上报 float。",
        ),
        "numeric": Text(
            "`{target}` gets the text `{text}`: it becomes a number only because the SDK happens to convert "
            "it. Write the number.",
            "`{target}` 的值是文本 `{text}`：只是因为 SDK 恰好会转换，它才成为数值。请直接写数字。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such value."""
        metrics = workspace.flow.metrics
        for bad in metrics.values(NON_NUMBER):
            is_number = bad.text is not None and bad.is_literal
            is_fixable = is_number and metrics.is_only_reported(bad.given.site, bad.given.key, True)
            fix = _fix(bad) if is_fixable else None
            reason = _READ if bad.is_literal else _ELSEWHERE
            yield self.finding(
                bad.given.site.path,
                location(workspace, bad.given.site),
                _message(bad),
                {
                    "target": bad.given.target,
                    "type": bad.type,
                    "text": bad.text,
                },
                fix=fix,
                unfixable=reason if bad.text is not None and fix is None else None,
            )


def _message(bad: BadValue) -> str:
    if bad.text is not None and bad.given.checked:
        return "numeric"
    kind = bad.what + bad.circumstance
    return "text" if kind == NON_NUMBER and bad.may_convert else kind


def _fix(bad: BadValue) -> Fix:
    target = Target("convert_literal", bad.given.site.span)
    return Fix(Applicability.SAFE, _TITLE, bad.given.site.path, (target,))
