"""Changes to requirement files, as edits that leave every other byte alone."""

from __future__ import annotations

import re
from typing import Iterable, Tuple

from rlobs_lint.model import Edit, Span
from rlobs_lint.project.requirements.lines import Line, is_continued
from rlobs_lint.project.requirements.pins import Pin
from rlobs_lint.project.requirements.tree import RequirementsFile

_LINE_END = re.compile(r"\r\n|\r|\n")
_OPERATOR = re.compile(r"(?:===|==|~=|!=|<=|>=|<|>)([ \t]*)")


def create_file(path: str, pins: Iterable[Pin]) -> Edit:
    """Makes a file that does not exist yet, with the pins in it."""
    return Edit(path, Span(0, 0), "".join(f"{pin}\n" for pin in pins))


def append_pin(file: RequirementsFile, pin: Pin) -> Tuple[Edit, ...]:
    """Adds a pin below the last line that is not blank.

    Those of several pins of one file stand at the same place; they may be made alone, together (what is
    alike in them once) or one after the other.
    """
    text = file.source.text
    filled = len(text.rstrip())
    if not filled:
        return (Edit(file.path, Span(0, 0), f"{pin}{file.source.newline}"),)
    end = _LINE_END.search(text, filled)
    last = end.start() if end else len(text)
    newline = end.group() if end else _last_line_end(text)
    added = (
        Edit(file.path, Span(end.end(), end.end()), f"{pin}{newline}")
        if end
        else Edit(file.path, Span(last, last), f"{newline}{pin}")
    )
    if not is_continued(text[:last].splitlines()[-1]):
        return (added,)
    # A backslash at the end would draw the new line into the old one; an empty line between ends that.
    return (Edit(file.path, Span(last - 1, last), f"{text[last - 1]}{newline}"), added)


def replace_version(file: RequirementsFile, line: Line, version: str) -> Edit:
    """Pins a named requirement to a version; name, extras, marker, comment and blanks stay."""
    operator = _OPERATOR.match(line.specifier)
    blanks = operator.group(1) if operator else ""
    return Edit(file.path, line.specifier_at, f"=={blanks}{version}")


def _last_line_end(text: str) -> str:
    place = max(text.rfind("\n"), text.rfind("\r"))
    return "\r\n" if text[place - 1 : place + 1] == "\r\n" else text[place] if place >= 0 else "\n"
