"""What every codemod shares: it finds the node of a target and edits it. `libcst.tool` runs it too."""

from __future__ import annotations

import importlib
import inspect
import sys
from abc import ABC, abstractmethod
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Iterable, Tuple, Type, TypeVar

import libcst as cst

from rlobs_lint.model import Span, Target

from ._changes import Change
from ._editing import Editing
from ._file import PythonFile

if TYPE_CHECKING or "libcst.codemod" not in sys.modules:
    _Base = ABC
else:
    # Before any codemod `libcst.tool` imports it; no other run is to wait for it, a quarter of a second.
    from ._command import Command as _Base

Node = TypeVar("Node", bound=cst.CSTNode)


class TargetGoneError(Exception):
    """No node stands at a target's place any more."""


class Codemod(_Base, Generic[Node]):
    """A change to one kind of node.

    What it changes is decided elsewhere, by rules; a codemod finds the node whose place is the
    target's, and edits it.

    Attributes:
        DESCRIPTION: What it does, in one sentence.
        kinds: The kinds of node that a target's span may name.
        needs: Names of the SDK that it may have to import.
        orphans: Whether it may leave an imported name unused.
    """

    DESCRIPTION: ClassVar[str]
    kinds: ClassVar[Tuple[Type[cst.CSTNode], ...]]
    needs: ClassVar[Tuple[str, ...]] = ()
    orphans: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def edit(cls, node: Node, editing: Editing) -> None:
        """Writes the edits of one target.

        Args:
            node: The node at the target's span.
            editing: Takes the edits; its `target` has the parameters.

        Raises:
            CannotFixError: The change cannot be made safely here.
            TargetGoneError: A further place that the target names holds no such node.
        """


def find(editing: Editing, name: str, kinds: Tuple[Type[Node], ...]) -> Node:
    """Returns the node at a further place of the target: its parameters `<name>_start` and `<name>_end`.

    Raises:
        TargetGoneError: There is none.
    """
    start, end = editing.target.parameter(f"{name}_start"), editing.target.parameter(f"{name}_end")
    if isinstance(start, int) and isinstance(end, int):
        node = editing.nodes.find(Span(start, end), kinds)
        if node is not None:
            return node
    raise TargetGoneError(name)


@cache
def codemod(name: str) -> Type[Codemod[Any]]:
    """Returns the codemod of a module in this package."""
    module = importlib.import_module(f".{name}", __package__)
    (found,) = (
        value
        for value in vars(module).values()
        if inspect.isclass(value) and issubclass(value, Codemod) and value.__module__ == module.__name__
    )
    return found


def carry_out(file: PythonFile, targets: Iterable[Target], taken: Iterable[str] = ()) -> Change:
    """Returns what some targets of one fix change.

    Args:
        file: The file that they are in.
        targets: The targets.
        taken: Names that other changes of the same round give to values.

    Raises:
        CannotFixError: One of them cannot be made safely.
        TargetGoneError: One of them is not there.
    """
    editing = Editing(file, frozenset(taken))
    for target in targets:
        command = codemod(target.codemod)
        node = editing.nodes.find(target.span, command.kinds)
        if node is None:
            raise TargetGoneError(target.codemod)
        editing.target = target
        command.edit(node, editing)
    return editing.change()
