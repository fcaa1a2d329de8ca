"""The two sides of a condition."""

from __future__ import annotations

from typing import NamedTuple, Optional

from rlobs_lint.flow.domain.state import State
from rlobs_lint.flow.domain.values import BOUNDED, FALSE, TRUE, Value, typed


class Branches(NamedTuple):
    """A condition's value, and what holds when it is true and when it is false; `None`: impossible."""

    value: Value
    yes: Optional[State]
    no: Optional[State]

    def side(self, wanted: bool) -> Optional[State]:
        """Returns what holds when the condition is as wanted."""
        return self.yes if wanted else self.no

    @property
    def negated(self) -> Branches:
        """What `not` makes of the condition."""
        return Branches(outcome(self.no, self.yes), self.no, self.yes)


def outcome(yes: Optional[State], no: Optional[State]) -> Value:
    """Returns a condition's value by which of its two sides are possible."""
    if yes is None:
        return FALSE
    return TRUE if no is None else typed("bool", BOUNDED)
