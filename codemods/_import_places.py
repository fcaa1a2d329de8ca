"""Where an import of a name belongs: an import that can take it in, or a place for one of its own."""

from __future__ import annotations

import re
from typing import Iterable, List, Optional, Tuple

import libcst as cst

from rlobs_lint import sdk
from rlobs_lint.model import Text

from ._changes import CannotFixError
from ._import_statements import ImportFrom, imported_names, top_level
from ._nodes import Nodes, Statement

#: Set-up that imports below it may rely on.
_SET_UP = re.compile(
    r"(sys\.path|os\.environ|os\.putenv|site\.addsitedir|(\w+\.)?load_dotenv|sys\.modules)\b"
)
_FIRST_LINES = re.compile(r"#!|#.*coding[:=]")
_LICENCE = re.compile(r"copyright|licen[cs]e|spdx|\(c\)|©|版权|许可", re.IGNORECASE)


def import_offset(nodes: Nodes, name: str, before: Optional[int]) -> int:
    """Returns where an import of a name that is not there yet will end up.

    Args:
        nodes: The file.
        name: A name of the SDK.
        before: Offset that the import has to precede.

    Raises:
        CannotFixError: There is no place for it.
    """
    statement = documented_import(nodes, name, before)
    return nodes.span(statement).start if statement is not None else new_import_place(nodes, before)[0]


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


def new_import_place(nodes: Nodes, before: Optional[int]) -> Tuple[int, str]:
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
