"""A rule about comments that hide findings: it speaks when all other rules have spoken."""

from __future__ import annotations

from abc import abstractmethod
from typing import Iterator

from rlobs_lint.comments.suppressions import Suppressions
from rlobs_lint.model import Finding
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace


class CommentRule(Rule):
    """A kind of mistake in comments."""

    speaks_last = True

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields nothing: what comments hide is not known yet."""
        return iter(())

    @abstractmethod
    def judge(self, suppressions: Suppressions) -> Iterator[Finding]:
        """Yields the findings about the comments of one file, which all other findings were shown to."""
