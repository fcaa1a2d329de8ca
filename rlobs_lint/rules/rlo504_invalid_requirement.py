"""A line of the requirements that pip refuses.

## What it does

Reads `requirements.txt` and the files that it includes as pip does, and reports lines that pip cannot
read, and includes that do not exist or lead back to a file that is being read. Where versions of pip
disagree, or the answer depends on the machine that installs (an environment variable, a path), nothing
is reported. A requirements file that is named on the command line and belongs to no workspace is read
for this rule alone.

## Why it matters

pip stops at the first such line and installs nothing at all: the environment of the functions is not
built, their registration fails, and the console has no data.

## Example

```text
# file: requirements.txt
opentelemetry-api==1.41.1
opentelemetry-sdk==1.41.1
opentelemetry-exporter-otlp-proto-http==1.41.1
opentelemetry-processor-baggage==0.62b1
loongsuite-util-genai==0.4.0
numpy=2.2.0  # expect: RLO504
httpx>=0.27# the blank before this comment is missing  # expect: RLO504
--upgrade  # expect: RLO504
-r more.txt  # expect: RLO504
```

## Use instead

```text
# file: requirements.txt
opentelemetry-api==1.41.1
opentelemetry-sdk==1.41.1
opentelemetry-exporter-otlp-proto-http==1.41.1
opentelemetry-processor-baggage==0.62b1
loongsuite-util-genai==0.4.0
numpy==2.2.0
httpx>=0.27 # now pip sees a comment
```

## Source

On-policy distillation document, quick reference of faults: where the registration of a function fails.
Lines were tried with the parsers of pip 22.0, 23.2.1, 24.0 and 26.3. Those from before 24.1 take any word
behind an operator for a version: a line is reported where that word cannot be one (`==latest`), and left
alone where it nearly is (`>=2.*`).
"""

from __future__ import annotations

from typing import Iterator, Set, Tuple

from rlobs_lint.model import Finding, Range, Severity, Text
from rlobs_lint.project.requirements.lines import NAMED, REFUSED
from rlobs_lint.project.requirements.tree import Entry, RequirementsTree
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """依赖文件中有 pip 拒绝的行。

## 作用

按 pip 的方式读取 `requirements.txt` 及其引入的文件，报告 pip 无法读取的行，以及引入的文件不存在或形成循环的
行。各版本 pip 行为不一致、或结果取决于安装环境（环境变量、路径）时不报告。在命令行指定、但不属于任何工作区的
依赖文件只检查本规则。

## 影响

pip 遇到第一个这样的行就会停止，什么都不安装：函数的运行环境无法构建，函数注册失败，控制台没有数据。

## 依据

在线策略蒸馏文档故障速查表中函数注册失败一项。各种写法用 pip 22.0、23.2.1、24.0 和 26.3 的解析器试过。
24.1 之前的版本把运算符后的任何单词都当作版本：不可能是版本的（`==latest`）会报告，近似版本的（`>=2.*`）
不报告。
"""


class InvalidRequirement(Rule):
    """Reports lines that every current pip refuses, and includes that it cannot follow."""

    code = "RLO504"
    name = "invalid-requirement"
    severity = Severity.ERROR
    messages = {
        "line": Text(
            "pip cannot read this line and installs nothing, so the functions cannot be registered; write "
            "`name==version`, one requirement a line",
            "pip 无法读取这一行，什么都不会安装，函数注册失败；请写成 `名称==版本`，每行一个依赖",
        ),
        "operator": Text(
            "pip cannot read `=` here and installs nothing, so the functions cannot be registered; write "
            "`==`",
            "pip 无法读取这里的 `=`，什么都不会安装，函数注册失败；请改为 `==`",
        ),
        "comment": Text(
            "pip takes this `#` for a part of the requirement and installs nothing, so the functions "
            "cannot be registered; put a blank before the comment",
            "pip 把这里的 `#` 当作依赖的一部分，什么都不会安装，函数注册失败；请在注释前加空格",
        ),
        "option": Text(
            "pip knows no option `{target}` in a requirements file and installs nothing, so the functions "
            "cannot be registered; remove it",
            "pip 不支持在依赖文件中使用选项 `{target}`，什么都不会安装，函数注册失败；请删除它",
        ),
        "constraint": Text(
            "pip refuses extras and editable projects in a constraints file and installs nothing, so the "
            "functions cannot be registered; write `name==version`",
            "约束文件中不能使用 extras 或可编辑安装，pip 什么都不会安装，函数注册失败；请写成 `名称==版本`",
        ),
        "missing": Text(
            "`{target}` does not exist, so pip installs nothing and the functions cannot be "
            "registered; add it, or correct the path, which starts at the folder of this file",
            "`{target}` 不存在，pip 什么都不会安装，函数注册失败；请添加该文件，"
            "或修正路径（相对于本文件所在目录）",
        ),
        "circular": Text(
            "`{target}` is still being read here, so pip installs nothing and the functions cannot be "
            "registered; remove the line",
            "`{target}` 此时正在被读取，形成循环，pip 什么都不会安装，函数注册失败；请删除这一行",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields one finding for each line, also where several files include its file."""
        requirements = workspace.requirements
        seen: Set[Tuple[str, Range]] = set()
        for tree in (*requirements.trees, *requirements.strays):
            for entry, problem in _problems(tree):
                path, place = entry.file.path, entry.file.place(entry.line)
                if (path, place) in seen or path in requirements.excluded:
                    continue
                seen.add((path, place))
                yield self.finding(path, place, problem, {"target": entry.line.target})


def _problems(tree: RequirementsTree) -> Iterator[Tuple[Entry, str]]:
    for entry in tree.entries:
        line = entry.line
        if line.kind == REFUSED:
            yield entry, line.problem
        elif entry.is_constraint and (line.editable or (line.kind == NAMED and line.extras)):
            yield entry, "constraint"
    yield from tree.faults
