"""A package that the documents list for tracing is missing from the requirements.

## What it does

Looks for the documented packages in the `requirements.txt` of the uploaded folder and in the files
that it includes with `-r`. A line whose marker excludes Linux does not count, nor does a `-c` line,
which installs nothing. There is one finding for each missing package, on row 1 of `requirements.txt`.

The setting `pins` replaces the documented packages and versions.

## Why it matters

Nothing fails without these packages; the console just stays empty. Without
`opentelemetry-processor-baggage` no span is exported and nothing is logged. Without
`opentelemetry-exporter-otlp-proto-http` (the gRPC exporter is no substitute) no span is exported, and one
line of the log says so. Without `loongsuite-util-genai` the LLM and TOOL spans are missing.
`opentelemetry-api` and `opentelemetry-sdk` come along with the others, at versions that nobody chose; with
none of them nothing is exported, and with an older SDK the server does not even start.

## Example

```text
# file: requirements.txt
opentelemetry-api==1.41.1  # expect: RLO501
opentelemetry-sdk==1.41.1
opentelemetry-exporter-otlp-proto-http==1.41.1
opentelemetry-processor-baggage==0.62b1
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

The fix is safe: it adds one line below the last one, and changes none. There is no fix where the
requirements use hashes, since pip refuses a line without one, nor where a constraints file asks for
another version, since pip could then install neither.

## Source

On-policy distillation document, step 1 (table of dependencies) and self-check for a blank tracing
console. What is lost without each package was measured with dashscope 2.0.2, 1.27.8 and 1.25.19.
"""

from __future__ import annotations

from typing import Iterator, Optional

from rlobs_lint.model import FILE_START, Applicability, Finding, Fix, Severity, Text
from rlobs_lint.project.requirements.edits import append_pin
from rlobs_lint.project.requirements.pins import EXCLUDED, MissingPin, documented_pins, missing_pins
from rlobs_lint.project.requirements.tree import RequirementsTree
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """依赖文件缺少文档要求的 Tracing 依赖。

## 作用

在上传目录的 `requirements.txt` 及其通过 `-r` 引入的文件中查找文档列出的依赖。标记（marker）排除 Linux 的行
不算，`-c` 约束文件也不算（它不安装任何东西）。每缺少一个依赖报告一条，位置在 `requirements.txt` 第 1 行。

配置项 `pins` 可以替换文档中的依赖及版本。

## 影响

缺少这些依赖时不会报错，控制台只是没有数据。缺少 `opentelemetry-processor-baggage` 时，不会导出任何 Span，
日志里也没有提示；缺少 `opentelemetry-exporter-otlp-proto-http`（gRPC 导出器不能替代它）时不会导出任何 Span，
日志里只有一行提示；缺少 `loongsuite-util-genai` 时没有 LLM 和 TOOL Span。`opentelemetry-api` 和
`opentelemetry-sdk` 会随其他依赖一起安装，但版本不受控制；都没有时不会导出任何 Span，较早的 SDK 甚至无法启动。

## 修复安全性

该修复是安全的：只在最后一行之后添加一行，不改动其他行。依赖文件使用哈希时不提供修复，因为 pip 会拒绝没有
哈希的行；约束文件要求其他版本时也不提供修复，因为 pip 将无法安装。

## 依据

在线策略蒸馏文档 Step 1 的依赖表，以及 Tracing 控制台空白的自查项。缺少各依赖时的现象在 dashscope 2.0.2、
1.27.8 和 1.25.19 上实测。
"""

_CORE = ("opentelemetry-api", "opentelemetry-sdk")
_HASHED = Text(
    "pip refuses a line without a hash beside lines that have one", "已有哈希的文件中，pip 会拒绝没有哈希的行"
)


class MissingOtelPin(Rule):
    """Reports documented packages that nothing in the requirements asks for."""

    code = "RLO501"
    name = "missing-otel-pin"
    severity = Severity.ERROR
    fixes = ("safe", "none")
    # Findings of one place are ordered by their text, and fixes add their lines in that order: these
    # sentences sort as the documents list the packages.
    messages = {
        "opentelemetry": Text(
            "`{requirement}` is missing: another package may bring it in at any version; where none does, "
            "the server does not start or exports no span; add the line",
            "缺少 `{requirement}`：其他依赖可能以任意版本带入它；若没有，服务将无法启动或不导出任何 Span；"
            "请添加这一行",
        ),
        "opentelemetry-exporter-otlp-proto-http": Text(
            "`{requirement}` is missing: every span is lost and the trajectory page stays blank, with one "
            "line of the log as the only sign; add the line",
            "缺少 `{requirement}`：所有 Span 都会丢失，轨迹页签为空白，仅日志中有一行提示；请添加这一行",
        ),
        "opentelemetry-processor-baggage": Text(
            "`{requirement}` is missing: no span is exported, the trajectory page stays blank, and "
            "nothing is logged; add the line",
            "缺少 `{requirement}`：不会导出任何 Span，轨迹页签为空白，日志中也没有任何提示；请添加这一行",
        ),
        "loongsuite-util-genai": Text(
            "`{requirement}` is missing: the trajectories show no LLM call and no tool call; add the line",
            "缺少 `{requirement}`：控制台的轨迹中没有任何 LLM 调用和工具调用；请添加这一行",
        ),
        "other": Text(
            "`{requirement}` is missing: your settings ask for it; add the line",
            "缺少 `{requirement}`：您的配置要求它；请添加这一行",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields one finding for each missing package of each uploaded folder."""
        if not workspace.has_processors:
            return
        pins = documented_pins(workspace.settings.pins)
        excluded = workspace.requirements.excluded
        for tree in (tree for tree in workspace.requirements.trees if tree.path not in excluded):
            for missing in missing_pins(tree, pins):
                name = "opentelemetry" if missing.pin.name in _CORE else missing.pin.name
                yield self.finding(
                    tree.path,
                    FILE_START,
                    name if name in self.messages else "other",
                    {"requirement": str(missing.pin)},
                    fix=_fix(tree, missing),
                    unfixable=_HASHED if tree.is_hashed else EXCLUDED if missing.is_excluded else None,
                )


def _fix(tree: RequirementsTree, missing: MissingPin) -> Optional[Fix]:
    if tree.root is None or tree.is_hashed or missing.is_excluded:
        return None
    title = Text(f"Add `{missing.pin}`", f"添加 `{missing.pin}`")
    return Fix(Applicability.SAFE, title, tree.path, edits=append_pin(tree.root, missing.pin))
