"""The stable, versioned JSON document; keys are only ever added to it."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional, Tuple

from rlobs_lint.checking.fingerprints import fingerprints
from rlobs_lint.files.source import SourceFile
from rlobs_lint.model import FILE_START, Edit, Finding, Position
from rlobs_lint.report.outcome import Entry, Outcome
from rlobs_lint.rulebook.workspace import Workspace
from rlobs_lint.texts import fill
from rlobs_lint.version import __version__

VERSION = 1


def render(outcome: Outcome) -> str:
    """Returns the document. It is pure ASCII, so that no terminal or locale can spoil it."""
    names: Dict[Finding, str] = {}
    for checked in outcome.checked:
        names.update(fingerprints(checked.workspace, checked.findings))
    entries = outcome.entries()
    findings = [_finding(outcome, entry, names[entry.finding]) for entry in entries]
    return _document(findings, outcome.files, len(outcome.fixable()), len(outcome.fixed), outcome.errors)


def failure(error: str) -> str:
    """Returns the document of a run that found out nothing, because of an error."""
    return _document([], 0, 0, 0, (error,))


def _document(
    findings: List[Dict[str, Any]], files: int, fixable: int, fixed: int, errors: Tuple[str, ...]
) -> str:
    document: Dict[str, Any] = {
        "version": VERSION,
        "tool": {"name": "rlobs-lint", "version": __version__},
        "findings": findings,
        "summary": {"files": files, "findings": len(findings), "fixable": fixable, "fixed": fixed},
    }
    if errors:
        document["errors"] = list(errors)
    return json.dumps(document, indent=2) + "\n"


def _finding(outcome: Outcome, entry: Entry, fingerprint: str) -> Dict[str, Any]:
    finding = entry.finding
    return {
        "code": finding.code,
        "name": entry.rule.name,
        "severity": entry.rule.severity.value,
        "message": outcome.message(finding),
        "filename": outcome.path(finding.path),
        "location": _place(finding.location.start),
        "end_location": _place(finding.location.end),
        "fix": _fix(outcome, entry),
        "unfixable": _unfixable(outcome, finding),
        "fingerprint": fingerprint,
        "url": entry.rule.url(),
    }


def _place(position: Position) -> Dict[str, int]:
    return {"row": position.row, "column": position.column}


def _fix(outcome: Outcome, entry: Entry) -> Optional[Dict[str, Any]]:
    fix = entry.finding.fix
    if fix is None:
        return None
    return {
        "applicability": fix.applicability.value,
        "message": fill(fix.title, entry.finding.parameters, outcome.language),
        "edits": _edits(outcome, entry),
    }


def _unfixable(outcome: Outcome, finding: Finding) -> Optional[str]:
    """Returns why a finding has no fix, where one might be expected."""
    if finding.fix is not None or finding.unfixable is None:
        return None
    return fill(finding.unfixable, finding.parameters, outcome.language)


def _edits(outcome: Outcome, entry: Entry) -> List[Dict[str, Any]]:
    fix = entry.finding.fix
    edits = fix.edits if fix is not None else ()
    return [_edit(outcome, edit, entry.checked.workspace) for edit in edits]


def _edit(outcome: Outcome, edit: Edit, workspace: Workspace) -> Dict[str, Any]:
    module = workspace.modules.get(edit.path)
    source = workspace.read(edit.path) if module is None else module.source
    # A file that does not exist yet has one place.
    location = source.range(edit.span) if isinstance(source, SourceFile) else FILE_START
    return {
        "filename": outcome.path(edit.path),
        "content": edit.content,
        "location": _place(location.start),
        "end_location": _place(location.end),
    }
