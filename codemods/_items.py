"""Items between commas: elements of displays, arguments of calls, names of imports."""

from __future__ import annotations

import re
from typing import Collection, List, Optional, Sequence, Union

import libcst as cst

from rlobs_lint.model import Span

from ._editing import Editing
from ._nodes import Nodes

#: A comment that tells a tool what not to say, or do, about a line.
PRAGMA = re.compile(r"#+\s*(noqa|type:\s*ignore|pylint:|pyright:|mypy:|ruff:|pragma:|nosec)", re.IGNORECASE)

Item = Union[cst.ImportAlias, cst.Arg, cst.BaseDictElement, cst.BaseElement, cst.Param]


def item_span(nodes: Nodes, item: Item) -> Span:
    """Returns where a item stands, with the brackets around its value, without its comma."""
    span = nodes.span(item)
    if isinstance(item, (cst.DictElement, cst.Arg, cst.Element)):
        first = item.key if isinstance(item, cst.DictElement) else item.value
        start = (
            span.start
            if isinstance(item, cst.Arg) and (item.keyword or item.star)
            else nodes.outer(first).start
        )
        return Span(start, nodes.outer(item.value).end)
    return span


def remove_item(editing: Editing, items: Sequence[Item], item: Item) -> None:
    """Takes one item out; comments beside and between the items stay.

    Args:
        editing: Takes the edits.
        items: All of them; where it is the only one, the brackets stay empty.
        item: The one to take out.
    """
    remove_items(editing, items, (item,))


def remove_items(
    editing: Editing, items: Sequence[Item], gone: Collection[Item], with_pragmas: bool = False
) -> None:
    """Takes some items out; comments beside and between the items stay.

    Args:
        editing: Takes the edits.
        items: All of them.
        gone: The ones to take out; where none is left, the brackets stay empty.
        with_pragmas: Whether a comment that tells a tool about the only item of a line goes with it.
    """
    spans: List[Span] = []
    for index, item in enumerate(items):
        if item not in gone:
            continue
        kept = next((other for other in reversed(items[:index]) if other not in gone), None)
        following = items[index + 1] if index + 1 < len(items) else None
        span = _span_to_remove(editing.nodes, item, kept, following, with_pragmas)
        if spans and span.start <= spans[-1].end:
            span = Span(min(span.start, spans[-1].start), max(span.end, spans[-1].end))
            spans.pop()
        spans.append(span)
    for span in spans:
        editing.delete(span)


def _span_to_remove(
    nodes: Nodes, item: Item, kept: Optional[Item], following: Optional[Item], with_pragmas: bool
) -> Span:
    """Returns what goes with a item, that stands between one that is kept and another."""
    text = nodes.source.text
    start, end = item_span(nodes, item)
    behind = nodes.span(item.comma).end if isinstance(item.comma, cst.Comma) else end
    line, next_line = nodes.line_start(start), nodes.next_line(behind)
    rest_of_line = text[behind:next_line].strip()
    # A backslash joins the line to the one above it: it is none of its own.
    is_first = not text[line:start].strip() and not text[:line].rstrip("\r\n").endswith("\\")
    if is_first and (not rest_of_line or (with_pragmas and PRAGMA.match(rest_of_line))):
        return Span(line, next_line)
    if is_first and rest_of_line.startswith("#"):
        return Span(start, text.index("#", behind))
    if following is not None:
        rest = Span(behind, item_span(nodes, following).start)
        return Span(start, behind if "#" in text[rest.start : rest.end] else rest.end)
    if kept is not None:
        before = item_span(nodes, kept).end
        return Span(start, behind) if "#" in text[before:start] else Span(before, end)
    return Span(start, behind)
