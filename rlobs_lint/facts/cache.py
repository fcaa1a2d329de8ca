"""The facts of earlier runs, by the bytes that they were made from.

One file a workspace holds the facts of its modules as JSON: it lies in the linted folder, where
anyone may write, so nothing in it can be executed. Whatever is wrong with it makes it as good as
absent, and where it cannot be written the run goes on without.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import stat
import sys
import zlib
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Dict, Iterator, Mapping, Optional

from rlobs_lint.facts import codec
from rlobs_lint.facts.ir import ModuleFacts
from rlobs_lint.version import __version__

FOLDER = ".rlobs_cache"
# The upload of a workspace leaves out `.gitignore` and every folder called `tmp`: so all of this.
_INNER_FOLDER = "tmp"
_SUFFIXES = ("*.facts", "*.fixes", "*.new")


class Store:
    """Lines of bytes by a key, in one file that is only ever seen whole.

    Args:
        directory: Absolute path of the cache folder.
        root: Absolute path of the workspace that the lines are about.
        suffix: Tells files of different content apart.
        header: What must be the same for the lines to hold.
    """

    def __init__(self, directory: str, root: str, suffix: str, header: bytes) -> None:
        name = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
        self._directory = Path(directory)
        self._file = self._directory / _INNER_FOLDER / f"{name}.{suffix}"
        self._header = header
        self._stored = self._load()
        self._used: Dict[str, bytes] = {}
        self._changed = False

    def get(self, key: str) -> Optional[bytes]:
        """Returns what is stored under a key (64 characters), and has it kept; `None` where nothing is."""
        line = self._used.get(key) or self._stored.get(key.encode())
        if line is None or line[65:73] != b"%08x" % zlib.crc32(line[74:]):
            return None
        self._used[key] = line
        return line[74:]

    def put(self, key: str, data: bytes) -> None:
        """Stores a line under a key."""
        self._used[key] = b"%s %08x %s" % (key.encode(), zlib.crc32(data), data)
        self._changed = True

    def save(self) -> None:
        """Writes what was used, if anything is new; where that is not possible, nothing happens."""
        # A link could lead anywhere, and the folder is one that anyone may write.
        if not self._changed or self._directory.is_symlink():
            return
        import tempfile  # takes as long as all else here, and an unchanged workspace writes nothing

        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            ignore = self._directory / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n", "utf-8")
            handle, temporary = tempfile.mkstemp(dir=self._file.parent, suffix=".new")
            try:
                with os.fdopen(handle, "wb") as stream:
                    stream.write(b"\n".join((self._header, *self._used.values())))
                Path(temporary).replace(self._file)
            except BaseException:
                Path(temporary).unlink()
                raise
        self._changed = False

    def _load(self) -> Mapping[bytes, bytes]:
        try:
            if not stat.S_ISREG(self._file.stat().st_mode):
                return {}
            header, *lines = self._file.read_bytes().split(b"\n")
        except OSError:
            return {}
        return {line[:64]: line for line in lines} if header == self._header else {}


class FactsCache:
    """The stored facts of one workspace, by the hash of the bytes that they were made from.

    Args:
        directory: Absolute path of the cache folder.
        root: Absolute path of the workspace.
    """

    def __init__(self, directory: str, root: str) -> None:
        self._store = Store(directory, root, "facts", own_code())

    def get(self, digest: str) -> Optional[ModuleFacts]:
        """Returns the facts of a file's bytes, or `None`."""
        line = self._store.get(digest)
        return None if line is None else _decode(line)

    def keep(self, digest: str) -> bool:
        """Has the facts of a file's bytes kept, without reading them; returns whether they are here."""
        return self._store.get(digest) is not None

    def put(self, digest: str, facts: bytes) -> None:
        """Stores the facts of a file's bytes, as `dump_facts` writes them."""
        self._store.put(digest, facts)

    def save(self) -> None:
        """Writes the facts of the files of this run, if anything is new."""
        self._store.save()


def clear(directory: str) -> None:
    """Removes a cache folder: what this module has put there, and the folders if nothing else is left.

    Args:
        directory: Absolute path of the folder.
    """
    folder = Path(directory)
    if folder.is_symlink() or not folder.is_dir():
        return
    inner = folder / _INNER_FOLDER
    for file in (*(path for suffix in _SUFFIXES for path in inner.glob(suffix)), folder / ".gitignore"):
        with suppress(OSError):
            file.unlink()
    for emptied in (inner, folder):
        with suppress(OSError):  # it holds something else
            emptied.rmdir()


def dump_facts(facts: ModuleFacts) -> bytes:
    """Returns facts as one line of JSON."""
    return json.dumps(codec.encode(facts), separators=(",", ":"), allow_nan=False).encode("ascii")


def load_facts(data: bytes) -> ModuleFacts:
    """Returns the facts of a line that `dump_facts` wrote.

    Raises:
        ValueError, TypeError, IndexError, RecursionError: It did not.
    """
    facts = codec.decode(json.loads(data))
    if not isinstance(facts, ModuleFacts):
        raise TypeError(type(facts))
    return facts


def _decode(line: bytes) -> Optional[ModuleFacts]:
    try:
        return load_facts(line)
    except (ValueError, TypeError, IndexError, RecursionError):
        return None


@lru_cache
def own_code() -> bytes:
    """Returns a hash of what must be the same for anything stored to hold: all code that can make it.

    That is every source file of this package, found and not listed, by what Python asks of its own
    compiled files (size and time, PEP 3147), then Python and the parser.

    Raises:
        OSError: A source file cannot be looked at: what it made is not known.
    """
    package = Path(__file__).parent.parent
    parts = [__version__, repr(sys.version_info[:3])]
    # In a checkout the codemods lie beside the package.
    for folder in (package, package.parent / "codemods"):
        if (folder / "__init__.py").exists():
            parts.extend(_sources(str(folder)))
    # The library's version, without the price of importing it or of reading its metadata.
    library = importlib.util.find_spec("libcst")
    if library is not None and library.origin is not None:
        parts.append(Path(library.origin).with_name("_version.py").read_text("utf-8"))
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogateescape")).hexdigest().encode()


def _sources(folder: str) -> Iterator[str]:
    with os.scandir(folder) as listed:
        entries = sorted(listed, key=lambda entry: entry.name)
    for entry in entries:
        if entry.name.endswith(".py"):
            status = entry.stat()
            yield f"{entry.path} {status.st_size} {status.st_mtime_ns}"
        elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
            yield from _sources(entry.path)
