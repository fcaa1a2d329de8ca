"""What is uploaded: the files of one workspace, read as they stand.

It is built once a run and never changes.
"""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Dict, Mapping, Optional, Tuple, Union

from rlobs_lint.facts.module import Module
from rlobs_lint.files.settings import Settings
from rlobs_lint.files.source import ReadError, SourceFile, decode_utf8, read_utf8

if TYPE_CHECKING:
    from rlobs_lint.project.jobs.job_files import JobFile


class Upload:
    """The files of one workspace.

    Attributes:
        root: Absolute path of the folder.
        settings: What holds for it.
        modules: Its Python files that could be read, by absolute path, in order.
        yaml_files: Its YAML files that could be read, by absolute path, in order.
        unreadable: Files that could not be read or decoded.
        linted_datasets: Absolute paths of datasets named on the command line.
        linted_requirements: Absolute paths of requirement files named on the command line.
        overlay: Bytes that stand in for files, by absolute path: an editor's unsaved text, or what a
            fix is about to write.
        reports_jobs: Whether findings in the datasets that jobs name are reported; if not, these are
            not read, which may take long.
    """

    def __init__(
        self,
        root: str,
        settings: Settings,
        modules: Mapping[str, Module],
        yaml_files: Optional[Mapping[str, SourceFile]] = None,
        unreadable: Tuple[ReadError, ...] = (),
        linted_datasets: Tuple[str, ...] = (),
        overlay: Optional[Mapping[str, bytes]] = None,
        linted_requirements: Tuple[str, ...] = (),
        reports_jobs: bool = True,
    ) -> None:
        self.root = root
        self.settings = settings
        self.modules: Dict[str, Module] = dict(sorted(modules.items()))
        self.yaml_files: Dict[str, SourceFile] = dict(sorted((yaml_files or {}).items()))
        self.unreadable = unreadable
        self.linted_datasets = linted_datasets
        self.linted_requirements = linted_requirements
        self.overlay: Mapping[str, bytes] = overlay or {}
        self.reports_jobs = reports_jobs
        self._texts: Dict[str, Union[SourceFile, ReadError]] = {**self.yaml_files}

    def read(self, path: str) -> Union[SourceFile, ReadError]:
        """Returns the UTF-8 text of a file that is no Python module, such as a requirements file.

        Analyses read through this, never from the disk, so that the overlay holds for them too.

        Args:
            path: Absolute path.
        """
        text = self._texts.get(path)
        if text is None:
            given = self.overlay.get(path)
            text = read_utf8(path) if given is None else decode_utf8(path, given)
            self._texts[path] = text
        return text

    def has_file(self, path: str) -> bool:
        """Whether there is a file (not a folder) at an absolute path, on the disk or in the overlay."""
        return path in self.overlay or Path(path).is_file()

    @cached_property
    def jobs(self) -> Tuple[JobFile, ...]:
        """The job files, in order of their paths."""
        from rlobs_lint.project.jobs.job_files import read_jobs

        return read_jobs(self.yaml_files.values())

    @cached_property
    def import_roots(self) -> Tuple[str, ...]:
        """The folders that absolute imports start from: the workspace, then what components upload."""
        folders = [self.root]
        for job in self.jobs:
            for component in job.submission.components if job.submission is not None else ():
                folder = component.zipdir.text if component.zipdir is not None else None
                if folder is not None:
                    folders.append(os.path.normpath(Path(self.root, folder)))
        return tuple(dict.fromkeys(folders))
