"""One upload: all facts of its files, and the analyses that rules ask for.

A workspace is built once a run and never changes; each analysis is made when it is first asked for.
"""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Dict, Mapping, NamedTuple, Optional, Tuple, Union

from rlobs_lint.facts.ir import ModuleFacts
from rlobs_lint.files.settings import Settings
from rlobs_lint.files.source import ReadError, SourceFile, decode_utf8, read_utf8
from rlobs_lint.model import Range, Span

if TYPE_CHECKING:
    from rlobs_lint.flow.analysis import Analysis
    from rlobs_lint.project.datasets.files import DatasetFile
    from rlobs_lint.project.jobs.job_files import JobFile
    from rlobs_lint.project.requirements.tree import Requirements

_TEST_FOLDERS = frozenset({"test", "tests"})


class Module(NamedTuple):
    """A Python file of the workspace.

    Attributes:
        path: Absolute path.
        relative: Path below the workspace, with `/`.
        source: Its text.
        facts: What the scan kept of it.
    """

    path: str
    relative: str
    source: SourceFile
    facts: ModuleFacts

    @property
    def is_test(self) -> bool:
        """Whether the file is a test by its name or folder: its classes are no processors."""
        pure = PurePosixPath(self.relative)
        name = pure.name
        return (
            name == "conftest.py"
            or name.startswith("test_")
            or name.endswith("_test.py")
            or bool(_TEST_FOLDERS.intersection(pure.parts[:-1]))
        )

    def range(self, span: Span) -> Range:
        """Returns rows and columns of a span of the file."""
        return self.source.range(span)


class Workspace:
    """One upload.

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

    def line(self, path: str, row: int) -> str:
        """Returns the text of a line of one of the workspace's files, without its end.

        It is empty for a line that does not exist or cannot be read.
        """
        module = self.modules.get(path)
        if module is not None:
            return module.source.line(row)
        for dataset in self.datasets:
            if dataset.path == path:
                return dataset.line(row)
        text = self.read(path)
        return text.line(row) if isinstance(text, SourceFile) else ""

    @cached_property
    def has_processors(self) -> bool:
        """Whether a class of the workspace, its tests aside, is a processor."""
        return bool(self.flow.processors)

    @cached_property
    def flow(self) -> Analysis:
        """What running the workspace's code abstractly shows: spans, metrics, components."""
        from rlobs_lint.flow.analysis import Analysis

        return Analysis(self, self.import_roots)

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

    @cached_property
    def requirements(self) -> Requirements:
        """The requirement files that the SDK builds the environment from."""
        from rlobs_lint.project.requirements.tree import read_requirements

        return read_requirements(self)

    @cached_property
    def jobs(self) -> Tuple[JobFile, ...]:
        """The job files, in order of their paths."""
        from rlobs_lint.project.jobs.job_files import read_jobs

        return read_jobs(self)

    @cached_property
    def datasets(self) -> Tuple[DatasetFile, ...]:
        """The datasets that job files, submission scripts and the command line name."""
        from rlobs_lint.project.datasets.files import find_datasets

        return find_datasets(self)
