"""What fixes write, remembered: a workspace that has not changed is reported on without the parser."""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any, List, Optional

from rlobs_lint.checking.checked import Checked
from rlobs_lint.checking.engine import Engine
from rlobs_lint.facts.cache import Store, own_code
from rlobs_lint.files.walking import is_below
from rlobs_lint.model import Edit, Finding, Span, Text


def with_edits(engine: Engine, checked: Checked, cache_folder: Optional[str]) -> Checked:
    """Turns the plans of all fixes into edits; a fix that turns out not to be possible or in vain says why.

    Args:
        engine: Checks what the fixes would write.
        checked: A workspace after its check.
        cache_folder: Absolute path of the folder in which they are kept, `None` for none.
    """
    planned = [finding for finding in checked.findings if finding.fix is not None]
    if not any(finding.fix is not None and finding.fix.targets for finding in planned):
        return checked
    root = checked.workspace.root
    store = Store(cache_folder, root, "fixes", own_code()) if cache_folder is not None else None
    state = _state(checked)
    known = {finding: _read(store, state, finding, root) for finding in planned} if store is not None else {}
    if known and all(one is not None for one in known.values()):
        findings = tuple(known.get(finding) or finding for finding in checked.findings)
        return checked._replace(findings=findings)
    # Imported here, with the parser.
    from rlobs_lint.fixes import fix

    result = fix.with_edits(fix.without_vain_fixes(engine, checked))
    if store is not None and result.crashes == checked.crashes:
        for before, after in zip(checked.findings, result.findings):
            if before in planned:
                store.put(_key(state, before), _dump(after, root))
        store.save()
    return result


def _state(checked: Checked) -> bytes:
    """Returns a hash of all that fixes may depend on: the modules' bytes and places, and all findings."""
    modules = checked.workspace.modules.values()
    lines = [f"{module.relative}\0{module.source.digest}" for module in modules]
    lines += map(repr, checked.findings)
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).digest()


def _key(state: bytes, finding: Finding) -> str:
    return hashlib.sha256(state + repr(finding).encode("utf-8", "surrogateescape")).hexdigest()


def _dump(finding: Finding, root: str) -> bytes:
    value: List[Any] = []
    if finding.fix is not None:
        value = [[os.path.relpath(edit.path, root), *edit.span, edit.content] for edit in finding.fix.edits]
    return json.dumps([value, finding.unfixable]).encode("ascii")


def _read(store: Store, state: bytes, finding: Finding, root: str) -> Optional[Finding]:
    """Returns a finding as it was worked out before, or `None`; the stored line may be anything."""
    line = store.get(_key(state, finding))
    try:
        edits, reason = json.loads(line) if line is not None else (None, None)
        if edits is None or finding.fix is None:
            return None
        if reason is not None:
            return finding._replace(fix=None, unfixable=Text(*map(str, reason)))
        made = tuple(
            Edit(os.path.normpath(os.path.join(root, path)), Span(int(start), int(end)), str(content))
            for path, start, end, content in edits
        )
    except (ValueError, TypeError, RecursionError):
        return None
    if not made or not all(is_below(edit.path, root) for edit in made):
        return None
    return finding._replace(fix=finding.fix._replace(targets=(), edits=made))
