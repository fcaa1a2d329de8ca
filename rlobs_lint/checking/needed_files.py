"""Files that git ignores but the upload carries: function code imports them, or a job names them."""

from __future__ import annotations

import os
from typing import Dict, FrozenSet, Iterator, Mapping, Optional, Sequence

from rlobs_lint.facts.ir import ModuleFacts
from rlobs_lint.facts.module import Module
from rlobs_lint.files.source import SourceFile
from rlobs_lint.files.walking import PYTHON_SUFFIX, is_below
from rlobs_lint.project.imports import ModuleIndex, imported_modules
from rlobs_lint.project.jobs.classpaths import parse_classpath, upload_folder
from rlobs_lint.project.jobs.components import Component
from rlobs_lint.rulebook.workspace import Workspace


def needed_files(workspace: Workspace, ignored: Sequence[str]) -> FrozenSet[str]:
    """Returns the ignored files that the workspace's modules import or its jobs name.

    Args:
        workspace: The workspace without them.
        ignored: Absolute paths of the files and folders that git ignores.
    """
    known = _KnownOrIgnored(workspace.modules, ignored)
    index = ModuleIndex(known, workspace.import_roots)
    imported = (
        found.path
        for module in workspace.modules.values()
        if not module.is_test
        for found in imported_modules(module, index)
    )
    components = (
        component
        for job in workspace.jobs
        for component in (job.submission.components if job.submission is not None else ())
    )
    named = (path for component in components for path in _named(workspace, component))
    return frozenset(path for path in (*imported, *named) if path not in workspace.modules and path in known)


def _named(workspace: Workspace, component: Component) -> Iterator[str]:
    folder = upload_folder(workspace, component)
    text = component.classpath.text if component.classpath is not None else None
    classpath = parse_classpath(text) if text is not None else None
    if folder is not None and classpath is not None:
        yield os.path.normpath(os.path.join(folder, classpath.file))


class _KnownOrIgnored(Dict[str, Module]):
    """The modules of a workspace, and those that an ignored file would be."""

    def __init__(self, modules: Mapping[str, Module], ignored: Sequence[str]) -> None:
        super().__init__(modules)
        self._ignored = ignored
        for path in ignored:
            # A folder is a package for what lies in it, as one of a known module is.
            place = path if path.endswith(PYTHON_SUFFIX) else os.path.join(path, "__init__.py")
            self.setdefault(place, _unread(place))

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self.get(path) is not None

    def get(self, path: str, default: Optional[Module] = None) -> Optional[Module]:  # type: ignore[override]
        known = super().get(path)
        if known is not None and (known.source.text or os.path.isfile(path)):
            return known
        below = any(is_below(path, folder) for folder in self._ignored)
        return _unread(path) if below and path.endswith(PYTHON_SUFFIX) and os.path.isfile(path) else default


def _unread(path: str) -> Module:
    return Module(path, "", SourceFile(path, b"", "", "utf-8"), ModuleFacts((), (), None))
