"""Exact places of syntax tree nodes, several times faster than the library's own provider.

The tree is printed once; while it is printed, a running count of characters tells where each node
begins and ends. This uses the same internal hooks as `libcst.metadata.PositionProvider`, and the
tests compare the two on every fixture.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import TracebackType
from typing import Dict, List, Optional, Type

import libcst as cst
from libcst._nodes.internal import CodegenState

from rlobs_lint.model import Span


@dataclass(frozen=False)
class _PlaceRecorder(CodegenState):
    """A printing state that notes where each node's text begins and ends."""

    offset: int = 0
    starts: List[int] = field(default_factory=list)
    spans: Dict[cst.CSTNode, Span] = field(default_factory=dict)
    comments: List[cst.Comment] = field(default_factory=list)

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.tokens.append(token)
            self.offset += len(token)

    def add_token(self, value: str) -> None:
        self.tokens.append(value)
        self.offset += len(value)

    def before_codegen(self, node: cst.CSTNode) -> None:
        self.starts.append(self.offset)

    def after_codegen(self, node: cst.CSTNode) -> None:
        start = self.starts.pop()
        if node not in self.spans:
            self.spans[node] = Span(start, self.offset)
            if type(node) is cst.Comment:
                self.comments.append(node)

    # The library writes this as a generator; an object is several times cheaper to enter and leave.
    def record_syntactic_position(  # type: ignore[override]
        self,
        node: cst.CSTNode,
        *,
        start_node: Optional[cst.CSTNode] = None,
        end_node: Optional[cst.CSTNode] = None,
    ) -> _SyntacticPlace:
        return _SyntacticPlace(self, node, start_node, end_node)


class _SyntacticPlace:
    """Records the part of a node between entry and exit, without the white space that it owns."""

    __slots__ = ("end_node", "node", "start", "start_node", "state")

    def __init__(
        self,
        state: _PlaceRecorder,
        node: cst.CSTNode,
        start_node: Optional[cst.CSTNode],
        end_node: Optional[cst.CSTNode],
    ) -> None:
        self.state = state
        self.node = node
        self.start_node = start_node
        self.end_node = end_node
        self.start = state.offset

    def __enter__(self) -> None:
        self.start = self.state.offset

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        spans = self.state.spans
        start = self.start if self.start_node is None else spans[self.start_node].start
        end = self.state.offset if self.end_node is None else spans[self.end_node].end
        spans[self.node] = Span(start, end)


class Places:
    """Where every node of a module stands.

    Attributes:
        spans: Characters of each node in the printed module.
        comments: All comments, in order.
        code: The printed module.
    """

    __slots__ = ("code", "comments", "spans")

    def __init__(self, module: cst.Module) -> None:
        state = _PlaceRecorder(default_indent=module.default_indent, default_newline=module.default_newline)
        module._codegen(state)
        self.spans: Dict[cst.CSTNode, Span] = state.spans
        self.comments: List[cst.Comment] = state.comments
        self.code: str = "".join(state.tokens)
