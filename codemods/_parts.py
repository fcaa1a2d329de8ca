"""Parts between commas: elements of displays, arguments of calls, names of imports."""

from __future__ import annotations

from typing import Sequence, Union

import libcst as cst

from rlobs_lint.model import Span

from ._editing import Editing
from ._nodes import Nodes

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
    nodes, index = editing.nodes, list(parts).index(part)
    text = nodes.source.text
    start, end = part_span(nodes, part)
    behind = nodes.span(part.comma).end if isinstance(part.comma, cst.Comma) else end
    line, following = nodes.line_start(start), nodes.next_line(behind)
    rest_of_line = text[behind:following].strip()
    if not text[line:start].strip() and not rest_of_line:
        editing.delete(Span(line, following))
    elif not text[line:start].strip() and rest_of_line.startswith("#"):
        editing.delete(Span(start, text.index("#", behind)))
    elif index + 1 < len(parts):
        rest = Span(behind, part_span(nodes, parts[index + 1]).start)
        editing.delete(Span(start, behind if "#" in text[rest.start : rest.end] else rest.end))
    elif index:
        before = part_span(nodes, parts[index - 1]).end
        editing.delete(Span(start, behind) if "#" in text[before:start] else Span(before, end))
    else:
        editing.delete(Span(start, behind))
