"""Enumerations of the workspace and their members."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rlobs_lint.facts import ir
from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.state import State
from rlobs_lint.flow.domain.values import UNKNOWN, EnumMember, Object, Value

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine


_ENUMS = frozenset({"enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag"})


class Enumerations:
    """Knows enumerations, for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def is_enumeration(self, atom: Object) -> bool:
        """Whether an object is a workspace enumeration."""
        if self._machine.heap.info(atom.number).kind != heap.CLASS:
            return False
        return bool(_ENUMS.intersection(self._machine.inheritance.outside_bases(atom.number)))

    def is_integer(self, number: int) -> bool:
        """Whether the members of an enumeration are numbers."""
        bases = self._machine.inheritance.outside_bases(number)
        return bool({"enum.IntEnum", "enum.IntFlag", "builtins.int", "builtins.float"}.intersection(bases))

    def members(self, cls: Object, state: State) -> Value:
        """Returns all members of an enumeration, in order."""
        node = self._machine.heap.info(cls.number).node
        names = []
        for statement in node.body if node is not None else ():
            if isinstance(statement, ir.Assign):
                names += [target.identifier for target in statement.targets if isinstance(target, ir.Name)]
        return tuple(EnumMember(cls.number, name) for name in names if not name.startswith("_")) or UNKNOWN
