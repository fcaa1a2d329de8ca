"""Function code lies in a folder that the upload leaves out.

## What it does

Flags an import of function code that leads into a folder which the SDK does not upload, and a `classpath`
that names one: `data`, `test`, `tests`, `tmp`, `temp`, `build`, `.venv` and their like, at any depth below
`zipdir`. Imports for type checking, imports in a `try` that catches `ImportError`, and imports of packages
that are not part of the workspace are fine.

## Why it matters

Locally everything works, and the function is registered without an error. In the cloud the module is not
there, so the server does not start: no rollout runs and the console shows no trace.

## Example

```yaml
# file: job.yaml
functions:
- type: rollout
  name: qa-rollout
  fcmodel:
    classpath: functions.test.processor.Processor  # expect: RLO606
```

## Use instead

```yaml
# file: job.yaml
functions:
- type: rollout
  name: qa-rollout
  fcmodel:
    classpath: functions.processor.Processor
```

## Source

Measured with dashscope 2.0.2: the names that the zip of `zipdir` leaves out at any depth, and that a
function in `functions/data/` is registered but not in the zip.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.project.jobs.classpaths import resolve_classpath
from rlobs_lint.project.jobs.components import Component
from rlobs_lint.project.jobs.uploads import excluded_imports
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """函数代码位于上传时会被排除的目录中。

## 作用

报告函数代码中指向 SDK 不会上传的目录的导入，以及指向这类目录的 `classpath`：`zipdir` 下任意层级的 `data`
、`test`、`tests`、`tmp`、`temp`、`build`、`.venv` 等。仅用于类型检查的导入、捕获 `ImportError` 的 `try`
中的导入，以及不属于工作区的包不报告。

## 影响

本地运行一切正常，函数注册也不报错；但云端没有这个模块，函数服务无法启动：不会有 Rollout 运行，控制台看不
到轨迹。

## 依据

实测（dashscope 2.0.2）：打包 `zipdir` 时任意层级都会排除的名称；位于 `functions/data/` 的函数可以注册，但
不在压缩包中。
"""


class ExcludedFromUpload(Rule):
    """Reports code that the upload leaves out and the functions need."""

    code = "RLO606"
    name = "excluded-from-upload"
    severity = Severity.ERROR
    messages = {
        "classpath": Text(
            "`{file}` is not uploaded because the SDK leaves out everything named `{part}`: the function is "
            "registered, but its server cannot start and no trace reaches the console; move the module",
            "`{file}` 不会上传，因为 SDK 会排除所有名为 `{part}` 的内容：函数可以注册，但服务无法启动，"
            "控制台看不到轨迹；请移动该模块",
        ),
        "import": Text(
            "`{name}` is not uploaded because the SDK leaves out everything named `{part}`: in the cloud "
            "this import fails and no trace reaches the console; move the module",
            "`{name}` 不会上传，因为 SDK 会排除所有名为 `{part}` 的内容：云端的这个导入会失败，"
            "控制台看不到轨迹；请移动该模块",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields one finding a classpath, and one an import."""
        for component in workspace.components:
            yield from self._check_classpath(workspace, component)
        paths = sorted(workspace.flow.function_modules)
        for found in excluded_imports(
            workspace, workspace.components, [workspace.modules[path] for path in paths]
        ):
            location = found.module.range(found.at)
            yield self.finding(
                found.module.path, location, "import", {"name": found.name, "part": found.part}
            )

    def _check_classpath(self, workspace: Workspace, component: Component) -> Iterator[Finding]:
        target = resolve_classpath(workspace, component)
        if component.classpath is not None and target is not None and target.excluded is not None:
            location = component.classpath.location
            yield self.finding(
                component.path, location, "classpath", {"file": target.file, "part": target.excluded}
            )
