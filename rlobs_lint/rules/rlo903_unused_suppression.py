"""A suppression comment hides nothing, or cannot be understood.

## What it does

Reports a comment such as `# rlobs: ignore[RLO101]` that hides no finding, and each of its codes that
does not. A code of a rule that was not run is not judged, nor is a comment without codes unless every
rule was run. Also reports a code that no rule has, an empty list, and a comment that begins as one of
ours does but says something else: these hide nothing. `# rlobs: skip-file` is never reported, nor is a
plain `# noqa` or what a `# noqa:` says to other tools.

## Why it matters

A comment that outlived its finding hides the next mistake on the same line, and one that is misspelt
hides nothing while its author believes that it does.

## Example

```python
TIMEOUT = 30  # rlobs: ignore[RLO101]  # expect: RLO903
```

## Use instead

```python
TIMEOUT = 30
```

## Fix safety

Safe: only the comment, or the code in it that hides nothing, is removed. Nothing is offered for a code
that no rule has or a comment that cannot be understood, since only its author knows what was meant.

## Source

The behaviour of this tool.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.comments.comment_rule import CommentRule
from rlobs_lint.comments.commented_files import CommentedFile
from rlobs_lint.comments.suppressions import Idle, Suppressions
from rlobs_lint.files.rule_names import nearest
from rlobs_lint.model import Applicability, Edit, Finding, Fix, Severity, Span, Target, Text

CHINESE = """抑制注释没有隐藏任何问题，或无法理解。

## 作用

报告没有隐藏任何问题的注释（例如 `# rlobs: ignore[RLO101]`），以及其中没有隐藏任何问题的单个代码。
未运行的规则的代码不作判断；没有代码的注释只有在运行了全部规则时才作判断。
同时报告不存在的规则代码、空列表，以及开头像本工具的抑制注释、内容却不是的注释：它们什么也不隐藏。
`# rlobs: skip-file`、单独的 `# noqa` 以及 `# noqa:` 中写给其他工具的内容从不报告。

## 影响

问题已经消失而注释仍在，会隐藏同一行上的下一个错误；写错的注释什么也不隐藏，作者却以为它有效。

## 修复安全性

安全：只移除该注释，或其中没有隐藏任何问题的代码。对于不存在的代码或无法理解的注释不提供修复，因为只有作者知道其本意。

## 依据

本工具自身的行为。
"""


class UnusedSuppression(CommentRule):
    """Reports comments that hide no finding, or that cannot be understood."""

    code = "RLO903"
    name = "unused-suppression"
    severity = Severity.WARNING
    fixes = ("safe", "none")
    messages = {
        "unused": Text(
            "This comment hides nothing here: `{what}`; remove it",
            "该注释在此处没有隐藏任何问题：`{what}`；请移除",
        ),
        "unused-code": Text(
            "`{what}` in this comment hides nothing here; remove it",
            "该注释中的 `{what}` 在此处没有隐藏任何问题；请移除",
        ),
        "unknown": Text(
            "`{what}` is no rule's code or name, so it hides nothing; did you mean `{nearest}`?",
            "`{what}` 不是任何规则的代码或名称，因此不起作用；是否想写 `{nearest}`？",
        ),
        "empty": Text(
            "This comment lists no rule, so it hides nothing; write `# rlobs: ignore[CODE]`",
            "该注释没有列出任何规则，因此不起作用；请写成 `# rlobs: ignore[CODE]`",
        ),
        "malformed": Text(
            "This comment cannot be understood, so it hides nothing; write `# rlobs: ignore[CODE]`, "
            "`# rlobs: ignore` or `# rlobs: skip-file`",
            "无法理解该注释，因此不起作用；请写成 `# rlobs: ignore[CODE]`、`# rlobs: ignore` "
            "或 `# rlobs: skip-file`",
        ),
    }

    def judge(self, suppressions: Suppressions) -> Iterator[Finding]:
        """Yields the comments of a file, and codes in them, that hid nothing."""
        for idle in suppressions.idle():
            yield self._report(suppressions.file, idle)

    def _report(self, file: CommentedFile, idle: Idle) -> Finding:
        directive = idle.directive
        whole = idle.kind != "unknown" and len(idle.words) == len(directive.words)
        at = directive.at if whole else idle.words[0].at
        message = "unused-code" if idle.kind == "unused" and not whole else idle.kind
        what = file.source.text[at.start : at.end]
        fix = _removal(file, idle) if idle.kind == "unused" else None
        location = file.source.range(at)
        if message != "unknown":
            return self.finding(file.source.path, location, message, {"what": what}, fix=fix)
        return self.finding(file.source.path, location, message, {"what": what, "nearest": nearest(what)})


def _removal(file: CommentedFile, idle: Idle) -> Fix:
    comment = idle.directive.comment
    content = idle.directive.without(idle.words)
    title = Text("Remove the suppression that hides nothing", "移除没有作用的抑制注释")
    path = file.source.path
    if file.is_python:
        target = Target("remove_suppression", comment.at, (("content", content),))
        return Fix(Applicability.SAFE, title, path, targets=(target,))
    span = comment.at if content else _with_blanks(file, comment.at, comment.alone)
    return Fix(Applicability.SAFE, title, path, edits=(Edit(path, span, content),))


def _with_blanks(file: CommentedFile, at: Span, alone: bool) -> Span:
    """Returns a comment with the blanks before it; one that is alone on its line with the whole line."""
    source = file.source
    if not alone:
        return Span(len(source.text[: at.start].rstrip(" \t")), at.end)
    row = source.position(at.start).row
    following = source.line_starts[row] if row < len(source.line_starts) else len(source.text)
    return Span(source.line_starts[row - 1], following)
