"""The import editor: has every name imported once, where a reader would look for it, and drops orphans.

It runs last, when all other changes of a round are known. Its edits touch import statements alone.
"""

from __future__ import annotations

import re
from typing import Dict, Iterable, List, Optional, Sequence, Tuple

import libcst as cst

from rlobs_lint import sdk
from rlobs_lint.model import Edit, Span, Text

from ._changes import CannotFixError, Change, NewImport, PythonFile
from ._editing import Editing
from ._import_removal import orphaned, replace_module, take_out, top_level
from ._name_lists import ImportFrom, add_names, imported_names, write_import
from ._nodes import Nodes, Statement
from ._parts import remove_parts

#: Set-up that imports below it may rely on.
_SET_UP = re.compile(
    r"(sys\.path|os\.environ|os\.putenv|site\.addsitedir|(\w+\.)?load_dotenv|sys\.modules)\b"
)
_FIRST_LINES = re.compile(r"#!|#.*coding[:=]")
_LICENCE = re.compile(r"copyright|licen[cs]e|spdx|\(c\)|©|版权|许可", re.IGNORECASE)


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
            place, template = _place(file.nodes, new.before)
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


def _module_name(nodes: Nodes, statement: ImportFrom) -> str:
    if statement.relative or statement.module is None:
        return ""
    return "".join(nodes.text(statement.module).split())


def first_use_at_import(nodes: Nodes, bound: str) -> Optional[int]:
    """Returns where the import of a module first evaluates a name; `None` if only functions use it."""
    for use in nodes.of_kind((cst.Name,)):
        is_imported = isinstance(nodes.statement(use), (cst.Import, cst.ImportFrom))
        if use.value == bound and not is_imported and nodes.runs_at_import(use):
            return nodes.span(use).start
    return None


def documented_import(nodes: Nodes, name: str, before: Optional[int]) -> Optional[ImportFrom]:
    """Returns the import at module level from a module that has a name, if it comes before the first use.

    Args:
        nodes: The file.
        name: A name of the SDK.
        before: Offset that the import has to precede.
    """
    found: List[ImportFrom] = []
    for statement in top_level(nodes):
        if before is not None and nodes.span(statement).end > before:
            break
        if (
            isinstance(statement, (cst.ImportFrom, cst.LazyImportFrom))
            and imported_names(statement)
            and _module_name(nodes, statement) in sdk.EXPORTS[name]
        ):
            found.append(statement)
    documented = (one for one in found if _module_name(nodes, one) == sdk.OBSERVABILITY)
    return next(documented, found[0] if found else None)


def _place(nodes: Nodes, before: Optional[int]) -> Tuple[int, str]:
    """Returns where a new import goes, and the line breaks around it: `{}` stands for the statement."""
    anchor = _anchor(nodes, before)
    if anchor is None:
        return _above_everything(nodes)
    end = nodes.logical_end(anchor)
    if before is not None and end > before:
        raise CannotFixError(
            Text("there is no line for the import above its first use", "首次使用之前没有可放导入的行")
        )
    is_import = isinstance(anchor, cst.Try) or _is_import(anchor)
    is_future = isinstance(anchor, cst.ImportFrom) and _module_name(nodes, anchor) == "__future__"
    blank = "" if is_import and not is_future else "\n"
    follows = nodes.source.text[nodes.next_line(end) :]
    gap = "\n" if not is_import and follows.strip() and follows[:1] not in "\r\n" else ""
    return end, f"\n{blank}{{}}{gap}"


def _anchor(nodes: Nodes, before: Optional[int]) -> Optional[Statement]:
    """Returns what a new import belongs below: the last import of the SDK, else the last of the head."""
    last: Optional[Statement] = None
    last_of_sdk: Optional[Statement] = None
    in_head = True
    for index, line in enumerate(nodes.module.body):
        if before is not None and nodes.span(line).end > before:
            break
        if isinstance(line, cst.SimpleStatementLine):
            is_docstring = index == 0 and _is_docstring(line.body[0])
            if any(_imports_sdk(nodes, one) for one in line.body):
                last = last_of_sdk = line.body[-1]
            elif is_docstring or (
                in_head and any(_is_import(one) or _sets_up(nodes, one) for one in line.body)
            ):
                last = line.body[-1]
        elif isinstance(line, cst.Try) and any(_imports_sdk(nodes, one) for one in _simple_parts(line)):
            last = last_of_sdk = line
        elif isinstance(line, (cst.FunctionDef, cst.ClassDef)):
            if last_of_sdk is not None:
                break
            in_head = False
    relies_on_set_up = last is not None and _sets_up(nodes, last)
    return last if last_of_sdk is None or relies_on_set_up else last_of_sdk


def _sets_up(nodes: Nodes, statement: Statement) -> bool:
    return _SET_UP.match(nodes.text(statement)) is not None


def _simple_parts(node: cst.Try) -> Iterable[cst.BaseSmallStatement]:
    for block in (node.body, *(handler.body for handler in node.handlers)):
        if isinstance(block, cst.SimpleStatementSuite):
            yield from block.body
        else:
            for line in block.body:
                if isinstance(line, cst.SimpleStatementLine):
                    yield from line.body


def _is_import(statement: Statement) -> bool:
    return isinstance(statement, (cst.Import, cst.ImportFrom, cst.LazyImport, cst.LazyImportFrom))


def _imports_sdk(nodes: Nodes, statement: cst.BaseSmallStatement) -> bool:
    package = sdk.ROOT.partition(".")[0]
    if isinstance(statement, (cst.ImportFrom, cst.LazyImportFrom)):
        return _module_name(nodes, statement).partition(".")[0] == package
    if isinstance(statement, (cst.Import, cst.LazyImport)):
        return any(nodes.text(alias.name).partition(".")[0] == package for alias in statement.names)
    return False


def _is_docstring(statement: cst.BaseSmallStatement) -> bool:
    return isinstance(statement, cst.Expr) and isinstance(
        statement.value, (cst.SimpleString, cst.ConcatenatedString)
    )


def _above_everything(nodes: Nodes) -> Tuple[int, str]:
    """Returns the place of an import in a file that has none: below shebang, cookie and licence."""
    text = nodes.source.text
    if not nodes.module.body:
        end = len(text)
        if not text.strip():
            return 0, "{}\n"
        return (end, "\n{}\n") if text.endswith(("\n", "\r")) else (end, "\n\n{}")
    first = nodes.module.body[0]
    start = nodes.span(first).start
    if isinstance(first, (cst.FunctionDef, cst.ClassDef)) and first.decorators:
        start = nodes.span(first.decorators[0]).start
    place = nodes.line_start(start)
    while place and text[nodes.line_start(place - 1) : place].lstrip().startswith("#"):
        above = nodes.line_start(place - 1)
        if nodes.source.position(above).row <= 2 and _FIRST_LINES.match(text[above:place]):
            break
        place = above
    if place == 0 and text.startswith("#") and _LICENCE.search(text[:start]):
        place = nodes.line_start(start)
    gap = "\n\n\n" if isinstance(first, (cst.FunctionDef, cst.ClassDef)) else "\n\n"
    blank = "\n" if place and text[nodes.line_start(place - 1) : place].strip() else ""
    return place, f"{blank}{{}}{gap}"
