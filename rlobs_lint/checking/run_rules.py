"""Runs the rules on a workspace, as its settings select and adjust them."""

from __future__ import annotations

import os
from typing import FrozenSet, List, NamedTuple, Tuple

from rlobs_lint.files.excludes import Patterns
from rlobs_lint.files.rule_names import all_codes, resolve_selectors
from rlobs_lint.files.settings import Settings, selected_codes
from rlobs_lint.model import Applicability, Finding, Text
from rlobs_lint.rulebook import registry
from rlobs_lint.rulebook.workspace import Workspace


class CrashedRule(NamedTuple):
    """A rule that failed, which is a mistake of this tool.

    Attributes:
        code: The rule's code.
        reason: The error, and where in the tool it arose.
    """

    code: str
    reason: str


def run_rules(workspace: Workspace) -> Tuple[List[Finding], List[CrashedRule]]:
    """Returns what the selected rules find, in no order, and the rules that failed."""
    selected = selected_codes(workspace.settings)
    findings: List[Finding] = []
    crashes: List[CrashedRule] = []
    for rule in registry.all_rules():
        if rule.code in selected:
            try:
                findings.extend(rule.check(workspace))
            except Exception as error:  # a mistake in one rule must not silence the others
                crashes.append(CrashedRule(rule.code, _where(error)))
    ignored = PerFileIgnores(workspace.settings)
    settings = _FixSettings(workspace.settings)
    counting = (finding for finding in findings if finding.code not in ignored.codes(finding.path))
    return [settings.apply(finding) for finding in counting], crashes


def _where(error: Exception) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    reason = f"{type(error).__name__}: {error}"
    if trace is None:
        return reason
    return f"{reason} ({os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno})"


class PerFileIgnores:
    """Which rules the settings leave out for a file."""

    def __init__(self, settings: Settings) -> None:
        self._entries = [
            (Patterns(settings.directory, [pattern]), resolve_selectors(selectors))
            for pattern, selectors in settings.per_file_ignores
        ]

    def codes(self, path: str) -> FrozenSet[str]:
        """Returns the codes that are left out for a file: those of all entries that match."""
        matching = (codes for patterns, codes in self._entries if patterns.decide(path, False))
        return frozenset().union(*matching)


class _FixSettings:
    """What the settings say about fixes: which may be applied, and which count as safe."""

    def __init__(self, settings: Settings) -> None:
        fixable = all_codes() if settings.fixable is None else resolve_selectors(settings.fixable)
        self._fixable = fixable - resolve_selectors(settings.unfixable)
        self._safe = resolve_selectors(settings.extend_safe_fixes)
        self._unsafe = resolve_selectors(settings.extend_unsafe_fixes)

    def apply(self, finding: Finding) -> Finding:
        """Returns a finding with its fix as the settings want it."""
        if finding.fix is None:
            return finding
        if finding.code not in self._fixable:
            reason = Text("the settings leave fixes of this rule out", "设置中排除了该规则的修复")
            return finding._replace(fix=None, unfixable=reason)
        applicability = finding.fix.applicability
        if finding.code in self._unsafe:
            applicability = Applicability.UNSAFE
        elif finding.code in self._safe:
            applicability = Applicability.SAFE
        return finding._replace(fix=finding.fix._replace(applicability=applicability))
