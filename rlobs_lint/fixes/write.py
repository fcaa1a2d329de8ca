"""Writes changed files: each one whole or not at all, and only over the bytes that were read."""

from __future__ import annotations

import difflib
import hashlib
import os
import re
import signal
import stat
import tempfile
import threading
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import (
    Any,
    Callable,
    Dict,
    FrozenSet,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
)

from rlobs_lint.files.source import ReadError, SourceFile, read_bytes
from rlobs_lint.fixes.rounds import ChangedFile
from rlobs_lint.model import Text
from rlobs_lint.project.requirements.lines import may_hold_secret

_CHANGED = Text("it has changed since it was read", "读取之后它已被修改")
_READ_ONLY = Text("it is read-only", "它是只读的")
_OUTSIDE = Text("it is a link that leads out of the workspace", "它是指向工作区之外的链接")
_COMPANION = Text(
    "a file that is changed along with it cannot be written", "须与它一同修改的另一个文件无法写入"
)
_APPEARED = Text("it has been made by something else meanwhile", "它已被其他程序创建")

_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_NEEDS_QUOTES = re.compile(r'[\x00-\x1f\x7f"\\]')
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM") if hasattr(signal, name))


class Unwritten(NamedTuple):
    """A file that was left as it is on the disk.

    Attributes:
        path: Absolute path.
        reason: Why.
        parameters: Values of the reason's placeholders.
    """

    path: str
    reason: Text
    parameters: Tuple[Tuple[str, str], ...] = ()


class Written(NamedTuple):
    """What became of files that were to be written.

    Attributes:
        paths: Absolute paths of those that were.
        unwritten: Those that were not.
        interrupted: The signal that ended the work before the last file, or `None`.
    """

    paths: Tuple[str, ...]
    unwritten: Tuple[Unwritten, ...]
    interrupted: Optional[int] = None


class _RefusedError(Exception):
    """A file must not be written; `args` holds the reason."""


def write(files: Sequence[ChangedFile], root: str, together: Iterable[FrozenSet[str]] = ()) -> Written:
    """Writes files one by one; an interrupt waits for the file at work and ends the work then.

    Args:
        files: The files, of one workspace.
        root: Absolute path of the workspace: links are followed inside it only.
        together: Paths of files that are all to be written or none of them, since what one fix changes in
            one relies on what it changes in another.
    """
    companions = _companions(together)
    paths: List[str] = []
    unwritten: List[Unwritten] = []
    blocked: Set[str] = set()
    with _signals_held() as received:
        for file in files:
            if file.path in companions:
                refusal = _attempt(file.path, partial(_check, file, root))
                if refusal is not None:
                    unwritten.append(refusal)
                    blocked |= companions[file.path]
        refused = {one.path for one in unwritten}
        for file in files:
            if file.path in refused or (
                received and not companions.get(file.path, set()).intersection(paths)
            ):
                continue
            if file.path in blocked:
                unwritten.append(Unwritten(file.path, _COMPANION))
                continue
            failure = _attempt(file.path, partial(_write_one, file, root))
            if failure is None:
                paths.append(file.path)
            else:
                unwritten.append(failure)
                blocked |= companions.get(file.path, set())
    return Written(tuple(paths), tuple(unwritten), received[0] if received else None)


def _companions(together: Iterable[FrozenSet[str]]) -> Dict[str, Set[str]]:
    """Returns all files that a file goes with, those that go with these included."""
    companions: Dict[str, Set[str]] = {}
    for group in together:
        merged = set(group).union(*(companions.get(path, ()) for path in group))
        companions.update((path, merged) for path in merged)
    return companions


def _attempt(path: str, work: Callable[[], object]) -> Optional[Unwritten]:
    """Does something with a file; returns why it could not be done, or `None`."""
    try:
        work()
    except _RefusedError as refusal:
        return Unwritten(path, refusal.args[0])
    except OSError as error:
        reason = error.strerror or type(error).__name__
        return Unwritten(path, Text("{reason}", "{reason}"), (("reason", reason),))
    return None


def _check(file: ChangedFile, root: str) -> Path:
    """Makes sure, as far as that is known before, that a file can be written; returns its real path.

    Raises:
        OSError, _RefusedError: It cannot.
    """
    target = Path(file.path).resolve()
    if Path(root).resolve() not in target.parents:
        raise _RefusedError(_OUTSIDE)
    if file.before is None:
        if target.exists() or target.is_symlink():
            raise _RefusedError(_APPEARED)
        return target
    target.stat()
    # Renaming needs no right to the file itself; whoever took that right away means it all the same.
    if not os.access(target, os.W_OK):
        raise _RefusedError(_READ_ONLY)
    _demand_unchanged(target, file.before)
    return target


def _demand_unchanged(target: Path, before: SourceFile) -> None:
    data = read_bytes(str(target))
    if isinstance(data, ReadError) or hashlib.sha256(data).hexdigest() != before.digest:
        raise _RefusedError(_CHANGED)


def _write_one(file: ChangedFile, root: str) -> None:
    target = _check(file, root)
    if file.before is None:
        _create(target, file.data)
        return
    status = target.stat()
    with _locked(target), _temporary(target, file.data) as temporary:
        _keep_owner_and_mode(temporary, status)
        _demand_unchanged(target, file.before)
        temporary.replace(target)
    _flush_folder(target.parent)


def _create(target: Path, data: bytes) -> None:
    """Makes a file, unless something stands at its place by now."""
    if target.exists() or target.is_symlink():
        raise _RefusedError(_APPEARED)
    with _temporary(target, data) as temporary:
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        try:
            # Unlike renaming, linking never replaces anything.
            os.link(temporary, target)
        except FileExistsError:
            raise _RefusedError(_APPEARED) from None
        except OSError:  # a file system without links
            temporary.replace(target)
    _flush_folder(target.parent)


@contextmanager
def _temporary(target: Path, data: bytes) -> Iterator[Path]:
    """Gives the path of a file beside the target that holds the data, and removes it if it is still there."""
    handle, path = tempfile.mkstemp(prefix=".rlobs-", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        yield Path(path)
    finally:
        with suppress(FileNotFoundError):  # it bears the target's name by now
            Path(path).unlink()


def _keep_owner_and_mode(path: Path, status: os.stat_result) -> None:
    made = path.stat()
    if hasattr(os, "chown") and (made.st_uid, made.st_gid) != (status.st_uid, status.st_gid):
        # Only the superuser can give files away; whoever else fixes a file then owns it.
        with suppress(PermissionError):
            os.chown(path, status.st_uid, status.st_gid)
    path.chmod(stat.S_IMODE(status.st_mode))


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Makes other runs of the tool wait that want to write the same file, where the system can do that."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with path.open("rb") as stream:
        # Without locks in the file system, what was read is compared all the same.
        with suppress(OSError):
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def _flush_folder(folder: Path) -> None:
    """Has the new name of a file kept even if the machine stops now."""
    # Windows opens no folders.
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def _signals_held() -> Iterator[List[int]]:
    """Collects interrupts that arrive meanwhile, in the main thread; others cannot hold them."""
    received: List[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield received
        return

    def note(number: int, _: Any) -> None:
        received.append(number)

    before: Dict[int, Any] = {number: signal.signal(number, note) for number in _SIGNALS}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


# --- differences ----------------------------------------------------------------------------------


def unified_diff(file: ChangedFile, shown: str) -> bytes:
    """Returns what `patch -p0` needs to make the change.

    Args:
        file: The file.
        shown: Its path, relative to the folder where the patch is to be applied, with `/`.
    """
    before = file.before.encode(file.before.text) if file.before is not None else b""
    name = _quoted(shown)
    old_name = name if file.before is not None else b"/dev/null"
    # Lines around a change are shown too, and those of a requirements file may hold passwords.
    text = before.decode("utf-8", "replace") if file.path.endswith(".txt") else ""
    context = 0 if any(map(may_hold_secret, text.splitlines())) else 3
    lines = difflib.diff_bytes(
        difflib.unified_diff, _lines(before), _lines(file.data), old_name, name, n=context, lineterm=b"\n"
    )
    return b"".join(
        line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in lines
    )


def _lines(data: bytes) -> List[bytes]:
    """Splits at line feeds alone, as `patch` does: a carriage return is part of its line."""
    return _LINE.findall(data)


def _quoted(path: str) -> bytes:
    """Writes a path as `diff` does: with a tab behind one that has blanks, in quotes one that needs them."""
    if _NEEDS_QUOTES.search(path):
        escape: Callable[[re.Match[str]], str] = lambda match: f"\\{ord(match.group()):03o}"  # noqa: E731
        return b'"' + os.fsencode(_NEEDS_QUOTES.sub(escape, path)) + b'"'
    return os.fsencode(path) + (b"\t" if " " in path else b"")
