"""`reward_metric_weight` weighs something that the reward does not report.

## What it does

Compares the keys of `reward_metric_weight` of a reward component with the class at its `classpath`: the
metrics that it reports as `reward_metrics`, and its sub-rewards. Flags a key that is neither. Where the
class builds its metrics in a way that cannot be followed, nothing is flagged.

## Why it matters

The weight has no effect: the part that it was meant for counts with another weight or not at all, and the
reward curve shows something else than was intended.

## Example

```yaml
# file: job.yaml
functions:
- type: reward
  name: quality
  fcmodel:
    classpath: functions.processor.Quality
  reward_metric_weight:
    acuracy: 0.9  # expect: RLO604
```

```python
# file: functions/processor.py
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class Quality(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        score = self.compare(input)
        return RewardOutput(reward=Reward(reward_score=score, reward_metrics={"accuracy": score}))
```

## Use instead

```yaml
# file: job.yaml
functions:
- type: reward
  name: quality
  fcmodel:
    classpath: functions.processor.Quality
  reward_metric_weight:
    accuracy: 0.9
```

```python
# file: functions/processor.py
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class Quality(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        score = self.compare(input)
        return RewardOutput(reward=Reward(reward_score=score, reward_metrics={"accuracy": score}))
```

## Source

Reinforcement learning document, value of custom metrics: `reward_metric_weight` adjusts the weights.
Measured with dashscope 2.0.2: the SDK sends the keys as they are, and by itself takes the names of the
sub-rewards for them.
"""

from __future__ import annotations

from typing import Dict, FrozenSet, Iterator, Optional

from rlobs_lint.flow.questions.classes import ClassSummary
from rlobs_lint.model import Finding, Scalar, Severity, Text
from rlobs_lint.project.jobs.classpaths import resolve_classpath
from rlobs_lint.project.jobs.components import REWARD_KINDS, Component
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """`reward_metric_weight` 为 Reward 并不上报的指标设置了权重。

## 作用

将 Reward 组件 `reward_metric_weight` 的键与其 `classpath` 所指的类比较：该类通过 `reward_metrics` 上报的
指标，以及它的子 Reward。两者都不是的键会被报告。如果该类构造指标的方式无法追踪，则不报告。

## 影响

这个权重不起作用：它本应针对的维度会以其他权重计入，或者根本不计入，Reward 曲线与预期不符。

## 依据

强化学习文档「自定义指标的归因价值」：通过 `reward_metric_weight` 调权重。实测（dashscope 2.0.2）：SDK 原
样发送这些键；不设置时以子 Reward 的名称为键。
"""

_SHOWN_NAMES = 8


class UnknownMetricWeight(Rule):
    """Reports weights of metrics that the reward does not report."""

    code = "RLO604"
    name = "unknown-metric-weight"
    severity = Severity.WARNING
    messages = {
        "unknown": Text(
            "`{class_name}` reports neither a metric nor a sub-reward called `{key}`, so this weight has no "
            "effect on the reward; it reports {names}",
            "`{class_name}` 没有上报名为 `{key}` 的指标或子 Reward，这个权重对 Reward 不起作用；它上报的是 "
            "{names}",
        ),
        "nothing": Text(
            "`{class_name}` reports no metrics and has no sub-rewards, so the weight of `{key}` has no "
            "effect on the reward; report the metric, or remove the weight",
            "`{class_name}` 没有上报任何指标，也没有子 Reward，`{key}` 的权重对 Reward 不起作用；"
            "请上报该指标或删除该权重",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields one finding a key."""
        for component in workspace.components:
            if not component.metric_weights or component.kind not in REWARD_KINDS:
                continue
            summary = _class_of(workspace, component)
            if summary is None or summary.reported is None:
                continue
            class_name = workspace.flow.machine.heap.info(summary.number).name
            for key, location in component.metric_weights:
                values: Dict[str, Scalar] = {"class_name": class_name, "key": key}
                if summary.reported and key not in summary.reported:
                    values["names"] = _shown(summary.reported)
                elif summary.reported:
                    continue
                message = "unknown" if summary.reported else "nothing"
                yield self.finding(component.path, location, message, values)


def _shown(names: FrozenSet[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in sorted(names)[:_SHOWN_NAMES])
    return shown if len(names) <= _SHOWN_NAMES else f"{shown}, …"


def _class_of(workspace: Workspace, component: Component) -> Optional[ClassSummary]:
    """Returns the class at a component's classpath, where it is one that the component can run."""
    target = resolve_classpath(workspace, component)
    if target is None or target.module is None:
        return None
    summary = workspace.flow.classes.find(target.module, target.class_name)
    is_fit = isinstance(summary, ClassSummary) and component.kind in (summary.kinds or ())
    return summary if is_fit and isinstance(summary, ClassSummary) else None
