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
from ._import_places import first_use_at_import

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
            if not isinstance(editing.nodes.parent(alias), (cst.ImportFrom, cst.LazyImportFrom)):
                raise TargetGoneError("import")
            editing.move_import(alias)
        elif isinstance(node, (cst.Name, cst.Attribute)):
            _provide(node, editing)


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
    """Takes a name out of the imports for type checkers."""
    nodes = editing.nodes
    for alias in nodes.of_kind((cst.ImportAlias,)):
        statement, guard = nodes.parent(alias), nodes.enclosing(alias, (cst.If,))
        name = alias.asname.name if alias.asname is not None else alias.name
        if nodes.text(name) != bound or guard is None or not isinstance(statement, cst.ImportFrom):
            continue
        if nodes.text(guard.test).rpartition(".")[2] == "TYPE_CHECKING":
            editing.drop_import(alias)
