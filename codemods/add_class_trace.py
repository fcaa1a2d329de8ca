"""Traces a DashScope class, whose methods are called on the class itself.

Target: the span of a call of one of its methods, `Generation.call(...)`. No parameters.
"""

from __future__ import annotations

from typing import List, Optional

import libcst as cst

from rlobs_lint.model import Text

from ._base import Codemod
from ._changes import CannotFixError
from ._editing import Editing
from ._nodes import Nodes, Statement

_NO_IMPORT = Text("the class is not imported here", "此处没有导入该类")


class AddClassTrace(Codemod[cst.Call]):
    """Adds `trace_client(Generation)` below the imports of the scope that imports the class."""

    DESCRIPTION = "Hands a DashScope class to trace_client, once, below the imports."
    kinds = (cst.Call,)
    needs = ("trace_client",)

    @classmethod
    def edit(cls, node: cst.Call, editing: Editing) -> None:
        """Adds the call."""
        nodes = editing.nodes
        if not isinstance(node.func, cst.Attribute):
            raise CannotFixError(_NO_IMPORT)
        written = nodes.text(node.func.value)
        binding = _binding(nodes, written.partition(".")[0], node)
        if binding is None:
            raise CannotFixError(_NO_IMPORT)
        place = _last_import(nodes, binding)
        end = nodes.logical_end(place)
        line = f"{editing.sdk_name('trace_client', place, end)}({written})"
        if not isinstance(nodes.parent(nodes.parent(place)), cst.Module):
            editing.after(place, [line])
            return
        following = editing.source.text[nodes.next_line(end) :]
        is_apart = not following.strip() or following[:1] in "\r\n"
        editing.after(place, ["", line] if is_apart else ["", line, ""])


def _binding(nodes: Nodes, root: str, user: cst.CSTNode) -> Optional[cst.BaseSmallStatement]:
    """Returns the import that binds a name, in the function around its use or in the module."""
    function = nodes.function(user)
    local: List[cst.BaseSmallStatement] = []
    outer: List[cst.BaseSmallStatement] = []
    for alias in nodes.of_kind((cst.ImportAlias,)):
        bound = nodes.text(alias.asname.name if alias.asname is not None else alias.name).partition(".")[0]
        statement = nodes.parent(alias)
        if bound == root and isinstance(statement, cst.BaseSmallStatement):
            if nodes.function(statement) is None:
                outer.append(statement)
            elif nodes.function(statement) is function:
                local.append(statement)
    return next(iter((*local, *outer)), None)


def _last_import(nodes: Nodes, binding: cst.BaseSmallStatement) -> Statement:
    """Returns the last import of the unbroken head of the block that a class is imported in."""
    line = nodes.parent(binding)
    block = nodes.parent(line)
    if not isinstance(block, cst.Module):
        return binding
    last: Statement = binding
    is_below = False
    for other in block.body:
        is_below = is_below or other is line
        if not isinstance(other, cst.SimpleStatementLine):
            if is_below and isinstance(other, (cst.FunctionDef, cst.ClassDef)):
                break
            continue
        if is_below and isinstance(other.body[-1], (cst.Import, cst.ImportFrom)):
            last = other.body[-1]
    return last
