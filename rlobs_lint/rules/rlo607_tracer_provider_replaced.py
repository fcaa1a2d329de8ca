"""The code sets a tracer provider of its own before the server does.

## What it does

Looks for `opentelemetry.trace.set_tracer_provider(...)` that runs when function code is imported, or when a
processor is built or set up. In `process`, in scripts and in `__main__` blocks it is left alone.

## Why it matters

OpenTelemetry keeps the first provider. The SDK then finds the own one in place and adds no exporter to it:
not one span of the process is exported, the console's tracing page is blank, and nothing is logged.

## Example

```python
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor

trace.set_tracer_provider(TracerProvider())  # expect: RLO607


class TurnsReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        return RewardOutput(reward=Reward(reward_score=1 / (1 + turns)))
```

## Use instead

```python
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class TurnsReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        return RewardOutput(reward=Reward(reward_score=1 / (1 + turns)))
```

## Source

Measured with dashscope 2.0.2 in its server: with a provider set at import or in `setup()` 0 spans are
exported and no error is reported; in `process()` it is too late to matter. Both documents: the SDK exports
by itself.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """代码抢在服务之前设置了自己的 TracerProvider。

## 作用

查找在函数代码导入时，或者处理器构造、`setup` 时运行的 `opentelemetry.trace.set_tracer_provider(...)`。
`process`、脚本和 `__main__` 代码块中的不报告。

## 影响

OpenTelemetry 只认第一个 provider。SDK 发现已有 provider，就不会再为它添加导出器：整个进程一个 Span 也不会导
出，追踪页面空白，也没有任何日志。

## 依据

在 dashscope 2.0.2 的服务中实测：在导入时或 `setup()` 中设置 provider 后导出 0 个 Span，且没有报错；在
`process()` 中设置已不起作用。两份文档：SDK 会自行导出。
"""


class TracerProviderReplaced(Rule):
    """Reports a tracer provider that is set too early."""

    code = "RLO607"
    name = "tracer-provider-replaced"
    severity = Severity.ERROR
    messages = {
        "import": Text(
            "A tracer provider is set when this code is imported: the SDK adds no exporter to it, so no span "
            "of the process reaches the console. Leave the provider to the SDK.",
            "导入这段代码时设置了 TracerProvider：SDK 不会为它添加导出器，整个进程的 Span 都到不了控制台。"
            "请把 provider 交给 SDK 设置。",
        ),
        "method": Text(
            "A tracer provider is set in `{method}`, before the server is ready: the SDK adds no exporter to "
            "it, so no span of the process reaches the console. Leave the provider to the SDK.",
            "在 `{method}` 中（服务就绪之前）设置了 TracerProvider：SDK 不会为它添加导出器，整个进程的 Span "
            "都到不了控制台。请把 provider 交给 SDK 设置。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such call."""
        for site, when in workspace.flow.rewards.replaced_providers():
            message = "import" if when == "import" else "method"
            yield self.finding(site.path, location(workspace, site), message, {"method": when})
