"""A file cannot be parsed.

## What it does

Reports a Python file or a YAML job file that cannot be parsed. Python errors stand on the row that the
interpreter reports. Code that Python accepts, but that the linter's own parser cannot read, is named
as such; so is code that is nested too deeply, or takes too long, to be read.

## Why it matters

A module with a syntax error cannot be imported: the function server does not start, and nothing of
the run reaches the console. As long as the file cannot be read, no other rule can look at it.

## Example

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor


class Processor(AbstractRolloutProcessor)  # expect: RLO901
    pass
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRolloutProcessor


class Processor(AbstractRolloutProcessor):
    pass
```

## Source

The grammar of Python and of YAML 1.1; the SDK imports the module and loads the job file as they are.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.facts.module import Module
from rlobs_lint.model import FILE_START, Finding, Position, Range, Severity, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """文件无法解析。

## 作用

报告无法解析的 Python 文件或 YAML 任务文件。Python 错误所在的行与解释器报告的一致。
Python 能够接受、但本工具的解析器无法读取的代码会单独说明；嵌套过深或解析耗时过长的代码也是如此。

## 影响

有语法错误的模块无法导入：函数服务无法启动，控制台看不到这次运行的任何数据。
文件无法读取时，其他规则也无法检查它。

## 依据

Python 与 YAML 1.1 的语法；SDK 原样导入模块并加载任务文件。
"""


class SyntaxErrorRule(Rule):
    """Reports files that cannot be parsed."""

    code = "RLO901"
    name = "syntax-error"
    severity = Severity.ERROR
    messages = {
        "syntax": Text("This file cannot be parsed: {reason}", "无法解析该文件：{reason}"),
        "grammar": Text(
            "Python accepts this code, but the linter cannot read it, so no other rule looked at this file: "
            "{reason}",
            "Python 可以接受这段代码，但本工具无法读取，因此其他规则没有检查该文件：{reason}",
        ),
        "depth": Text(
            "This file is nested too deeply, or takes too long, to be parsed, so no other rule looked at it; "
            "split its longest expression",
            "该文件嵌套过深或解析耗时过长，因此其他规则没有检查它；请拆分其中最长的表达式",
        ),
        "documents": Text(
            "This job file holds more than one YAML document, and the SDK reads a single one",
            "该任务文件包含多个 YAML 文档，而 SDK 只读取单个文档",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields the files of a workspace that cannot be parsed."""
        for module in workspace.modules.values():
            yield from self._check_module(module)
        for job in workspace.jobs:
            if job.error is not None:
                place = Range(job.error.position, job.error.position)
                yield self.finding(job.path, place, job.error.kind, {"reason": job.error.reason})

    def _check_module(self, module: Module) -> Iterator[Finding]:
        error = module.facts.error
        if error is not None:
            at = Position(error.row, error.column)
            location = FILE_START if error.kind == "depth" else Range(at, at)
            yield self.finding(module.path, location, error.kind, {"reason": error.reason})
