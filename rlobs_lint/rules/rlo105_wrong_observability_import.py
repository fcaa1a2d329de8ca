"""An observability name is not imported from a module that has it.

## What it does

Looks at the names of the observability package (`observe_processor`, `observe_llm`, `observe_tool`,
`trace_client`, `trace_tool` and their kin): imported from a module of the SDK that does not have them,
imported below `if TYPE_CHECKING:` only, or used without any import. An import in a `try` with a handler for
the failure is fine, and so is a name of the same spelling from elsewhere.

## Why it matters

The server imports the file when it starts. A wrong import stops it there; a name that is not bound raises
`NameError`, when the file is loaded or in the middle of a run. The console shows no span of this file.

## Example

```python
from dashscope.finetune.reinforcement import (
    AbstractRolloutProcessor,
    RolloutInput,
    RolloutOutput,
    observe_processor,  # expect: RLO105
)


class EchoRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        return RolloutOutput(agent_output={"messages": input.messages})
```

## Use instead

```python
from dashscope.finetune.reinforcement import (
    AbstractRolloutProcessor,
    RolloutInput,
    RolloutOutput,
)
from dashscope.finetune.reinforcement.component.observability import observe_processor


class EchoRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        return RolloutOutput(agent_output={"messages": input.messages})
```

## Fix safety

Safe: the file cannot run as it is, and the new import binds the name that it uses to what the documents
mean by it.

## Source

Both documents, "Step 2" (the import in each example); measured: every name was looked up on every module of
dashscope 1.25.19 to 2.0.2. From `...component` only `observe_processor` comes, from the package itself
none.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint import sdk
from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Applicability, Finding, Fix, Severity, Target, Text, parameters
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """可观测名称没有从拥有它的模块导入。

## 作用

检查可观测包中的名称（`observe_processor`、`observe_llm`、`observe_tool`、`trace_client`、`trace_tool` 等）：
从没有该名称的 SDK模块导入、只在 `if TYPE_CHECKING:` 下导入，或没有导入就使用。放在 `try` 中且失败时有处理的导
入没有问题；来自别处的同名函数不作判断。

## 影响

服务启动时会导入该文件。错误的导入会让启动失败；没有绑定的名称会抛出 `NameError`，可能在加载时，也可能在运行
途中。控制台看不到该文件的任何 Span。

## 修复安全性

安全：该文件原本就无法运行，新的导入只是把它使用的名称绑定到文档所指的对象。

## 依据

两份文档的“Step 2”（每个示例中的导入语句）；实测：在 dashscope 1.25.19 至 2.0.2 的每个模块上逐一查找。
`...component` 中只有 `observe_processor`，包本身一个也没有。
"""

_TITLE = Text(f"Import `{{name}}` from `{sdk.OBSERVABILITY}`", f"从 `{sdk.OBSERVABILITY}` 导入 `{{name}}`")


class WrongObservabilityImport(Rule):
    """Reports an observability name that is not bound to what it should be."""

    code = "RLO105"
    name = "wrong-observability-import"
    severity = Severity.ERROR
    fixes = ("safe",)
    messages = {
        "import": Text(
            "`{module}` has no `{name}`: the server cannot load this file, and the console will show none "
            "of its "
            f"spans. Import it from `{sdk.OBSERVABILITY}`.",
            "`{module}` 中没有 `{name}`：服务无法加载该文件，控制台看不到它的任何 Span。"
            f"请从 `{sdk.OBSERVABILITY}` 导入。",
        ),
        "type-checking": Text(
            "`{spelling}` is imported for type checkers only: at run time it raises `NameError`, and the "
            "console "
            f"will show no span of it. Import it from `{sdk.OBSERVABILITY}` outside `if TYPE_CHECKING`.",
            "`{spelling}` 只为类型检查而导入：运行时会抛出 `NameError`，控制台看不到它的 Span。"
            f"请在 `if TYPE_CHECKING` 之外从 `{sdk.OBSERVABILITY}` 导入。",
        ),
        "unbound": Text(
            "`{spelling}` is used, but nothing imports it: it raises `NameError`, and the console will show "
            "no span "
            f"of it. Import it from `{sdk.OBSERVABILITY}`.",
            "使用了 `{spelling}`，但没有导入它：会抛出 `NameError`，控制台看不到它的 Span。"
            f"请从 `{sdk.OBSERVABILITY}` 导入。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each wrongly imported name, and for the first use of each unbound one."""
        for found in workspace.flow.entry_spans.wrong_names():
            path = found.site.path
            target = Target("correct_import", found.site.span, parameters({"name": found.name}))
            yield self.finding(
                path,
                location(workspace, found.site),
                found.why,
                {
                    "name": found.name,
                    "spelling": found.spelling,
                    "module": found.module,
                },
                fix=Fix(Applicability.SAFE, _TITLE, path, (target,)),
            )
