"""Fixes findings: attempts in memory until one leaves nothing to do, without what cannot be mended."""

from __future__ import annotations

import os
from typing import Callable, Dict, FrozenSet, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from rlobs_lint.checking.checked import Checked, paths_read
from rlobs_lint.checking.engine import Engine
from rlobs_lint.checking.run_rules import CrashedRule
from rlobs_lint.checking.shared_files import shared_paths, without_repeats
from rlobs_lint.fixes.plans import FixError, Plans
from rlobs_lint.fixes.rounds import (
    MOST_ROUNDS,
    ChangedFile,
    FindingKey,
    KeptBack,
    Limits,
    Rounds,
    Vain,
    key_of,
)
from rlobs_lint.model import Applicability, Finding, Text
from rlobs_lint.rulebook import registry

_CRASHED = Text(
    "the fix could not be worked out, which is a mistake of rlobs-lint",
    "无法生成修复，这是 rlobs-lint 的缺陷",
)
_VAIN = Text("no change that is known would mend it here", "没有已知的修改能在这里解决它")
#: How many fixes of one attempt are looked at one by one, where they come to no end.
_MOST_SUSPECTS = 50


class Fixed(NamedTuple):
    """A workspace after its fixes, which are not written yet.

    Attributes:
        checked: What is found in it now.
        files: The files to write, by path.
        findings: What was fixed, as it was found.
        kept_back: Files that stay as they were.
        vain: Findings whose fixes would mend nothing, and are not made.
    """

    checked: Checked
    files: Tuple[ChangedFile, ...]
    findings: Tuple[Finding, ...]
    kept_back: Tuple[KeptBack, ...]
    vain: Vain = Vain()


def with_edits(checked: Checked) -> Checked:
    """Turns the plans of all fixes into edits, as reports show them.

    A finding whose fix turns out not to be possible has none afterwards, and says why.
    """
    plans = Plans(checked.workspace)
    findings: List[Finding] = []
    crashes: List[CrashedRule] = []
    for finding in checked.findings:
        plan = finding.fix
        if plan is None or not plan.targets:
            findings.append(finding)
            continue
        try:
            edits = plans.edits(finding)
        except FixError as error:
            crashes.append(CrashedRule(finding.code, str(error)))
            edits = _CRASHED
        if isinstance(edits, Text):
            findings.append(finding._replace(fix=None, unfixable=edits))
        else:
            findings.append(finding._replace(fix=plan._replace(targets=(), edits=edits)))
    return checked._replace(findings=tuple(findings), crashes=(*checked.crashes, *crashes))


def without_vain_fixes(engine: Engine, checked: Checked) -> Checked:
    """Takes the fixes away that would not make their findings go away; these say so then.

    Args:
        engine: Checks what the fixes would write.
        checked: A workspace after its check.
    """
    fixes = [finding.fix for finding in checked.findings if finding.fix is not None]
    vain = Vain()
    for applicability in Applicability:
        if any(one.applicability is applicability for one in fixes):
            vain = vain.united(fix(engine, checked, unsafe=applicability is Applicability.UNSAFE).vain)
    return _without(checked, vain)


def _without(checked: Checked, vain: Vain) -> Checked:
    if not vain.keys:
        return checked
    findings = tuple(
        finding._replace(fix=None, unfixable=_VAIN)
        if finding.fix is not None and vain.covers(finding, checked.workspace)
        else finding
        for finding in checked.findings
    )
    return checked._replace(findings=findings)


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
    limits = Limits()
    while True:
        attempt = Rounds(engine, checked, unsafe, wanted, limits)
        trouble = attempt.run()
        if attempt.regretted:
            limits = limits._replace(kept_names=limits.kept_names | attempt.regretted)
            continue
        if not trouble:
            result = _without(attempt.checked, limits.vain)
            kept = tuple(kept_back.values())
            return Fixed(result, attempt.files(), tuple(attempt.fixed), kept, limits.vain)
        vain = _vain_fixes(engine, Rounds(engine, checked, unsafe, wanted, limits), attempt)
        if vain.keys:
            limits = limits._replace(vain=limits.vain.united(vain))
            continue
        # A file that fails is left out, and all is done again without it: others may depend on it.
        kept_back.update((one.path, one) for one in trouble)
        limits = limits._replace(alone=frozenset(kept_back))


def _vain_fixes(engine: Engine, first: Rounds, last: Rounds) -> Vain:
    """Returns the findings because of which an attempt comes to no end, if their fixes mend nothing alone.

    Args:
        engine: Checks what they write.
        first: The attempt before its first round.
        last: The attempt after its last one.
    """

    def vain_among(checked: Checked, suspects: Sequence[Finding]) -> FrozenSet[FindingKey]:
        few = suspects[:_MOST_SUSPECTS]
        idle = (finding for finding in few if not _mends(engine, checked, finding))
        return frozenset(key_of(finding, checked.workspace) for finding in idle)

    endless = {key_of(finding, last.checked.workspace) for finding in last.endless}
    begun = [finding for finding in first.checked.findings if first.may_fix(finding)]
    same = [finding for finding in begun if key_of(finding, first.checked.workspace) in endless]
    found = vain_among(first.checked, same)
    if found:
        return Vain(found)
    # Their fixes, or others, change the line that they stand on: all of their kind in the file are meant.
    kinds = {(finding.code, finding.path) for finding in last.endless}
    alike = [finding for finding in begun if (finding.code, finding.path) in kinds]
    found = vain_among(first.checked, alike) or vain_among(last.checked, last.endless)
    return Vain(found, frozenset(key[:2] for key in found))


def _mends(engine: Engine, checked: Checked, finding: Finding) -> bool:
    """Whether a fix, made alone, leaves fewer findings of its kind in the file."""
    attempt = Rounds(engine, checked, True, lambda other: other == finding, Limits())
    if not attempt.make_one():
        return True
    alike = [
        sum((one.code, one.path) == (finding.code, finding.path) for one in state.findings)
        for state in (checked, attempt.checked)
    ]
    return alike[1] < alike[0]


def fix_all(engine: Engine, checked: Sequence[Checked], *, unsafe: bool = False) -> Tuple[Fixed, ...]:
    """Makes the fixes of several workspaces in memory, and returns each file in one of them only.

    Args:
        engine: Checks the changed files.
        checked: The workspaces as they are, each with all that is found in it.
        unsafe: Whether unsafe fixes are made, too.
    """
    shared = shared_paths(checked)
    if not shared:
        return tuple(fix(engine, one, unsafe=unsafe) for one in checked)
    return _Together(engine, checked, unsafe, shared).run()


class _Together:
    """Fixes workspaces that read files of one another, each on what the others made of these.

    Args:
        engine: Checks the changed files.
        checked: The workspaces as they are.
        unsafe: Whether unsafe fixes are made, too.
        shared: Absolute paths of the files that more than one of them reads.
    """

    def __init__(
        self, engine: Engine, checked: Sequence[Checked], unsafe: bool, shared: FrozenSet[str]
    ) -> None:
        self._engine = engine
        self._unsafe = unsafe
        self._shared = shared
        self._states = list(checked)
        self._files: List[Dict[str, ChangedFile]] = [{} for _ in checked]
        self._findings: List[List[Finding]] = [[] for _ in checked]
        self._kept_back: List[Dict[str, KeptBack]] = [{} for _ in checked]

    def run(self) -> Tuple[Fixed, ...]:
        """Fixes one workspace after another until nothing is left to do."""
        # What comments of shared files hide is known when all else is done in every workspace.
        for are_comments_due in (False, True):
            for _ in range(MOST_ROUNDS):
                if not self._pass(are_comments_due):
                    break
        return tuple(
            Fixed(state, tuple(files.values()), tuple(findings), tuple(kept_back.values()))
            for state, files, findings, kept_back in zip(
                without_repeats(self._states), self._files, self._findings, self._kept_back
            )
        )

    def _pass(self, are_comments_due: bool) -> bool:
        """Fixes each workspace once; returns whether anything has changed in a shared file."""
        agreed = {finding for one in without_repeats(self._states) for finding in one.findings}

        def is_wanted(finding: Finding) -> bool:
            # Another workspace's settings may ask for something else in the same place.
            if finding.path not in self._shared:
                return True
            return finding in agreed and (are_comments_due or finding.code not in registry.last_codes())

        changed: List[str] = []
        for index in range(len(self._states)):
            result = fix(self._engine, self._states[index], unsafe=self._unsafe, wanted=is_wanted)
            self._states[index] = result.checked
            self._findings[index] += result.findings
            self._kept_back[index].update((kept.path, kept) for kept in result.kept_back)
            for file in result.files:
                self._note(index, file)
            changed += self._tell_others(index, {file.path: file.data for file in result.files})
        return bool(changed)

    def _note(self, index: int, file: ChangedFile) -> None:
        """Notes a changed file, in the workspace that changed it first and with the text before that."""
        holder = next((files for files in self._files if file.path in files), self._files[index])
        before = holder[file.path].before if file.path in holder else file.before
        holder[file.path] = file._replace(before=before)

    def _tell_others(self, index: int, data: Mapping[str, bytes]) -> List[str]:
        """Checks the other workspaces that read changed files again; returns the paths of these."""
        told: List[str] = []
        for other, state in enumerate(self._states):
            if other != index and data:
                read = sorted(paths_read(state.workspace).intersection(data))
                told += read
                if read:
                    overlay = {**state.workspace.overlay, **{path: data[path] for path in read}}
                    self._states[other] = self._engine.check(state.files, overlay)
        return told


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
    from rlobs_lint.files.finding_files import Finder, Scope, WorkspaceFiles
    from rlobs_lint.files.settings import Overrides, SettingsReader

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
            # What goes with the change, such as the calls of a function, is changed by others.
            return bool(targets) and targets[0].codemod == name

        fixed = fix(engine, checked, wanted=lambda finding: finding.path == path and is_its_own(finding))
        warnings = tuple(f"{one.path}: {one.reason}" for one in fixed.kept_back)
        changed = {one.path: one.data for one in fixed.files}
        return CodemodOutcome(changed.get(path, data), warnings)
    return CodemodOutcome(None, ("the file belongs to no workspace",))
