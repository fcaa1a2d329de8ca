"""One attempt to fix a workspace in memory: rounds of edits, every changed file looked over."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import (
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
    Union,
)

from rlobs_lint.checking.checked import Checked
from rlobs_lint.checking.engine import Engine
from rlobs_lint.files.source import SourceFile
from rlobs_lint.fixes.plans import Batch, FileName, FixError, Plans
from rlobs_lint.fixes.verify import complaint
from rlobs_lint.model import Applicability, Edit, Finding
from rlobs_lint.rulebook import registry
from rlobs_lint.rulebook.workspace import Workspace

#: A fix may bring up another one; more rounds than this mean that two undo each other.
MOST_ROUNDS = 10


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


#: What makes a finding the same after a fix that did nothing about it: its kind, values and line.
FindingKey = Tuple[str, str, Tuple[Tuple[str, object], ...], str]


class Vain(NamedTuple):
    """Findings whose fixes are not made, since they would mend nothing.

    Attributes:
        keys: Single ones.
        kinds: All of a rule in a file, by code and absolute path.
    """

    keys: FrozenSet[FindingKey] = frozenset()
    kinds: FrozenSet[Tuple[str, str]] = frozenset()

    def covers(self, finding: Finding, workspace: Workspace) -> bool:
        """Whether a finding is among them."""
        if (finding.code, finding.path) in self.kinds:
            return True
        return bool(self.keys) and key_of(finding, workspace) in self.keys

    def united(self, other: Vain) -> Vain:
        """Returns these and others."""
        return Vain(self.keys | other.keys, self.kinds | other.kinds)


def key_of(finding: Finding, workspace: Workspace) -> FindingKey:
    """Returns what a finding is known by from one round to the next."""
    line = workspace.line(finding.path, finding.location.start.row)
    return (finding.code, finding.path, finding.parameters, line.strip())


class Limits(NamedTuple):
    """What an attempt may not do.

    Attributes:
        alone: Absolute paths of files that are not changed.
        vain: Findings whose fixes are not made.
        kept_names: Imported names that stay, each with its file: a later round wants them again.
    """

    alone: FrozenSet[str] = frozenset()
    vain: Vain = Vain()
    kept_names: FrozenSet[FileName] = frozenset()


class Rounds:
    """One attempt to fix a workspace.

    Args:
        engine: Checks the changed files.
        checked: The workspace as it is.
        unsafe: Whether unsafe fixes are made, too.
        wanted: Which findings may be fixed.
        limits: What may not be done.

    Attributes:
        checked: The workspace after the rounds so far.
        fixed: What was fixed, as it was found.
        regretted: Names that a round took out of imports and a later one put back, each with its file.
        endless: What still has fixes after the last round that is made.
    """

    def __init__(
        self,
        engine: Engine,
        checked: Checked,
        unsafe: bool,
        wanted: Callable[[Finding], bool],
        limits: Limits,
    ) -> None:
        self._engine = engine
        self._first = checked.workspace
        self._unsafe = unsafe
        self._wanted = wanted
        self._limits = limits
        self._data: Dict[str, bytes] = dict(checked.workspace.overlay)
        self._changed: Set[str] = set()
        self._orphans: Set[FileName] = set()
        self.checked = checked
        self.fixed: List[Finding] = []
        self.regretted: FrozenSet[FileName] = frozenset()
        self.endless: Tuple[Finding, ...] = ()

    def run(self) -> List[KeptBack]:
        """Makes rounds until nothing is left; returns the files that fail, which ends the attempt."""
        for _ in range(MOST_ROUNDS):
            batch = self._batch()
            if isinstance(batch, KeptBack):
                return [batch]
            self.regretted = batch.imports & self._orphans
            if not batch.findings or self.regretted:
                return []
            trouble = self._make(batch)
            if trouble:
                return trouble
        batch = self._batch()
        self.endless = tuple(batch.findings) if isinstance(batch, Batch) else ()
        codes = codes_by_path(self.endless)
        return [KeptBack(path, found, "its fixes come to no end") for path, found in codes.items()]

    def make_one(self) -> bool:
        """Makes one round; returns whether anything could be made."""
        batch = self._batch()
        return isinstance(batch, Batch) and bool(batch.findings) and not self._make(batch)

    def files(self) -> Tuple[ChangedFile, ...]:
        """Returns the files to write; one that is as it was before is not among them."""
        plans = Plans(self._first)
        changed = [ChangedFile(path, plans.source(path), self._data[path]) for path in sorted(self._changed)]
        return tuple(one for one in changed if one.before is None or not _is_same(one.before, one.data))

    def may_fix(self, finding: Finding) -> bool:
        """Whether the attempt makes the fix of a finding in its present state."""
        fix = finding.fix
        if fix is None or not self._wanted(finding):
            return False
        if self._limits.vain.covers(finding, self.checked.workspace):
            return False
        is_allowed = self._unsafe or fix.applicability is Applicability.SAFE
        return is_allowed and not fix.paths & self._limits.alone

    def _batch(self) -> Union[Batch, KeptBack]:
        findings = list(filter(self.may_fix, self.checked.findings))
        last = registry.last_codes()
        batch = self._batch_of([one for one in findings if one.code not in last])
        if isinstance(batch, Batch) and not batch.findings:
            # Only now is it known what comments hide: a fix may bring up what one of them is there for.
            return self._batch_of([one for one in findings if one.code in last])
        return batch

    def _batch_of(self, findings: Iterable[Finding]) -> Union[Batch, KeptBack]:
        batch = Batch(Plans(self.checked.workspace), self._limits.kept_names)
        for finding in findings:
            try:
                batch.add(finding)
            except FixError as error:
                return KeptBack(finding.path, (finding.code,), str(error))
        return batch

    def _make(self, batch: Batch) -> List[KeptBack]:
        """Makes the edits of a batch and checks the workspace again; returns the files that fail."""
        workspace = self.checked.workspace
        codes = codes_by_path(batch.findings)
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
        before, made = self.checked.findings, frozenset(batch.findings)
        # A suppression that is not idle any more was not mended.
        others = [
            finding
            for finding in before
            if finding not in made and finding.code not in registry.last_codes() and self.may_fix(finding)
        ]
        self.checked = self._engine.check(self.checked.files, self._data)
        crashed = [crash for crash in self.checked.crashes if crash.code not in known]
        if crashed:
            reason = "; ".join(f"{crash.code}: {crash.reason}" for crash in crashed)
            return [KeptBack(path, codes.get(path, ()), reason) for path in batch.edits()]
        self.fixed += batch.findings
        self.fixed += _mended_too(before, self.checked.findings, batch.findings, others)
        self._orphans |= batch.orphans
        return []


def codes_by_path(findings: Iterable[Finding]) -> Dict[str, Tuple[str, ...]]:
    """Returns the codes of the findings whose fixes change a file, by its path."""
    codes: Dict[str, Set[str]] = {}
    for finding in findings:
        assert finding.fix is not None
        for path in finding.fix.paths:
            codes.setdefault(path, set()).add(finding.code)
    return {path: tuple(sorted(found)) for path, found in sorted(codes.items())}


def _mended_too(
    before: Sequence[Finding], after: Sequence[Finding], made: Sequence[Finding], others: Iterable[Finding]
) -> Iterator[Finding]:
    """Yields as many findings as have gone with the fixes of others in the same file.

    Args:
        before: All findings before a round.
        after: All findings after it.
        made: Those whose fixes were made.
        others: Those whose fixes might have been made as well.
    """

    def kinds(findings: Iterable[Finding]) -> Counter[Tuple[str, str]]:
        return Counter((finding.path, finding.code) for finding in findings)

    gone = kinds(before)
    gone.subtract(kinds(after))
    gone.subtract(kinds(made))
    for finding in others:
        if gone[finding.path, finding.code] > 0:
            gone[finding.path, finding.code] -= 1
            yield finding


def _is_same(before: SourceFile, data: bytes) -> bool:
    return hashlib.sha256(data).hexdigest() == before.digest


def _changed(workspace: Workspace, path: str, edits: Tuple[Edit, ...]) -> bytes:
    """Returns the bytes of a file after some edits, looked over if it is Python.

    Raises:
        ValueError: The result is not what it should be.
        UnicodeError: The file's encoding cannot express it.
    """
    from rlobs_lint.codemods._changes import apply
    from rlobs_lint.files.source import decode_python

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
