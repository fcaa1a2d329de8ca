"""The import editor: has every name imported once, where a reader would look for it, and drops orphans.

It runs last, when all other changes of a round are known. Its edits touch import statements alone.
"""

from __future__ import annotations

from typing import Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

import libcst as cst

from rlobs_lint import sdk
from rlobs_lint.model import Edit, Span

from ._changes import Change, NewImport
from ._editing import Editing
from ._file import PythonFile
from ._import_places import documented_import, first_use_at_import, new_import_place
from ._import_removal import is_bare, orphaned, replace_module, take_out
from ._import_statements import ImportFrom, imported_names, trailing_comment
from ._items import PRAGMA, remove_items
from ._name_lists import add_names, write_import
from ._nodes import Nodes


def settle_imports(file: PythonFile, changes: Sequence[Change], others: Sequence[Edit]) -> Tuple[Edit, ...]:
    """Returns the edits that import names, and that take imports away.

    Args:
        file: The file as it is.
        changes: What speaks of imports: names that they need, move, drop or may have left unused.
        others: All other edits of the round.

    Raises:
        CannotFixError: There is no place for an import in front of its first use.
    """
    editing = Editing(file)
    moved = _statements(file.nodes, (span for change in changes for span in change.moved))
    dropped = _statements(file.nodes, (span for change in changes for span in change.dropped))
    orphans = dict.fromkeys(name for change in changes for name in change.orphans)
    wanted = [new for change in changes for new in change.imports]
    comments: Dict[str, str] = {}
    for statement, aliases in moved.items():
        wanted += _move(editing, statement, aliases, comments)
    carried = _carried(file.nodes, dropped)
    for statement, comment in carried.items():
        comments.update({_entry(_moved(file.nodes, alias)): comment for alias in dropped[statement]})
    orphans.update(dict.fromkeys(take_out(editing, dropped, carried)))
    _add(editing, wanted, comments)
    take_out(editing, orphaned(editing, orphans, (*others, *editing.change().edits)))
    return editing.change().edits


def _statements(nodes: Nodes, places: Iterable[Span]) -> Dict[ImportFrom, List[cst.ImportAlias]]:
    """Returns the imported names that stand at some places, by their statements."""
    found: Dict[ImportFrom, List[cst.ImportAlias]] = {}
    for place in dict.fromkeys(places):
        alias = nodes.find(place, (cst.ImportAlias,))
        assert alias is not None
        statement = nodes.parent(alias)
        assert isinstance(statement, (cst.ImportFrom, cst.LazyImportFrom))
        found.setdefault(statement, []).append(alias)
    return found


def _carried(nodes: Nodes, dropped: Mapping[ImportFrom, Sequence[cst.ImportAlias]]) -> Dict[ImportFrom, str]:
    """Returns the comments that go with imported names to another import, by their statements."""
    found: Dict[ImportFrom, str] = {}
    for statement, aliases in dropped.items():
        comment = _comment_on(nodes, statement, aliases)
        if comment:
            found[statement] = comment
    for statement in tuple(found):
        block = nodes.parent(nodes.parent(statement))
        guard = nodes.parent(block)
        # The statement stays where its guard would be empty and cannot go.
        is_last = isinstance(block, cst.IndentedBlock) and len(block.body) == 1
        if is_last and not (isinstance(guard, cst.If) and is_bare(nodes, guard, (statement,))):
            del found[statement]
    return found


def _comment_on(nodes: Nodes, statement: ImportFrom, aliases: Sequence[cst.ImportAlias]) -> str:
    """Returns the comment that is meant for some names of an import.

    Where others stay, it is one that speaks to a tool, of the names' own lines or of the whole statement.
    """
    text = nodes.source.text
    trailing = trailing_comment(nodes, statement)
    if trailing is not None and len(aliases) == len(imported_names(statement)):
        return text[slice(*trailing)]
    start, end = nodes.span(statement)
    lines = {nodes.line_start(place) for place in (start, end, *(nodes.span(one).end for one in aliases))}
    comments = (comment for comment in nodes.comments() if start <= comment.start <= nodes.line_end(end))
    near = (text[slice(*comment)] for comment in comments if nodes.line_start(comment.start) in lines)
    return next(filter(PRAGMA.match, near), "")


def _move(
    editing: Editing, statement: ImportFrom, aliases: Sequence[cst.ImportAlias], comments: Dict[str, str]
) -> Sequence[NewImport]:
    """Takes names out of an import, and returns how they are to be imported instead.

    Args:
        editing: Takes the edits.
        statement: The import.
        aliases: The names.
        comments: Takes the comments that go with names, by what the new import says.
    """
    nodes = editing.nodes
    line = nodes.parent(statement)
    is_top_level = isinstance(nodes.parent(line), cst.Module) and isinstance(line, cst.SimpleStatementLine)
    moved = [_moved(nodes, alias) for alias in aliases]
    is_whole = len(aliases) == len(imported_names(statement))
    if is_whole and not (
        is_top_level and any(documented_import(nodes, new.name, new.before) for new in moved)
    ):
        replace_module(editing, statement)
        return ()
    comment = _comment_on(nodes, statement, aliases)
    if is_whole:
        editing.remove(statement, keep_comment=not comment)
    else:
        remove_items(editing, imported_names(statement), aliases, with_pragmas=True)
    entries = list(map(_entry, moved))
    if is_top_level:
        comments.update(dict.fromkeys(entries, comment) if comment else {})
        return moved
    behind = f"  {comment}" if comment else ""
    editing.after(statement, [f"from {sdk.OBSERVABILITY} import {', '.join(entries)}{behind}"])
    return ()


def _moved(nodes: Nodes, alias: cst.ImportAlias) -> NewImport:
    name = nodes.text(alias.name)
    bound = nodes.text(alias.asname.name) if alias.asname is not None else None
    return NewImport(name, bound, first_use_at_import(nodes, bound or name))


def _add(editing: Editing, wanted: Sequence[NewImport], comments: Mapping[str, str]) -> None:
    file = editing.file
    extended: Dict[ImportFrom, List[str]] = {}
    added: Dict[Tuple[int, str, str], List[NewImport]] = {}
    for new in _distinct(wanted):
        comment = comments.get(_entry(new), "")
        statement = documented_import(file.nodes, new.name, new.before)
        if statement is not None and _can_bear(file.nodes, statement, comment):
            extended.setdefault(statement, []).append(_entry(new))
        else:
            place, template = new_import_place(file.nodes, new.before)
            added.setdefault((place, template, comment), []).append(new)
    for statement, entries in extended.items():
        add_names(editing, statement, entries)
        comment = next(filter(None, map(comments.get, entries)), "")
        if comment and trailing_comment(file.nodes, statement) is None:
            editing.insert(file.nodes.logical_end(statement), f"  {comment}")
    for (place, template, comment), group in added.items():
        newline = file.nodes.newline(place)
        entries = sorted(map(_entry, group))
        indent = file.nodes.module.default_indent
        line = write_import(sdk.OBSERVABILITY, entries, indent, newline, comment)
        editing.insert(place, template.replace("\n", newline).format(line))


def _can_bear(nodes: Nodes, statement: ImportFrom, comment: str) -> bool:
    """Whether a comment can stand behind an import, or does already."""
    line = nodes.parent(statement)
    trailing = trailing_comment(nodes, statement)
    if not comment or trailing is not None:
        return not comment or nodes.source.text[slice(*trailing)] == comment  # type: ignore[misc]
    start, end = nodes.span(statement)
    assert isinstance(line, cst.SimpleStatementLine)
    return len(line.body) == 1 and nodes.line_start(start) == nodes.line_start(end)


def _entry(new: NewImport) -> str:
    return new.name if new.alias is None else f"{new.name} as {new.alias}"


def _distinct(wanted: Sequence[NewImport]) -> Iterable[NewImport]:
    """Yields each name once, to be imported in front of its first use."""
    merged: Dict[Tuple[str, Optional[str]], NewImport] = {}
    for new in wanted:
        key = (new.name, new.alias)
        known = merged.get(key)
        offsets = [one.before for one in (known, new) if one is not None and one.before is not None]
        merged[key] = new._replace(before=min(offsets) if offsets else None)
    return [merged[key] for key in sorted(merged, key=lambda key: (key[0], key[1] or ""))]
