"""Python's builtins and standard library, as far as values flow through them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Optional

from rlobs_lint.flow.domain.arguments import Arguments
from rlobs_lint.flow.domain.state import State
from rlobs_lint.flow.domain.values import NONE, UNBOUNDED, UNKNOWN, Site, Typed, Value
from rlobs_lint.flow.library.asynchronous import Asynchronous
from rlobs_lint.flow.library.containers import Containers
from rlobs_lint.flow.library.conversions import Conversions
from rlobs_lint.flow.library.file_paths import FilePaths
from rlobs_lint.flow.library.methods import Methods
from rlobs_lint.flow.library.objects import Objects
from rlobs_lint.flow.library.part import Handler, Part
from rlobs_lint.flow.library.results import HARMLESS, LOOKING, TYPED, VARYING

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine


class Library(Part):
    """Carries out calls of Python's own functions and of methods of its types, for a machine.

    Attributes:
        containers: Carries out what makes and fills containers.
        objects: Carries out what looks at objects.
        methods: Carries out methods of Python's own types.
        file_paths: Computes paths of files.
    """

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self.containers = Containers(machine)
        self.objects = Objects(machine)
        self.methods = Methods(machine)
        self.file_paths = FilePaths(machine)
        self._functions: Dict[str, Handler] = {}
        for part in (Conversions(machine), self.containers, self.objects, Asynchronous(machine)):
            self._functions.update(part.functions())

    def call(self, name: str, arguments: Arguments, site: Site, state: State) -> Optional[Value]:
        """Carries out a call of a dotted name; `None` when it is not one of ours."""
        path = self.file_paths.call(name, arguments)
        if path is not None:
            return path
        handler = self._functions.get(name)
        if handler is not None:
            return handler(arguments, site, state)
        if name in VARYING:
            return (Typed(VARYING[name], UNBOUNDED),)
        if name in TYPED:
            return (Typed(TYPED[name], self._origin(arguments)),)
        if name in LOOKING:
            return UNKNOWN
        return NONE if name in HARMLESS else None
