"""Wraps the `process` that `@reward_func` generates.

Target: the span of the `class` (`ClassDef.at`). No parameters.
"""

from __future__ import annotations

import libcst as cst

from ._base import Codemod
from ._editing import Editing


class WrapProcess(Codemod[cst.ClassDef]):
    """Adds `Cls.process = observe_processor(Cls.process)` right after a class, in the same block."""

    DESCRIPTION = "Wraps the generated process method of a @reward_func class with observe_processor."
    kinds = (cst.ClassDef,)
    needs = ("observe_processor",)

    @classmethod
    def edit(cls, node: cst.ClassDef, editing: Editing) -> None:
        """Adds the assignment, with the blank lines that stand behind a class."""
        process = f"{node.name.value}.process"
        line = f"{process} = {editing.sdk_name('observe_processor', node)}({process})"
        is_top_level = isinstance(editing.nodes.parent(node), cst.Module)
        editing.after(node, ["", "", line] if is_top_level else ["", line])
