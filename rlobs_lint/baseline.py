"""Findings that are known and left for later: a file of their fingerprints, made for merging."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterable, NamedTuple, Sequence, Tuple

from rlobs_lint.fingerprint import fingerprints
from rlobs_lint.language import UserError, shown_path
from rlobs_lint.model import Text
from rlobs_lint.source import ReadError, read_utf8

if TYPE_CHECKING:
    from rlobs_lint.engine import Checked

VERSION = 1

_UNREADABLE = Text("{path}: the baseline cannot be read: ", "{path}：无法读取基线：")
_UNWRITABLE = Text("{path}: it cannot be written: {reason}", "{path}：无法写入：{reason}")
_FOREIGN = Text(
    "{path}: this is no baseline; make one with `--write-baseline`",
    "{path}：这不是基线文件；请用 `--write-baseline` 生成",
)


class Entry(NamedTuple):
    """A known finding.

    Attributes:
        path: Absolute path of the file.
        code: The rule's code.
        fingerprint: The finding's fingerprint.
    """

    path: str
    code: str
    fingerprint: str


def read_baseline(file: str) -> Tuple[Entry, ...]:
    """Returns the entries of a baseline.

    Args:
        file: Absolute path.

    Raises:
        UserError: It cannot be read, or is something else.
    """
    source = read_utf8(file)
    if isinstance(source, ReadError):
        text = Text(_UNREADABLE.en + source.reason.en, _UNREADABLE.zh + source.reason.zh)
        raise UserError(text, path=shown_path(file), **dict(source.parameters))
    try:
        content = json.loads(source.text)
        if content["version"] != VERSION:
            raise ValueError(content["version"])
        return tuple(_entry(each, os.path.dirname(file)) for each in content["findings"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UserError(_FOREIGN, path=shown_path(file)) from None


def _entry(record: Any, folder: str) -> Entry:
    path, code, fingerprint = record["path"], record["code"], record["fingerprint"]
    if not all(isinstance(value, str) for value in (path, code, fingerprint)):
        raise TypeError(record)
    return Entry(os.path.normpath(os.path.join(folder, path)), code, fingerprint)


def write_baseline(file: str, entries: Iterable[Entry]) -> None:
    """Writes entries in order, one a line, with paths relative to the file.

    Args:
        file: Absolute path.
        entries: The entries.

    Raises:
        OSError: It cannot be written.
    """
    folder = os.path.dirname(file)
    records = sorted(
        (shown_path(entry.path, folder), entry.code, entry.fingerprint) for entry in set(entries)
    )
    lines = [
        json.dumps({"path": path, "code": code, "fingerprint": fingerprint})
        for path, code, fingerprint in records
    ]
    body = ",\n".join(lines)
    Path(file).write_text(f'{{"version": {VERSION}, "findings": [\n{body}\n]}}\n', "utf-8")


def renew_baseline(file: str, checked: Sequence[Checked]) -> int:
    """Makes a baseline, or renews one, and returns how many findings it now knows of this run.

    What the run did not look at stays in it, unless the file is gone; the rest is what was found.

    Args:
        file: Absolute path of the baseline.
        checked: The workspaces, with all their findings.

    Raises:
        UserError: It cannot be written, or is something else.
    """
    found = [
        Entry(finding.path, finding.code, name)
        for one in checked
        for finding, name in fingerprints(one.workspace, one.findings).items()
    ]
    looked_at = frozenset(path for one in checked for path in one.reported_files)
    old = read_baseline(file) if os.path.exists(file) else ()
    kept = [entry for entry in old if entry.path not in looked_at and os.path.lexists(entry.path)]
    try:
        write_baseline(file, (*kept, *found))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UserError(_UNWRITABLE, path=shown_path(file), reason=reason) from None
    return len(found)


def stale_entries(checked: Sequence[Checked]) -> Dict[str, int]:
    """Returns, for each baseline in use, how many of its entries match nothing any more.

    Entries of files that the run did not look at are not counted, unless the file is gone.
    """
    matched = frozenset(name for one in checked for name in one.baselined)
    looked_at = frozenset(path for one in checked for path in one.reported_files)
    files = {one.files.settings.baseline for one in checked}
    return {
        file: sum(
            entry.fingerprint not in matched
            for entry in read_baseline(file)
            if entry.path in looked_at or not os.path.lexists(entry.path)
        )
        for file in files
        if file is not None
    }
