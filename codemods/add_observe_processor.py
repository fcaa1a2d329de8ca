"""Puts `@observe_processor` on a `process` method.

Target: the span of the `def` (`FunctionDef.at`). No parameters.
"""

from __future__ import annotations

import re
from typing import Optional

import libcst as cst

from ._base import Codemod
from ._editing import Editing

#: Above these the span covers all attempts together, below them it would cover each one alone.
_REPEATS = re.compile(r"retry|backoff|on_exception|on_predicate|tenacity|stamina", re.IGNORECASE)


class AddObserveProcessor(Codemod[cst.FunctionDef]):
    """Adds the decorator directly above `def`, or above decorators that call the function repeatedly."""

    DESCRIPTION = "Puts @observe_processor on the process method of a processor."
    kinds = (cst.FunctionDef,)
    needs = ("observe_processor",)

    @classmethod
    def edit(cls, node: cst.FunctionDef, editing: Editing) -> None:
        """Inserts the decorator's line."""
        add_decorator(node, f"@{editing.sdk_name('observe_processor', node)}", editing)


def add_decorator(node: cst.FunctionDef, text: str, editing: Editing) -> None:
    """Inserts a decorator's line where its span will cover one whole call."""
    nodes = editing.nodes
    editing.enter(node)
    start = nodes.span(_topmost_repeating(node, editing) or node).start
    line = nodes.line_start(start)
    editing.insert(line, f"{nodes.indentation(start)}{text}{nodes.newline(start)}")


def _topmost_repeating(node: cst.FunctionDef, editing: Editing) -> Optional[cst.Decorator]:
    for decorator in node.decorators:
        called = decorator.decorator
        name = called.func if isinstance(called, cst.Call) else called
        if _REPEATS.search(editing.nodes.text(name)):
            return decorator
    return None
