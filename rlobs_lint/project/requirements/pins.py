"""How the requirements of a workspace stand to the documented pins."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, FrozenSet, Iterator, List, Mapping, NamedTuple, Optional, Tuple

from rlobs_lint.model import Text
from rlobs_lint.project.requirements.lines import NAMED, Line, normalise
from rlobs_lint.project.requirements.tree import Entry, RequirementsTree

if TYPE_CHECKING:
    from packaging.specifiers import Specifier

#: How a line stands to a documented version. `RIGHT`: pinned to it. `OPEN`: no version, or a range
#: that allows it. `CLOSED`: a range that shuts it out. `OTHER`: pinned to another version.
#: `UNTOLD`: a URL, a variable, a marker that only the machine can answer.
RIGHT, OPEN, CLOSED, OTHER, UNTOLD = "right", "open", "closed", "other", "untold"

#: Why a pin that a constraints file contradicts is no remedy.
EXCLUDED = Text("a constraints file asks for another version", "约束文件要求其他版本")

#: Where the code may run: Linux, on every Python that dashscope 2.0.2 and the pins support
#: (`Requires-Python: >=3.9`) and on either kind of processor.
ENVIRONMENTS: Tuple[Mapping[str, str], ...] = tuple(
    {
        "os_name": "posix",
        "sys_platform": "linux",
        "platform_system": "Linux",
        "platform_machine": machine,
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "python_version": f"3.{minor}",
        "python_full_version": f"3.{minor}.0",
        "implementation_version": f"3.{minor}.0",
        "extra": "",
    }
    for minor, machine in product(range(9, 16), ("x86_64", "aarch64"))
)
_EVERYWHERE: FrozenSet[int] = frozenset(range(len(ENVIRONMENTS)))
_UNTELLABLE = re.compile(r"(?:python_full|implementation|platform)[._]version|platform[._]release")


class Pin(NamedTuple):
    """A documented requirement: a normalised name and an exact version."""

    name: str
    version: str

    def __str__(self) -> str:
        """Returns the line of a requirements file that asks for it."""
        return f"{self.name}=={self.version}"


class WrongPin(NamedTuple):
    """A line that does not pin a documented package to its version.

    Attributes:
        pin: What is documented.
        entry: The line.
        standing: `OPEN`, `CLOSED` or `OTHER`.
        is_excluded: Whether a constraint shuts the documented version out as well.
    """

    pin: Pin
    entry: Entry
    standing: str
    is_excluded: bool


class MissingPin(NamedTuple):
    """A documented package that nothing asks for; `is_excluded` as with `WrongPin`."""

    pin: Pin
    is_excluded: bool


class _Judged(NamedTuple):
    entry: Entry
    standing: str
    environments: FrozenSet[int]


def documented_pins(pins: Mapping[str, str]) -> Tuple[Pin, ...]:
    """Returns the pins of the settings, in their order."""
    return tuple(Pin(normalise(name), version) for name, version in pins.items())


def missing_pins(tree: RequirementsTree, pins: Tuple[Pin, ...]) -> Iterator[MissingPin]:
    """Yields the pins that a tree does not ask for, in documented order."""
    if tree.root is None or tree.has_unknown_includes:
        return
    for pin in pins:
        judged = _judge_lines(tree, pin)
        if all(line.entry.is_constraint for line in judged):
            yield MissingPin(pin, _is_excluded(judged))


def wrong_pins(tree: RequirementsTree, pins: Tuple[Pin, ...]) -> Iterator[WrongPin]:
    """Yields the lines that ask for a documented package, but not for its version."""
    # Nothing is open that an unread file may settle.
    is_settled_elsewhere = tree.has_unknown_includes or tree.has_unknown_constraints
    for pin in pins:
        judged = _judge_lines(tree, pin)
        is_excluded = _is_excluded(judged)
        asked = [line for line in judged if not line.entry.is_constraint]
        for line in judged:
            if line.standing == OPEN:
                is_open = bool(line.environments - _settled(judged)) and not is_settled_elsewhere
                is_wrong = is_open and not line.entry.is_constraint
            elif line.standing == CLOSED and line.entry.is_constraint:
                # Where the requirement is wrong itself, it speaks.
                is_wrong = bool(asked) and all(other.standing == RIGHT for other in asked)
            else:
                is_wrong = line.standing in (CLOSED, OTHER)
            if is_wrong:
                yield WrongPin(pin, line.entry, line.standing, is_excluded and not line.entry.is_constraint)


def standing(line: Line, version: str) -> str:
    """Tells how a named requirement stands to an exact version."""
    if line.specifier.replace(" ", "") == f"=={version}":
        return RIGHT
    if not line.specifier:
        return OPEN
    from packaging.specifiers import SpecifierSet

    try:
        clauses = SpecifierSet(line.specifier)
        documented = SpecifierSet(f"=={version}")
        exact = [clause for clause in clauses if clause.operator == "===" or _is_exact(clause)]
        if not exact:
            return OPEN if clauses.contains(version, prereleases=True) else CLOSED
        # `===` compares letters: what is written otherwise than it is published is never found.
        is_right = all(
            clause.version == version
            if clause.operator == "==="
            else documented.contains(clause.version, prereleases=True)
            for clause in exact
        )
        return RIGHT if is_right and clauses.contains(exact[0].version, prereleases=True) else OTHER
    except ValueError:
        return UNTOLD


def _is_exact(clause: Specifier) -> bool:
    return clause.operator == "==" and not clause.version.endswith(".*")


def _judge_lines(tree: RequirementsTree, pin: Pin) -> List[_Judged]:
    judged = []
    for entry in tree.entries:
        if entry.line.mentions(pin.name):
            environments = _environments(entry.line.marker)
            if environments is None or (environments and entry.line.kind != NAMED):
                judged.append(_Judged(entry, UNTOLD, environments or _EVERYWHERE))
            elif environments:
                judged.append(_Judged(entry, standing(entry.line, pin.version), environments))
    return judged


def _settled(judged: List[_Judged]) -> FrozenSet[int]:
    """The environments in which some line decides the version."""
    deciding = (line.environments for line in judged if line.standing in (RIGHT, OTHER, UNTOLD))
    return frozenset().union(*deciding)


def _is_excluded(judged: List[_Judged]) -> bool:
    return any(line.entry.is_constraint and line.standing in (OTHER, CLOSED) for line in judged)


@lru_cache(maxsize=256)
def _environments(marker: str) -> Optional[FrozenSet[int]]:
    """Where a marker holds, as indices of `ENVIRONMENTS`; `None` where that cannot be told."""
    if not marker:
        return _EVERYWHERE
    if _UNTELLABLE.search(marker):
        return None
    from packaging.markers import Marker, UndefinedComparison, UndefinedEnvironmentName

    try:
        parsed = Marker(marker)
        return frozenset(index for index, values in enumerate(ENVIRONMENTS) if parsed.evaluate(dict(values)))
    except (ValueError, KeyError, RecursionError, UndefinedComparison, UndefinedEnvironmentName):
        return None
