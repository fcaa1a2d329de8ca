"""From the paths that the user named to workspaces and their files."""

from __future__ import annotations

import os
from collections import Counter
from typing import Dict, FrozenSet, List, Mapping, NamedTuple, Sequence, Tuple

from rlobs_lint.files.excludes import Excludes, GitIgnores
from rlobs_lint.files.settings import Settings, SettingsReader
from rlobs_lint.files.source import ReadError
from rlobs_lint.files.walking import FUNCTIONS, PYTHON_SUFFIX, YAML_SUFFIXES, Visitor, Walk, is_below
from rlobs_lint.model import Text

MISSING = Text("{path}: there is no such file or folder", "{path}：没有这个文件或文件夹")

#: What makes a folder a workspace where no folder upward holds `functions/`.
_OTHER_MARKS = ("requirements.txt", "pyproject.toml", ".git")

DATASET_SUFFIX = ".jsonl"
REQUIREMENT_SUFFIXES = (".txt", ".in")


class Scope(NamedTuple):
    """What of a workspace was named: findings elsewhere in it are not reported.

    Attributes:
        whole: Whether all of it was.
        folders: Absolute paths of named folders inside it.
        files: Absolute paths of named files.
    """

    whole: bool = False
    folders: Tuple[str, ...] = ()
    files: FrozenSet[str] = frozenset()

    def covers(self, path: str) -> bool:
        """Whether a file was named, by itself or by a folder."""
        return self.whole or path in self.files or any(is_below(path, folder) for folder in self.folders)

    @property
    def covers_requirements(self) -> bool:
        """Whether the workspace's requirements are reported: with a folder, or a Python file, of it."""
        return self.covers_jobs or any(file.endswith(PYTHON_SUFFIX) for file in self.files)

    @property
    def covers_jobs(self) -> bool:
        """Whether its job files, submission scripts and their datasets are: with a folder of it."""
        return self.whole or bool(self.folders)


class WorkspaceFiles(NamedTuple):
    """A workspace on the disk.

    Attributes:
        root: Absolute path.
        settings: What holds for it.
        scope: What of it was named.
        python: Absolute paths of its Python files.
        yaml: Absolute paths of its YAML files.
        datasets: Absolute paths of datasets that were named.
        requirements: Absolute paths of requirement files that were named.
        ignored: Absolute paths of files and folders that git ignores.
        aliases: For a file that is a symbolic link to another file of the list: that other file.
        unreadable: Folders that could not be listed.
    """

    root: str
    settings: Settings
    scope: Scope
    python: Tuple[str, ...]
    yaml: Tuple[str, ...]
    datasets: Tuple[str, ...] = ()
    requirements: Tuple[str, ...] = ()
    ignored: Tuple[str, ...] = ()
    aliases: Mapping[str, str] = {}
    unreadable: Tuple[ReadError, ...] = ()


class Discovery(NamedTuple):
    """What the named paths lead to.

    Attributes:
        workspaces: The workspaces, by path.
        missing: Named paths that do not exist.
        unsupported: Named files of a kind that is not linted.
        left_out: How many files and folders each filter left out: `exclude`, `gitignore`, `hidden`,
            `environment`, `link`.
    """

    workspaces: Tuple[WorkspaceFiles, ...]
    missing: Tuple[str, ...]
    unsupported: Tuple[str, ...]
    left_out: Mapping[str, int]


class Finder:
    """Finds workspaces and their files.

    Args:
        reader: Gives the settings of a workspace.
        force_exclude: Whether excludes hold for named files too.
    """

    def __init__(self, reader: SettingsReader, force_exclude: bool = False) -> None:
        self._reader = reader
        self._force_exclude = force_exclude
        self._walks: Dict[Tuple[str, bool], Walk] = {}
        self._roots: Dict[str, str] = {}
        self._left_out: Counter[str] = Counter()

    def discover(self, paths: Sequence[str], stand_ins: FrozenSet[str] = frozenset()) -> Discovery:
        """Finds what a list of named paths leads to.

        Args:
            paths: Paths as the user wrote them, relative to the working directory.
            stand_ins: Absolute paths of files that exist although the disk does not have them.

        Raises:
            SettingsError: The settings of a workspace cannot be used.
        """
        missing: List[str] = []
        unsupported: List[str] = []
        scopes: Dict[str, Scope] = {}
        for path in paths:
            absolute = os.path.abspath(path)
            if not path or (absolute not in stand_ins and not os.path.lexists(absolute)):
                missing.append(path)
            elif self._force_exclude and self._is_excluded(absolute):
                self._left_out["exclude"] += 1
            elif os.path.isdir(absolute):
                self._add_folder(absolute, scopes)
            elif not _is_supported(absolute):
                unsupported.append(absolute)
            else:
                root = self.root_of(os.path.dirname(absolute))
                _extend(scopes, root, Scope(files=frozenset({absolute})))
        workspaces = tuple(self._workspace(root, scope) for root, scope in sorted(scopes.items()))
        return Discovery(workspaces, tuple(missing), tuple(unsupported), dict(self._left_out))

    def root_of(self, folder: str) -> str:
        """Returns the workspace that a folder belongs to.

        That is the nearest folder at or above it with `functions/`, else the nearest with another mark,
        else the folder itself; never one above a `.git`.

        Args:
            folder: Absolute path.
        """
        root = self._roots.get(folder)
        if root is None:
            root = self._roots[folder] = _find_root(folder)
        return root

    def _add_folder(self, folder: str, scopes: Dict[str, Scope]) -> None:
        root = self.root_of(folder)
        pending = [folder]
        if root == folder:
            _extend(scopes, root, Scope(whole=True))
        else:
            walk = self._walk(folder)
            holds_functions = os.path.isdir(os.path.join(root, FUNCTIONS))
            if holds_functions or walk.python or walk.yaml or not walk.nested:
                _extend(scopes, root, Scope(folders=(folder,)))
        while pending:
            for nested in self._walk(pending.pop()).nested:
                _extend(scopes, nested, Scope(whole=True))
                pending.append(nested)

    def _workspace(self, root: str, scope: Scope) -> WorkspaceFiles:
        # Without a mark nobody says that what lies below a file's folder, perhaps a home, belongs to it.
        walk = self._walk(root, not scope.covers_jobs and not _is_marked(root))
        named = sorted(scope.files)
        # A named folder may lie where the walk from the root does not go (hidden, ignored).
        inner = [self._walk(folder) for folder in scope.folders]
        python = {*walk.python, *(file for file in named if file.endswith(PYTHON_SUFFIX))}
        yaml = {*walk.yaml, *(file for file in named if file.endswith(YAML_SUFFIXES))}
        aliases = dict(walk.aliases)
        for part in inner:
            python.update(part.python)
            yaml.update(part.yaml)
            aliases.update(part.aliases)
        return WorkspaceFiles(
            root,
            self._reader.settings_of(root),
            scope,
            tuple(sorted(python)),
            tuple(sorted(yaml)),
            tuple(file for file in named if file.endswith(DATASET_SUFFIX)),
            tuple(file for file in named if file.endswith(REQUIREMENT_SUFFIXES)),
            tuple(walk.ignored),
            {link: target for link, target in aliases.items() if target in python or target in yaml},
            tuple(dict.fromkeys(error for part in (walk, *inner) for error in part.unreadable)),
        )

    def _is_excluded(self, path: str) -> bool:
        is_folder = os.path.isdir(path)
        root = self.root_of(path if is_folder else os.path.dirname(path))
        return Excludes(self._reader.settings_of(root), root).cover_named(path, is_folder)

    # --- walking --------------------------------------------------------------------------------

    def _nested_marks(self, folder: str) -> FrozenSet[str]:
        """Returns the names in a folder below that make it a workspace of its own."""
        if os.path.isdir(os.path.join(self.root_of(folder), FUNCTIONS)):
            return frozenset({".git"})
        return frozenset(_OTHER_MARKS)

    def _walk(self, folder: str, is_flat: bool = False) -> Walk:
        walk = self._walks.get((folder, is_flat))
        if walk is None:
            settings = self._reader.settings_of(self.root_of(folder))
            walk = self._walks[folder, is_flat] = Walk([], [], {}, [], [], [])
            ignores = GitIgnores.above(folder) if settings.respect_gitignore else None
            visitor = Visitor(walk, folder, Excludes(settings, folder), self._left_out)
            visitor.visit(self._nested_marks(folder), ignores, is_flat)
        return walk


def _extend(scopes: Dict[str, Scope], root: str, scope: Scope) -> None:
    known = scopes.get(root, Scope())
    folders = known.folders + tuple(folder for folder in scope.folders if folder not in known.folders)
    scopes[root] = Scope(known.whole or scope.whole, folders, known.files | scope.files)


def _is_supported(path: str) -> bool:
    return path.endswith((PYTHON_SUFFIX, *YAML_SUFFIXES, DATASET_SUFFIX, *REQUIREMENT_SUFFIXES))


def _is_marked(folder: str) -> bool:
    return any(os.path.lexists(os.path.join(folder, mark)) for mark in (FUNCTIONS, *_OTHER_MARKS))


def _find_root(folder: str) -> str:
    fallback = ""
    current = folder
    while True:
        if os.path.isdir(os.path.join(current, FUNCTIONS)):
            return current
        if not fallback and _is_marked(current):
            fallback = current
        parent = os.path.dirname(current)
        if parent == current or os.path.lexists(os.path.join(current, ".git")):
            return fallback or folder
        current = parent
