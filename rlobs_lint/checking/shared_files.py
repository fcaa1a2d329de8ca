"""Files that several workspaces look at, such as the requirements of one folder that another one uploads."""

from __future__ import annotations

from collections import Counter
from typing import Dict, FrozenSet, Iterable, List, Mapping, Optional, Sequence, Set, Tuple

from rlobs_lint.checking.checked import Checked, is_in_scope, paths_read
from rlobs_lint.checking.engine import Engine
from rlobs_lint.files.finding_files import WorkspaceFiles
from rlobs_lint.files.settings import selected_codes
from rlobs_lint.files.walking import is_below
from rlobs_lint.model import Finding
from rlobs_lint.rulebook import registry

#: Findings of one path, row and code are the same mistake.
_Place = Tuple[str, int, str]


def check_all(
    engine: Engine, workspaces: Iterable[WorkspaceFiles], overlay: Optional[Mapping[str, bytes]] = None
) -> Tuple[Checked, ...]:
    """Checks workspaces, each by itself: what several find is still in each of them."""
    return tuple(engine.check(files, overlay) for files in workspaces)


def shared_paths(checked: Sequence[Checked]) -> FrozenSet[str]:
    """Returns the absolute paths of the files, missing ones included, that more than one of them reads."""
    counts = Counter(path for one in checked for path in paths_read(one.workspace))
    return frozenset(path for path, number in counts.items() if number > 1)


def without_repeats(checked: Sequence[Checked]) -> Tuple[Checked, ...]:
    """Leaves each finding to one workspace: of those that report it, to the innermost around its file.

    A suppression counts as unused only if it hides nothing in any of them.
    """
    if len(checked) < 2:
        return tuple(checked)
    reporting: Dict[_Place, List[Checked]] = {}
    for one in sorted(checked, key=lambda one: len(one.files.root), reverse=True):
        for place in {_place(finding) for finding in one.findings}:
            reporting.setdefault(place, []).append(one)
    owners = {
        place: next((one for one in several if is_below(place[0], one.files.root)), several[0])
        for place, several in reporting.items()
    }
    needed = frozenset(_needed_suppressions(checked))
    return tuple(
        one._replace(
            findings=tuple(
                finding
                for finding in one.findings
                if owners[_place(finding)] is one and _without_fix(finding) not in needed
            )
        )
        for one in checked
    )


def _place(finding: Finding) -> _Place:
    return (finding.path, finding.location.start.row, finding.code)


def _without_fix(finding: Finding) -> Finding:
    """Returns what two workspaces say alike, though their settings differ about fixes."""
    return finding._replace(fix=None, unfixable=None)


def _needed_suppressions(checked: Sequence[Checked]) -> Set[Finding]:
    """Returns the findings about comments that hide something in another workspace."""
    needed: Set[Finding] = set()
    said = [
        frozenset(_without_fix(finding) for finding in one.findings if finding.code in registry.last_codes())
        for one in checked
    ]
    for one, idle in zip(checked, said):
        for other, idle_there in zip(checked, said):
            differing = idle - idle_there if other is not one else ()
            needed.update(finding for finding in differing if _would_report(other, finding))
    return needed


def _would_report(checked: Checked, finding: Finding) -> bool:
    """Whether a workspace judges the file of a finding by its rule."""
    return (
        finding.path in paths_read(checked.workspace)
        and is_in_scope(finding.path, checked.files, checked.workspace)
        and finding.code in selected_codes(checked.workspace.settings)
    )
