"""Datasets: the JSON Lines files that jobs and the command line name."""

from __future__ import annotations

import errno
import io
import os
import stat
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple

from rlobs_lint.files.excludes import Excludes
from rlobs_lint.files.source import ReadError
from rlobs_lint.model import Text
from rlobs_lint.project.datasets.lines import Problem, Problems, UndecodableLineError, Verdict, judge_lines
from rlobs_lint.project.jobs.components import DatasetReference, is_placeholder

if TYPE_CHECKING:
    from rlobs_lint.project.upload import Upload

_MISSING = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.EINVAL})


class DatasetReport(NamedTuple):
    """What reading a dataset found: either of the two is `None`.

    Attributes:
        error: Why the file cannot be read or decoded; then nothing else is said about it.
        verdict: Its bad lines.
    """

    error: Optional[ReadError]
    verdict: Optional[Verdict]


class DatasetFile:
    """A dataset.

    Attributes:
        path: Absolute path.
        references: Where job files and scripts name it; none for one of the command line.
        content: Bytes that stand in for those of the disk, such as an editor's unsaved text.
    """

    def __init__(
        self, path: str, references: Tuple[DatasetReference, ...] = (), content: Optional[bytes] = None
    ) -> None:
        self.path = path
        self.references = references
        self.content = content

    @cached_property
    def report(self) -> DatasetReport:
        """What is wrong with it. The file is read when this is first asked for."""
        return read_dataset(self.path, self.content)

    def line(self, row: int) -> str:
        """Returns the beginning of a bad line, or nothing for a row that is not known to be bad."""
        for problems in self.report.verdict or ():
            for problem in problems.first:
                if problem.row == row:
                    return problem.excerpt
        return ""


def find_datasets(upload: Upload, references: Iterable[DatasetReference]) -> Tuple[DatasetFile, ...]:
    """Returns the datasets that `references` and the command line name, in order of their paths.

    A file that a job names but that is not there is left out, as data often comes from elsewhere, and
    so is one that the settings exclude.
    """
    found: Dict[str, List[DatasetReference]] = {path: [] for path in upload.linted_datasets}
    excludes = Excludes(upload.settings, upload.root)
    for reference in references:
        path = _path_of(upload.root, reference.file_name)
        if path is None or not (path in upload.overlay or _exists(path)):
            continue
        if path in found or not excludes.cover_named(path):
            found.setdefault(path, []).append(reference)
    return tuple(
        DatasetFile(path, tuple(naming), upload.overlay.get(path)) for path, naming in sorted(found.items())
    )


def bad_lines(datasets: Iterable[DatasetFile], kind: str) -> Iterator[Tuple[str, Problem, int]]:
    """Yields the lines of all datasets that a rule reports.

    Args:
        datasets: The datasets.
        kind: The mistake: `lines`, `messages` or `extras`, as in `Verdict`.

    Yields:
        The path, the line, and how many lines it speaks for.
    """
    for dataset in datasets:
        if dataset.report.verdict is not None:
            problems: Problems = getattr(dataset.report.verdict, kind)
            yield from ((dataset.path, problem, count) for problem, count in problems.reported())


def read_dataset(path: str, content: Optional[bytes] = None) -> DatasetReport:
    """Reads a dataset from its first line to its last, as a stream.

    Args:
        path: Absolute path.
        content: Bytes to read instead of the file's.
    """
    try:
        if content is not None:
            return DatasetReport(None, judge_lines(io.BytesIO(content)))
        if not stat.S_ISREG(Path(path).stat().st_mode):
            return DatasetReport(ReadError(path, Text("it is not a regular file", "它不是普通文件")), None)
        with Path(path).open("rb") as file:
            return DatasetReport(None, judge_lines(file))
    except UndecodableLineError as error:
        reason = Text("line {row} is not UTF-8", "第 {row} 行不是 UTF-8 编码")
        return DatasetReport(ReadError(path, reason, (("row", str(error.row)),)), None)
    except OSError as error:
        words = error.strerror or type(error).__name__
        return DatasetReport(ReadError(path, Text("{reason}", "{reason}"), (("reason", words),)), None)


def _path_of(root: str, file_name: str) -> Optional[str]:
    """Returns the absolute path that a name stands for, or `None` where it names no JSON Lines file."""
    if not file_name.lower().endswith(".jsonl") or is_placeholder(file_name):
        return None
    return os.path.normpath(Path(root, file_name))


def _exists(path: str) -> bool:
    try:
        Path(path).stat()
    except OSError as error:
        return error.errno not in _MISSING
    except ValueError:  # a character that no name can have
        return False
    return True
