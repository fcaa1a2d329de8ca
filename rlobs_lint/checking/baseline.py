"""Findings that are known and left for later: a file of their fingerprints, made for merging."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, NamedTuple, Sequence, Set, Tuple

from rlobs_lint.checking.checked import Checked
from rlobs_lint.checking.fingerprints import fingerprints
from rlobs_lint.files.finding_files import WorkspaceFiles
from rlobs_lint.files.settings import selected_codes
from rlobs_lint.files.source import ReadError, read_utf8
from rlobs_lint.files.walking import is_below
from rlobs_lint.model import Text
from rlobs_lint.rulebook import registry
from rlobs_lint.texts import UserError, shown_path

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


def renew_baseline(file: str, checked: Sequence[Checked]) -> None:
    """Makes a baseline, or renews one.

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
    old = read_baseline(file) if os.path.exists(file) else ()
    is_judged = _judge(checked)
    kept = [entry for entry in old if not is_judged(entry)]
    try:
        write_baseline(file, (*kept, *found))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UserError(_UNWRITABLE, path=shown_path(file), reason=reason) from None


def stale_entries(checked: Sequence[Checked]) -> Dict[str, int]:
    """Returns, for each baseline in use, how many of its entries match nothing any more.

    Entries of files that the run did not look at, and of rules that did not run, are not counted, unless
    the file is gone.
    """
    matched = frozenset(name for one in checked for name in one.baselined)
    is_judged = _judge(checked)
    files = {one.files.settings.baseline for one in checked}
    return {
        file: sum(entry.fingerprint not in matched and is_judged(entry) for entry in read_baseline(file))
        for file in files
        if file is not None
    }


def _judge(checked: Sequence[Checked]) -> Callable[[Entry], bool]:
    """Returns what tells whether a run has shown if an entry still holds."""
    known = {rule.code: rule for rule in registry.all_rules()}
    ran: Dict[str, Set[str]] = {}
    for one in checked:
        selected = selected_codes(one.files.settings)
        for path in one.reported_paths:
            ran.setdefault(path, set()).update(selected)

    def is_judged(entry: Entry) -> bool:
        if entry.code not in known:
            return True
        if entry.path in ran:
            return entry.code in ran[entry.path]
        # That a file is missing may be what was found.
        is_looked_for = not known[entry.code].reports_missing_files or any(
            _covers(one.files, entry.path) for one in checked
        )
        return is_looked_for and not os.path.lexists(entry.path)

    return is_judged


def _covers(files: WorkspaceFiles, path: str) -> bool:
    return is_below(path, files.root) and files.scope.covers(path)
