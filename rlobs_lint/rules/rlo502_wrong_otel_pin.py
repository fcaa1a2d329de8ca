"""A package that the documents list for tracing is not pinned to the documented version.

## What it does

Judges every line, in `requirements.txt` and in what it includes, that asks for a documented package:
it should be pinned with `==` to the documented version. A name without a version is fine where a `-c`
file pins it; a `-c` line that pins another version is a finding itself. Of lines with markers only
those count that can apply on Linux. A package taken from a URL or a path is not judged.

The setting `pins` replaces the documented packages and versions.

## Why it matters

The packages are built for each other. With a version of an older edition among them pip refuses the
whole file, and the registration of the functions fails; without versions, each new environment gets
whatever is newest that day, and spans may go missing from the console though no code was changed.

## Example

```text
# file: requirements.txt
opentelemetry-api>=1.30  # expect: RLO502
opentelemetry-sdk  # expect: RLO502
opentelemetry-exporter-otlp-proto-http[gzip] ~= 1.41 ; python_version >= "3.9"  # expect: RLO502
opentelemetry-processor-baggage==0.62b1
loongsuite-util-genai==0.4.0
```

## Use instead

```text
# file: requirements.txt
opentelemetry-api==1.41.1
opentelemetry-sdk==1.41.1
opentelemetry-exporter-otlp-proto-http[gzip] == 1.41.1 ; python_version >= "3.9"
opentelemetry-processor-baggage==0.62b1
loongsuite-util-genai==0.4.0
```

## Fix safety

The fix replaces the version clauses and keeps everything else. It is safe where the line names no one
version: none at all, or a range. It is unsafe where the line pins another version, or stands in a constraints
file, since somebody chose that on purpose. There is no fix where the requirements use hashes, which belong to
one version, where a constraints file contradicts, or where the line is in a file outside the workspace.

## Source

On-policy distillation document, step 1 (table of dependencies). That pip refuses mixed editions was
measured: 1.36.0 of api, sdk and exporter with loongsuite-util-genai 0.4.0; sdk 1.40.0 with the other pins.
"""

from __future__ import annotations

from typing import Iterator, Optional, Set, Tuple

from rlobs_lint.files.walking import is_below
from rlobs_lint.model import Applicability, Finding, Fix, Severity, Text
from rlobs_lint.project.requirements.edits import replace_version
from rlobs_lint.project.requirements.pins import EXCLUDED, OPEN, OTHER, WrongPin, documented_pins, wrong_pins
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """Tracing 依赖没有固定为文档中的版本。

## 作用

检查 `requirements.txt` 及其引入的文件中每一行文档所列的依赖：应使用 `==` 固定为文档中的版本。没有写版本、但由
`-c` 约束文件固定的依赖没有问题；固定为其他版本的约束行本身会被报告。带标记（marker）的行只看可能在 Linux 上
生效的。来自 URL 或路径的依赖不作判断。

配置项 `pins` 可以替换文档中的依赖及版本。

## 影响

这些依赖的版本彼此配套。混入旧版本时 pip 会拒绝整个文件，函数注册失败；不写版本时，每次构建环境都会安装当天
最新的版本，代码没有改动，控制台也可能缺少 Span。

## 修复安全性

该修复只替换版本部分，其余内容保持不变。原行没有指定某一个版本（没有写版本，或写的是版本范围）时是安全的；
原行固定为其他版本、或位于约束文件时是不安全的，因为那是有意的选择。依赖文件使用哈希（哈希只
属于一个版本）、约束文件与之矛盾、或该行位于工作区之外的文件时，不提供修复。

## 依据

在线策略蒸馏文档 Step 1 的依赖表。混用版本被 pip 拒绝为实测结果（api、sdk、exporter 1.36.0 搭配
loongsuite-util-genai 0.4.0；sdk 1.40.0 搭配其他文档版本）。
"""

_HASHED = Text("its hashes belong to another version", "哈希属于其他版本")
_OUTSIDE = Text("the line is in a file outside the workspace", "该行位于工作区之外的文件中")


class WrongOtelPin(Rule):
    """Reports documented packages that are asked for at no version, a range or another version."""

    code = "RLO502"
    name = "wrong-otel-pin"
    severity = Severity.ERROR
    fixes = ("safe", "unsafe", "none")
    messages = {
        "unpinned": Text(
            "`{name}` has no version: the newest one is installed, and the console may lack spans though "
            "no code was changed; pin `{requirement}`",
            "`{name}` 没有写版本：会安装最新版本，代码没有改动，控制台也可能缺少 Span；请固定为 "
            "`{requirement}`",
        ),
        "range": Text(
            "`{name}{found}` leaves the version open, and the console may lack spans though no code was "
            "changed; pin `{requirement}`",
            "`{name}{found}` 没有固定版本，代码没有改动，控制台也可能缺少 Span；请固定为 `{requirement}`",
        ),
        "other": Text(
            "`{name}{found}` is not the documented version: pip may refuse it beside the other packages, "
            "or the console may lack spans; pin `{requirement}`",
            "`{name}{found}` 不是文档中的版本：pip 可能因与其他依赖冲突而拒绝安装，控制台也可能缺少 Span；"
            "请固定为 `{requirement}`",
        ),
        "constraint": Text(
            "The constraint `{name}{found}` keeps the documented version out: pip may refuse the "
            "requirements, or the console may lack spans; change it to `{requirement}`",
            "约束 `{name}{found}` 排除了文档中的版本：pip 可能拒绝安装，控制台也可能缺少 Span；请改为 "
            "`{requirement}`",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields one finding for each line that pins wrongly, also where two folders include its file."""
        if not workspace.has_processors:
            return
        pins = documented_pins(workspace.settings.pins)
        seen: Set[Tuple[str, int]] = set()
        for tree in workspace.requirements.trees:
            for wrong in wrong_pins(tree, pins):
                file, line, is_constraint = wrong.entry
                if (file.path, line.at.start) in seen or file.path in workspace.requirements.excluded:
                    continue
                seen.add((file.path, line.at.start))
                kind = "unpinned" if not line.specifier else "range" if wrong.standing == OPEN else "other"
                unfixable = _obstacle(workspace, wrong, tree.is_hashed)
                yield self.finding(
                    file.path,
                    file.place(line),
                    "constraint" if is_constraint else kind,
                    {
                        "name": wrong.pin.name,
                        "found": line.specifier,
                        "requirement": str(wrong.pin),
                    },
                    fix=None if unfixable else _fix(wrong),
                    unfixable=unfixable,
                )


def _obstacle(workspace: Workspace, wrong: WrongPin, is_hashed: bool) -> Optional[Text]:
    if is_hashed:
        return _HASHED
    if wrong.is_excluded:
        return EXCLUDED
    return None if is_below(wrong.entry.file.path, workspace.root) else _OUTSIDE


def _fix(wrong: WrongPin) -> Fix:
    chosen = wrong.standing == OTHER or wrong.entry.is_constraint
    applicability = Applicability.UNSAFE if chosen else Applicability.SAFE
    edit = replace_version(wrong.entry.file, wrong.entry.line, wrong.pin.version)
    return Fix(applicability, Text(f"Pin `{wrong.pin}`", f"固定为 `{wrong.pin}`"), edit.path, edits=(edit,))
