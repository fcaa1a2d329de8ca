"""What the interpreter of Python asks of whoever knows other packages, and whom it tells what happens.

The interpreter carries out the workspace's own code. What code outside of it does, a `World` knows; what
somebody may want to hear of on the way, a `Watcher` is told.
"""

from __future__ import annotations

from typing import Optional, Protocol, Tuple

from rlobs_lint.facts import ir
from rlobs_lint.flow.domain.arguments import Arguments
from rlobs_lint.flow.domain.state import Key, State
from rlobs_lint.flow.domain.values import Atom, Generated, Object, Request, Site, Value


class World(Protocol):
    """Knows what code outside the workspace does."""

    def begin(self) -> None:
        """Begins anew for another root."""

    # --- calls ----------------------------------------------------------------------------------

    def call_external(
        self, name: str, arguments: Arguments, site: Site, state: State, misbound: bool = False
    ) -> Value:
        """Carries out a call of a dotted name outside the workspace."""

    def call_member(
        self, owner: Atom, path: Tuple[str, ...], arguments: Arguments, site: Site, state: State
    ) -> Value:
        """Carries out a call of an attribute chain on something outside the workspace."""

    def call_base(self, receiver: Atom, name: str, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out `super().name(...)` where only a base outside the workspace has it."""

    def call_request(self, atom: Request, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out a call of something reached from the input: a method of its data."""

    def call_generated(self, atom: Generated, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out a method that a decorator from outside has put on a class."""

    def call_unknown(self, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out a call of something that is not known."""

    def decorated(self, atom: Atom, value: Value, site: Site, state: State) -> Optional[Value]:
        """Applies a decorator from outside the workspace; `None` for a workspace one."""

    # --- classes of the workspace that inherit from outside -------------------------------------

    def family_of_class(self, number: int) -> str:
        """Returns the family that the instances of a workspace class belong to."""

    def constructed(self, made: Object, cls: int, arguments: Arguments, site: Site, state: State) -> None:
        """Starts following a new instance of a workspace class."""

    def fields_given(self, made: Object, cls: int, arguments: Arguments, site: Site, state: State) -> None:
        """Hears of what an instance is given for the fields that its class inherits from outside."""

    def has_class_member(self, cls: int, name: str) -> bool:
        """Whether a workspace class inherits a member from outside that can be called on the class."""

    def inherited(
        self, receiver: Atom, cls: int, name: str, site: Site, state: State, is_called: bool
    ) -> Value:
        """Returns an attribute that an instance can only have from a base outside the workspace."""

    # --- objects from outside -------------------------------------------------------------------

    def member(
        self, owner: Atom, path: Tuple[str, ...], site: Site, state: State, is_called: bool = False
    ) -> Value:
        """Returns an attribute chain on something outside the workspace, taken to be called or kept."""

    def entered(self, atom: Atom, site: Site, state: State) -> Value:
        """Returns what `with x as y` binds."""

    def suppresses(self, manager: Value) -> bool:
        """Whether a context manager lets the code behind the block go on after an exception."""

    def span_names(self, expression: ir.Expression, state: State) -> Tuple[str, ...]:
        """Returns the marks that a `with` block puts on the code in it."""

    def element_of(self, atom: Object, state: State) -> Value:
        """Returns what an element of an object is."""

    def item_of(self, atom: Object, index: Value, site: Site, state: State) -> Value:
        """Returns what `x[i]` of an object is."""

    def piped(self, operator: str, left: Atom, right: Atom, site: Site, state: State) -> Optional[Value]:
        """Carries out an operator that objects from outside define; `None` where they do not."""

    def truth_of(self, atom: Object) -> Optional[bool]:
        """Tells whether an object is true as a condition."""

    def may_be_none(self, atom: Object) -> bool:
        """Whether an object may be `None` after all."""

    def is_collection(self, atom: Atom) -> bool:
        """Whether a slice of something, or a sum with it, is like it: tools from outside."""

    def classes_of(self, atom: Object) -> Tuple[str, ...]:
        """Returns the classes of an object, its own first; nothing where they are not known."""

    def is_log_call(self, atom: Atom) -> bool:
        """Whether something is a logger, or a function that only writes a line to a log."""


class Watcher(Protocol):
    """Hears of what happens to values."""

    def subscripted(
        self, owner: Value, expression: ir.Expression, index: Value, site: Site, state: State
    ) -> None:
        """Hears of an element that is read."""

    def attribute_read(self, name: str) -> None:
        """Hears of an attribute of an object from outside that is read."""

    def attribute_kept(self, owner: str, name: str, site: Site, state: State) -> None:
        """Hears of an attribute of a name outside that is taken, and not called at once."""

    def gone_through(self, atom: Atom) -> None:
        """Hears of something that is gone through, element by element."""

    def asked_paths(self, prefix: Tuple[str, ...]) -> Tuple[Tuple[str, ...], ...]:
        """Returns the paths below a prefix that conditions asked about."""

    def assigned(self, key: Key, value: Value, state: State) -> None:
        """Hears of every assignment."""

    def attribute_assigned(
        self, owner: Value, name: str, value: Value, site: Site, state: State, source: Optional[ir.Expression]
    ) -> None:
        """Hears of assignments to attributes."""

    def unknown_assigned(self, name: str, value: Value) -> None:
        """Hears of an assignment to an attribute of something that is not known; no name is any name."""

    def item_assigned(self, owner: Value, key: Value, value: Value, site: Site, state: State) -> None:
        """Hears of assignments to items."""

    def item_deleted(self, owner: Value, key: Value, site: Site, state: State) -> None:
        """Hears of deletions of items."""

    def mapping_changed(self, number: int, state: State) -> None:
        """Hears of a dictionary that is changed."""

    def entering(self, function: Atom, arguments: Arguments, site: Site, state: State) -> None:
        """Hears of a function that is about to run."""

    def invoked_together(self, callee: Value, site: Site) -> None:
        """Hears of a call that runs one of several things."""

    def lost(self, arguments: Arguments, state: State) -> None:
        """Hears of arguments that are not followed any further."""

    def excuse(self, atom: Atom, state: State, held: Optional[State] = None) -> None:
        """Hears that on this path a value does not exist; `held` is where its elements are looked up."""

    def excuse_everything(self, state: State) -> None:
        """Hears that on this path nothing has to be traced at all."""

    def excuse_existing(self, state: State) -> None:
        """Hears that on this path nothing that there is has to be traced."""
