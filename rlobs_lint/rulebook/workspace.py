"""What a rule is given: one upload, and the analyses of it, each made when it is first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Tuple

from rlobs_lint.files.source import SourceFile
from rlobs_lint.project.jobs.components import Component, Submission
from rlobs_lint.project.upload import Upload

if TYPE_CHECKING:
    from rlobs_lint.flow.analysis import Analysis
    from rlobs_lint.project.datasets.files import DatasetFile
    from rlobs_lint.project.requirements.tree import Requirements


class Workspace(Upload):
    """One upload, and all that rules ask of it."""

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

    @property
    def submissions(self) -> Tuple[Submission, ...]:
        """What job files and scripts submit or register, by path."""
        return self.flow.submissions.all

    @property
    def components(self) -> Tuple[Component, ...]:
        """Every component once, though a script may submit it several times."""
        return self.flow.submissions.components

    @cached_property
    def requirements(self) -> Requirements:
        """The requirement files that the SDK builds the environment from."""
        from rlobs_lint.project.requirements.tree import read_requirements

        return read_requirements(self, self.components)

    @cached_property
    def datasets(self) -> Tuple[DatasetFile, ...]:
        """The datasets that job files, submission scripts and the command line name."""
        from rlobs_lint.project.datasets.files import find_datasets

        references = self.flow.submissions.datasets if self.reports_jobs else ()
        return find_datasets(self, references)
