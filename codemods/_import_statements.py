"""Import statements as the tree has them."""

from __future__ import annotations

from typing import Iterable, Optional, Sequence, Union

import libcst as cst

from rlobs_lint.model import Span

from ._nodes import Nodes

ImportFrom = Union[cst.ImportFrom, cst.LazyImportFrom]
AnyImport = Union[ImportFrom, cst.Import, cst.LazyImport]


def imported_names(statement: AnyImport) -> Sequence[cst.ImportAlias]:
    """Returns the names of a statement; none for a star."""
    return () if isinstance(statement.names, cst.ImportStar) else statement.names


def trailing_comment(nodes: Nodes, statement: AnyImport) -> Optional[Span]:
    """Returns the comment behind a statement that has its line to itself."""
    line = nodes.parent(statement)
    if not isinstance(line, (cst.SimpleStatementLine, cst.SimpleStatementSuite)) or len(line.body) > 1:
        return None
    comment = line.trailing_whitespace.comment
    return None if comment is None else nodes.span(comment)


def top_level(nodes: Nodes) -> Iterable[cst.BaseSmallStatement]:
    """Yields the simple statements of the module itself."""
    for line in nodes.module.body:
        if isinstance(line, cst.SimpleStatementLine):
            yield from line.body
