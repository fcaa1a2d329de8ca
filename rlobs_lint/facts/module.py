"""A Python file of a workspace: its text and its facts."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import NamedTuple

from rlobs_lint.facts.ir import ModuleFacts
from rlobs_lint.files.source import SourceFile
from rlobs_lint.model import Range, Span

_TEST_FOLDERS = frozenset({"test", "tests"})


class Module(NamedTuple):
    """A Python file of the workspace.

    Attributes:
        path: Absolute path.
        relative: Path below the workspace, with `/`.
        source: Its text.
        facts: What the scan kept of it.
    """

    path: str
    relative: str
    source: SourceFile
    facts: ModuleFacts

    @property
    def is_test(self) -> bool:
        """Whether the file is a test by its name or folder: its classes are no processors."""
        pure = PurePosixPath(self.relative)
        name = pure.name
        return (
            name == "conftest.py"
            or name.startswith("test_")
            or name.endswith("_test.py")
            or bool(_TEST_FOLDERS.intersection(pure.parts[:-1]))
        )

    def range(self, span: Span) -> Range:
        """Returns rows and columns of a span of the file."""
        return self.source.range(span)
