"""Traces a client or a collection of tools as soon as it has a name.

Target: the span of the expression that makes it, without its brackets and without `await`: the
constructor's call, the call of `get_tools()`. Parameter `function`: `trace_client` or `trace_tool`.
"""

from __future__ import annotations

from typing import Tuple

import libcst as cst

from ._base import Codemod
from ._editing import Editing
from ._evaluation import last_name
from ._naming import trace_value
from ._tracing import Trace


class AddTraceCall(Codemod[cst.BaseExpression]):
    """Adds `trace_client(x)` or `trace_tool(x)`, and names the value first where it has no name."""

    DESCRIPTION = "Hands a client to trace_client, or tools to trace_tool, right after they are made."
    kinds = (cst.BaseExpression,)
    needs = ("trace_client", "trace_tool")

    @classmethod
    def edit(cls, node: cst.BaseExpression, editing: Editing) -> None:
        """Adds the call behind the statement that names the value."""
        function = str(editing.target.parameter("function"))
        written = editing.sdk_name(function, node)
        trace_value(node, Trace(lambda name: f"{written}({name})", good_names(node, function)), editing)


def good_names(node: cst.BaseExpression, function: str) -> Tuple[str, ...]:
    """Returns names that a reader would give to what an expression makes, best first."""
    if function == "trace_tool":
        return ("tools", "all_tools", "traced_tools")
    made_by = last_name(node.func) if isinstance(node, cst.Call) else ""
    if "Chat" in made_by or "llm" in made_by.lower():
        return ("llm", "chat_model", "traced_llm")
    return ("client", "llm_client", "traced_client")
