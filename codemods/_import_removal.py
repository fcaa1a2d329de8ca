"""Imports that go: those that a fix drops, those that it left unused, and modules that give way to others."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, TypeVar

import libcst as cst

from rlobs_lint import sdk
from rlobs_lint.model import Edit, Span

from ._editing import Editing
from ._import_statements import AnyImport, ImportFrom, imported_names, top_level, trailing_comment
from ._items import remove_items
from ._nodes import Nodes
from ._purity import MODULES

_Import = TypeVar("_Import", bound=AnyImport)

#: Code that may reach a name without writing it.
_LOOKS_UP_NAMES = re.compile(r"\b(globals|locals|vars|eval|exec)\s*\(")


def replace_module(editing: Editing, statement: ImportFrom) -> None:
    """Has all names of an import come from the documented module."""
    span = editing.nodes.span(statement)
    # The text between `from` and `import` is the module, dots and all.
    start = editing.source.text.index("from", span.start) + len("from")
    end = editing.nodes.span(statement.module).end if statement.module is not None else start
    editing.replace(span._replace(start=start, end=end), f" {sdk.OBSERVABILITY}")


def orphaned(
    editing: Editing, names: Iterable[str], others: Sequence[Edit]
) -> Dict[AnyImport, List[cst.ImportAlias]]:
    """Returns the imports of names that nothing at all mentions any more, by statement.

    Args:
        editing: The file.
        names: Names of which changes took a use away.
        others: All other edits of the round.
    """
    nodes, text = editing.nodes, editing.source.text
    surroundings = editing.file.surroundings
    found: Dict[AnyImport, List[cst.ImportAlias]] = {}
    if surroundings is None or editing.source.path.endswith("__init__.py") or _LOOKS_UP_NAMES.search(text):
        return found
    for name in names:
        is_wanted = surroundings.is_imported_elsewhere(editing.source.path, name)
        for statement, scope in _imports(nodes, name, others):
            for alias in imported_names(statement):
                if _bound(nodes, statement, alias) != name or (is_wanted and scope is nodes.module):
                    continue
                gone = [nodes.span(alias), *(edit.span for edit in others)]
                if not _is_mentioned(text, nodes.span(scope), name, gone, others):
                    found.setdefault(statement, []).append(alias)
    return {
        statement: aliases for statement, aliases in found.items() if _may_go(editing, statement, aliases)
    }


def take_out(
    editing: Editing,
    imports: Mapping[_Import, Sequence[cst.ImportAlias]],
    carried: Mapping[_Import, str] = MappingProxyType({}),
) -> List[str]:
    """Takes imported names away: statements that hold no others, and guards that hold no other statements.

    Args:
        editing: Takes the edits.
        imports: The names, by their statements.
        carried: Comments behind statements that go with the names.

    Returns:
        The names of which a use went with them.
    """
    nodes = editing.nodes
    whole: Dict[cst.CSTNode, List[_Import]] = {}
    for statement, aliases in imports.items():
        if len(aliases) < len(imported_names(statement)):
            remove_items(editing, imported_names(statement), aliases, with_pragmas=statement in carried)
        else:
            whole.setdefault(nodes.parent(nodes.parent(statement)), []).append(statement)
    orphans: List[str] = []
    for block, statements in whole.items():
        guard = nodes.parent(block)
        if not isinstance(block, cst.IndentedBlock) or len(block.body) > len(statements):
            for statement in statements:
                editing.remove(statement, keep_comment=statement not in carried)
        elif isinstance(guard, cst.If) and block is guard.body and is_bare(nodes, guard, carried):
            editing.remove(guard)
            orphans.append(nodes.text(guard.test))
    return orphans


def _imports(nodes: Nodes, name: str, edits: Sequence[Edit]) -> Iterable[Tuple[AnyImport, cst.CSTNode]]:
    """Yields the imports of the module, and of functions that lose a use of a name, each with its scope."""
    word, text = re.compile(rf"\b{re.escape(name)}\b"), nodes.source.text
    uses = [edit.span for edit in edits if word.search(text, *edit.span)]
    scopes: List[Tuple[Iterable[cst.BaseSmallStatement], cst.CSTNode]] = [(top_level(nodes), nodes.module)]
    for function in nodes.of_kind((cst.FunctionDef,)):
        start, end = nodes.span(function)
        if any(start <= use.start and use.end <= end for use in uses):
            scopes.append((_simple_statements(function.body), function))
    for statements, scope in scopes:
        for statement in statements:
            if isinstance(statement, (cst.ImportFrom, cst.LazyImportFrom, cst.Import, cst.LazyImport)):
                yield statement, scope


def _simple_statements(block: cst.BaseSuite) -> Iterable[cst.BaseSmallStatement]:
    for line in block.body if isinstance(block, cst.IndentedBlock) else ():
        if isinstance(line, cst.SimpleStatementLine):
            yield from line.body


def is_bare(nodes: Nodes, guard: cst.If, carried: Iterable[AnyImport] = ()) -> bool:
    """Whether an `if` stands at module level, has no `else`, and no comment would be lost with it.

    Args:
        nodes: The file.
        guard: The `if`.
        carried: Statements in it whose comments go elsewhere.
    """
    start, end = nodes.span(guard).start, nodes.logical_end(guard)
    kept = [trailing_comment(nodes, statement) for statement in carried]
    has_comment = any(start <= comment.start < end and comment not in kept for comment in nodes.comments())
    return isinstance(nodes.parent(guard), cst.Module) and guard.orelse is None and not has_comment


def _may_go(editing: Editing, statement: AnyImport, aliases: Sequence[cst.ImportAlias]) -> bool:
    """Whether an import that nothing uses is the file's to lose: no one wants it, or its comment, kept."""
    nodes, text = editing.nodes, editing.source.text
    line = nodes.parent(statement)
    assert isinstance(line, cst.SimpleStatementLine)
    if len(line.body) > 1 or "noqa" in text[nodes.span(line).start : nodes.logical_end(statement)]:
        return False
    has_comment = line.trailing_whitespace.comment is not None or "#" in nodes.text(statement)
    return len(aliases) < len(imported_names(statement)) or not has_comment


def _bound(nodes: Nodes, statement: AnyImport, alias: cst.ImportAlias) -> Optional[str]:
    """Returns the name that is an import's alone to bind, and that nobody is meant to take from the file."""
    imported = nodes.text(alias.name)
    if isinstance(statement, (cst.Import, cst.LazyImport)):
        # Running another module may be what the import is for.
        bound = nodes.text(alias.asname.name) if alias.asname is not None else imported
        is_sdk = imported.startswith(f"{sdk.ROOT}.") or imported == sdk.ROOT
        return bound if imported in MODULES or (is_sdk and alias.asname is not None) else None
    if alias.asname is None:
        return imported
    written = nodes.text(alias.asname.name)
    # `b as b` says that the file re-exports it.
    return None if written == imported else written


def _is_mentioned(text: str, scope: Span, name: str, gone: Sequence[Span], others: Sequence[Edit]) -> bool:
    """Whether code, a string or a comment of a scope has the name outside of some spans."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    if any(word.search(edit.content) for edit in others):
        return True
    return any(
        not any(span.start <= match.start() and match.end() <= span.end for span in gone)
        for match in word.finditer(text, *scope)
    )
