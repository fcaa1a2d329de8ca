"""A workspace after its check: what is reported of it, and which files that rests on."""

from __future__ import annotations

from typing import FrozenSet, NamedTuple, Tuple

from rlobs_lint.checking.run_rules import CrashedRule
from rlobs_lint.files.finding_files import WorkspaceFiles
from rlobs_lint.model import Finding
from rlobs_lint.rulebook.workspace import Workspace


class Checked(NamedTuple):
    """A workspace after its check.

    Attributes:
        files: What of it was named, and its files.
        workspace: Its analyses.
        findings: What is reported: in scope and not hidden, in order.
        crashes: Rules that failed on it.
        baselined: Fingerprints of the findings that the baseline hides.
    """

    files: WorkspaceFiles
    workspace: Workspace
    findings: Tuple[Finding, ...]
    crashes: Tuple[CrashedRule, ...]
    baselined: FrozenSet[str] = frozenset()

    @property
    def reported_paths(self) -> FrozenSet[str]:
        """Absolute paths of what is reported on: the files that were looked at or looked for."""
        workspace = self.workspace
        paths = {*workspace.modules, *(error.path for error in workspace.unreadable)}
        paths.update(_job_paths(workspace), requirement_paths(workspace))
        return frozenset(path for path in paths if is_in_scope(path, self.files, workspace))

    @property
    def reported_files(self) -> Tuple[str, ...]:
        """Absolute paths of the files that were looked at and are reported on, in order."""
        missing = {path for path in requirement_paths(self.workspace) if not self.workspace.has_file(path)}
        return tuple(sorted(self.reported_paths - missing))

    @property
    def file_count(self) -> int:
        """How many files were looked at and are reported on."""
        return len(self.reported_files)


def requirement_paths(workspace: Workspace) -> FrozenSet[str]:
    """Returns the absolute paths of a workspace's requirement files, and of one that is missing."""
    return workspace.requirements.paths


def paths_read(workspace: Workspace) -> FrozenSet[str]:
    """Returns the absolute paths of the files that findings in a workspace rest on, missing ones included."""
    requirements = workspace.requirements
    datasets = (dataset.path for dataset in workspace.datasets)
    return frozenset().union(
        workspace.modules, workspace.yaml_files, requirements.paths, requirements.excluded, datasets
    )


def is_in_scope(path: str, files: WorkspaceFiles, workspace: Workspace) -> bool:
    """Whether findings in a file are reported."""
    target = files.aliases.get(path)
    if target is not None and path not in files.scope.files and files.scope.covers(target):
        return False  # reported for the file that the link leads to
    if files.scope.covers(path):
        return True
    if files.scope.covers_requirements and path in requirement_paths(workspace):
        return True
    return files.scope.covers_jobs and path in _job_paths(workspace)


def _job_paths(workspace: Workspace) -> FrozenSet[str]:
    """Returns the absolute paths of job files, submission scripts and their datasets."""
    paths = {job.path for job in workspace.jobs}
    paths.update(submission.path for submission in workspace.submissions)
    paths.update(dataset.path for dataset in workspace.datasets)
    return frozenset(paths)
