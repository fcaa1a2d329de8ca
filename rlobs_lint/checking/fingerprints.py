"""Names for findings that outlive edits elsewhere: for baselines, and for reports that compare runs."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from typing import Dict, Iterable, Iterator, List, NamedTuple, Sequence, Tuple

from rlobs_lint.facts import ir
from rlobs_lint.facts.scopes import walk_statements
from rlobs_lint.model import Finding, Span
from rlobs_lint.rulebook.workspace import Workspace
from rlobs_lint.texts import shown_path

_LENGTH = 16


class _Function(NamedTuple):
    span: Span
    name: str


def fingerprints(workspace: Workspace, findings: Iterable[Finding]) -> Dict[Finding, str]:
    """Returns the fingerprint of each of some findings of a workspace.

    It is made of the code, the path below the repository, the enclosing function's name and the text
    of the line. Findings alike in all of these are numbered, so a new one in another function changes
    none. The row, the message and the absolute path take no part.

    Args:
        workspace: The workspace.
        findings: The findings, in order; alike ones are numbered among these.
    """
    base = _repository(workspace.root)
    seen: Counter[Tuple[str, ...]] = Counter()
    functions: Dict[str, List[_Function]] = {}
    names: Dict[Finding, str] = {}
    for finding in findings:
        if finding.path not in functions:
            functions[finding.path] = _functions_of(workspace, finding.path)
        key = (
            finding.code,
            shown_path(finding.path, base),
            _enclosing(workspace, finding, functions[finding.path]),
            workspace.line(finding.path, finding.location.start.row).strip(),
        )
        seen[key] += 1
        text = "\0".join((*key, str(seen[key])))
        names[finding] = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:_LENGTH]
    return names


def _repository(root: str) -> str:
    folder = root
    while not os.path.exists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return root
        folder = parent
    return folder


def _functions_of(workspace: Workspace, path: str) -> List[_Function]:
    module = workspace.modules.get(path)
    return list(_functions(module.facts.body, "")) if module is not None else []


def _functions(body: Sequence[ir.Statement], prefix: str) -> Iterator[_Function]:
    """Yields the functions and classes in a body, each before those inside it."""
    for statement in walk_statements(body):
        if isinstance(statement, (ir.FunctionDef, ir.ClassDef)):
            name = f"{prefix}{statement.name}."
            yield _Function(Span(statement.header.start, statement.at.end), name)
            yield from _functions(statement.body, name)


def _enclosing(workspace: Workspace, finding: Finding, functions: List[_Function]) -> str:
    if not functions:
        return ""
    source = workspace.modules[finding.path].source
    row, column = finding.location.start
    offset = source.line_starts[min(row, len(source.line_starts)) - 1] + column - 1
    around = [function for function in functions if function.span.start <= offset < function.span.end]
    return around[-1].name if around else ""
