"""An index of a parsed file: which node stands where, what encloses it, and where its lines begin and end."""

from __future__ import annotations

from bisect import bisect_right
from typing import Dict, Iterator, List, Optional, Sequence, Tuple, Type, TypeVar, Union

import libcst as cst

from rlobs_lint.facts.scan_file import ParsedModule
from rlobs_lint.files.source import SourceFile
from rlobs_lint.model import Span

Node = TypeVar("Node", bound=cst.CSTNode)
Statement = Union[cst.BaseSmallStatement, cst.BaseCompoundStatement]

#: Fields that hold white space, comments, brackets and separators: nothing that a codemod looks for.
_LAYOUT_FIELDS = frozenset(
    {
        "lpar", "rpar", "lbracket", "rbracket", "lbrace", "rbrace", "comma", "semicolon", "leading_lines",
        "lines_after_decorators", "header", "footer", "trailing_whitespace", "dot", "equal", "operator",
    }
)  # fmt: skip


class Nodes:
    """The nodes of one file, by place and by what encloses them.

    Attributes:
        module: The tree.
        source: The file that it was parsed from.
    """

    def __init__(self, parsed: ParsedModule, source: SourceFile) -> None:
        self.module = parsed.module
        self.source = source
        self._parsed = parsed
        self._parents: Dict[cst.CSTNode, cst.CSTNode] = {}
        self._by_span: Dict[Span, List[cst.CSTNode]] = {}
        self._index()

    def span(self, node: cst.CSTNode) -> Span:
        """Returns where a node stands, without its own brackets."""
        return self._parsed.span(node)

    def outer(self, node: cst.BaseExpression) -> Span:
        """Returns where an expression stands, with the brackets around it."""
        if not node.lpar:
            return self.span(node)
        return Span(self.span(node.lpar[0]).start, self.span(node.rpar[-1]).end)

    def text(self, node: cst.CSTNode) -> str:
        """Returns the text of a node, with the brackets around an expression."""
        span = self.outer(node) if isinstance(node, cst.BaseExpression) else self.span(node)
        return self.source.text[span.start : span.end]

    def find(self, span: Span, kinds: Tuple[Type[Node], ...]) -> Optional[Node]:
        """Returns the outermost node of one of the kinds whose place is exactly `span`."""
        for node in self._by_span.get(span, ()):
            if isinstance(node, kinds):
                return node
        return None

    def comments(self) -> Iterator[Span]:
        """Yields the places of all comments."""
        return map(self.span, self._parsed.places.comments)

    def parent(self, node: cst.CSTNode) -> cst.CSTNode:
        """Returns the node around another; the module is its own parent."""
        return self._parents.get(node, self.module)

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """Yields what encloses a node, from the inside out; the module comes last."""
        while node is not self.module:
            node = self.parent(node)
            yield node

    def enclosing(self, node: cst.CSTNode, kinds: Tuple[Type[Node], ...]) -> Optional[Node]:
        """Returns the innermost node of one of the kinds around a node."""
        for ancestor in self.ancestors(node):
            if isinstance(ancestor, kinds):
                return ancestor
        return None

    def statement(self, node: cst.CSTNode) -> Statement:
        """Returns the innermost statement that is, or holds, a node."""
        kinds = (cst.BaseSmallStatement, cst.BaseCompoundStatement)
        found: Optional[cst.CSTNode] = node if isinstance(node, kinds) else self.enclosing(node, kinds)
        assert isinstance(found, kinds)
        return found

    def function(self, node: cst.CSTNode) -> Optional[cst.FunctionDef]:
        """Returns the function in whose body a node stands.

        Decorators, defaults and annotations of a function belong to what is around it.
        """
        child = node
        for ancestor in self.ancestors(node):
            if isinstance(ancestor, cst.FunctionDef) and child is ancestor.body:
                return ancestor
            child = ancestor
        return None

    def runs_at_import(self, node: cst.CSTNode) -> bool:
        """Whether a node is evaluated when the module is imported, not when a function is called."""
        return self.function(node) is None and self.enclosing(node, (cst.Lambda,)) is None

    def siblings(self, statement: Statement) -> Sequence[cst.CSTNode]:
        """Returns the statements of the block in which a statement stands, lines as they are."""
        line = self.parent(statement)
        if isinstance(line, cst.SimpleStatementSuite):
            return line.body
        holder = self.parent(line) if isinstance(line, cst.SimpleStatementLine) else line
        return holder.body if isinstance(holder, (cst.Module, cst.IndentedBlock)) else (statement,)

    # --- lines ----------------------------------------------------------------------------------

    def line_start(self, offset: int) -> int:
        """Returns where the line of a character begins."""
        starts = self.source.line_starts
        return starts[bisect_right(starts, offset) - 1]

    def line_end(self, offset: int) -> int:
        """Returns where the text of a character's line ends, in front of the line end."""
        start = self.line_start(offset)
        return start + len(self.source.line(self.source.position(start).row))

    def next_line(self, offset: int) -> int:
        """Returns where the line after a character's begins, or where the file ends."""
        starts = self.source.line_starts
        index = bisect_right(starts, offset)
        return starts[index] if index < len(starts) else len(self.source.text)

    def newline(self, offset: int) -> str:
        """Returns the line end of a character's line, or of its neighbour where the file ends without one."""
        end = self.line_end(offset)
        ending = self.source.text[end : self.next_line(offset)]
        if ending:
            return ending
        start = self.line_start(offset)
        return self.source.text[self.line_end(start - 1) : start] if start else self.source.newline

    def indentation(self, offset: int) -> str:
        """Returns the blanks and tabs in front of a character's line; a form feed before them is left out."""
        line = self.source.text[self.line_start(offset) : offset].rpartition("\f")[2]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def logical_end(self, statement: Statement) -> int:
        """Returns where the last line of a statement ends: behind its comment, in front of the line end.

        Comments that end a block, indented as it is, belong to it.
        """
        line = self.parent(statement)
        if isinstance(line, (cst.SimpleStatementLine, cst.SimpleStatementSuite)):
            return self.span(line.trailing_whitespace.newline).start
        last = _last_small(statement)
        end = self.line_end(self.span(statement).end) if last is None else self.logical_end(last)
        outer = len(self.indentation(self.span(statement).start))
        start = self.next_line(end)
        while start < len(self.source.text):
            text = self.source.text[start : self.line_end(start)]
            bare = text.lstrip(" \t")
            if bare and not (bare.startswith("#") and len(text) - len(bare) > outer):
                break
            if bare:
                end = start + len(text)
            if self.next_line(start) == start:
                break
            start = self.next_line(start)
        return end

    def names(self, within: Optional[cst.CSTNode] = None) -> Iterator[cst.Name]:
        """Yields the names of variables in a node, or in the module: no attributes, no keywords."""
        for name in self.of_kind((cst.Name,), within):
            parent = self.parent(name)
            if not isinstance(parent, (cst.Attribute, cst.Arg)) or parent.value is name:
                yield name

    def of_kind(self, kinds: Tuple[Type[Node], ...], within: Optional[cst.CSTNode] = None) -> Iterator[Node]:
        """Yields the nodes of some kinds in a node, or in the module, in the order of the text."""
        limits = self.span(within) if within is not None else Span(0, len(self.source.text))
        for span in sorted(self._by_span):
            if limits.start <= span.start and span.end <= limits.end:
                for node in self._by_span[span]:
                    if isinstance(node, kinds):
                        yield node

    def _index(self) -> None:
        for comment in self._parsed.places.comments:
            self._by_span[self.span(comment)] = [comment]
        stack: List[cst.CSTNode] = [self.module]
        while stack:
            node = stack.pop()
            self._by_span.setdefault(self.span(node), []).append(node)
            children = list(_children(node))
            for child in children:
                self._parents[child] = node
            stack.extend(reversed(children))


def _last_small(statement: cst.CSTNode) -> Optional[cst.BaseSmallStatement]:
    """Returns the last simple statement in a compound one."""
    node: Optional[cst.CSTNode] = statement
    while node is not None:
        if isinstance(node, (cst.SimpleStatementLine, cst.SimpleStatementSuite)):
            return node.body[-1]
        if isinstance(node, (cst.Module, cst.IndentedBlock)):
            node = node.body[-1] if node.body else None
        elif isinstance(node, cst.Match):
            node = node.cases[-1].body if node.cases else None
        else:
            node = _last_block(node)
    return None


def _last_block(node: cst.CSTNode) -> Optional[cst.CSTNode]:
    for field in ("finalbody", "orelse"):
        part = getattr(node, field, None)
        if isinstance(part, cst.CSTNode):
            return part
    handlers = getattr(node, "handlers", None)
    if handlers:
        return handlers[-1]  # type: ignore[no-any-return]
    body = getattr(node, "body", None)
    return body if isinstance(body, cst.CSTNode) else None


_fields: Dict[Type[cst.CSTNode], Tuple[str, ...]] = {}


def _children(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yields the nodes directly in another, white space and punctuation left out."""
    kind = type(node)
    names = _fields.get(kind)
    if names is None:
        declared = kind.__dataclass_fields__
        names = tuple(name for name in declared if name not in _LAYOUT_FIELDS and "whitespace" not in name)
        _fields[kind] = names
    for name in names:
        value = getattr(node, name)
        if isinstance(value, cst.CSTNode):
            yield value
        elif isinstance(value, (list, tuple)):
            for part in value:
                if isinstance(part, cst.CSTNode):
                    yield part
