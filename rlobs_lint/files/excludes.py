"""Which files and folders a walk leaves out: by exclude patterns, git's ignore files, as environments."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from pathlib import Path
from typing import AbstractSet, Any, List, Optional, Sequence, Tuple

from rlobs_lint.files.settings import DEFAULT_EXCLUDE, Settings

#: The file whose presence makes a folder a virtual environment.
_ENVIRONMENT_MARK = "pyvenv.cfg"


class Patterns:
    """Patterns in the style of gitignore, relative to one folder.

    A path matches by its own last name, never by a folder above it: a walk asks about each folder on
    its way, so that a pattern can never reach above the place where the walk began.

    Args:
        directory: Absolute path of the folder that the patterns are relative to.
        lines: The patterns; ones that git could not read either are skipped.
    """

    def __init__(self, directory: str, lines: Sequence[str]) -> None:
        self.directory = directory
        self._compiled = _compile(lines)

    def beginning_at(self, folder: str) -> Patterns:
        """Returns the patterns that can still tell apart what lies below a folder.

        Those that match the folder itself, or one above it, would match everything.
        """
        base = self._relative(folder, True)
        below = Patterns(self.directory, ())
        below._compiled = [
            pattern for pattern in self._compiled if base is None or not pattern.match_file(base)
        ]
        return below

    def decide(self, path: str, is_folder: bool) -> Optional[bool]:
        """Returns whether a path is left out, or `None` where no pattern speaks of it."""
        relative = self._relative(path, is_folder) if self._compiled else None
        if relative is not None:
            for pattern in reversed(self._compiled):
                if pattern.match_file(relative) is not None:
                    return bool(pattern.include)
        return None

    def _relative(self, path: str, is_folder: bool) -> Optional[str]:
        prefix = self.directory.rstrip(os.sep) + os.sep
        if not path.startswith(prefix):
            return None
        relative = path[len(prefix) :].replace(os.sep, "/")
        return relative + "/" if is_folder else relative


def _compile(lines: Sequence[str]) -> List[Any]:
    if not lines:
        return []
    # Imported here: most of the time that a walk takes goes into this import.
    from pathspec import GitIgnoreSpec

    compiled: List[Any] = []
    for line in lines:
        try:
            patterns = GitIgnoreSpec.from_lines([line]).patterns
        except ValueError:
            continue
        compiled.extend(pattern for pattern in patterns if pattern.include is not None)
    return compiled


class Excludes:
    """The exclude patterns of some settings, for the files below one folder.

    Args:
        settings: The settings.
        root: Absolute path of the folder that the walk begins at. Patterns are relative to the
            settings file, or to this folder where that file stands elsewhere.
    """

    def __init__(self, settings: Settings, root: str) -> None:
        lines = settings.exclude + settings.extend_exclude
        # The defaults are plain names, which need no library.
        self._plain = DEFAULT_EXCLUDE if lines[: len(DEFAULT_EXCLUDE)] == DEFAULT_EXCLUDE else ()
        is_below = (root + os.sep).startswith(settings.directory.rstrip(os.sep) + os.sep)
        patterns = Patterns(settings.directory if is_below else root, lines[len(self._plain) :])
        self._every = patterns
        self._patterns = patterns.beginning_at(root)

    def covers(self, path: str, is_folder: bool) -> bool:
        """Whether a walk leaves a path out; each folder on the way to it has been asked about."""
        return self._decide(self._patterns, path, is_folder)

    def cover_named(self, path: str, is_folder: bool = False) -> bool:
        """Whether a named path is left out, by itself or by a folder between it and the settings file."""
        folders = [
            str(parent) for parent in Path(path).parents if len(str(parent)) > len(self._every.directory)
        ]
        return self._decide(self._every, path, is_folder) or any(
            self._decide(self._every, folder, True) for folder in folders
        )

    def _decide(self, patterns: Patterns, path: str, is_folder: bool) -> bool:
        decided = patterns.decide(path, is_folder)
        if decided is not None:
            return decided
        name = os.path.basename(path)
        return any(fnmatchcase(name, plain) for plain in self._plain)


class GitIgnores:
    """The ignore files that hold in a folder, nearest last.

    Attributes:
        layers: The patterns of each ignore file.
    """

    __slots__ = ("layers",)

    def __init__(self, layers: Tuple[Patterns, ...] = ()) -> None:
        self.layers = layers

    @classmethod
    def above(cls, folder: str) -> GitIgnores:
        """Returns what holds in a folder by the ignore files above it, up to the one beside `.git`.

        Without a `.git` nothing above the folder counts.
        """
        parents = [str(parent) for parent in Path(folder).parents]
        chain = [folder, *parents]
        tops = [place for place in chain if os.path.exists(os.path.join(place, ".git"))]
        ignores = cls()
        if tops:
            repository = tops[0]
            ignores = ignores._adding(repository, os.path.join(repository, ".git", "info", "exclude"))
            for place in reversed(parents[: chain.index(repository)]):
                ignores = ignores.entering(place)
        return cls(tuple(layer.beginning_at(folder) for layer in ignores.layers))

    def entering(self, folder: str) -> GitIgnores:
        """Returns what holds in a folder that may have an ignore file of its own."""
        return self._adding(folder, os.path.join(folder, ".gitignore"))

    def cover(self, path: str, is_folder: bool) -> bool:
        """Whether git ignores a path: the nearest ignore file that speaks of it decides."""
        for layer in reversed(self.layers):
            decided = layer.decide(path, is_folder)
            if decided is not None:
                return decided
        return False

    def _adding(self, directory: str, file: str) -> GitIgnores:
        try:
            lines = (
                Path(file).read_bytes().decode("utf-8", "replace").splitlines()
                if os.path.isfile(file)
                else []
            )
        except OSError:
            lines = []
        lines = [line for line in lines if line.strip() and not line.startswith("#")]
        return GitIgnores((*self.layers, Patterns(directory, lines))) if lines else self


def is_environment(names: AbstractSet[str]) -> bool:
    """Whether a folder with these entries is a virtual environment."""
    return _ENVIRONMENT_MARK in names
