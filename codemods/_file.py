"""A Python file whose text is to be changed: its tree, its index and what its names stand for."""

from __future__ import annotations

import re
from functools import cached_property, partial
from typing import Optional

from rlobs_lint.facts.scan_file import ParsedModule, parse
from rlobs_lint.files.source import SourceFile
from rlobs_lint.model import Text

from ._bindings import Bindings
from ._changes import CannotFixError, Surroundings
from ._import_places import import_offset
from ._nodes import Nodes

_LONE_RETURN = re.compile(r"\r(?!\n)")


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
        return Bindings(self.parsed, self.source, partial(import_offset, self.nodes), self.surroundings)
