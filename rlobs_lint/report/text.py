"""The format for people at a terminal: each finding with its source line, its notes and its help."""

from __future__ import annotations

import unicodedata
from typing import Iterator, List, NamedTuple, Tuple

from rlobs_lint.model import Applicability, Range, Severity, Text
from rlobs_lint.project.requirements.lines import may_hold_secret
from rlobs_lint.report.change import changed_lines
from rlobs_lint.report.concise import heading
from rlobs_lint.report.outcome import Entry, Outcome
from rlobs_lint.report.summary import summarise
from rlobs_lint.texts import fill, printable

#: Columns that a source line may take; of a longer one the part around the finding is shown.
_WIDEST = 160
_TAB = 4
#: Lines of a change that are shown; `--diff` shows all.
_LONGEST_CHANGE = 20
_HELP = Text("help", "修复")
_UNSAFE_HELP = Text("help (unsafe fix)", "修复（不安全）")
_NOTE = Text("note", "说明")
_RULE = Text("rule", "规则")
_NO_FIX = Text("no fix is offered: {reason}", "不提供自动修复：{reason}")
_RED, _GREEN, _YELLOW, _BLUE = "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[34m"
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"


def render(outcome: Outcome) -> str:
    """Returns the findings with their source, and the summary."""
    blocks = ["\n".join(_block(outcome, entry)) + "\n" for entry in outcome.entries()]
    blocks.append("\n".join(summarise(outcome)))
    text = "\n".join(filter(None, blocks))
    return text + "\n" if text and not text.endswith("\n") else text


def _block(outcome: Outcome, entry: Entry) -> Iterator[str]:
    colour = _RED if entry.rule.severity is Severity.ERROR else _YELLOW
    yield _painted(outcome, heading(outcome, entry.finding), _BOLD)
    margin = " " * len(str(entry.finding.location.start.row))
    yield from _frame(outcome, entry, margin, colour)
    for label, text in _remarks(outcome, entry):
        yield f"{margin} = {_label(outcome, label)}: {text}"
    yield from _change(outcome, entry, margin)
    yield f"{margin} = {_label(outcome, _RULE)}: {entry.rule.name} ({entry.rule.url()})"


def _label(outcome: Outcome, label: Text) -> str:
    return _painted(outcome, label.zh if outcome.language == "zh" else label.en, _BLUE)


def _remarks(outcome: Outcome, entry: Entry) -> Iterator[Tuple[Text, str]]:
    finding = entry.finding
    for note in finding.notes:
        row, column = note.location.start
        place = f"{printable(outcome.path(note.path))}:{row}:{column}"
        yield _NOTE, f"{place}: {fill(note.text, note.parameters, outcome.language)}"
    if finding.fix is not None:
        is_safe = finding.fix.applicability is Applicability.SAFE
        yield (
            _HELP if is_safe else _UNSAFE_HELP,
            fill(finding.fix.title, finding.parameters, outcome.language),
        )
    elif finding.unfixable is not None:
        reason = fill(finding.unfixable, finding.parameters, outcome.language)
        yield _NOTE, fill(_NO_FIX, (("reason", reason),), outcome.language)


def _frame(outcome: Outcome, entry: Entry, margin: str, colour: str) -> Iterator[str]:
    location = entry.finding.location
    line = entry.checked.workspace.line(entry.finding.path, location.start.row)
    if not line.strip() or _is_private(entry, entry.finding.path, line):
        return
    window = _window(line, location)
    bar = _painted(outcome, "|", _BLUE)
    yield f"{margin} {bar}"
    yield f"{_painted(outcome, str(location.start.row), _BLUE)} {bar} {window.text}"
    yield f"{margin} {bar} {' ' * window.indent}{_painted(outcome, '^' * window.length, colour)}"


def _is_private(entry: Entry, path: str, line: str) -> bool:
    return path in entry.checked.workspace.requirements.paths and may_hold_secret(line)


def _change(outcome: Outcome, entry: Entry, margin: str) -> Iterator[str]:
    """Yields what the fix changes, with the names of the other files that it does."""
    fix = entry.finding.fix
    lines = list(changed_lines(fix.edits, entry.checked.workspace)) if fix is not None else []
    bar = _painted(outcome, "|", _BLUE)
    path = entry.finding.path
    for line in lines[:_LONGEST_CHANGE]:
        if line.path != path:
            path = line.path
            yield f"{margin} {bar} {printable(outcome.path(path))}:"
        shown = "…" if _is_private(entry, path, line.text) else printable(line.text.expandtabs(_TAB))
        text = f"{line.sign} {shown}".rstrip()
        text = text if len(text) <= _WIDEST else text[:_WIDEST] + "…"
        yield f"{margin} {bar} {_painted(outcome, text, _GREEN if line.sign == '+' else _RED)}"
    if len(lines) > _LONGEST_CHANGE:
        yield f"{margin} {bar} …"


def _painted(outcome: Outcome, text: str, colour: str) -> str:
    return f"{colour}{text}{_PLAIN}" if outcome.colour else text


class _Window(NamedTuple):
    """A source line as a terminal shows it; the carets stand below `length` columns from `indent` on."""

    text: str
    indent: int
    length: int


def _window(line: str, location: Range) -> _Window:
    """Lays a line out: tabs expanded, foreign characters escaped, wide ones counted as two columns."""
    cells: List[str] = []
    column = 0
    starts: List[int] = []
    for character in line:
        cell = " " * (_TAB - column % _TAB) if character == "\t" else printable(character)
        starts.append(column)
        cells.append(cell)
        column += _columns(cell)
    starts.append(column)
    last = len(line)
    begin = min(location.start.column - 1, last)
    is_one_row = location.end.row == location.start.row
    end = min(max(location.end.column - 1, begin), last) if is_one_row else len(line.rstrip())
    first, final = 0, last
    if column > _WIDEST:
        first = max(0, begin - _WIDEST // 3)
        final = min(last, first + _WIDEST)
    text = ("…" if first else "") + "".join(cells[first:final]).rstrip() + ("…" if final < last else "")
    indent = starts[begin] - starts[first] + (1 if first else 0)
    length = max(1, starts[min(end, final)] - starts[begin])
    return _Window(text, indent, length)


def _columns(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(_width(character) for character in text)


def _width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
