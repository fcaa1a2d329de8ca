"""A sample of a dataset has no usable `messages`.

## What it does

Flags lines of a dataset whose `messages` are missing, empty, no list, or hold a message that is no
object, has a role other than `system`, `user`, `assistant` and `tool`, or lacks content. Content is a
string or a list of parts, each an object; an assistant message may have `tool_calls` instead. After
twenty lines, one more finding counts the rest.

## Why it matters

The messages of a sample are what a rollout begins with. Where they cannot be used, the platform refuses
the dataset, or every rollout of the sample fails and its trace shows no conversation.

## Example

```json
# file: data/train.jsonl
{"messages": [{"role": "human", "content": "1+1=?"}]}  # expect: RLO802
{"prompt": "1+1=?", "answer": "2"}  # expect: RLO802
```

## Use instead

```json
# file: data/train.jsonl
{"messages": [{"role": "user", "content": "1+1=?"}]}
{"messages": [{"role": "user", "content": "1+1=?"}], "rollout_extra": {"answer": "2"}}
```

## Source

On-policy distillation document, troubleshooting, error patterns during training: for a wrong data
format, check the roles of `messages`. Measured with dashscope 2.0.2: the input of a rollout demands a
list of objects.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.project.datasets.files import bad_lines
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """数据集中有样本的 `messages` 不可用。

## 作用

报告数据集中 `messages` 缺失、为空、不是列表的行，以及其中某条消息不是对象、角色不是 `system`、`user`、
`assistant`、`tool` 之一，或没有内容的行。内容是字符串，或由对象组成的列表；assistant 消息可以用
`tool_calls` 代替内容。超过二十行后，用一条结果说明其余行数。

## 影响

样本的 `messages` 是每次 Rollout 的起点。它不可用时，平台会拒绝数据集，或者该样本的每次 Rollout 都失败，
轨迹中看不到对话。

## 依据

在线策略蒸馏文档「训练期常见报错模式」：数据格式错，检查 `messages` 角色。实测（dashscope 2.0.2）：
Rollout 的输入要求由对象组成的列表。
"""


class InvalidDatasetMessages(Rule):
    """Reports samples whose messages cannot be used."""

    code = "RLO802"
    name = "invalid-dataset-messages"
    severity = Severity.ERROR
    messages = {
        "missing": Text(
            "This sample has no `messages`, so there is nothing for a rollout to begin with; give it a list "
            "of messages with `role` and `content`",
            "这个样本没有 `messages`，Rollout 无从开始；请写成由含 `role` 和 `content` 的消息组成的列表",
        ),
        "not-list": Text(
            "The `messages` of this sample are of type {kind}, so no rollout can begin with them; write a "
            "list of messages with `role` and `content`",
            "这个样本的 `messages` 是 {kind} 类型，Rollout 无从开始；请写成由含 `role` 和 `content` 的消息"
            "组成的列表",
        ),
        "empty": Text(
            "The `messages` of this sample are empty, so there is nothing for a rollout to begin with; add "
            "at least the user's message",
            "这个样本的 `messages` 为空，Rollout 无从开始；请至少写入用户消息",
        ),
        "message-kind": Text(
            "Message {number} of this sample is of type {kind}, so the platform refuses it; write an object "
            "with `role` and `content`",
            "这个样本的第 {number} 条消息是 {kind} 类型，平台不接受；请写成含 `role` 和 `content` 的对象",
        ),
        "no-role": Text(
            "Message {number} of this sample has no `role`, so the platform refuses it; write `system`, "
            "`user`, `assistant` or `tool`",
            "这个样本的第 {number} 条消息没有 `role`，平台不接受；请写 `system`、`user`、`assistant` 或 "
            "`tool`",
        ),
        "unknown-role": Text(
            "Message {number} of this sample has the unknown role {role}, so the platform refuses it; write "
            "`system`, `user`, `assistant` or `tool`",
            "这个样本的第 {number} 条消息的角色 {role} 未知，平台不接受；请写 `system`、`user`、`assistant`"
            " 或 `tool`",
        ),
        "no-content": Text(
            "Message {number} of this sample (role `{role}`) has no `content`, so the platform refuses it; "
            "only an assistant message may have `tool_calls` instead",
            "这个样本的第 {number} 条消息（角色 `{role}`）没有 `content`，平台不接受；只有 assistant 消息可"
            "以用 `tool_calls` 代替",
        ),
        "content-kind": Text(
            "The `content` of message {number} of this sample is of type {kind}, so the platform refuses it; "
            "write a string or a list of parts",
            "这个样本的第 {number} 条消息的 `content` 是 {kind} 类型，平台不接受；请写字符串或由对象组成的"
            "列表",
        ),
        "part-kind": Text(
            "A part of the `content` of message {number} of this sample is of type {kind}, so the platform "
            "refuses it; write each part as an object",
            "这个样本的第 {number} 条消息的 `content` 中有一项是 {kind} 类型，平台不接受；请把每一项写成对象",
        ),
        "rest": Text(
            "From here on, {count} more samples of this dataset have no usable `messages`",
            "从这里起，此数据集还有 {count} 个样本的 `messages` 不可用",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields one finding a bad line."""
        for path, problem, count in bad_lines(workspace.datasets, "messages"):
            if count > 1:
                yield self.finding(path, problem.location, "rest", {"count": count})
            else:
                yield self.finding(path, problem.location, problem.reason, dict(problem.parameters))
