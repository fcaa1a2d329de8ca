"""Parts between commas: elements of displays, arguments of calls, names of imports."""

from __future__ import annotations

import re
from typing import Collection, List, Optional, Sequence, Union

import libcst as cst

from rlobs_lint.model import Span

from ._editing import Editing
from ._nodes import Nodes

#: A comment that tells a tool what not to say, or do, about a line.
PRAGMA = re.compile(r"#+\s*(noqa|type:\s*ignore|pylint:|pyright:|mypy:|ruff:|pragma:|nosec)", re.IGNORECASE)

Part = Union[cst.ImportAlias, cst.Arg, cst.BaseDictElement, cst.BaseElement, cst.Param]


def part_span(nodes: Nodes, part: Part) -> Span:
    """Returns where a part stands, with the brackets around its value, without its comma."""
    span = nodes.span(part)
    if isinstance(part, (cst.DictElement, cst.Arg, cst.Element)):
        first = part.key if isinstance(part, cst.DictElement) else part.value
        start = (
            span.start
            if isinstance(part, cst.Arg) and (part.keyword or part.star)
            else nodes.outer(first).start
        )
        return Span(start, nodes.outer(part.value).end)
    return span


def remove_part(editing: Editing, parts: Sequence[Part], part: Part) -> None:
    """Takes one part out; comments beside and between the parts stay.

    Args:
        editing: Takes the edits.
        parts: All of them; where it is the only one, the brackets stay empty.
        part: The one to take out.
    """
    remove_parts(editing, parts, (part,))


def remove_parts(
    editing: Editing, parts: Sequence[Part], gone: Collection[Part], with_pragmas: bool = False
) -> None:
    """Takes some parts out; comments beside and between the parts stay.

    Args:
        editing: Takes the edits.
        parts: All of them.
        gone: The ones to take out; where none is left, the brackets stay empty.
        with_pragmas: Whether a comment that tells a tool about the only part of a line goes with it.
    """
    spans: List[Span] = []
    for index, part in enumerate(parts):
        if part not in gone:
            continue
        kept = next((other for other in reversed(parts[:index]) if other not in gone), None)
        following = parts[index + 1] if index + 1 < len(parts) else None
        span = _span_to_remove(editing.nodes, part, kept, following, with_pragmas)
        if spans and span.start <= spans[-1].end:
            span = Span(min(span.start, spans[-1].start), max(span.end, spans[-1].end))
            spans.pop()
        spans.append(span)
    for span in spans:
        editing.delete(span)


def _span_to_remove(
    nodes: Nodes, part: Part, kept: Optional[Part], following: Optional[Part], with_pragmas: bool
) -> Span:
    """Returns what goes with a part, that stands between one that is kept and another."""
    text = nodes.source.text
    start, end = part_span(nodes, part)
    behind = nodes.span(part.comma).end if isinstance(part.comma, cst.Comma) else end
    line, next_line = nodes.line_start(start), nodes.next_line(behind)
    rest_of_line = text[behind:next_line].strip()
    # A backslash joins the line to the one above it: it is none of its own.
    is_first = not text[line:start].strip() and not text[:line].rstrip("\r\n").endswith("\\")
    if is_first and (not rest_of_line or (with_pragmas and PRAGMA.match(rest_of_line))):
        return Span(line, next_line)
    if is_first and rest_of_line.startswith("#"):
        return Span(start, text.index("#", behind))
    if following is not None:
        rest = Span(behind, part_span(nodes, following).start)
        return Span(start, behind if "#" in text[rest.start : rest.end] else rest.end)
    if kept is not None:
        before = part_span(nodes, kept).end
        return Span(start, behind) if "#" in text[before:start] else Span(before, end)
    return Span(start, behind)
