"""Imports a name of the SDK from a module that has it.

Target: the span of the imported name, without its alias (`ImportedName.at`), of an import from a module
that lacks it; or the span of a run-time use of a name that nothing binds, that is bound for type
checkers only, or that is looked up on a module that lacks it (`rl.trace_tool`). Parameter `name`: what
the SDK calls it, where the use is written differently.
"""

from __future__ import annotations

from typing import Union

import libcst as cst

from rlobs_lint import sdk

from ._base import Codemod, TargetGoneError
from ._editing import Editing
from ._imports import documented_import, first_use_at_import
from ._name_lists import ImportFrom, imported_names
from ._nodes import Nodes
from ._parts import remove_part

_Use = Union[cst.Name, cst.Attribute]


class CorrectImport(Codemod[cst.CSTNode]):
    """Moves a name to an import that works, or adds the import; aliases and other names stay."""

    DESCRIPTION = "Imports an observability name from a module that has it."
    kinds = (cst.ImportAlias, cst.Name, cst.Attribute)
    needs = tuple(sorted(sdk.OBSERVABILITY_NAMES))
    orphans = True

    @classmethod
    def edit(cls, node: cst.CSTNode, editing: Editing) -> None:
        """Corrects an import, or provides for a use."""
        alias = node if isinstance(node, cst.ImportAlias) else editing.nodes.parent(node)
        if isinstance(alias, cst.ImportAlias):
            statement = editing.nodes.parent(alias)
            if not isinstance(statement, (cst.ImportFrom, cst.LazyImportFrom)):
                raise TargetGoneError("import")
            _correct(statement, alias, editing)
        elif isinstance(node, (cst.Name, cst.Attribute)):
            _provide(node, editing)


def _correct(statement: ImportFrom, alias: cst.ImportAlias, editing: Editing) -> None:
    nodes = editing.nodes
    name = nodes.text(alias.name)
    bound = nodes.text(alias.asname.name) if alias.asname is not None else None
    line = nodes.parent(statement)
    is_top_level = isinstance(nodes.parent(line), cst.Module) and isinstance(line, cst.SimpleStatementLine)
    before = first_use_at_import(nodes, bound or name)
    elsewhere = documented_import(nodes, name, before) if is_top_level else None
    editing.corrects_imports = True
    if len(imported_names(statement)) == 1:
        if elsewhere is None or statement.module is None:
            _replace_module(statement, editing)
            return
        editing.remove(statement)
    else:
        remove_part(editing, imported_names(statement), alias)
    if is_top_level:
        editing.import_as(name, bound, before)
    else:
        entry = name if bound is None else f"{name} as {bound}"
        editing.after(statement, [f"from {sdk.OBSERVABILITY} import {entry}"])


def _replace_module(statement: ImportFrom, editing: Editing) -> None:
    span = editing.nodes.span(statement)
    text = editing.source.text
    # The text between `from` and `import` is the module, dots and all.
    start = text.index("from", span.start) + len("from")
    end = editing.nodes.span(statement.module).end if statement.module is not None else start
    editing.replace(span._replace(start=start, end=end), f" {sdk.OBSERVABILITY}")


def _provide(use: _Use, editing: Editing) -> None:
    nodes = editing.nodes
    written = nodes.text(use)
    wanted = editing.target.parameter("name")
    name = wanted if isinstance(wanted, str) else written.rpartition(".")[2]
    if isinstance(use, cst.Attribute):
        expression = editing.sdk_name(name, use)
        for other in nodes.of_kind((cst.Attribute,)):
            if nodes.text(other) == written:
                editing.replace(nodes.span(other), expression)
        return
    _forget_type_checking(written, editing)
    if name == written:
        before = nodes.span(use).start if nodes.runs_at_import(use) else None
        editing.import_as(name, None, first_use_at_import(nodes, written) or before)
    else:
        editing.import_as(name, written, first_use_at_import(nodes, written))


def _forget_type_checking(bound: str, editing: Editing) -> None:
    """Takes a name out of the imports for type checkers, where they hold more than it."""
    nodes = editing.nodes
    for alias in nodes.of_kind((cst.ImportAlias,)):
        statement, guard = nodes.parent(alias), nodes.enclosing(alias, (cst.If,))
        name = alias.asname.name if alias.asname is not None else alias.name
        if nodes.text(name) != bound or guard is None or not isinstance(statement, cst.ImportFrom):
            continue
        if nodes.text(guard.test).rpartition(".")[2] != "TYPE_CHECKING":
            continue
        block = nodes.parent(nodes.parent(statement))
        if len(imported_names(statement)) > 1:
            remove_part(editing, imported_names(statement), alias)
        elif isinstance(block, cst.IndentedBlock) and len(block.body) > 1:
            editing.remove(statement)
        elif block is guard.body and guard.orelse is None and _is_bare(nodes, guard):
            editing.remove(guard)
            editing.orphan("TYPE_CHECKING")


def _is_bare(nodes: Nodes, guard: cst.If) -> bool:
    """Whether an `if` stands at module level and no comment would be lost with it."""
    start, end = nodes.span(guard).start, nodes.logical_end(guard)
    has_comment = any(start <= comment.start < end for comment in nodes.comments())
    return isinstance(nodes.parent(guard), cst.Module) and not has_comment
