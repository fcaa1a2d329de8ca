"""Hands a client class to `trace_client` in place of an object of it.

Target: the span of the `trace_client(...)` call. Parameter `class`: how the file writes the class
(`Generation`); needed only where the argument is not its constructor's call.
"""

from __future__ import annotations

import libcst as cst

from rlobs_lint.model import Text

from ._base import Codemod
from ._changes import CannotFixError
from ._editing import Editing


class TraceTheClass(Codemod[cst.Call]):
    """Replaces the argument: `trace_client(Generation())` becomes `trace_client(Generation)`."""

    DESCRIPTION = "Passes the DashScope class to trace_client instead of an object of it."
    kinds = (cst.Call,)

    @classmethod
    def edit(cls, node: cst.Call, editing: Editing) -> None:
        """Replaces the argument by the class."""
        nodes = editing.nodes
        argument = node.args[0].value if node.args else None
        written = editing.target.parameter("class")
        if argument is None:
            raise CannotFixError(Text("it has no argument", "它没有参数"))
        if not isinstance(argument, cst.Call):
            if not isinstance(written, str):
                raise CannotFixError(Text("the class has no name here", "此处没有该类的名字"))
            editing.comment_free(nodes.outer(argument))
            editing.replace(nodes.outer(argument), written)
        elif argument.args:
            raise CannotFixError(Text("the object is built with arguments", "该对象是带参数构造的"))
        else:
            editing.comment_free(nodes.outer(argument))
            editing.replace(nodes.outer(argument), nodes.text(argument.func))
