"""Comments that speak to the tool, in Python, requirements and YAML files, and the statements beside them."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from typing import Iterator, List, NamedTuple, Sequence, Tuple

from rlobs_lint.facts import ir
from rlobs_lint.facts.module import Module
from rlobs_lint.files.source import SourceFile
from rlobs_lint.model import Range, Span
from rlobs_lint.project.requirements.lines import logical_lines

_SPEAKS_TO_US = re.compile(r"rlobs|noqa", re.IGNORECASE)
# In requirements and YAML files alike, a sign that follows anything but a blank is part of it.
_COMMENT = re.compile(r"(?:^|(?<=[\r\n \t]))#[^\r\n]*")
_LEADING_LINES = re.compile(r"(?:[ \t\f]*(?:#[^\r\n]*)?(?:\r\n|\r|\n|$))*")
#: Parts of compound statements that hold further statements.
_INNER_PARTS = ("body", "otherwise", "handlers", "final", "cases")


class CommentedFile(NamedTuple):
    """A file, with the comments in it that may speak to the tool.

    Attributes:
        source: Its text.
        comments: The comments, in order.
        statements: Spans of the statements, of compound ones the headers: in order, none in another.
        is_python: Whether it is Python code, which only codemods change.
    """

    source: SourceFile
    comments: Tuple[ir.Comment, ...]
    statements: Tuple[Span, ...]
    is_python: bool

    def rows(self, location: Range) -> Tuple[int, int]:
        """Returns the first and the last row of the statement at a place."""
        row, column = location.start
        starts = self.source.line_starts
        offset = starts[min(row, len(starts)) - 1] + column - 1
        index = bisect_right(self.statements, Span(offset, sys.maxsize)) - 1
        if index >= 0 and offset <= self.statements[index].end:
            statement = self.source.range(self.statements[index])
            return min(row, statement.start.row), max(row, statement.end.row)
        return row, row

    @property
    def head(self) -> int:
        """The offset at which the first statement may begin: all before are comments and blanks."""
        return leading_end(self.source)


def leading_end(source: SourceFile) -> int:
    """Returns the offset behind the comments and blank lines that a file begins with."""
    match = _LEADING_LINES.match(source.text)
    return match.end() if match is not None else 0


def python_file(module: Module) -> CommentedFile:
    """Returns the comments and statements of a module; one that cannot be parsed has its leading ones."""
    comments = module.facts.comments
    if module.facts.error is not None:
        source = module.source
        comments = _comments(source, _COMMENT.finditer(source.text, 0, leading_end(source)))
    statements = tuple(sorted(_statements(module.facts.body))) if comments else ()
    return CommentedFile(module.source, comments, statements, True)


def requirements_file(source: SourceFile) -> CommentedFile:
    """Returns the comments and the requirements, continuation lines joined, of a requirements file."""
    comments = _comments(source, _COMMENT.finditer(source.text))
    statements = tuple(line.extent for line in logical_lines(source.text)) if comments else ()
    return CommentedFile(source, comments, statements, False)


def yaml_file(source: SourceFile) -> CommentedFile:
    """Returns the comments of a YAML file, and what spans several of its lines as one statement."""
    found = list(_COMMENT.finditer(source.text)) if _SPEAKS_TO_US.search(source.text) else []
    comments = _comments(source, iter(found))
    if not comments:
        return CommentedFile(source, (), (), False)
    scalars, statements = _yaml_spans(source)
    outside = tuple(comment for comment in comments if not _is_within(comment.at, scalars))
    return CommentedFile(source, outside, statements, False)


def _comments(source: SourceFile, matches: Iterator[re.Match[str]]) -> Tuple[ir.Comment, ...]:
    comments = []
    for match in matches:
        text = match.group().rstrip()
        if _SPEAKS_TO_US.search(text):
            start = match.start()
            line_start = source.line_starts[source.position(start).row - 1]
            alone = not source.text[line_start:start].strip()
            comments.append(ir.Comment(Span(start, start + len(text)), text, alone))
    return tuple(comments)


def _statements(body: Sequence[object]) -> Iterator[Span]:
    pending: List[object] = list(body)
    while pending:
        statement = pending.pop()
        yield getattr(statement, "header", None) or getattr(statement, "at")  # noqa: B009 - of any kind
        for part in _INNER_PARTS:
            inner = getattr(statement, part, ())
            if isinstance(inner, tuple):
                pending.extend(inner)


def _yaml_spans(source: SourceFile) -> Tuple[List[Span], Tuple[Span, ...]]:
    """Returns the scalars of a YAML file, and spans of whole lines that a value holds together."""
    import yaml

    scalars: List[Span] = []
    joined: List[Span] = []
    opened: List[int] = []
    try:
        for token in yaml.scan(source.text, yaml.SafeLoader):
            span = Span(token.start_mark.index, token.end_mark.index)
            if isinstance(token, (yaml.FlowMappingStartToken, yaml.FlowSequenceStartToken)):
                opened.append(span.start)
            elif isinstance(token, (yaml.FlowMappingEndToken, yaml.FlowSequenceEndToken)) and opened:
                joined.append(Span(opened.pop(), span.end))
            elif isinstance(token, yaml.ScalarToken):
                scalars.append(span)
                joined.append(span)
    except (yaml.YAMLError, RecursionError, ValueError):
        pass  # what follows the error has plain lines only
    return scalars, _whole_lines(source, joined)


def _whole_lines(source: SourceFile, spans: List[Span]) -> Tuple[Span, ...]:
    lines: List[Span] = []
    for span in sorted(spans):
        start = source.line_starts[source.position(span.start).row - 1]
        end_row = source.position(max(span.start, span.end - 1)).row
        end = source.line_starts[end_row - 1] + len(source.line(end_row))
        if lines and start <= lines[-1].end:
            lines[-1] = Span(lines[-1].start, max(end, lines[-1].end))
        else:
            lines.append(Span(start, end))
    return tuple(lines)


def _is_within(span: Span, others: List[Span]) -> bool:
    index = bisect_right(others, Span(span.start, sys.maxsize)) - 1
    return index >= 0 and span.start < others[index].end
