"""What code may change whose calls are not in sight: callbacks, and methods that a base class calls.

`re.sub(pattern, count, text)` runs `count` as often as it likes, `visitor.visit(tree)` the methods of a
visitor, and `getattr(self, name)(...)` any of them. What such code assigns is no constant from then on. The
machine goes on with the values that it knows; whoever asks whether a value is always the same has to ask
here whether one of them was read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Iterator, List, NamedTuple, Sequence, Set, Union

from rlobs_lint.facts import ir
from rlobs_lint.facts.scopes import own_expressions, walk_expression, walk_statements
from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.arguments import Arguments, PartialContent
from rlobs_lint.flow.domain.heap import MappingContent, SequenceContent
from rlobs_lint.flow.domain.state import CONTENT, State
from rlobs_lint.flow.domain.values import (
    Atom,
    Constant,
    EnumMember,
    Function,
    Member,
    Object,
    Typed,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine

#: Methods that run once, before anything else has been seen.
_BEGINNINGS = frozenset({"__init__", "__new__", "__post_init__", "setup"})
#: Stands among attributes for those whose names are not known.
_ANY = "*"
#: How far containers are looked through for functions and instances.
_DEEPEST = 3


class Writes(NamedTuple):
    """What the body of a function may change, and what it calls, by their names.

    Attributes:
        names: Variables around it that it assigns.
        attributes: Attributes that it assigns, of anything.
        touched: Variables and attributes whose collection it may change.
        calls: Functions and methods.
    """

    names: Set[str]
    attributes: Set[str]
    touched: Set[str]
    calls: Set[str]


class Unseen:
    """Keeps, for one root, what code out of sight may have changed.

    Attributes:
        is_read: Whether something of it was read: what follows from that is not known.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._writes: Dict[int, Writes] = {}
        self._named: Dict[str, List[int]] = {}
        self._indexed = 0
        self.begin()

    def begin(self) -> None:
        """Begins anew for another root."""
        self._names: Set[str] = set()
        self._attributes: Set[str] = set()
        self._touched: Set[str] = set()
        self._followed: Set[int] = set()
        self.is_read = False

    # --- what is called out of sight ------------------------------------------------------------

    def given_callables(self, arguments: Arguments, state: State) -> None:
        """Hears of the arguments of code outside the workspace: it may call the functions among them."""
        for argument in arguments.everything():
            self._give(argument.value, state, False, 0)

    def given(self, arguments: Arguments, state: State) -> None:
        """Hears of arguments given away: functions may be called, and so may methods of instances."""
        for argument in arguments.everything():
            self._give(argument.value, state, True, 0)

    def one_of(self, callee: Value) -> None:
        """Hears of a call of one of several functions: which one is not known."""
        functions = [atom for atom in callee if isinstance(atom, Function)]
        for atom in functions if len(functions) > 1 else ():
            self._follow((atom.definition,))

    def methods_of(self, atom: Atom) -> None:
        """Hears of an instance of a workspace class whose methods may be called."""
        info = self._machine.heap.info(atom.number) if isinstance(atom, Object) else None
        if info is not None and info.kind == heap.INSTANCE:
            self._follow(self._methods(info.cls))

    def unknown_call(self) -> None:
        """Hears of a call of something that is not known: it may be a method of whoever calls it."""
        for activation in self._machine.stack:
            if activation.definition >= 0:
                owner = self._machine.definitions[activation.definition].owner
                self._follow(self._methods(owner) if owner >= 0 else ())

    def unknown_attribute(self) -> None:
        """Hears of `setattr(x, name, ...)` with a name that is not known, and of `vars(x)`."""
        self._attributes.add(_ANY)

    def _give(self, value: Value, state: State, with_instances: bool, depth: int) -> None:
        for atom in value:
            if isinstance(atom, Function):
                self._follow((atom.definition,))
            elif isinstance(atom, Member) and isinstance(atom.owner, Object):
                self._give_method(atom.owner, state)
            elif isinstance(atom, Object) and depth < _DEEPEST:
                content = state.get((CONTENT, atom.number))
                if isinstance(content, PartialContent):
                    self._give(content.callee, state, with_instances, depth + 1)
                elif isinstance(content, SequenceContent):
                    self._give(content.any(), state, with_instances, depth + 1)
                elif isinstance(content, MappingContent):
                    self._give(content.values(), state, with_instances, depth + 1)
                elif with_instances and self._machine.heap.info(atom.number).kind == heap.CLASS:
                    self._follow(self._methods(atom.number))
                elif with_instances:
                    self.methods_of(atom)

    def _give_method(self, owner: Object, state: State) -> None:
        """Lets outside code call a method of a collection (`map(seen.append, names)`), or of an instance."""
        content = state.get((CONTENT, owner.number))
        if isinstance(content, SequenceContent):
            is_plain = not any(isinstance(item, (Object, Function, Member)) for item in content.any())
            if is_plain:
                state.set((CONTENT, owner.number), content.changed((Unknown(),)))
        elif isinstance(content, MappingContent):
            state.set((CONTENT, owner.number), content.thinned()._replace(open=True))
        else:
            self.methods_of(owner)

    # --- what is read ---------------------------------------------------------------------------

    def read_name(self, name: str, value: Value) -> None:
        """Hears of a variable that is read."""
        self._read(name, name in self._names, value)

    def read_attribute(self, name: str, value: Value) -> None:
        """Hears of an attribute that is read; through `__dict__` all of them may be set."""
        if name == "__dict__":
            self.unknown_attribute()
        self._read(name, name in self._attributes or _ANY in self._attributes, value)

    def _read(self, name: str, is_assigned: bool, value: Value) -> None:
        for atom in value if is_assigned or name in self._touched else ():
            if isinstance(atom, Object):
                kind = self._machine.heap.info(atom.number).kind
                self.is_read = self.is_read or kind in (heap.SEQUENCE, heap.MAPPING)
            elif is_assigned and isinstance(atom, (Constant, Typed, EnumMember)):
                self.is_read = True

    # --- what functions change ------------------------------------------------------------------

    def _methods(self, number: int) -> Iterator[int]:
        classes = set(self._machine.inheritance.linearized(number))
        for definition, known in enumerate(self._machine.definitions):
            if known.owner in classes and known.name not in _BEGINNINGS:
                yield definition

    def _follow(self, definitions: Union[Sequence[int], Iterator[int]]) -> None:
        """Notes what functions, and what they call by whatever name, may change."""
        waiting = list(definitions)
        while waiting:
            definition = waiting.pop()
            if definition in self._followed:
                continue
            self._followed.add(definition)
            writes = self._of(definition)
            self._names |= writes.names
            self._attributes |= writes.attributes
            self._touched |= writes.touched
            for name in writes.calls:
                waiting.extend(self._called(name))

    def _called(self, name: str) -> List[int]:
        definitions = self._machine.definitions
        for number in range(self._indexed, len(definitions)):
            self._named.setdefault(definitions[number].name, []).append(number)
        self._indexed = len(definitions)
        return self._named.get(name, [])

    def _of(self, definition: int) -> Writes:
        known = self._writes.get(definition)
        if known is None:
            node = self._machine.definitions[definition].node
            local = self._machine.definitions[definition].scope.local
            known = Writes(set(), set(), set(), set())
            _collect(node, known)
            known.touched.difference_update(local)
            self._writes[definition] = known
        return known


def _collect(node: object, found: Writes) -> None:
    """Collects what a function changes, the functions in it included."""
    if isinstance(node, ir.Lambda):
        _collect_expression(node.body, found)
    for statement in walk_statements(node.body) if isinstance(node, ir.FunctionDef) else ():
        if isinstance(statement, ir.Declaration):
            found.names.update(statement.names)
        elif isinstance(statement, ir.FunctionDef):
            _collect(statement, found)
        elif isinstance(statement, (ir.AnnotatedAssign, ir.AugmentedAssign, ir.For)):
            _change(statement.target, found)
        elif isinstance(statement, (ir.Assign, ir.Delete)):
            for target in statement.targets:
                _change(target, found)
        elif isinstance(statement, ir.With):
            for item in statement.items:
                if item.target is not None:
                    _change(item.target, found)
        for expression in own_expressions(statement):
            _collect_expression(expression, found)


def _collect_expression(expression: ir.Expression, found: Writes) -> None:
    for part in walk_expression(expression):
        if not isinstance(part, ir.Call):
            continue
        # What a method is called on and what a function is given, they may change.
        if isinstance(part.function, ir.Attribute):
            found.calls.add(part.function.name)
            _touch(part.function.value, found)
        elif isinstance(part.function, ir.Name):
            found.calls.add(part.function.identifier)
            if part.function.identifier in ("setattr", "delattr"):
                found.attributes.add(_ANY)
        for argument in part.arguments:
            _touch(argument.value, found)


def _change(target: ir.Expression, found: Writes) -> None:
    """Notes what assigning to a target changes; a plain name is the function's own."""
    if isinstance(target, ir.Attribute):
        found.attributes.add(target.name)
    elif isinstance(target, ir.Subscript):
        _touch(target.value, found)
    elif isinstance(target, ir.Starred):
        _change(target.value, found)
    elif isinstance(target, ir.Display):
        for element in target.elements:
            _change(element, found)


def _touch(expression: ir.Expression, found: Writes) -> None:
    """Notes a collection that is changed through a name or attribute."""
    if isinstance(expression, ir.Name):
        found.touched.add(expression.identifier)
    elif isinstance(expression, ir.Attribute):
        found.touched.add(expression.name)
    elif isinstance(expression, ir.Subscript):
        _touch(expression.value, found)
