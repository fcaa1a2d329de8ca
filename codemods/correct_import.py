"""Imports a name of the SDK from a module that has it.

Target: the span of the imported name, without its alias (`ImportedName.at`), of an import from a module
that lacks it; or the span of a run-time use of a name that nothing binds, that is bound for type
checkers only, or that is looked up on a module that lacks it (`rl.trace_tool`, `getattr(rl, "trace_tool")`).
Parameter `name`: what the SDK calls it, where the use is written differently.
"""

from __future__ import annotations

import libcst as cst

from rlobs_lint import sdk
from rlobs_lint.model import Text

from ._base import Codemod, TargetGoneError
from ._changes import CannotFixError
from ._editing import Editing
from ._evaluation import first_name, last_name
from ._import_places import first_use_at_import


class CorrectImport(Codemod[cst.CSTNode]):
    """Moves a name to an import that works, or adds the import; aliases and other names stay."""

    DESCRIPTION = "Imports an observability name from a module that has it."
    kinds = (cst.ImportAlias, cst.BaseExpression)
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
        elif isinstance(node, cst.BaseExpression):
            _provide(node, editing)


def _provide(use: cst.BaseExpression, editing: Editing) -> None:
    nodes = editing.nodes
    written = editing.source.text[slice(*nodes.span(use))]
    wanted = editing.target.parameter("name")
    name = wanted if isinstance(wanted, str) else written.rpartition(".")[2]
    if not isinstance(use, cst.Name):
        if not isinstance(use, cst.Attribute) and not _is_plain_look_up(use, name):
            raise CannotFixError(
                Text("the name is looked up where it is not written out", "查找该名称的地方没有直接写出它")
            )
        expression = editing.sdk_name(name, use)
        editing.orphan(first_name(use.args[0].value if isinstance(use, cst.Call) else use))
        for other in nodes.of_kind((type(use),)):
            if editing.source.text[slice(*nodes.span(other))] == written:
                editing.replace(nodes.span(other), expression)
        return
    _forget_type_checking(written, editing)
    if name == written:
        before = nodes.span(use).start if nodes.runs_at_import(use) else None
        editing.import_as(name, None, first_use_at_import(nodes, written) or before)
    else:
        editing.import_as(name, written, first_use_at_import(nodes, written))


def _is_plain_look_up(use: cst.BaseExpression, name: str) -> bool:
    """Whether an expression is `getattr(module, "name")`."""
    if not isinstance(use, cst.Call) or last_name(use.func) != "getattr" or len(use.args) != 2:
        return False
    asked = use.args[1].value
    return isinstance(asked, cst.SimpleString) and asked.evaluated_value == name


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
