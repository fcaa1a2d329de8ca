"""Two function components of one submission have the same name.

## What it does

Compares the names of all components of a job file, or of a script's submission, whatever their type, and
flags each later one whose name is taken. Names differ by case. Empty and missing names are not compared:
the SDK makes one up for each.

## Why it matters

The name is part of the metric paths, `trace/reward/…` and `trace/reward_metrics/…`, which would mix the
values of both components. The SDK therefore refuses the job, but only after it has registered every
function.

## Example

```yaml
# file: job.yaml
functions:
- type: reward
  name: quality
  weight: 0.7
- type: group_reward  # expect: RLO602
  name: quality
  weight: 0.3
```

## Use instead

```yaml
# file: job.yaml
functions:
- type: reward
  name: quality
  weight: 0.7
- type: group_reward
  name: quality-rank
  weight: 0.3
```

## Source

On-policy distillation document, self-check: set a unique name for each `RewardFunctionComponent`, so that
the metric paths differ. Measured with dashscope 2.0.2: `submit_job` raises error 3004 for equal names of
any two components.
"""

from __future__ import annotations

from typing import Dict, Iterator

from rlobs_lint.model import Finding, Note, Severity, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """同一次提交中有两个函数组件重名。

## 作用

比较一个任务文件（或脚本的一次提交）中所有组件的名称，不论类型；名称已被占用的后一个组件会被报告。名称区分
大小写。空名称和缺省名称不比较：SDK 会各自生成一个。

## 影响

名称是指标路径 `trace/reward/…`、`trace/reward_metrics/…` 的一部分，重名会把两个组件的数值混在一起。SDK 因此
拒绝提交，但要等到所有函数都注册完之后才报错。

## 依据

在线策略蒸馏文档自查项：通过 `RewardFunctionComponent(name=...)` 设唯一名称，指标路径自动区分。实测
（dashscope 2.0.2）：任意两个组件重名，`submit_job` 都会抛出错误 3004。
"""

_FIRST = Text("`{name}` is first used here", "`{name}` 首次出现在这里")


class DuplicateComponentName(Rule):
    """Reports components whose name an earlier one has."""

    code = "RLO602"
    name = "duplicate-component-name"
    severity = Severity.ERROR
    messages = {
        "duplicate": Text(
            "The name `{name}` is taken by another component of this submission: the SDK refuses the job "
            "after it has registered every function, and the metric paths of both would mix; give each "
            "component its own name",
            "名称 `{name}` 已被本次提交的另一个组件使用：SDK 会在注册完所有函数之后拒绝任务，"
            "两者的指标路径也会混在一起；请为每个组件设置唯一名称",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields one finding a component whose name is taken."""
        for submission in workspace.submissions:
            taken: Dict[str, Note] = {}
            for component in submission.components if submission.submits else ():
                given = component.name
                name = given.text if given is not None else None
                if given is None or not name:
                    continue
                if name in taken:
                    notes = (taken[name],)
                    yield self.finding(
                        component.path, component.place, "duplicate", {"name": name}, notes=notes
                    )
                else:
                    taken[name] = Note(component.path, given.location, _FIRST, (("name", name),))
