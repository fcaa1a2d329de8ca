"""One line a finding: `path:row:column: RLO301 [*] message`."""

from __future__ import annotations

from rlobs_lint.model import Finding
from rlobs_lint.report.outcome import Outcome
from rlobs_lint.report.summary import summarise
from rlobs_lint.texts import printable


def render(outcome: Outcome) -> str:
    """Returns the findings and the summary."""
    lines = [heading(outcome, entry.finding) for entry in outcome.entries()]
    return "".join(f"{line}\n" for line in (*lines, *summarise(outcome)))


def heading(outcome: Outcome, finding: Finding) -> str:
    """Returns the line of one finding."""
    row, column = finding.location.start
    mark = " [*]" if outcome.is_fixable(finding) else ""
    path = printable(outcome.path(finding.path))
    return f"{path}:{row}:{column}: {finding.code}{mark} {outcome.message(finding)}"
