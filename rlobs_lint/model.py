"""The plain data that flows through the tool: what a finding is, where it stands, what would fix it.

Every record is an immutable named tuple of plain values, so that it can be compared, hashed, pickled
and cached. Nothing here imports another module of the tool.
"""

from __future__ import annotations

from enum import Enum
from typing import FrozenSet, Mapping, NamedTuple, Optional, Tuple, Union

Scalar = Union[str, int, float, bool, None]


class Span(NamedTuple):
    """A range of characters in the decoded text of a file.

    Attributes:
        start: Offset of the first character, from 0; a byte order mark is not counted.
        end: Offset behind the last character.
    """

    start: int
    end: int


class Position(NamedTuple):
    """A place in a file as an editor shows it.

    Attributes:
        row: Line, from 1.
        column: Character in the line, from 1.
    """

    row: int
    column: int


class Range(NamedTuple):
    """A range in a file; `end` is exclusive."""

    start: Position
    end: Position


#: Where a finding about a whole file, or about a missing one, stands.
FILE_START = Range(Position(1, 1), Position(1, 1))


class Severity(str, Enum):
    """How bad a finding is: `ERROR` loses data or crashes at run time, `WARNING` may mislead."""

    ERROR = "error"
    WARNING = "warning"


class Applicability(str, Enum):
    """Whether a fix keeps the behaviour but for the span (`SAFE`) or has to be asked for (`UNSAFE`)."""

    SAFE = "safe"
    UNSAFE = "unsafe"


class Text(NamedTuple):
    """One sentence in the languages of the tool; placeholders are written `{name}`."""

    en: str
    zh: str


class Edit(NamedTuple):
    """A replacement of a range of a file's text.

    Attributes:
        path: Absolute path of the file; it need not exist yet.
        span: What is replaced, in characters of the decoded text (empty for an insertion).
        content: The new text, with the line ends that are to be written.
    """

    path: str
    span: Span
    content: str


class Target(NamedTuple):
    """The place in Python code that a codemod changes, and what it has to know about it.

    Attributes:
        codemod: Module name of the codemod in `rlobs_lint.codemods`.
        span: The node to change, as the facts record it.
        parameters: Further plain values, by name, in a fixed order.
        path: Absolute path of its file; empty for the file of the fix.
    """

    codemod: str
    span: Span
    parameters: Tuple[Tuple[str, Scalar], ...] = ()
    path: str = ""

    def parameter(self, name: str) -> Scalar:
        """Returns the parameter called `name`, or `None` when the target has none of that name."""
        return dict(self.parameters).get(name)


class Fix(NamedTuple):
    """A plan to mend a finding. Text is made from it only when someone asks for it.

    Attributes:
        applicability: Safe, or unsafe.
        title: What the fix does, as an order ("Add `@observe_processor`").
        path: Absolute path of the file that `targets` are in, unless they name another.
        targets: Changes to Python code, carried out by codemods.
        edits: Changes that need no syntax tree: requirements, YAML, comments, new files.
    """

    applicability: Applicability
    title: Text
    path: str
    targets: Tuple[Target, ...] = ()
    edits: Tuple[Edit, ...] = ()

    @property
    def paths(self) -> FrozenSet[str]:
        """Absolute paths of the files that it changes; it is made in all of them or in none."""
        targets = {target.path or self.path for target in self.targets}
        return frozenset(targets | {edit.path for edit in self.edits})


class Note(NamedTuple):
    """A further place that explains a finding ("the client is built here")."""

    path: str
    location: Range
    text: Text
    parameters: Tuple[Tuple[str, Scalar], ...] = ()


class Finding(NamedTuple):
    """One mistake at one place.

    Attributes:
        code: The rule's code, `RLO301`.
        path: Absolute path of the file; it need not exist (a missing `requirements.txt`).
        location: Where it stands.
        message: The sentence, with placeholders for `parameters`.
        parameters: Values of the placeholders, by name, in a fixed order.
        fix: How to mend it, or `None`.
        unfixable: Why no fix is offered, where one might be expected.
        notes: Further places.
    """

    code: str
    path: str
    location: Range
    message: Text
    parameters: Tuple[Tuple[str, Scalar], ...] = ()
    fix: Optional[Fix] = None
    unfixable: Optional[Text] = None
    notes: Tuple[Note, ...] = ()

    def sort_key(self) -> Tuple[str, Position, str, Position, str]:
        """Orders findings by path, place, code and text, whatever order they were found in."""
        return (self.path, self.location.start, self.code, self.location.end, self.message.en)


def parameters(values: Mapping[str, Scalar]) -> Tuple[Tuple[str, Scalar], ...]:
    """Turns named values into the form that findings, notes and targets carry."""
    return tuple(values.items())
