"""The closing lines of the formats for people."""

from __future__ import annotations

from collections import Counter
from typing import Iterator

from rlobs_lint.model import Applicability, Scalar, Severity, Text
from rlobs_lint.report.outcome import Outcome, applicability_of
from rlobs_lint.rulebook import registry
from rlobs_lint.texts import fill, printable

_CLEAN = Text("Nothing found in {files}.", "已检查 {files}，未发现问题。")
_FOUND = Text("Found {errors} and {warnings} in {files}.", "已检查 {files}：{errors}，{warnings}。")
_FIXED = Text("Fixed {fixed}.", "已修复 {fixed}。")
_FIXABLE = Text("[*] {fixable} can be fixed with `--fix`.", "[*] {fixable}可用 `--fix` 修复。")
_UNSAFE = Text(
    "{unsafe} more can be fixed with `--fix --unsafe-fixes`.",
    "另有 {unsafe}可用 `--fix --unsafe-fixes` 修复。",
)


def summarise(outcome: Outcome) -> Iterator[str]:
    """Yields the lines that say how much was found, and how much of it can be fixed."""

    def say(text: Text, **parameters: Scalar) -> str:
        return fill(text, tuple(parameters.items()), outcome.language)

    def count(number: int, noun: Text) -> str:
        plural = "" if number == 1 else "s"
        return f"{number} {noun.zh}" if outcome.language == "zh" else f"{number} {noun.en}{plural}"

    if outcome.quiet:
        return
    entries = outcome.entries()
    files = count(outcome.files, Text("file", "个文件"))
    finding = Text("finding", "个问题")
    if outcome.fixed:
        yield say(_FIXED, fixed=count(len(outcome.fixed), finding))
        if outcome.show_fixes:
            yield from _list_fixes(outcome)
    if not entries:
        # Where nothing was looked at because a path is wrong, "nothing found" would be no answer.
        if outcome.files or not outcome.errors:
            yield say(_CLEAN, files=files)
        return
    errors = sum(entry.rule.severity is Severity.ERROR for entry in entries)
    yield say(
        _FOUND,
        errors=count(errors, Text("error", "个错误")),
        warnings=count(len(entries) - errors, Text("warning", "个警告")),
        files=files,
    )
    fixable = len(outcome.fixable())
    if fixable:
        yield say(_FIXABLE, fixable=count(fixable, finding))
    unsafe = sum(applicability_of(entry.finding) is Applicability.UNSAFE for entry in entries)
    if unsafe and not outcome.unsafe_fixes:
        yield say(_UNSAFE, unsafe=count(unsafe, finding))


def _list_fixes(outcome: Outcome) -> Iterator[str]:
    """Yields what was fixed, by file and rule."""
    counts = Counter((outcome.path(finding.path), finding.code) for finding in outcome.fixed)
    path = ""
    for (file, code), number in sorted(counts.items()):
        if file != path:
            path = file
            yield f"- {printable(file)}:"
        rule = registry.rule_of(code)
        yield f"    {number} × {code} ({rule.name if rule is not None else ''})"
