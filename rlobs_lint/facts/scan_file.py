"""Scans a Python file: text in, facts out. With the codemods, the only place that needs LibCST."""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_right
from typing import List, NamedTuple, Tuple

import libcst as cst

from rlobs_lint.facts.hazards import measure
from rlobs_lint.facts.ir import Comment, ModuleFacts, ScanError
from rlobs_lint.facts.positions import Places
from rlobs_lint.facts.statements import Lowering
from rlobs_lint.files.source import SourceFile
from rlobs_lint.model import Span

#: Raised whenever the facts of the same bytes change, so that no cache serves old ones.
FORMAT = 1

_SPEAKS_TO_US = re.compile(r"rlobs|noqa", re.IGNORECASE)
# A form feed resets Python's count of the indentation; LibCST drops it or refuses the file.
_FORM_FEED_INDENT = re.compile(r"(?:^|(?<=[\r\n]))[ \t\f]*\f")


class ParsedModule(NamedTuple):
    """A parsed file, with the places of its nodes in the file's own text.

    Attributes:
        module: The tree.
        places: Spans in the text that was parsed, and the comments.
        removed: Offsets, in the file's text, of the characters that were left out for the parser.
    """

    module: cst.Module
    places: Places
    removed: Tuple[int, ...]

    def span(self, node: cst.CSTNode) -> Span:
        """Returns where a node stands in the file's text."""
        span = self.places.spans[node]
        if not self.removed:
            return span
        return Span(self._original(span.start), self._original(span.end))

    def _original(self, offset: int) -> int:
        # The n-th removed character stood at removed[n], so at removed[n] - n in the parsed text.
        return offset + bisect_right(_Shifted(self.removed), offset)


class _Shifted:
    """The removed offsets as the parsed text counts them, for bisection."""

    def __init__(self, removed: Tuple[int, ...]) -> None:
        self._removed = removed

    def __len__(self) -> int:
        return len(self._removed)

    def __getitem__(self, index: int) -> int:
        return self._removed[index] - index


def parse(text: str) -> ParsedModule:
    """Parses a file's text and finds the place of every node.

    Raises:
        libcst.ParserSyntaxError: The parser cannot read the text.
        RecursionError: The code is nested too deeply.
    """
    text, removed = _without_form_feeds(text)
    module = cst.parse_module(text)
    return ParsedModule(module, Places(module), removed)


def scan(source: SourceFile) -> ModuleFacts:
    """Lowers a file to facts; a file that cannot be parsed has facts that say so, and nothing else."""
    if "\0" in source.text:
        row, column = source.position(source.text.index("\0"))
        return _failed(ScanError("syntax", "source code cannot contain null bytes", row, column))
    try:
        parsed = parse(source.text)
        body = Lowering(parsed.span).module(parsed.module)
    except (RecursionError, MemoryError):
        return _failed(ScanError("depth", "", 1, 1))
    except (KeyboardInterrupt, SystemExit):
        raise
    except (
        BaseException
    ) as error:  # the parser's own error, one of its checks, or a panic, which is no `Exception`
        return _failed(explain_failure(source, error))
    comments = tuple(
        _comment(source, parsed.span(node), node.value)
        for node in parsed.places.comments
        if _SPEAKS_TO_US.search(node.value)
    )
    return ModuleFacts(body, comments, None)


def scan_with_care(source: SourceFile) -> ModuleFacts:
    """Scans a file that may be nested so deeply that CPython refuses it: then it is not parsed at all."""
    if measure(source.text).is_refused:
        error = explain_failure(source, RecursionError())
        if error.kind == "syntax" and "too many" in error.reason:
            return _failed(error)
    return scan(source)


def explain_failure(source: SourceFile, error: BaseException) -> ScanError:
    """Says where and why a file does not parse, in CPython's words and rows where it agrees."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source.text)
    except SyntaxError as syntax:
        row, column = syntax.lineno or 1, max(syntax.offset or 1, 1)
        return ScanError("syntax", _one_line(syntax.msg), min(row, len(source.line_starts)), column)
    except (ValueError, RecursionError, MemoryError):
        return ScanError("depth", "", 1, 1)
    if isinstance(error, cst.ParserSyntaxError):
        return ScanError("grammar", _one_line(error.message), error.raw_line, error.raw_column + 1)
    return ScanError("grammar", _one_line(str(error)), 1, 1)


def _failed(error: ScanError) -> ModuleFacts:
    return ModuleFacts((), (), error)


def _one_line(message: str) -> str:
    return " ".join(message.split())


def _comment(source: SourceFile, span: Span, text: str) -> Comment:
    row_start = source.line_starts[source.position(span.start).row - 1]
    return Comment(span, text, not source.text[row_start : span.start].strip())


def _without_form_feeds(text: str) -> Tuple[str, Tuple[int, ...]]:
    if "\f" not in text:
        return text, ()
    removed: List[int] = []
    for match in _FORM_FEED_INDENT.finditer(text):
        removed.extend(range(match.start(), match.end()))
    gone = set(removed)
    return "".join(char for offset, char in enumerate(text) if offset not in gone), tuple(removed)
