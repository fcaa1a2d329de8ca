"""What fixes do to a file: edits of its own text, and how those of several fixes are put together.

An edit replaces a span of the original text. Whatever no edit touches stays, byte for byte.
"""

from __future__ import annotations

import re
from functools import cached_property, partial
from typing import Iterable, Iterator, List, NamedTuple, Optional, Protocol, Sequence, Tuple

from rlobs_lint.facts import ir
from rlobs_lint.facts.scan_file import ParsedModule, parse
from rlobs_lint.files.source import SourceFile
from rlobs_lint.model import Edit, Span, Text

from ._bindings import Bindings
from ._nodes import Nodes

_LONE_RETURN = re.compile(r"\r(?!\n)")


class CannotFixError(Exception):
    """A change cannot be made safely; `reason` says why in one phrase."""

    def __init__(self, reason: Text) -> None:
        super().__init__(reason.en)
        self.reason = reason


class Surroundings(Protocol):
    """What a codemod may ask about the rest of the workspace."""

    def canonical(self, path: str, module: str, level: int, name: str) -> Optional[str]:
        """Returns the SDK's dotted name for what `from module import name` binds in a file, if it is one."""

    def star_binds(self, path: str, star: ir.ImportFrom, name: str) -> Optional[bool]:
        """Whether a star import in a file binds a name; `None` where its module is not known."""

    def is_imported_elsewhere(self, path: str, name: str) -> bool:
        """Whether another file imports a name from this one."""


class NewImport(NamedTuple):
    """A name of the SDK that a change needs.

    Attributes:
        name: As the SDK calls it.
        alias: What the file calls it, where that differs.
        before: Offset that the import has to precede; `None` when a function uses it, later.
    """

    name: str
    alias: Optional[str]
    before: Optional[int]


class Change(NamedTuple):
    """What one fix does to a file, before its imports are settled.

    Attributes:
        edits: Replacements, those at one offset in the order they are to stand.
        imports: Names that it needs.
        orphans: Names that it may have left unused.
        names: Names that it gives to values.
        moved: The places of imported names that have to come from another module.
        dropped: The places of imported names that have to go.
        entered: The places of what it opens an ENTRY span around, which has to have one alone.
    """

    edits: Tuple[Edit, ...]
    imports: Tuple[NewImport, ...] = ()
    orphans: Tuple[str, ...] = ()
    names: Tuple[str, ...] = ()
    moved: Tuple[Span, ...] = ()
    dropped: Tuple[Span, ...] = ()
    entered: Tuple[Span, ...] = ()

    @property
    def speaks_of_imports(self) -> bool:
        """Whether the file's imports have to be settled once it is known."""
        return bool(self.imports or self.orphans or self.moved or self.dropped)


class PythonFile:
    """A Python file whose text is to be changed.

    Args:
        source: The file as it is.
        surroundings: The rest of the workspace, where it is known.
    """

    def __init__(self, source: SourceFile, surroundings: Optional[Surroundings] = None) -> None:
        self.source = source
        self.surroundings = surroundings

    @cached_property
    def parsed(self) -> ParsedModule:
        """The tree.

        Raises:
            CannotFixError: The tree would not stand for the text to the last character, or the file is nested
                too deeply to be walked.
        """
        if _LONE_RETURN.search(self.source.text):
            raise CannotFixError(
                Text("the file has lone carriage returns as line ends", "文件中有单独的回车符作换行")
            )
        try:
            parsed = parse(self.source.text)
        except RecursionError:
            raise CannotFixError(Text("the file is nested too deeply", "文件嵌套过深")) from None
        if len(parsed.places.code) + len(parsed.removed) != len(self.source.text):
            raise CannotFixError(
                Text("the parser does not keep the file as it is", "解析器无法原样保留该文件")
            )
        return parsed

    @cached_property
    def nodes(self) -> Nodes:
        """The index of the tree."""
        return Nodes(self.parsed, self.source)

    @cached_property
    def bindings(self) -> Bindings:
        """What the file's names stand for."""
        # It builds on this module.
        from ._import_places import import_offset

        return Bindings(self.parsed, self.source, partial(import_offset, self.nodes), self.surroundings)


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
        from ._imports import settle

        edits = [*settle(file, changes, edits), *edits]
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


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Returns a text with edits made that are disjoint and in order."""
    pieces: List[str] = []
    position = 0
    for edit in edits:
        pieces += (text[position : edit.span.start], edit.content)
        position = edit.span.end
    return "".join((*pieces, text[position:]))
