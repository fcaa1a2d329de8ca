"""What one fix does to a file: edits of its own text, and what it asks of the imports.

An edit replaces a span of the original text. Whatever no edit touches stays, byte for byte.
"""

from __future__ import annotations

from typing import Iterable, List, NamedTuple, Optional, Protocol, Tuple

from rlobs_lint.facts import ir
from rlobs_lint.model import Edit, Span, Text


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


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Returns a text with edits made that are disjoint and in order."""
    pieces: List[str] = []
    position = 0
    for edit in edits:
        pieces += (text[position : edit.span.start], edit.content)
        position = edit.span.end
    return "".join((*pieces, text[position:]))
