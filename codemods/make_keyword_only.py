"""Makes parameters keyword-only.

Target: the span of the `def` (`FunctionDef.at`). Parameter `names`: the parameters that have to be
keyword-only, joined by commas; those behind the first of them become keyword-only as well.
"""

from __future__ import annotations

from typing import List, Sequence

import libcst as cst

from rlobs_lint.model import Span, Text

from ._base import Codemod
from ._changes import CannotFixError
from ._editing import Editing


class MakeKeywordOnly(Codemod[cst.FunctionDef]):
    """Puts a `*` in front of the first of the named parameters."""

    DESCRIPTION = "Makes model and messages of an @observe_llm function keyword-only."
    kinds = (cst.FunctionDef,)

    @classmethod
    def edit(cls, node: cst.FunctionDef, editing: Editing) -> None:
        """Puts the star in, and takes a later one out."""
        nodes, parameters = editing.nodes, node.params
        names = str(editing.target.parameter("names") or "").split(",")
        every = [*parameters.posonly_params, *parameters.params, *parameters.kwonly_params]
        if not set(names) <= {parameter.name.value for parameter in every}:
            raise CannotFixError(Text("it lacks a parameter of that name", "它缺少相应名称的参数"))
        if any(parameter.name.value in names for parameter in parameters.posonly_params):
            raise CannotFixError(Text("the parameter is positional-only", "该参数只能按位置传入"))
        first = next((one for one in parameters.params if one.name.value in names), None)
        if first is None:
            return
        if isinstance(parameters.star_arg, cst.Param):
            raise CannotFixError(Text("it takes further positional arguments", "它还接收其他位置参数"))
        if isinstance(parameters.star_arg, cst.ParamStar):
            _remove_star(parameters.star_arg, parameters.kwonly_params[0], editing)
        start = nodes.span(first).start
        before = [*parameters.posonly_params, *parameters.params]
        if _stand_on_own_lines(before, node, editing):
            # Above the comments that stand above the parameter.
            index = before.index(first)
            place = nodes.line_end(nodes.span(before[index - 1] if index else node.name).end)
            editing.insert(place, f"{nodes.newline(place)}{nodes.indentation(start)}*,")
        else:
            editing.insert(start, "*, ")


def _remove_star(star: cst.ParamStar, following: cst.Param, editing: Editing) -> None:
    nodes = editing.nodes
    start, end = nodes.span(star).start, nodes.span(star.comma).end
    line, next_line = nodes.line_start(start), nodes.next_line(end)
    text = editing.source.text
    if not (text[line:start] + text[end:next_line]).strip():
        editing.delete(Span(line, next_line))
        return
    gap = Span(end, nodes.span(following).start)
    editing.delete(Span(start, end if "#" in text[gap.start : gap.end] else gap.end))


def _stand_on_own_lines(parameters: Sequence[cst.Param], node: cst.FunctionDef, editing: Editing) -> bool:
    nodes = editing.nodes
    lines: List[int] = [nodes.line_start(nodes.span(parameter).start) for parameter in parameters]
    return len({nodes.line_start(nodes.span(node.name).start), *lines}) == len(lines) + 1
