"""How the changes of several fixes to one file are put together."""

from __future__ import annotations

from typing import Iterator, Optional, Sequence, Tuple

from rlobs_lint.model import Edit, Span

from ._changes import Change
from ._file import PythonFile
from ._imports import settle_imports


def overlap(first: Edit, second: Edit) -> bool:
    """Whether two edits of a file cannot both be made as they are."""
    if first == second:
        return False
    if first.span == second.span:
        # Whole lines at one place can follow one another, and the rest of a line that ends there.
        is_insertion = first.span.start == first.span.end
        is_line_end = "\n" in first.content or second.content.startswith(("\n", "\r"))
        return not (is_insertion and is_line_end and "\n" in second.content)
    return first.span.start < second.span.end and second.span.start < first.span.end


def put_together(file: Optional[PythonFile], changes: Sequence[Change]) -> Optional[Tuple[Edit, ...]]:
    """Settles the imports of some changes and returns all edits, disjoint and in order.

    Args:
        file: The file; needed where changes speak of imports.
        changes: The changes, in the order in which their lines are to stand at one place.

    Returns:
        The edits, or `None` where some get in each other's way.

    Raises:
        CannotFixError: There is no place for an import.
    """
    entered = [span for change in changes for span in change.entered]
    if len(set(entered)) < len(entered):
        return None
    edits = list(dict.fromkeys(edit for change in changes for edit in change.edits))
    if file is not None and any(change.speaks_of_imports for change in changes):
        edits = [*settle_imports(file, changes, edits), *edits]
    edits.sort(key=_order)
    if any(overlap(edit, following) for edit, following in zip(edits, edits[1:])):
        return None
    return tuple(_joined(edits))


def _order(edit: Edit) -> Tuple[Span, bool, int]:
    """Says where an edit stands among those at one place."""
    if edit.content[:1] in ("\r", "\n"):
        # What ends a line comes before lines below it, and the end of an inner block before that of an outer.
        line = next(filter(None, edit.content.splitlines()), "")
        return edit.span, True, len(line.lstrip()) - len(line)
    # A decorator belongs directly above its function.
    return edit.span, False, int(edit.content.lstrip().startswith("@"))


def _joined(edits: Sequence[Edit]) -> Iterator[Edit]:
    """Makes one edit of those that touch, so that their order cannot be mistaken."""
    waiting: Optional[Edit] = None
    for edit in edits:
        if waiting is not None and edit.span.start == waiting.span.end:
            waiting = Edit(edit.path, Span(waiting.span.start, edit.span.end), waiting.content + edit.content)
            continue
        if waiting is not None:
            yield waiting
        waiting = edit
    if waiting is not None:
        yield waiting
