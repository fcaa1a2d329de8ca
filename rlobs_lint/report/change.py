"""What a fix changes, as lines that go and lines that come."""

from __future__ import annotations

from typing import Iterator, List, NamedTuple, Sequence, Tuple

from rlobs_lint.files.source import SourceFile
from rlobs_lint.model import Edit, Span
from rlobs_lint.rulebook.workspace import Workspace


class ChangedLine(NamedTuple):
    """A line of a change.

    Attributes:
        path: Absolute path of the file.
        sign: `-` for a line that goes, `+` for one that comes.
        text: The line, without its end.
    """

    path: str
    sign: str
    text: str


def changed_lines(edits: Sequence[Edit], workspace: Workspace) -> Iterator[ChangedLine]:
    """Yields the lines that edits change, file by file in the order of the edits.

    Args:
        edits: Those of one fix: in each file in order and apart.
        workspace: The workspace, for the text before.
    """
    for path in dict.fromkeys(edit.path for edit in edits):
        module = workspace.modules.get(path)
        source = workspace.read(path) if module is None else module.source
        if not isinstance(source, SourceFile):
            source = SourceFile(path, b"", "", "utf-8")  # a file that is to be made
        for span, text in _grouped(source, [edit for edit in edits if edit.path == path]):
            yield from _differences(path, source.text[span.start : span.end], text)


def _grouped(source: SourceFile, edits: Sequence[Edit]) -> Iterator[Tuple[Span, str]]:
    """Yields whole lines before and after, those of edits on a common line together."""
    groups: List[List[Edit]] = []
    last_row = 0
    for edit in edits:
        if source.position(edit.span.start).row <= last_row:
            groups[-1].append(edit)
        else:
            groups.append([edit])
        last_row = source.position(edit.span.end).row
    for group in groups:
        lines = _whole_lines(source, Span(group[0].span.start, group[-1].span.end))
        pieces: List[str] = []
        offset = lines.start
        for edit in group:
            pieces += [source.text[offset : edit.span.start], edit.content]
            offset = edit.span.end
        yield lines, "".join((*pieces, source.text[offset : lines.end]))


def _whole_lines(source: SourceFile, span: Span) -> Span:
    starts = source.line_starts
    last_row = source.position(span.end).row
    end = starts[last_row] if last_row < len(starts) else len(source.text)
    return Span(starts[source.position(span.start).row - 1], end)


def _differences(path: str, before: str, after: str) -> Iterator[ChangedLine]:
    old, new = before.splitlines(), after.splitlines()
    while old and new and old[0] == new[0]:
        del old[0], new[0]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    yield from (ChangedLine(path, "-", line) for line in old)
    yield from (ChangedLine(path, "+", line) for line in new)
