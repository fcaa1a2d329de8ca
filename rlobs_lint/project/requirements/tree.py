"""The requirement files that the SDK builds the environment from, with all that they include."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Dict, FrozenSet, Iterable, Iterator, List, NamedTuple, Optional, Set, Tuple

from rlobs_lint import sdk
from rlobs_lint.files.excludes import Excludes
from rlobs_lint.files.source import ReadError, SourceFile
from rlobs_lint.model import Range, Text
from rlobs_lint.project.jobs.classpaths import upload_folder
from rlobs_lint.project.requirements.lines import CONSTRAINTS, INCLUDE, Line, read_lines

if TYPE_CHECKING:
    from rlobs_lint.project.jobs.components import Component
    from rlobs_lint.project.upload import Upload

# Addresses of other machines are never opened: nothing is known about what they hold.
_REMOTE = re.compile(r"(?:https?|file):|[a-z][a-z0-9+.-]*://|[/\\]{2}", re.IGNORECASE)
_WIDE = Text("it holds NUL characters, as {encoding} does", "它含有 NUL 字符，可能是 {encoding} 编码")


class RequirementsFile(NamedTuple):
    """One file, read.

    Attributes:
        path: Absolute path.
        source: Its text.
        lines: What its lines ask for.
    """

    path: str
    source: SourceFile
    lines: Tuple[Line, ...]

    def place(self, line: Line) -> Range:
        """Returns rows and columns of what a line asks for."""
        return self.source.range(line.at)


class Entry(NamedTuple):
    """A line in the role that it plays.

    Attributes:
        file: The file that it is in.
        line: The line.
        is_constraint: Whether it only limits versions, since the file was taken in with `-c`.
    """

    file: RequirementsFile
    line: Line
    is_constraint: bool


class Fault(NamedTuple):
    """An include that pip cannot follow; `problem` is `missing` or `circular`."""

    entry: Entry
    problem: str


class RequirementsTree(NamedTuple):
    """A requirements file with all that it includes.

    Attributes:
        path: Absolute path of the file at its root.
        exists: Whether there is such a file.
        root: The file, where it could be read.
        entries: The lines of all files.
        faults: Includes that cannot be followed, though they should.
        has_unknown_includes: Whether a file that belongs to it was not read.
        has_unknown_constraints: The same of a constraints file.
        is_hashed: Whether pip demands a hash for every package.
    """

    path: str
    exists: bool
    root: Optional[RequirementsFile] = None
    entries: Tuple[Entry, ...] = ()
    faults: Tuple[Fault, ...] = ()
    has_unknown_includes: bool = False
    has_unknown_constraints: bool = False
    is_hashed: bool = False


class Requirements(NamedTuple):
    """All requirement files that matter to a workspace.

    Attributes:
        trees: One for each folder that is uploaded, in order of path.
        strays: Files named on the command line that belong to none of these; only their syntax counts.
        unreadable: Files that exist, but could not be read or decoded.
        files: All files that were read, by absolute path.
        excluded: Absolute paths of those that are read, but not reported: the settings exclude them.
    """

    trees: Tuple[RequirementsTree, ...]
    strays: Tuple[RequirementsTree, ...]
    unreadable: Tuple[ReadError, ...]
    files: Dict[str, RequirementsFile]
    excluded: FrozenSet[str] = frozenset()

    @property
    def paths(self) -> FrozenSet[str]:
        """Absolute paths of the files that are reported, those that are missing or unreadable included."""
        roots = (tree.path for tree in self.trees)
        every = frozenset().union(self.files, roots, (error.path for error in self.unreadable))
        return every - self.excluded


def read_requirements(upload: Upload, components: Iterable[Component]) -> Requirements:
    """Reads the requirement files of a workspace, and those named on the command line."""
    reader = _Reader(upload)
    trees = []
    for folder, is_sure in sorted(_uploaded_folders(upload, components).items()):
        tree = reader.tree(str(Path(folder, sdk.REQUIREMENTS_FILE)))
        if tree.exists or is_sure:
            trees.append(tree)
    named = frozenset(upload.linted_requirements)
    apart = sorted(named.difference(reader.files, reader.errors))
    strays = [reader.tree(path) for path in apart]
    excludes = Excludes(upload.settings, upload.root)
    unnamed = {*reader.files, *reader.errors, *(tree.path for tree in trees)}.difference(named)
    excluded = frozenset(filter(excludes.cover_named, unnamed))
    unreadable = [error for path, error in reader.errors.items() if path not in excluded]
    return Requirements(tuple(trees), tuple(strays), tuple(unreadable), reader.files, excluded)


def _uploaded_folders(upload: Upload, components: Iterable[Component]) -> Dict[str, bool]:
    """The folders that are uploaded, and whether that is sure."""
    folders = {
        upload_folder(upload, component) for component in components if component.classpath is not None
    }
    known = {folder: True for folder in folders if folder is not None and Path(folder).is_dir()}
    # Without a component, or with one whose folder cannot be told, it is most likely the workspace.
    if not folders or None in folders:
        known.setdefault(upload.root, not folders)
    return known


class _Reader:
    """Reads trees, each file once."""

    def __init__(self, upload: Upload) -> None:
        self.upload = upload
        self.files: Dict[str, RequirementsFile] = {}
        self.errors: Dict[str, ReadError] = {}

    def file(self, path: str) -> Optional[RequirementsFile]:
        if path not in self.files and path not in self.errors:
            source = self.upload.read(path)
            if isinstance(source, SourceFile) and "\0" in source.text:
                # UTF-16 without a mark is UTF-8 too, of a kind that nobody means.
                source = ReadError(path, _WIDE, (("encoding", "UTF-16"),))
            if isinstance(source, ReadError):
                self.errors[path] = source
            else:
                self.files[path] = RequirementsFile(path, source, tuple(read_lines(source.text)))
        return self.files.get(path)

    def tree(self, path: str) -> RequirementsTree:
        # A folder in its place is there, but unreadable; a link to nowhere is not there.
        exists = self.upload.has_file(path) or (os.path.lexists(path) and not Path(path).is_symlink())
        return _Walk(self).tree(path) if exists else RequirementsTree(path, exists=False)


class _Walk:
    """Follows the includes of one file."""

    def __init__(self, reader: _Reader) -> None:
        self.reader = reader
        self.entries: List[Entry] = []
        self.faults: List[Fault] = []
        self.unknown: Set[str] = set()

    def tree(self, root: str) -> RequirementsTree:
        # Depth first, without recursion: a chain of includes may be long. Each file counts once a role.
        seen: Set[Tuple[str, bool]] = set()
        waiting: List[Tuple[str, bool, FrozenSet[str]]] = [(root, False, frozenset())]
        while waiting:
            current, is_constraint, above = waiting.pop()
            identity = os.path.realpath(current)
            if (identity, is_constraint) in seen:
                continue
            seen.add((identity, is_constraint))
            file = self.reader.file(current)
            if file is None:
                self.unknown.add(CONSTRAINTS if is_constraint else INCLUDE)
                continue
            entries = [Entry(file, line, is_constraint) for line in file.lines]
            self.entries.extend(entries)
            chain = above | {identity}
            included = [(path, kind == CONSTRAINTS, chain) for kind, path in self._includes(entries, chain)]
            waiting.extend(reversed(included))
        return RequirementsTree(
            root,
            exists=True,
            root=self.reader.files.get(root),
            entries=tuple(self.entries),
            faults=tuple(self.faults),
            has_unknown_includes=INCLUDE in self.unknown,
            has_unknown_constraints=CONSTRAINTS in self.unknown,
            is_hashed=any(entry.line.hashed for entry in self.entries),
        )

    def _includes(self, entries: List[Entry], chain: FrozenSet[str]) -> Iterator[Tuple[str, str]]:
        """Yields kind and absolute path of the includes that can be followed, and notes the others."""
        for entry in entries:
            kind, target = entry.line.kind, entry.line.target
            if kind not in (INCLUDE, CONSTRAINTS):
                continue
            path = os.path.normpath(Path(entry.file.path).parent / target)
            if not target or _REMOTE.match(target):
                self.unknown.add(kind)
            elif not self.reader.upload.has_file(path):
                self.unknown.add(kind)
                self.faults.append(Fault(entry, "missing"))
            elif os.path.realpath(path) in chain:
                self.faults.append(Fault(entry, "circular"))
            else:
                yield kind, path
