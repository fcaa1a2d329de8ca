"""Fixing what was linted, all the way."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, Mapping

from rlobs_lint.fixes.fix import fix
from tests.linting import Linted, Project


def mended(linted: Linted, files: Mapping[str, bytes], empty: Path) -> Dict[str, bytes]:
    """Returns the files that safe fixes change, by name.

    They are demanded to change nothing the second time, and to leave nothing that they could change; for
    that, the files, with the changes, are written into an empty folder. Where nothing changes, the first
    time is proof.
    """
    changed: Dict[str, bytes] = {}
    outcomes = [fix(linted.engine, checked) for checked in linted.checked]
    for outcome in outcomes:
        for file in outcome.files:
            changed[Path(file.path).relative_to(linted.root).as_posix()] = file.data
        assert not outcome.kept_back, "a change was taken back"
    if changed:
        after = Project(empty).write({**files, **changed}).lint(engine=linted.engine)
        outcomes = [fix(linted.engine, checked) for checked in after.checked]
    for outcome in outcomes:
        assert not outcome.files, "the second time changes something, too"
        assert not outcome.findings, "something fixable is left"
        assert not outcome.kept_back, "a change was taken back the second time"
    return changed
