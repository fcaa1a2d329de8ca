"""The uploaded folder has no `requirements.txt`, or not the file that a component names.

## What it does

Looks for `requirements.txt` in the workspace or, where job files or scripts describe components, in the
`zipdir` of each. A `requirements_path` that names no file in that folder is reported at its value.

## Why it matters

The SDK builds the environment from that one file, and reads it when the functions are registered:
without it the registration fails. A `requirements_path` does not replace it; the SDK only checks that
the file it names exists, and fails where it does not.

## Example

```text
# file: requirements.txt
# expect: RLO503
```

## Use instead

```text
# file: requirements.txt
opentelemetry-api==1.41.1
opentelemetry-sdk==1.41.1
opentelemetry-exporter-otlp-proto-http==1.41.1
opentelemetry-processor-baggage==0.62b1
loongsuite-util-genai==0.4.0
```

## Fix safety

The fix is safe: it creates the file with the documented packages, and without it no function runs at
all. What else the code imports has to be added by hand. For a `requirements_path` there is no fix: only
its author knows which file was meant.

## Source

On-policy distillation document, step 1 (the file belongs into the root of the project) and quick
reference of faults: where the registration of a function fails. Measured with dashscope 2.0.2: the text
sent for the environment is always that of `<zipdir>/requirements.txt`, whatever `requirements_path` says.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Iterator

from rlobs_lint import sdk
from rlobs_lint.model import FILE_START, Applicability, Finding, Fix, Severity, Text
from rlobs_lint.project.jobs.classpaths import upload_folder
from rlobs_lint.project.requirements.edits import create_file
from rlobs_lint.project.requirements.pins import documented_pins
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """上传目录没有 `requirements.txt`，或没有组件指定的依赖文件。

## 作用

在工作区、或任务文件与提交脚本中各组件的 `zipdir` 目录下查找 `requirements.txt`。`requirements_path` 在该目录
下没有对应文件时，在其值处报告。

## 影响

SDK 只用这一个文件构建运行环境，并在注册函数时读取它：没有它，函数注册失败。`requirements_path` 不能替代它；
SDK 只检查它指定的文件是否存在，不存在时注册失败。

## 修复安全性

该修复是安全的：用文档中的依赖创建该文件，而没有它任何函数都无法运行。代码用到的其他依赖需要手动添加。
`requirements_path` 的问题不提供修复，因为只有作者知道应是哪个文件。

## 依据

在线策略蒸馏文档 Step 1（依赖写在项目根目录的 `requirements.txt` 中）与故障速查表中函数注册失败一项。在
dashscope 2.0.2 上实测：无论 `requirements_path` 如何设置，用于构建环境的始终是
`<zipdir>/requirements.txt` 的内容。
"""

_TITLE = Text(
    "Create `requirements.txt` with the documented packages", "用文档中的依赖创建 `requirements.txt`"
)
_DANGLING = Text("a link that leads nowhere is in its place", "该位置是一个失效的链接")
_NO_PINS = Text("the settings name no package to put into it", "配置没有要写入的依赖")


class MissingRequirements(Rule):
    """Reports uploaded folders without `requirements.txt`, and values that name no file."""

    code = "RLO503"
    name = "missing-requirements"
    severity = Severity.ERROR
    fixes = ("safe", "none")
    reports_missing_files = True
    messages = {
        "file": Text(
            "There is no `requirements.txt` in the uploaded folder: the functions cannot be registered, "
            "and the console has no data; create it with the documented packages",
            "上传目录没有 `requirements.txt`：函数注册失败，控制台没有数据；请用文档中的依赖创建它",
        ),
        "path": Text(
            "`requirements_path` names a file that the uploaded folder does not have: the functions "
            "cannot be registered, and the console has no data; correct the path or leave it out",
            "`requirements_path` 指定的文件不在上传目录中：函数注册失败，控制台没有数据；"
            "请修正路径或删除该项",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields findings for the folders, then for the components' own values."""
        if workspace.has_processors:
            for tree in workspace.requirements.trees:
                if not tree.exists and tree.path not in workspace.requirements.excluded:
                    yield self._missing_file(workspace, tree.path)
        yield from self._missing_paths(workspace)

    def _missing_file(self, workspace: Workspace, path: str) -> Finding:
        pins = documented_pins(workspace.settings.pins)
        unfixable = _DANGLING if os.path.lexists(path) else None if pins else _NO_PINS
        fix = None if unfixable else Fix(Applicability.SAFE, _TITLE, path, edits=(create_file(path, pins),))
        return self.finding(path, FILE_START, "file", fix=fix, unfixable=unfixable)

    def _missing_paths(self, workspace: Workspace) -> Iterator[Finding]:
        for component in workspace.components:
            given = component.requirements_path
            folder = upload_folder(workspace, component)
            if given is None or folder is None or not (given.text or "").strip() or not Path(folder).is_dir():
                continue
            path = os.path.normpath(Path(folder, str(given.text)))
            is_default = path == str(Path(folder, sdk.REQUIREMENTS_FILE))
            if not is_default and not workspace.has_file(path):
                yield self.finding(component.path, given.location, "path")
