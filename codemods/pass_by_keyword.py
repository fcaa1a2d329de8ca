"""Passes positional arguments by keyword.

Target: the span of the call. Parameter `names`: the names of the positional arguments in order, joined by
commas; an empty name leaves an argument as it is.
"""

from __future__ import annotations

import libcst as cst

from rlobs_lint.model import Text

from ._base import Codemod
from ._changes import CannotFixError
from ._editing import Editing
from ._evaluation import needs_brackets


class PassByKeyword(Codemod[cst.Call]):
    """Writes `f(model=a, messages=b)` for `f(a, b)`."""

    DESCRIPTION = "Passes model and messages of an @observe_llm function by keyword."
    kinds = (cst.Call,)

    @classmethod
    def edit(cls, node: cst.Call, editing: Editing) -> None:
        """Puts the names in front of the arguments."""
        names = str(editing.target.parameter("names") or "").split(",")
        if any(argument.star for argument in node.args):
            raise CannotFixError(Text("the call unpacks arguments", "该调用使用了参数解包"))
        positional = [argument for argument in node.args if argument.keyword is None]
        given = {argument.keyword.value for argument in node.args if argument.keyword is not None}
        is_partial = "" in names and any(names[: names.index("")])
        if len(positional) > len(names) or is_partial or given.intersection(names[: len(positional)]):
            raise CannotFixError(Text("the arguments do not match the parameters", "实参与形参对应不上"))
        for name, argument in zip(names, positional):
            if name:
                _name_argument(name, argument.value, editing)


def _name_argument(name: str, value: cst.BaseExpression, editing: Editing) -> None:
    span = editing.nodes.outer(value)
    if needs_brackets(value):
        editing.insert(span.start, f"{name}=(")
        editing.insert(span.end, ")")
    else:
        editing.insert(span.start, f"{name}=")
