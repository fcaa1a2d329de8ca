"""Adding names to a `from ... import` statement, whatever way it is laid out."""

from __future__ import annotations

from typing import List, Sequence

import libcst as cst

from rlobs_lint.model import Span

from ._editing import Editing
from ._import_statements import ImportFrom, imported_names
from ._nodes import Nodes

#: Longer statements are written with brackets, a name on each line (characters).
LONGEST_LINE = 100


def write_import(module: str, entries: Sequence[str], indent: str, newline: str, comment: str = "") -> str:
    """Returns a `from module import entries` statement, with a comment behind its first line."""
    line = f"from {module} import {', '.join(entries)}"
    behind = f"  {comment}" if comment else ""
    if len(line) <= LONGEST_LINE:
        return f"{line}{behind}"
    return f"from {module} import ({behind}{_in_brackets(entries, indent, newline)[1:]}"


def add_names(editing: Editing, statement: ImportFrom, entries: Sequence[str]) -> None:
    """Adds names to a statement: in their alphabetical places where it keeps them so, else at the end.

    Args:
        editing: Takes the edits.
        statement: The import.
        entries: `name` or `name as alias`.
    """
    nodes, names = editing.nodes, imported_names(statement)
    first, last = nodes.span(names[0]), nodes.span(names[-1])
    present = [nodes.source.text[nodes.span(name).start : nodes.span(name).end] for name in names]
    if not statement.lpar and _fits_brackets(nodes, statement, entries):
        every = _merged(present, entries)
        editing.replace(
            Span(first.start, last.end),
            _in_brackets(every, nodes.module.default_indent, nodes.newline(first.start)),
        )
        return
    own_lines = _has_own_lines(nodes, statement)
    added: List[List[str]] = [[] for _ in range(len(names) + 1)]
    for entry in sorted(entries, key=_key):
        place = _place(present, entry)
        added[place].append(entry)
    for index, group in enumerate(added):
        if not group:
            continue
        if own_lines:
            _add_lines(editing, statement, index, group)
        elif index < len(names):
            editing.insert(nodes.span(names[index]).start, "".join(f"{entry}, " for entry in group))
        else:
            editing.insert(last.end, "".join(f", {entry}" for entry in group))


def _in_brackets(entries: Sequence[str], indent: str, newline: str) -> str:
    lines = "".join(f"{indent or '    '}{entry},{newline}" for entry in entries)
    return f"({newline}{lines})"


def _fits_brackets(nodes: Nodes, statement: ImportFrom, entries: Sequence[str]) -> bool:
    """Whether a one-line statement at module level would get too long, and nothing forbids brackets."""
    span = nodes.span(statement)
    line = nodes.parent(statement)
    assert isinstance(line, (cst.SimpleStatementLine, cst.SimpleStatementSuite))
    is_plain = (
        len(line.body) == 1
        and line.trailing_whitespace.comment is None
        and nodes.line_start(span.start) == span.start
        and nodes.line_end(span.start) >= span.end
    )
    length = span.end - span.start + sum(len(entry) + 2 for entry in entries)
    return is_plain and length > LONGEST_LINE


def _has_own_lines(nodes: Nodes, statement: ImportFrom) -> bool:
    """Whether brackets hold one name a line and close on a line of their own."""
    if not statement.lpar:
        return False
    starts = [nodes.line_start(nodes.span(statement).start)]
    starts += [nodes.line_start(nodes.span(name).start) for name in imported_names(statement)]
    starts.append(nodes.line_start(nodes.span(statement).end - 1))
    commas = [name.comma for name in imported_names(statement) if isinstance(name.comma, cst.Comma)]
    tidy = all(
        nodes.line_start(nodes.span(comma).start) == nodes.line_start(nodes.span(name).end)
        for name, comma in zip(imported_names(statement), commas)
    )
    return tidy and len(set(starts)) == len(starts)


def _add_lines(editing: Editing, statement: ImportFrom, index: int, entries: Sequence[str]) -> None:
    nodes, names = editing.nodes, imported_names(statement)
    indent = nodes.indentation(nodes.span(names[0]).start)
    above = nodes.span(names[index - 1]).end if index else nodes.span(statement.lpar).start  # type: ignore[arg-type]
    newline = nodes.newline(above)
    comma = "," if index < len(names) or isinstance(names[-1].comma, cst.Comma) else ""
    if not comma:
        editing.insert(above, ",")
    lines = f",{newline}{indent}".join(entries)
    editing.insert(nodes.line_end(above), f"{newline}{indent}{lines}{comma}")


def _merged(present: Sequence[str], entries: Sequence[str]) -> List[str]:
    every = list(present)
    for entry in sorted(entries, key=_key):
        every.insert(_place(every, entry), entry)
    return every


def _place(present: Sequence[str], entry: str) -> int:
    """Returns where an entry belongs among those that are there."""
    keys = list(map(_key, present))
    if keys != sorted(keys):
        return len(present)
    return sum(key < _key(entry) for key in keys)


def _key(entry: str) -> str:
    return " ".join(entry.split()).lower()
