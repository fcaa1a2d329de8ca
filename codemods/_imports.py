"""The import editor: has every name imported once, where a reader would look for it, and drops orphans.

It runs last, when all other changes of a round are known. Its edits touch import statements alone.
"""

from __future__ import annotations

from typing import Dict, Iterable, List, Optional, Sequence, Tuple

import libcst as cst

from rlobs_lint import sdk
from rlobs_lint.model import Edit, Span

from ._changes import Change, NewImport, PythonFile
from ._editing import Editing
from ._import_places import documented_import, first_use_at_import, new_import_place
from ._import_removal import orphaned, replace_module, take_out
from ._name_lists import ImportFrom, add_names, imported_names, write_import
from ._nodes import Nodes
from ._parts import remove_parts


def settle(file: PythonFile, changes: Sequence[Change], others: Sequence[Edit]) -> Tuple[Edit, ...]:
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
    for statement, aliases in moved.items():
        wanted += _move(editing, statement, aliases)
    orphans.update(dict.fromkeys(take_out(editing, dropped)))
    _add(editing, wanted)
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


def _move(editing: Editing, statement: ImportFrom, aliases: Sequence[cst.ImportAlias]) -> Sequence[NewImport]:
    """Takes names out of an import, and returns how they are to be imported instead."""
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
    if is_whole:
        editing.remove(statement)
    else:
        remove_parts(editing, imported_names(statement), aliases)
    if is_top_level:
        return moved
    editing.after(statement, [f"from {sdk.OBSERVABILITY} import {', '.join(map(_entry, moved))}"])
    return ()


def _moved(nodes: Nodes, alias: cst.ImportAlias) -> NewImport:
    name = nodes.text(alias.name)
    bound = nodes.text(alias.asname.name) if alias.asname is not None else None
    return NewImport(name, bound, first_use_at_import(nodes, bound or name))


def _add(editing: Editing, wanted: Sequence[NewImport]) -> None:
    file = editing.file
    extended: Dict[ImportFrom, List[str]] = {}
    added: Dict[Tuple[int, str], List[NewImport]] = {}
    for new in _distinct(wanted):
        statement = documented_import(file.nodes, new.name, new.before)
        if statement is not None:
            extended.setdefault(statement, []).append(_entry(new))
        else:
            place, template = new_import_place(file.nodes, new.before)
            added.setdefault((place, template), []).append(new)
    for statement, entries in extended.items():
        add_names(editing, statement, entries)
    for (place, template), group in added.items():
        newline = file.nodes.newline(place)
        line = write_import(
            sdk.OBSERVABILITY, sorted(map(_entry, group)), file.nodes.module.default_indent, newline
        )
        editing.insert(place, template.replace("\n", newline).format(line))


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
