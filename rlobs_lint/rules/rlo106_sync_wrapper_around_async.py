"""A plain decorator wraps an async function and never awaits it.

## What it does

Looks at decorators of the workspace whose wrapper is a plain `def` that returns the coroutine of the async
function in it, where that does harm: on an async `process`, and below `@observe_llm` or `@observe_tool`.
A wrapper that is `async def`, or that runs the coroutine to its end, is fine.

## Why it matters

The server asks whether `process` is a coroutine function, sees a plain one and does not await: it answers
HTTP 500, since a coroutine is no JSON. `@observe_llm` and `@observe_tool` likewise close their span as soon
as the wrapper returns: the console shows 0 ms, no output and no tokens, and success even if the call fails.

## Example

```python
import functools

from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        print("calling", function.__name__)
        return function(*args, **kwargs)

    return wrapper


class EchoRollout(AbstractRolloutProcessor):
    @observe_processor
    @logged  # expect: RLO106
    async def process(self, input: RolloutInput) -> RolloutOutput:
        return RolloutOutput(agent_output={"messages": input.messages})
```

## Use instead

```python
import functools

from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


def logged(function):
    @functools.wraps(function)
    async def wrapper(*args, **kwargs):
        print("calling", function.__name__)
        return await function(*args, **kwargs)

    return wrapper


class EchoRollout(AbstractRolloutProcessor):
    @observe_processor
    @logged
    async def process(self, input: RolloutInput) -> RolloutOutput:
        return RolloutOutput(agent_output={"messages": input.messages})
```

## Source

Measured with dashscope 2.0.2: a sync wrapper above, below or without `@observe_processor` ends in HTTP 500;
below `@observe_llm` or `@observe_tool` it leaves an empty span of 0 ms.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.flow.questions.places import location
from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """普通装饰器包装了异步函数，却从不 await 它。

## 作用

检查工作区中的装饰器：其包装函数是普通的 `def`，只是返回内部异步函数的协程。用在异步 `process` 上，或用在
`@observe_llm`、`@observe_tool` 之下时会报告。包装函数是 `async def`，或会把协程运行到结束，则没有问题。

## 影响

服务判断 `process` 是否为协程函数，看到的是普通函数，于是不会 await：协程无法转成 JSON，返回 HTTP 500。
`@observe_llm` 和 `@observe_tool` 同样会在包装函数返回时就结束 Span：控制台显示 0 毫秒、没有输出和 Token 用
量，即使调用失败也显示成功。

## 依据

在 dashscope 2.0.2 上实测：同步包装函数无论在 `@observe_processor` 之上、之下还是没有该装饰器，都是 HTTP 500；
在 `@observe_llm` 或 `@observe_tool` 之下则留下 0 毫秒的空 Span。
"""


class SyncWrapperAroundAsync(Rule):
    """Reports a decorator that turns an async function into a plain one."""

    code = "RLO106"
    name = "sync-wrapper-around-async"
    severity = Severity.ERROR
    messages = {
        "process": Text(
            "This decorator makes the async `{name}.process` a plain function that nobody awaits: every "
            "call ends in HTTP 500, and the console will show failed trajectories. Make its wrapper "
            "`async def` and `await` in it.",
            "该装饰器把异步的 `{name}.process` 变成了普通函数，没有人 await 它：每次调用都返回 HTTP 500，控"
            "制台上是失败的轨迹。请把包装函数写成 `async def` 并在其中 `await`。",
        ),
        "llm": Text(
            "This decorator makes the async `{name}` a plain function below `@observe_llm`: the console "
            "will show LLM spans of 0 ms without output and tokens. Make its wrapper `async def` and "
            "`await` in it.",
            "该装饰器在 `@observe_llm` 之下把异步的 `{name}` 变成了普通函数：控制台上的 LLM Span 只有 0 毫"
            "秒，没有输出和 Token 用量。请把包装函数写成 `async def` 并在其中 `await`。",
        ),
        "tool": Text(
            "This decorator makes the async `{name}` a plain function below `@observe_tool`: the console "
            "will show TOOL spans of 0 ms without a result. Make its wrapper `async def` and `await` in it.",
            "该装饰器在 `@observe_tool` 之下把异步的 `{name}` 变成了普通函数：控制台上的 TOOL Span 只有 0 毫"
            "秒，没有返回值。请把包装函数写成 `async def` 并在其中 `await`。",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such decorator."""
        for site, what, name in workspace.flow.entry_spans.lost_coroutines():
            yield self.finding(site.path, location(workspace, site), what, {"name": name})
