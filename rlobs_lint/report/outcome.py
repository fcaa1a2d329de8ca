"""What a run found, in the form that every output format starts from."""

from __future__ import annotations

from typing import Iterator, List, NamedTuple, Optional, Tuple

from rlobs_lint.checking.checked import Checked
from rlobs_lint.model import Applicability, Finding
from rlobs_lint.rulebook import registry
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.texts import fill, shown_path


class Entry(NamedTuple):
    """A finding, its rule, and the workspace that it is in."""

    finding: Finding
    rule: Rule
    checked: Checked


class Outcome(NamedTuple):
    """What a run found.

    Attributes:
        checked: The workspaces.
        language: `en` or `zh`.
        directory: Absolute path of the folder that file names are relative to.
        fixed: The findings that were fixed in this run.
        unsafe_fixes: Whether unsafe fixes were asked for, so that they count as fixable.
        show_fixes: Whether what was fixed is listed.
        colour: Whether the text may hold colours.
        quiet: Whether the text ends with the findings, without a summary.
        errors: Why the run could not do all of its job, as sentences.
    """

    checked: Tuple[Checked, ...]
    language: str
    directory: str
    fixed: Tuple[Finding, ...] = ()
    unsafe_fixes: bool = False
    show_fixes: bool = False
    colour: bool = False
    quiet: bool = False
    errors: Tuple[str, ...] = ()

    def entries(self) -> Tuple[Entry, ...]:
        """Returns the findings of all workspaces, by path, place and code."""
        entries = sorted(self._entries(), key=lambda entry: entry.finding.sort_key())
        return tuple(entries)

    def _entries(self) -> Iterator[Entry]:
        for checked in self.checked:
            for finding in checked.findings:
                rule = registry.rule_of(finding.code)
                assert rule is not None, finding.code
                yield Entry(finding, rule, checked)

    @property
    def files(self) -> int:
        """How many files were looked at."""
        return len({path for checked in self.checked for path in checked.reported_files})

    def path(self, absolute: str) -> str:
        """Returns a path as users see it."""
        return shown_path(absolute, self.directory)

    def message(self, finding: Finding) -> str:
        """Returns a finding's message in the language of the outcome."""
        return fill(finding.message, finding.parameters, self.language)

    def is_fixable(self, finding: Finding) -> bool:
        """Whether `--fix`, with the options of this run, would mend a finding."""
        applicability = applicability_of(finding)
        return applicability is Applicability.SAFE or (self.unsafe_fixes and applicability is not None)

    def fixable(self) -> List[Finding]:
        """Returns the findings that `--fix`, with the options of this run, would mend."""
        return [entry.finding for entry in self._entries() if self.is_fixable(entry.finding)]


def applicability_of(finding: Finding) -> Optional[Applicability]:
    """Returns the applicability of a finding's fix, or `None` where it has none."""
    return None if finding.fix is None else finding.fix.applicability
