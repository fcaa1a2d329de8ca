"""Fixes findings: rounds of edits until nothing is left to do, every changed file looked over."""

from __future__ import annotations

import hashlib
import os
from typing import Callable, Dict, FrozenSet, Iterable, List, Mapping, NamedTuple, Optional, Set, Tuple, Union

from rlobs_lint.engine import Checked, Engine
from rlobs_lint.judging import CrashedRule
from rlobs_lint.model import Applicability, Edit, Finding, Text
from rlobs_lint.planning import Batch, FixError, Plans
from rlobs_lint.source import SourceFile
from rlobs_lint.verifying import complaint
from rlobs_lint.workspace import Workspace

#: A fix may bring up another one; more rounds than this mean that two undo each other.
MOST_ROUNDS = 10

_CRASHED = Text(
    "the fix could not be worked out, which is a mistake of rlobs-lint",
    "无法生成修复，这是 rlobs-lint 的缺陷",
)


class ChangedFile(NamedTuple):
    """A file that fixes change.

    Attributes:
        path: Absolute path.
        before: Its text as it was read; `None` for a file that is to be made.
        data: The bytes to write.
    """

    path: str
    before: Optional[SourceFile]
    data: bytes


class KeptBack(NamedTuple):
    """A file that stays as it was, because its changes did not pass the check before writing.

    Attributes:
        path: Absolute path.
        codes: The rules whose fixes were concerned.
        reason: What was wrong, for a report of this mistake of the tool.
    """

    path: str
    codes: Tuple[str, ...]
    reason: str


class Fixed(NamedTuple):
    """A workspace after its fixes, which are not written yet.

    Attributes:
        checked: What is found in it now.
        files: The files to write, by path.
        findings: What was fixed, as it was found.
        kept_back: Files that stay as they were.
    """

    checked: Checked
    files: Tuple[ChangedFile, ...]
    findings: Tuple[Finding, ...]
    kept_back: Tuple[KeptBack, ...]


def settle(checked: Checked) -> Checked:
    """Turns the plans of all fixes into edits, as reports show them.

    A finding whose fix turns out not to be possible has none afterwards, and says why.
    """
    plans = Plans(checked.workspace)
    settled: List[Finding] = []
    crashes: List[CrashedRule] = []
    for finding in checked.findings:
        plan = finding.fix
        if plan is None or not plan.targets:
            settled.append(finding)
            continue
        try:
            edits = plans.edits(finding)
        except FixError as error:
            crashes.append(CrashedRule(finding.code, str(error)))
            edits = _CRASHED
        if isinstance(edits, Text):
            settled.append(finding._replace(fix=None, unfixable=edits))
        else:
            settled.append(finding._replace(fix=plan._replace(targets=(), edits=edits)))
    return checked._replace(findings=tuple(settled), crashes=(*checked.crashes, *crashes))


def fix(
    engine: Engine,
    checked: Checked,
    *,
    unsafe: bool = False,
    wanted: Callable[[Finding], bool] = lambda _: True,
) -> Fixed:
    """Makes the fixes of a workspace, round by round, in memory.

    Args:
        engine: Checks the changed files.
        checked: The workspace as it is.
        unsafe: Whether unsafe fixes are made, too.
        wanted: Which findings may be fixed.
    """
    kept_back: Dict[str, KeptBack] = {}
    while True:
        attempt = _Attempt(engine, checked, frozenset(kept_back), unsafe, wanted)
        trouble = attempt.run()
        if not trouble:
            return Fixed(attempt.checked, attempt.files(), tuple(attempt.fixed), tuple(kept_back.values()))
        # A file that fails is left out, and all is done again without it: others may depend on it.
        kept_back.update((one.path, one) for one in trouble)


class _Attempt:
    """One attempt to fix a workspace, with some files left alone."""

    def __init__(
        self,
        engine: Engine,
        checked: Checked,
        alone: FrozenSet[str],
        unsafe: bool,
        wanted: Callable[[Finding], bool],
    ) -> None:
        self._engine = engine
        self._first = checked.workspace
        self._alone = alone
        self._unsafe = unsafe
        self._wanted = wanted
        self._data: Dict[str, bytes] = dict(checked.workspace.overlay)
        self._changed: Set[str] = set()
        self.checked = checked
        self.fixed: List[Finding] = []

    def run(self) -> List[KeptBack]:
        """Makes rounds until nothing is left; returns the files that fail, which ends the attempt."""
        for _ in range(MOST_ROUNDS):
            batch = self._batch()
            if isinstance(batch, KeptBack):
                return [batch]
            if not batch.findings:
                return []
            trouble = self._make(batch)
            if trouble:
                return trouble
        batch = self._batch()
        left = batch.findings if isinstance(batch, Batch) else []
        return [
            KeptBack(path, codes, "its fixes come to no end") for path, codes in _codes_by_path(left).items()
        ]

    def files(self) -> Tuple[ChangedFile, ...]:
        """Returns the files to write; one that is as it was before is not among them."""
        plans = Plans(self._first)
        changed = [ChangedFile(path, plans.source(path), self._data[path]) for path in sorted(self._changed)]
        return tuple(one for one in changed if one.before is None or not _is_same(one.before, one.data))

    def _batch(self) -> Union[Batch, KeptBack]:
        batch = Batch(Plans(self.checked.workspace))
        for finding in self.checked.findings:
            if self._may_fix(finding):
                try:
                    batch.add(finding)
                except FixError as error:
                    return KeptBack(finding.path, (finding.code,), str(error))
        return batch

    def _may_fix(self, finding: Finding) -> bool:
        fix = finding.fix
        if fix is None or not self._wanted(finding):
            return False
        touched = {edit.path for edit in fix.edits} | ({fix.path} if fix.targets else set())
        is_allowed = self._unsafe or fix.applicability is Applicability.SAFE
        return is_allowed and not touched & self._alone

    def _make(self, batch: Batch) -> List[KeptBack]:
        """Makes the edits of a batch and checks the workspace again; returns the files that fail."""
        workspace = self.checked.workspace
        codes = _codes_by_path(batch.findings)
        trouble: List[KeptBack] = []
        for path, edits in batch.edits().items():
            try:
                data = _changed(workspace, path, edits)
            except (UnicodeError, ValueError) as error:
                trouble.append(KeptBack(path, codes.get(path, ()), str(error)))
                continue
            self._data[path] = data
            self._changed.add(path)
        if trouble:
            return trouble
        known = {crash.code for crash in self.checked.crashes}
        self.checked = self._engine.check(self.checked.files, self._data)
        crashed = [crash for crash in self.checked.crashes if crash.code not in known]
        if crashed:
            reason = "; ".join(f"{crash.code}: {crash.reason}" for crash in crashed)
            return [KeptBack(path, codes.get(path, ()), reason) for path in batch.edits()]
        self.fixed += batch.findings
        return []


def _is_same(before: SourceFile, data: bytes) -> bool:
    return hashlib.sha256(data).hexdigest() == before.digest


def _codes_by_path(findings: Iterable[Finding]) -> Dict[str, Tuple[str, ...]]:
    """Returns the codes of the findings whose fixes change a file, by its path."""
    codes: Dict[str, Set[str]] = {}
    for finding in findings:
        assert finding.fix is not None
        paths = {edit.path for edit in finding.fix.edits}
        if finding.fix.targets:
            paths.add(finding.fix.path)
        for path in paths:
            codes.setdefault(path, set()).add(finding.code)
    return {path: tuple(sorted(found)) for path, found in codes.items()}


def _changed(workspace: Workspace, path: str, edits: Tuple[Edit, ...]) -> bytes:
    """Returns the bytes of a file after some edits, looked over if it is Python.

    Raises:
        ValueError: The result is not what it should be.
        UnicodeError: The file's encoding cannot express it.
    """
    from rlobs_lint.codemods._changes import apply
    from rlobs_lint.source import decode_python

    before = Plans(workspace).source(path)
    if before is None:
        made: str = apply("", edits)
        return made.encode("utf-8")
    data = before.encode(apply(before.text, edits))
    module = workspace.modules.get(path)
    if module is None:
        return data
    after = decode_python(path, data)
    if not isinstance(after, SourceFile):
        raise ValueError("it cannot be decoded any more")
    reason = complaint(before, module.facts, after, edits)
    if reason is not None:
        raise ValueError(reason)
    return data


class CodemodOutcome(NamedTuple):
    """What a codemod by itself does to a file.

    Attributes:
        data: The new bytes; `None` where the file cannot be linted.
        warnings: What it could not do.
    """

    data: Optional[bytes]
    warnings: Tuple[str, ...]


def run_codemod(name: str, filename: Optional[str], data: bytes) -> CodemodOutcome:
    """Makes the safe fixes that one codemod carries out, in one file.

    Args:
        name: The codemod's module name.
        filename: The file, whose workspace is then read; `None` for code by itself.
        data: The file's bytes.
    """
    from rlobs_lint.config import Overrides, SettingsReader
    from rlobs_lint.paths import Finder, Scope, WorkspaceFiles

    path = os.path.abspath(filename or "module.py")
    if filename is None:
        settings = SettingsReader(Overrides(isolated=True)).settings_of(os.path.dirname(path))
        workspaces: Tuple[WorkspaceFiles, ...] = (
            WorkspaceFiles(os.path.dirname(path), settings, Scope(True), (path,), ()),
        )
    else:
        workspaces = Finder(SettingsReader(Overrides())).discover([path]).workspaces
    engine = Engine(use_cache=False)
    overlay: Mapping[str, bytes] = {path: data}
    for files in workspaces:
        checked = engine.check(files, overlay)

        def is_its_own(finding: Finding) -> bool:
            targets = finding.fix.targets if finding.fix is not None else ()
            return bool(targets) and all(target.codemod == name for target in targets)

        fixed = fix(engine, checked, wanted=lambda finding: finding.path == path and is_its_own(finding))
        warnings = tuple(f"{one.path}: {one.reason}" for one in fixed.kept_back)
        changed = {one.path: one.data for one in fixed.files}
        return CodemodOutcome(changed.get(path, data), warnings)
    return CodemodOutcome(None, ("the file belongs to no workspace",))
