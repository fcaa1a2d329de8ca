"""The `rollout_extra` of a sample is neither an object nor null.

## What it does

Flags lines of a dataset whose `rollout_extra` is a string, a number, a boolean or an array. It may be
missing, null, or an object of any content. After twenty lines, one more finding counts the rest.

## Why it matters

`rollout_extra` is where a sample carries its solution and everything else that rewards look up by name.
Given any other type, the platform refuses the dataset, or every reward of the sample fails and the
console shows no score for it.

## Example

```json
# file: data/train.jsonl
{"messages": [{"role": "user", "content": "3*7=?"}], "rollout_extra": "21"}  # expect: RLO803
```

## Use instead

```json
# file: data/train.jsonl
{"messages": [{"role": "user", "content": "3*7=?"}], "rollout_extra": {"solution": "21"}}
```

## Source

On-policy distillation document, troubleshooting, error patterns during training: for a wrong data
format, check the field `rollout_extra`. Reinforcement learning document, standard procedure, step 3:
check the format of a sample and its `rollout_extra`. Measured with dashscope 2.0.2: the input of a
rollout takes only an object or null for it.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.project.datasets.files import bad_lines
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """样本的 `rollout_extra` 既不是对象也不是 null。

## 作用

报告数据集中 `rollout_extra` 是字符串、数字、布尔值或数组的行。它可以缺省、为 null，或是任意内容的对象。
超过二十行后，用一条结果说明其余行数。

## 影响

样本的标准答案以及 Reward 按名称读取的其他数据都放在 `rollout_extra` 中。类型不对时，平台会拒绝数据集，
或者该样本的 Reward 每次都失败，控制台看不到它的得分。

## 依据

在线策略蒸馏文档「训练期常见报错模式」：数据格式错，检查 `rollout_extra` 字段；强化学习文档「标准排查流程」
Step 3：校验单条格式与 `rollout_extra`。实测（dashscope 2.0.2）：Rollout 的输入只接受对象或 null。
"""


class InvalidRolloutExtra(Rule):
    """Reports samples whose `rollout_extra` cannot be used."""

    code = "RLO803"
    name = "invalid-rollout-extra"
    severity = Severity.ERROR
    messages = {
        "kind": Text(
            "The `rollout_extra` of this sample is of type {kind}, so the platform refuses it or its rewards "
            "fail; write an object, such as one with the key `solution`, or null",
            "这个样本的 `rollout_extra` 是 {kind} 类型，平台不接受，或 Reward 会失败；请写成对象（例如含 "
            "`solution` 键）或 null",
        ),
        "rest": Text(
            "From here on, {count} more samples of this dataset have a `rollout_extra` that is no object",
            "从这里起，此数据集还有 {count} 个样本的 `rollout_extra` 不是对象",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields one finding a bad line."""
        for path, problem, count in bad_lines(workspace.datasets, "extras"):
            if count > 1:
                yield self.finding(path, problem.location, "rest", {"count": count})
            else:
                yield self.finding(path, problem.location, problem.reason, dict(problem.parameters))
