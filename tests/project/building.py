"""Builds workspaces for the tests of jobs and datasets, without the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, Iterable, List, Mapping, Tuple, Union

from rlobs_lint.facts.module import Module
from rlobs_lint.facts.scan_file import scan
from rlobs_lint.files.settings import Settings
from rlobs_lint.files.source import SourceFile, read_python, read_utf8
from rlobs_lint.model import Finding
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace


def build(
    root: Path, files: Mapping[str, Union[str, bytes]], linted_datasets: Iterable[str] = ()
) -> Workspace:
    """Writes files below a folder and reads them as a workspace."""
    for name, content in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    modules: Dict[str, Module] = {}
    yaml_files: Dict[str, SourceFile] = {}
    for name in files:
        path = str(root / name)
        source = read_python(path) if name.endswith(".py") else read_utf8(path)
        if not isinstance(source, SourceFile):
            continue
        if name.endswith(".py"):
            modules[path] = Module(path, name, source, scan(source))
        elif name.endswith((".yaml", ".yml")):
            yaml_files[path] = source
    datasets = tuple(str(root / name) for name in linted_datasets)
    return Workspace(str(root), Settings(str(root)), modules, yaml_files, linted_datasets=datasets)


def places(findings: Iterable[Finding], root: Path) -> List[Tuple[str, int, int]]:
    """Returns path, row and column of findings, in order."""
    return sorted(
        (Path(finding.path).relative_to(root).as_posix(), *finding.location.start) for finding in findings
    )


def rows(rule: Rule, workspace: Workspace) -> List[int]:
    """Returns the rows of a rule's findings, in order."""
    return sorted(finding.location.start.row for finding in rule.check(workspace))


def rendered(finding: Finding) -> Tuple[str, str]:
    """Returns a finding's sentence in both languages."""
    parameters = dict(finding.parameters)
    return finding.message.en.format(**parameters), finding.message.zh.format(**parameters)
