"""A reward component of a submission has no name.

## What it does

Flags `reward` and `group_reward` components without `name`, or with an empty one, in a job file and in a
script that submits its job. Components that a script only registers are not flagged.

## Why it matters

The name of a reward is part of its metric paths: `trace/reward/…/{avg,sum}` and
`trace/reward_metrics/…`. Without one, the SDK makes up a random name at every submission, so the charts
of two runs have different paths and cannot be compared.

## Example

```yaml
# file: job.yaml
functions:
- type: reward  # expect: RLO605
  weight: 1.0
```

## Use instead

```yaml
# file: job.yaml
functions:
- type: reward
  name: accuracy
  weight: 1.0
```

## Source

Reinforcement learning document, value of custom metrics: with several rewards, tell them apart by
`RewardFunctionComponent(name=...)`. Measured with dashscope 2.0.2: a component without a name is called
`reward-` and eight random characters when the job is submitted.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.project.jobs.components import REWARD_KINDS, Component
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """提交中的 Reward 组件没有名称。

## 作用

报告任务文件中以及会提交任务的脚本中没有 `name`（或为空）的 `reward`、`group_reward` 组件。脚本只做注册时
不报告。

## 影响

Reward 的名称是指标路径 `trace/reward/…/{avg,sum}` 和 `trace/reward_metrics/…` 的一部分。没有名称时，SDK
每次提交都会生成一个随机名称，两次训练的指标路径不同，曲线无法对比。

## 依据

强化学习文档「自定义指标的归因价值」：多 Reward 函数场景通过 `RewardFunctionComponent(name=...)` 区分。实测
（dashscope 2.0.2）：没有名称的组件在提交时被命名为 `reward-` 加八个随机字符。
"""


class UnnamedReward(Rule):
    """Reports reward components without a name."""

    code = "RLO605"
    name = "unnamed-reward"
    severity = Severity.WARNING
    messages = {
        "unnamed": Text(
            "This reward component has no name, so the SDK invents a new one at every submission and its "
            "metric paths (`trace/reward/…`) change from run to run; set `name`",
            "这个 Reward 组件没有名称，SDK 每次提交都会随机生成，指标路径（`trace/reward/…`）随之变化；请设"
            "置 `name`",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields one finding an unnamed component."""
        for submission in workspace.submissions:
            for component in submission.components if submission.submits else ():
                if component.kind in REWARD_KINDS and _is_unnamed(component):
                    yield self.finding(component.path, component.place, "unnamed")


def _is_unnamed(component: Component) -> bool:
    name = component.name
    return name is None or name.kind == "null" or name.text == ""
