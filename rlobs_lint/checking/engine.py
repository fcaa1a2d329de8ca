"""From the files of a workspace to its findings: read, scan, run the rules, hide, sort."""

from __future__ import annotations

import os
from typing import Dict, FrozenSet, Iterable, Iterator, List, Mapping, Optional, Tuple, Union

from rlobs_lint.checking.baseline import read_baseline
from rlobs_lint.checking.checked import Checked, is_in_scope, requirement_paths
from rlobs_lint.checking.fingerprints import fingerprints
from rlobs_lint.checking.run_rules import PerFileIgnores, run_rules
from rlobs_lint.comments.comment_rule import CommentRule
from rlobs_lint.comments.commented_files import CommentedFile, python_file, requirements_file, yaml_file
from rlobs_lint.comments.suppressions import Suppressions
from rlobs_lint.facts.cache import FOLDER, FactsCache
from rlobs_lint.facts.module import Module
from rlobs_lint.facts.scan_many import Scanner
from rlobs_lint.files.finding_files import WorkspaceFiles
from rlobs_lint.files.settings import selected_codes
from rlobs_lint.files.source import ReadError, SourceFile, decode_python, decode_utf8, read_bytes
from rlobs_lint.model import Finding, Text
from rlobs_lint.project.jobs.job_files import is_undecodable_job
from rlobs_lint.rulebook import registry
from rlobs_lint.rulebook.workspace import Workspace

_LEFT_OUT = Text(
    "it would change a file as well that is left out of this run", "还需要修改一个不在本次检查范围内的文件"
)


class Engine:
    """Checks workspaces.

    Its methods recurse as deeply as the linted code is nested, so they are to be called through
    `deep_stack.with_deep_stack`.

    Args:
        jobs: How many processes may scan at once; 0 for one a processor.
        use_cache: Whether facts of earlier runs are used and kept.
        cache_directory: Absolute path of the cache; `None` for a folder in each workspace.
        ignore_suppressions: Whether comments hide nothing.
        use_baseline: Whether findings of the baseline that the settings name are left out.
    """

    def __init__(
        self,
        *,
        jobs: int = 0,
        use_cache: bool = True,
        cache_directory: Optional[str] = None,
        ignore_suppressions: bool = False,
        use_baseline: bool = True,
    ) -> None:
        self._scanner = Scanner(jobs)
        self._use_cache = use_cache
        self._cache_directory = cache_directory
        self._caches: Dict[str, FactsCache] = {}
        self._ignore_suppressions = ignore_suppressions
        self._use_baseline = use_baseline
        self._baselines: Dict[str, FrozenSet[str]] = {}

    def check(self, files: WorkspaceFiles, overlay: Optional[Mapping[str, bytes]] = None) -> Checked:
        """Checks one workspace.

        Args:
            files: Its files, and what of it is reported.
            overlay: Bytes that stand in for files, by absolute path.

        Raises:
            UserError: The baseline cannot be used.
        """
        files, workspace = self._load_with_ignored(files, overlay or {})
        findings, crashes = run_rules(workspace)
        if not self._ignore_suppressions:
            findings = list(_without_hidden(workspace, findings))
        reported = [
            self._confined(finding, files, workspace)
            for finding in findings
            if is_in_scope(finding.path, files, workspace)
        ]
        ordered = tuple(sorted(dict.fromkeys(reported), key=Finding.sort_key))
        known = self._baseline(files.settings.baseline)
        if not known:
            return Checked(files, workspace, ordered, tuple(crashes))
        names = fingerprints(workspace, ordered)
        rest = tuple(finding for finding in ordered if names[finding] not in known)
        return Checked(files, workspace, rest, tuple(crashes), known.intersection(names.values()))

    def cache_folder(self, root: str) -> Optional[str]:
        """Returns where what is known about a workspace is kept; `None` where nothing is."""
        return (self._cache_directory or os.path.join(root, FOLDER)) if self._use_cache else None

    def stop(self) -> None:
        """Ends the processes that scan for this one."""
        self._scanner.stop()

    def load(self, files: WorkspaceFiles, overlay: Mapping[str, bytes]) -> Workspace:
        """Reads and scans the files of a workspace."""
        unreadable: List[ReadError] = list(files.unreadable)
        sources: Dict[str, SourceFile] = {}
        for path in sorted({*files.python, *(path for path in overlay if path.endswith(".py"))}):
            data = _bytes(path, overlay)
            source = data if isinstance(data, ReadError) else decode_python(path, data)
            if isinstance(source, ReadError):
                unreadable.append(source)
            else:
                sources[path] = source
        facts = self._scanner.scan(list(sources.values()), self._cache(files.root))
        modules = {
            path: Module(path, os.path.relpath(path, files.root).replace(os.sep, "/"), source, facts[path])
            for path, source in sources.items()
        }
        yaml_files = dict(_read_yaml_files(files, overlay, unreadable))
        return Workspace(
            files.root, files.settings, modules, yaml_files, tuple(unreadable), files.datasets, overlay,
            files.requirements, files.scope.covers_jobs,
        )  # fmt: skip

    def _load_with_ignored(
        self, files: WorkspaceFiles, overlay: Mapping[str, bytes]
    ) -> Tuple[WorkspaceFiles, Workspace]:
        """Loads a workspace with those of its ignored files that it cannot do without."""
        workspace = self.load(files, overlay)
        if files.ignored:
            from rlobs_lint.checking.needed_files import needed_files

            needed = needed_files(workspace, files.ignored)
            while needed:
                files = files._replace(python=tuple(sorted({*files.python, *needed})))
                workspace = self.load(files, overlay)
                unread = {error.path for error in workspace.unreadable}
                needed = needed_files(workspace, files.ignored) - unread
        return files, workspace

    def _confined(self, finding: Finding, files: WorkspaceFiles, workspace: Workspace) -> Finding:
        """Returns a finding without its fix, where that would change a file that is left out of the run."""
        others = finding.fix.paths - {finding.path} if finding.fix is not None else ()
        for path in others:
            module = workspace.modules.get(path)
            is_skipped = (
                module is not None
                and not self._ignore_suppressions
                and Suppressions(python_file(module), frozenset()).skips_file
            )
            if is_skipped or not is_in_scope(path, files, workspace):
                return finding._replace(fix=None, unfixable=_LEFT_OUT)
        return finding

    def _baseline(self, file: Optional[str]) -> FrozenSet[str]:
        if file is None or not self._use_baseline:
            return frozenset()
        if file not in self._baselines:
            self._baselines[file] = frozenset(entry.fingerprint for entry in read_baseline(file))
        return self._baselines[file]

    def _cache(self, root: str) -> Optional[FactsCache]:
        folder = self.cache_folder(root)
        if folder is not None and root not in self._caches:
            self._caches[root] = FactsCache(folder, root)
        return self._caches.get(root)


def _bytes(path: str, overlay: Mapping[str, bytes]) -> Union[bytes, ReadError]:
    return overlay[path] if path in overlay else read_bytes(path)


def _read_yaml_files(
    files: WorkspaceFiles, overlay: Mapping[str, bytes], unreadable: List[ReadError]
) -> Iterator[Tuple[str, SourceFile]]:
    for path in files.yaml:
        data = _bytes(path, overlay)
        source = data if isinstance(data, ReadError) else decode_utf8(path, data)
        if isinstance(source, SourceFile):
            yield path, source
        elif path in files.scope.files or (isinstance(data, bytes) and is_undecodable_job(data)):
            unreadable.append(source)


# --- suppression ----------------------------------------------------------------------------------


def _without_hidden(workspace: Workspace, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yields the findings that no comment hides, and those about comments that hide none."""
    by_path: Dict[str, List[Finding]] = {}
    for finding in findings:
        by_path.setdefault(finding.path, []).append(finding)
    selected = selected_codes(workspace.settings)
    ignored = PerFileIgnores(workspace.settings)
    for file in _commented_files(workspace):
        path = file.source.path
        running = selected - ignored.codes(path)
        suppressions = Suppressions(file, running)
        yield from (finding for finding in by_path.pop(path, ()) if not suppressions.hides(finding))
        for rule in registry.all_rules():
            if isinstance(rule, CommentRule) and rule.code in running:
                about_comments = list(rule.judge(suppressions))
                yield from (finding for finding in about_comments if not suppressions.hides(finding))
    for rest in by_path.values():
        yield from rest


def _commented_files(workspace: Workspace) -> Iterator[CommentedFile]:
    files = [python_file(module) for module in workspace.modules.values()]
    files += [yaml_file(source) for source in workspace.yaml_files.values()]
    files += [requirements_file(source) for source in _requirement_sources(workspace)]
    return (file for file in files if file.comments)


def _requirement_sources(workspace: Workspace) -> List[SourceFile]:
    sources = map(workspace.read, sorted(requirement_paths(workspace)))
    return [source for source in sources if isinstance(source, SourceFile)]
