"""A file cannot be read or decoded.

## What it does

Reports a file that cannot be opened, is no regular file, or is not text in its encoding: the one that
the coding cookie or the byte order mark names for Python code, else UTF-8. Requirements, job files and
datasets are read as UTF-8, whatever a cookie in them says, because the SDK reads them so.

## Why it matters

Python cannot import such a module, and the SDK fails on such a requirements file, job file or dataset:
the function server does not start, or the registration fails.

## Example

```python
# -*- coding: no-such-encoding -*-  # expect: RLO902
from dashscope.finetune.reinforcement import AbstractRolloutProcessor
```

## Use instead

```python
# -*- coding: utf-8 -*-
from dashscope.finetune.reinforcement import AbstractRolloutProcessor
```

## Source

PEP 263 for Python code. Measured for the rest: the SDK opens requirements, job files and datasets as UTF-8.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.files.source import ReadError
from rlobs_lint.model import FILE_START, Finding, Severity, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """文件无法读取或解码。

## 作用

报告无法打开、不是普通文件，或内容与编码不符的文件：
Python 代码按编码声明或字节顺序标记指定的编码读取，否则按 UTF-8 读取。
依赖文件、任务文件和数据集一律按 UTF-8 读取，因为 SDK 就是这样读取的。

## 影响

Python 无法导入这样的模块，SDK 读取这样的依赖文件、任务文件或数据集时会失败：
函数服务无法启动，或函数注册失败。

## 依据

Python 代码依据 PEP 263。其余为实测：SDK 以 UTF-8 打开依赖文件、任务文件和数据集。
"""


class UnreadableFile(Rule):
    """Reports files that cannot be read."""

    code = "RLO902"
    name = "unreadable-file"
    severity = Severity.ERROR
    messages = {
        "unreadable": Text(
            "This file cannot be read: {reason}. Nothing in it was checked; make it readable, or remove it",
            "无法读取该文件：{reason}。其中的内容都没有检查；请使其可读，或将其移除",
        ),
        "undecodable": Text(
            "This file cannot be decoded: {reason}. Nothing in it was checked; save it as UTF-8",
            "无法解码该文件：{reason}。其中的内容都没有检查；请将其另存为 UTF-8",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields the files of a workspace that cannot be read."""
        errors = {error.path: error for error in (*workspace.unreadable, *workspace.requirements.unreadable)}
        for dataset in workspace.datasets:
            if dataset.report.error is not None:
                errors.setdefault(dataset.path, dataset.report.error)
        for error in errors.values():
            yield self._report(error)

    def _report(self, error: ReadError) -> Finding:
        names = {name for name, _ in error.parameters}
        message = "undecodable" if names & {"encoding", "cookie", "row"} else "unreadable"
        frame = self.messages[message]
        # The reason is a sentence with placeholders of its own.
        text = Text(
            frame.en.replace("{reason}", error.reason.en), frame.zh.replace("{reason}", error.reason.zh)
        )
        return self.finding(error.path, FILE_START, text, dict(error.parameters))
