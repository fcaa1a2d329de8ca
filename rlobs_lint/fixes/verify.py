"""Looks a changed Python file over before it is written: it parses, and differs only where it was edited."""

from __future__ import annotations

import warnings
from bisect import bisect_left, bisect_right
from typing import Iterator, List, NamedTuple, Optional, Sequence, Tuple

from rlobs_lint.facts import ir
from rlobs_lint.facts.scan_file import scan
from rlobs_lint.files.source import SourceFile
from rlobs_lint.model import Edit, Span


class _Place(NamedTuple):
    """A statement's kind and its own text, which of a compound one is the header, and what it stands in.

    Attributes:
        kind: The record's name.
        span: Its own text.
        around: The blocks around it: the statement and field that each belongs to, and where that begins.
    """

    kind: str
    span: Span
    around: Tuple[Tuple[str, int], ...]


def complaint(
    before: SourceFile, facts: ir.ModuleFacts, after: SourceFile, edits: Sequence[Edit]
) -> Optional[str]:
    """Says what is wrong with a changed file, or returns `None`.

    Args:
        before: The file as it was.
        facts: What the scan kept of it.
        after: The file as it is to be written.
        edits: What was done to it, disjoint and in order.
    """
    scanned = scan(after)
    if scanned.error is not None:
        return f"row {scanned.error.row}: {scanned.error.reason or 'it does not parse'}"
    if _compiles(before.text) and not _compiles(after.text):
        return "Python does not parse it"
    shift = _Shift(edits)
    unchanged = {shift.place(place) for place in _places(facts.body) if not shift.touches(place.span)}
    found = set(_places(scanned.body))
    lost = unchanged - found
    if lost:
        row = after.position(min(place.span.start for place in lost)).row
        return f"row {row}: a statement that no fix speaks of has changed"
    appeared = [place for place in found - unchanged if not shift.has_made(place.span)]
    if appeared:
        row = after.position(min(place.span.start for place in appeared)).row
        return f"row {row}: a statement that no fix speaks of has appeared"
    return None


def _compiles(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


class _Shift:
    """Where the characters of the old text stand in the new one.

    Args:
        edits: What was done, disjoint and in order.
    """

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._starts = [edit.span.start for edit in edits]
        self._ends = [edit.span.end for edit in edits]
        self._contents = [edit.content for edit in edits]
        self._gains: List[int] = [0]
        self._made: List[Span] = []
        for edit in edits:
            start = edit.span.start + self._gains[-1]
            self._made.append(Span(start, start + len(edit.content)))
            self._gains.append(self._gains[-1] + len(edit.content) - (edit.span.end - edit.span.start))
        self._made_starts = [span.start for span in self._made]

    def place(self, place: _Place) -> _Place:
        """Returns the new place of a statement that no edit touches."""
        around = tuple((block, self._offset(start)) for block, start in place.around)
        start = self._offset(place.span.start)
        return place._replace(span=Span(start, start + place.span.end - place.span.start), around=around)

    def _offset(self, offset: int) -> int:
        return offset + self._gains[bisect_right(self._ends, offset)]

    def touches(self, span: Span) -> bool:
        """Whether an edit changes something inside a span."""
        first = bisect_right(self._ends, span.start)
        if first == len(self._starts) or self._starts[first] > span.end:
            return False
        # What is put right behind a statement, and not on a new line, lengthens it.
        return self._starts[first] < span.end or self._contents[first][:1] not in ("", "\r", "\n")

    def has_made(self, span: Span) -> bool:
        """Whether an edit has written something in a span of the new text, or taken something from it."""
        index = bisect_left(self._made_starts, span.end)
        return any(made.end >= span.start for made in self._made[max(0, index - 1) : index + 1])


def _places(body: Sequence[ir.Statement]) -> Iterator[_Place]:
    stack: List[Tuple[ir.Statement, Tuple[Tuple[str, int], ...]]] = [(statement, ()) for statement in body]
    while stack:
        statement, around = stack.pop()
        kind = type(statement).__name__
        header = getattr(statement, "header", None)
        # The header of a definition begins at its first decorator; each decorator is a place of its own.
        own = Span(statement.at.start, header.end) if isinstance(header, Span) else statement.at
        yield _Place(kind, own, around)
        for decorator in getattr(statement, "decorators", ()):
            yield _Place("Decorator", decorator.at, around)
        for name, block in _blocks(statement):
            holder = (f"{kind}.{name}", statement.at.start)
            stack.extend((inner, (*around, holder)) for inner in block)


def _blocks(statement: ir.Statement) -> Iterator[Tuple[str, Tuple[ir.Statement, ...]]]:
    for name in ("body", "otherwise", "final"):
        block = getattr(statement, name, None)
        # A lambda's or conditional's `body` is an expression; a statement's is a tuple of statements.
        if type(block) is tuple:
            yield name, block
    for name in ("handlers", "cases"):
        for clause in getattr(statement, name, ()):
            yield name, clause.body
