"""A metric's key takes ever new values, or is the name of an identifier.

## What it does

Follows the keys of `reward_metrics` and `rollout_metrics` to where they come from, and reports those that
are built from the input, from time, chance or identity, or from a loop over data, so that there is no end
of them. It also reports keys that hold the name of an identifier as words: `user_id`, `per_user_id_score`,
`traceId` (not `valid`, `grid` or `identity_score`). The setting `id-names` replaces the list. Keys from
literals, enumerations, loops over literal collections, `range` of a literal and helpers that return
literals are bounded; a mapping that is passed on whole, and a key of unknown origin, are left alone.

## Why it matters

Every new key is a metric of its own: with one per sample, user or second the console's metrics page drowns in
curves of one point, and the storage that ARMS bills grows with them.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class TurnsReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        metrics = {"turns": float(turns)}
        if input.request_metadata is not None:
            metrics[f"turns_{input.request_metadata.sample_id}"] = float(turns)  # expect: RLO403
        return RewardOutput(reward=Reward(reward_score=1 / (1 + turns), reward_metrics=metrics))
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class TurnsReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        metrics = {"turns": float(turns)}
        return RewardOutput(reward=Reward(reward_score=1 / (1 + turns), reward_metrics=metrics))
```

## Source

Both documents, cost governance of custom metrics ("cardinality", "user_id / request_id are no metric keys").
Measured with dashscope 2.0.2: the SDK itself takes 100,000 keys without a word; the platform pays.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.metrics.keys import ID_NAME, UNBOUNDED_KEY
from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """指标的 key 会不断出现新值，或者是某种 ID 的名字（高基数）。

## 作用

追溯 `reward_metrics`、`rollout_metrics` 的 key 的来源，报告由输入、时间、随机数、ID 或对数据的循环拼出来
的、取值没有上限的 key。把 ID 的名字作为完整单词包含在内的 key 也会报告：`user_id`、`per_user_id_score`、
`traceId`（`valid`、`grid`、`identity_score` 不算），名单可用设置项 `id-names` 替换。来自字面量、枚举、对字
面量集合的循环、字面量的 `range`、返回字面量的辅助函数的 key 是有界的；整体转交的字典以及来源不明的 key 不报
告。

## 影响

每个新 key 都是一个独立的指标：如果每条样本、每个用户或每一秒都产生一个，控制台指标页会被只有一个点的曲线淹
没，ARMS 按量计费的存储也随之增长。

## 依据

两份文档的“自定义指标的成本治理”（“基数”“user_id / request_id 不当指标 key”）。在 dashscope 2.0.2 上实测：
SDK 本身接受十万个 key 而没有任何提示，代价由平台侧承担。
"""


class HighCardinalityMetricKey(Rule):
    """Reports keys without end."""

    code = "RLO403"
    name = "high-cardinality-metric-key"
    severity = Severity.ERROR
    messages = {
        "unbounded": Text(
            "The key `{key}` of `{parameter}` takes a new value with the data: every one becomes a metric of "
            "its own, so the console fills with curves of one point and ARMS storage grows. Use a fixed key; "
            "the varying part belongs in `rollout_extra`.",
            "`{parameter}` 的 key `{key}` 随数据不断变化：每个取值都会成为一个独立的指标，"
            "控制台会充满只有一个点的曲线，"
            "ARMS 存储随之增长。请使用固定的 key，变化的部分放入 `rollout_extra`。",
        ),
        "id-name": Text(
            "The key `{key}` of `{parameter}` names an identifier (`{detail}`): the average and sum of those "
            "that the console shows mean nothing, or there is no end of keys. Keep identifiers in "
            "`rollout_extra`.",
            "`{parameter}` 的 key `{key}` 是某种 ID 的名字（`{detail}`）：控制台展示的平均值与总和没有意义，"
            "或者 key 没有上限（高基数）。ID 请放入 `rollout_extra`。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such key."""
        for bad in workspace.flow.metrics.keys(UNBOUNDED_KEY, ID_NAME):
            yield self.finding(
                bad.site.path,
                location(workspace, bad.site),
                bad.what,
                {
                    "key": bad.key,
                    "parameter": bad.parameter,
                    "detail": bad.detail,
                },
            )
