"""Modules, classes and attributes: what imports bind, what a class holds, what `x.name` finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, Optional, Sequence, Set, Tuple, Union

from rlobs_lint import ir, sdk
from rlobs_lint.flow import heap, scopes
from rlobs_lint.flow.annotations import annotated
from rlobs_lint.flow.answers import VALIDATING
from rlobs_lint.flow.arguments import Arguments
from rlobs_lint.flow.heap import ObjectInfo
from rlobs_lint.flow.library.file_paths import PATH
from rlobs_lint.flow.observations import UnboundUse, WrongImport
from rlobs_lint.flow.state import ATTRIBUTE, PRESENT, VARIABLE, State, variable
from rlobs_lint.flow.values import (
    NOTHING,
    UNKNOWN,
    Atom,
    Constant,
    Coroutine,
    EnumMember,
    External,
    Function,
    Generated,
    Member,
    Misbound,
    Object,
    Placeholder,
    Request,
    Site,
    Super,
    Typed,
    Unknown,
    Value,
    constant,
    join,
    join_alternatives,
    non_finite,
)
from rlobs_lint.model import Span
from rlobs_lint.resolve import ModuleIndex, Package, origin
from rlobs_lint.workspace import Module

if TYPE_CHECKING:
    from rlobs_lint.flow.activations import Frame
    from rlobs_lint.flow.machine import Machine

_BUILTINS = frozenset(
    """
    abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod
    compile complex delattr dict dir divmod enumerate eval exec filter float format frozenset
    getattr globals hasattr hash help hex id input int isinstance issubclass iter len list locals
    map max memoryview min next object oct open ord pow print property range repr reversed round set
    setattr slice sorted staticmethod str sum super tuple type vars zip __import__ NotImplemented
    Ellipsis
    """.split()
)
#: Imported for annotations only, a name of the SDK is not there when the code runs.
_TYPE_ONLY = "type-only:"
#: Names of what is no finite number, in `math`, `numpy` and `torch`.
_NON_FINITE = {
    "inf": "inf", "Inf": "inf", "infty": "inf", "Infinity": "inf", "PINF": "inf", "NINF": "-inf",
    "nan": "nan", "NaN": "nan", "NAN": "nan",
}  # fmt: skip


class Modules:
    """Runs imports and class definitions, and looks up attributes, for a machine."""

    def __init__(self, machine: Machine, index: ModuleIndex, base: State) -> None:
        self._machine = machine
        self._index = index
        self._base = base
        self._objects: Dict[str, Object] = {}
        self._loaded: Set[str] = set()
        self._frames: Dict[str, Frame] = {}
        self._class_of_frame: Dict[int, int] = {}
        self._annotations: Dict[Tuple[int, str], Tuple[ir.Expression, Module]] = {}
        self._orders: Dict[int, Tuple[int, ...]] = {}
        self._unbound: Dict[str, None] = {}

    # --- modules --------------------------------------------------------------------------------

    def load(self, found: Union[Module, Package]) -> Object:
        """Returns the object of a module, running its body when it is first imported."""
        made = self._object_of(found)
        if isinstance(found, Package) or found.path in self._loaded:
            return made
        self._loaded.add(found.path)
        for package in self._index.packages_around(found):
            self.load(package)
        self._machine.run_module(self._frames[found.path], self._base)
        return made

    def _object_of(self, found: Union[Module, Package]) -> Object:
        """Returns the object that stands for a module, whether its body was run or not."""
        machine = self._machine
        known = self._objects.get(found.path)
        if known is not None:
            return known
        site = Site(found.path, Span(0, 0))
        if isinstance(found, Package):
            key, info = "package", ObjectInfo(heap.NAMESPACE, site, path=found.path)
        else:
            frame = self._frames[found.path] = machine.new_frame(
                scopes.scope_of(found.facts.body), found, None
            )
            key, info = (
                "module",
                ObjectInfo(heap.MODULE, site, module=found, path=found.path, frame=frame.number),
            )
        self._objects[found.path] = made = machine.heap.allocate((key, found.path), info)
        return made

    def begin_world(self, base: State, loaded: Set[str]) -> None:
        """Goes on in another world: a server of its own, in which only some modules were imported.

        Args:
            base: What holds there once they were.
            loaded: Paths of the modules that were; more are added as imports are met.
        """
        self._base = base
        self._loaded = loaded

    def frame_of(self, module: Module) -> Optional[Frame]:
        """Returns the frame of a module that was run."""
        return self._frames.get(module.path)

    def run_import(self, statement: ir.Import, state: State) -> None:
        """Runs `import a.b as c`."""
        machine = self._machine
        importer = machine.activation.frame.module
        for name in statement.names:
            top = name.name.split(".")[0]
            found = self._index.absolute(name.name, importer)
            first = self._index.absolute(top, importer)
            if name.alias is not None:
                value: Value = (self.load(found),) if found is not None else (External(name.name),)
                machine.names.bind(name.alias, value, state)
            else:
                if found is not None:
                    self.load(found)
                value = (self.load(first),) if first is not None else (External(top),)
                machine.names.bind(top, value, state)

    def run_import_from(self, statement: ir.ImportFrom, state: State) -> bool:
        """Runs `from a import b as c`; tells whether it goes on (a wrong name raises)."""
        machine = self._machine
        module = machine.activation.frame.module
        found = origin(statement, module, self._index)
        if statement.star:
            self._import_star(statement, found, state)
            return True
        for name in statement.names:
            bound = name.alias or name.name
            if found is not None:
                value = self._member_of(found, name.name)
            elif statement.level:
                value = UNKNOWN
            else:
                value = self._outside_name(statement.module, name.name)
                if isinstance(value[0], Misbound) and not self._import_failed(statement, name, state):
                    return False
            machine.names.bind(bound, value, state)
        return True

    def _import_failed(self, statement: ir.ImportFrom, name: ir.ImportedName, state: State) -> bool:
        """Notes a name that its module does not have, unless a handler is there to catch that."""
        machine = self._machine
        attempts = machine.activation.attempts
        if attempts and any(
            error in ("ImportError", "Exception", "BaseException") for error in attempts[-1].catches
        ):
            attempts[-1].raised.append(state.changes_since(attempts[-1].base))
            return False
        machine.ledger.note(WrongImport(machine.site(name.at), name.name, statement.module))
        return True

    def import_outcome(self, body: Sequence[ir.Statement], state: State) -> str:
        """Tells whether a `try` body of imports surely `succeeds` where the SDK is installed.

        Flags that it sets besides (`HAS_TRACING = True`) cannot fail.
        """
        module = self._machine.activation.frame.module
        imports = [
            statement
            for statement in body
            if not (isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Literal))
        ]
        if not imports:
            return "unknown"
        for statement in imports:
            if not isinstance(statement, ir.ImportFrom) or statement.star:
                return "unknown"
            if origin(statement, module, self._index) is not None:
                continue
            names = [self._outside_name(statement.module, name.name)[0] for name in statement.names]
            if not all(isinstance(atom, External) and atom.name.startswith("sdk.") for atom in names):
                return "unknown"
        return "succeeds"

    def _import_star(
        self, statement: ir.ImportFrom, found: Optional[Union[Module, Package]], state: State
    ) -> None:
        machine = self._machine
        frame = machine.activation.frame
        if isinstance(found, Module):
            source = machine.heap.info(self.load(found).number).frame
            names = machine.frames[source].scope.local
            for name in sorted(names):
                value = variable(self._base, source, name)
                if value is not None and not name.startswith("_"):
                    state.set((VARIABLE, frame.number, name), value)
                    frame.scope = frame.scope._replace(local=frame.scope.local | {name})
        elif statement.module in (sdk.OBSERVABILITY, sdk.GENAI, sdk.ROOT, sdk.COMPONENT):
            for name in sdk.star_names(statement.module):
                state.set((VARIABLE, frame.number, name), self._outside_name(statement.module, name))
                frame.scope = frame.scope._replace(local=frame.scope.local | {name})

    def run_type_checking(self, body: Sequence[ir.Statement], state: State) -> None:
        """Binds what `if TYPE_CHECKING:` imports: classes for annotations, SDK functions not at all."""
        machine = self._machine
        for statement in body:
            if isinstance(statement, ir.ImportFrom) and not statement.star:
                for name in statement.names:
                    if name.name in sdk.OBSERVABILITY_NAMES and statement.module.startswith("dashscope"):
                        bound = name.alias or name.name
                        if variable(state, machine.activation.frame.number, bound) is None:
                            machine.names.bind(bound, (External(_TYPE_ONLY + name.name),), state)
                    else:
                        machine.run((statement._replace(names=(name,)),), state)
            elif isinstance(statement, ir.Import):
                machine.run((statement,), state)

    def at_run_time(self, value: Value, expression: Optional[ir.Name], state: State) -> Value:
        """Returns a variable's value where it is used; an import for annotations is not there."""
        if len(value) == 1 and isinstance(value[0], External) and value[0].name.startswith(_TYPE_ONLY):
            name = value[0].name[len(_TYPE_ONLY) :]
            if expression is not None:
                self._note_unbound(name, expression, "type-checking")
            return (Misbound(name),)
        return value

    def unbound(self, name: str, expression: Optional[ir.Name]) -> Value:
        """Returns the value of a name that no scope binds."""
        if name == "__file__":
            return constant(self._machine.activation.frame.module.path)
        if name in _BUILTINS:
            return (External(f"builtins.{name}"),)
        frame: Optional[Frame] = self._machine.activation.frame
        while frame is not None:
            if frame.scope.stars and not self._known_stars(frame.module):
                return UNKNOWN
            frame = frame.parent
        if name in sdk.OBSERVABILITY_NAMES:
            if expression is not None:
                self._note_unbound(name, expression, "unbound")
            return (Misbound(name),)
        if name in sdk.PROCESSOR_BASES:
            # Documents show classes without their imports: such a base is taken at its word.
            return (External(f"sdk.{name}"),)
        if name[:1].isupper() and (
            name.endswith(("Error", "Exception", "Warning")) or name in ("KeyboardInterrupt",)
        ):
            return (External(f"builtins.{name}"),)
        return UNKNOWN

    def _known_stars(self, module: Module) -> bool:
        """Whether every star import of a module takes its names from code that is known."""
        for statement in scopes.walk_statements(module.facts.body):
            if isinstance(statement, ir.ImportFrom) and statement.star:
                found = origin(statement, module, self._index)
                if isinstance(found, Module):
                    if scopes.scope_of(found.facts.body).stars:
                        return False
                elif not statement.module.startswith("dashscope."):
                    return False
        return True

    def _note_unbound(self, name: str, expression: ir.Name, why: str) -> None:
        site = self._machine.site(expression.at)
        self._machine.ledger.note(UnboundUse(site, expression.identifier, name, why, ""))

    def _note_missing(self, module: str, name: str, site: Site) -> None:
        """Notes a name that is looked up on a module which does not have it, unless that is caught."""
        machine = self._machine
        catches = [error for attempt in machine.activation.attempts for error in attempt.catches]
        if not {"AttributeError", "Exception", "BaseException"}.intersection(catches):
            start, end = site.span
            text = machine.workspace.modules[site.path].source.text[start:end]
            machine.ledger.note(UnboundUse(site, text, name, "import", module))

    def lacks(self, atom: Atom, name: str) -> bool:
        """Whether something is a module of the SDK that does not have an observability name."""
        return isinstance(atom, External) and isinstance(outside_name(atom.name, name), Misbound)

    def _outside_name(self, module: str, name: str) -> Value:
        return outside_value(module, name)

    def _member_of(self, found: Union[Module, Package], name: str) -> Value:
        """Returns the value of a name in a workspace module, or its submodule of that name."""
        owner = self.load(found)
        if isinstance(found, Module):
            frame = self._machine.heap.info(owner.number).frame
            value = variable(self._base, frame, name)
            if value is not None:
                return value
        inner = self._index.submodule(found, name)
        return (self.load(inner),) if inner is not None else UNKNOWN

    # --- classes --------------------------------------------------------------------------------

    def define_class(self, statement: ir.ClassDef, state: State) -> Value:
        """Runs a class statement: bases, body, decorators."""
        machine = self._machine
        outer = machine.activation.frame
        bases = tuple(
            self._base_value(base.value, state)
            for base in statement.bases
            if base.keyword is None and not base.star
        )
        frame = machine.new_frame(scopes.scope_of(statement.body), outer.module, outer, is_class=True)
        site = machine.site(statement.at)
        info = ObjectInfo(
            heap.CLASS,
            site,
            statement.name,
            module=outer.module,
            node=statement,
            bases=bases,
            frame=frame.number,
        )
        made = machine.allocate("class", info)
        frame_number = machine.heap.info(made.number).frame
        if frame_number != frame.number:
            frame = machine.frames[frame_number]
        self._class_of_frame[frame.number] = made.number
        machine.ledger.classes.setdefault(made.number, None)
        machine.run_class_body(frame, statement.body, state)
        self._tell_bases(made, machine.site(statement.at), state)
        value: Value = (made,)
        for decorator in reversed(statement.decorators):
            value = machine.functions.decorate(decorator, value, state)
        return value

    def _base_value(self, base: ir.Expression, state: State) -> Value:
        """Returns what a base in a class statement is: `Base[int]` is `Base`."""
        value = self._machine.evaluate(base, state)
        if isinstance(base, ir.Subscript) and all(isinstance(atom, Unknown) for atom in value):
            return self._machine.evaluate(base.value, state)
        return value

    def _tell_bases(self, made: Object, site: Site, state: State) -> None:
        """Runs the `__init_subclass__` of a base of the workspace."""
        found = self.class_attribute(made.number, "__init_subclass__", state, made.number)
        for atom in found[1] if found is not None else ():
            if isinstance(atom, Function):
                self._machine.calls.call_function(atom._replace(receiver=made), Arguments(), site, state)

    def class_variable(self, frame: Frame, name: str, value: Value, state: State) -> None:
        """Makes what a class body binds an attribute of the class."""
        owner = self._class_of_frame.get(frame.number)
        if owner is not None:
            state.set((ATTRIBUTE, owner, name), value)

    def annotate(self, frame: Frame, name: str, annotation: ir.Expression, state: State) -> None:
        """Notes the type that a class body declares for an attribute."""
        owner = self._class_of_frame.get(frame.number)
        if owner is not None:
            self._annotations[owner, name] = (annotation, frame.module)

    def owner_of_frame(self, frame: Frame) -> int:
        """Returns the object number of the class whose body a frame is, or -1."""
        return self._class_of_frame.get(frame.number, -1)

    def linearized(self, number: int) -> Tuple[int, ...]:
        """Returns a class and its workspace bases in the order that attributes are looked up in."""
        known = self._orders.get(number)
        if known is not None:
            return known
        self._orders[number] = (number,)
        order: List[int] = [number]
        for base in self._machine.heap.info(number).bases:
            for atom in base:
                if isinstance(atom, Object) and self._machine.heap.info(atom.number).kind == heap.CLASS:
                    order.extend(self.linearized(atom.number))
        # A class that is met twice is looked up where it is met last, as in Python's order.
        result = tuple(dict.fromkeys(reversed(order)))[::-1]
        result = (number, *(item for item in result if item != number))
        self._orders[number] = result
        return result

    def outside_bases(self, number: int) -> Tuple[str, ...]:
        """Returns the names of all bases of a class that are not the workspace's; `?` is unknown."""
        names: List[str] = []
        for cls in self.linearized(number):
            for base in self._machine.heap.info(cls).bases:
                for atom in base:
                    if isinstance(atom, External):
                        names.append(atom.name)
                    elif not isinstance(atom, Object):
                        names.append("?")
        return tuple(dict.fromkeys(names))

    def class_attribute(
        self, cls: int, name: str, state: State, after: int = -1
    ) -> Optional[Tuple[int, Value]]:
        """Returns the class that has an attribute, and its value, in the order of look-up."""
        order = self.linearized(cls)
        if after in order:
            order = order[order.index(after) + 1 :]
        for number in order:
            value = state.get((ATTRIBUTE, number, name))
            if value is not None:
                return number, value
        return None

    def declared(self, cls: int, name: str, state: State) -> Optional[Value]:
        """Returns a value of the type that a class declares for an attribute."""
        for number in self.linearized(cls):
            found = self._annotations.get((number, name))
            if found is not None:
                return annotated(found[0])
        return None

    def declared_names(self, cls: int) -> Tuple[str, ...]:
        """Returns the attributes that a class and its bases declare, bases first."""
        names: List[str] = []
        for number in reversed(self.linearized(cls)):
            node = self._machine.heap.info(number).node
            names.extend(
                statement.target.identifier
                for statement in (node.body if node is not None else ())
                if isinstance(statement, ir.AnnotatedAssign) and isinstance(statement.target, ir.Name)
            )
        return tuple(dict.fromkeys(names))

    def public_names(self, cls: int) -> Tuple[str, ...]:
        """Returns the names that a class and its bases bind, sorted, without private ones."""
        names: Set[str] = set()
        for number in self.linearized(cls):
            frame = self._machine.frames[self._machine.heap.info(number).frame]
            names.update(name for name in frame.scope.local if not name.startswith("_"))
        return tuple(sorted(names))

    # --- attributes -----------------------------------------------------------------------------

    def attributes(self, owner: Value, name: str, site: Site, state: State) -> Value:
        """Returns what `owner.name` may be."""
        return join_alternatives(self.attribute(atom, name, site, state) for atom in owner) or UNKNOWN

    def attribute(self, atom: Atom, name: str, site: Site, state: State) -> Value:
        """Returns what `name` of one possibility may be; properties are run."""
        if isinstance(atom, Object):
            return self._object_attribute(atom, name, site, state)
        if isinstance(atom, External):
            value = outside_value(atom.name, name)
            if isinstance(value[0], Misbound):
                self._note_missing(atom.name, name, site)
            self._machine.clients.taken(atom.name, name, site, state)
            return value
        if isinstance(atom, Member):
            return self._machine.outside.member(atom.owner, (*atom.path, name), site, state)
        if isinstance(atom, Request):
            path = (*atom.path, name)
            return (Request(path, bool(state.get((PRESENT, path), False))),)
        if isinstance(atom, Super):
            return self._super_attribute(atom, name, site, state)
        if isinstance(atom, EnumMember):
            if name == "value":
                found = state.get((ATTRIBUTE, atom.owner, atom.name))
                return found if found is not None else UNKNOWN
            if name == "name":
                return (Constant("str", atom.name),)
            return self._bound(atom, atom.owner, name, site, state)
        if isinstance(atom, Constant) and atom.kind == PATH:
            found = self._machine.library.file_paths.attribute(atom, name, site, state)
            return found if found is not None else (Member(atom, (name,)),)
        if isinstance(atom, (Constant, Typed)):
            return (Member(atom, (name,)),)
        if isinstance(atom, Placeholder):
            return (atom,)
        if isinstance(atom, (Function, Generated)):
            return (Member(atom, (name,)),)
        if isinstance(atom, Coroutine):
            return UNKNOWN
        return (Member(atom, (name,)),) if isinstance(atom, Unknown) else UNKNOWN

    def _object_attribute(self, atom: Object, name: str, site: Site, state: State) -> Value:
        info = self._machine.heap.info(atom.number)
        own: Optional[Value] = state.get((ATTRIBUTE, atom.number, name))
        if info.kind == heap.MODULE:
            value = variable(state, info.frame, name)
            if value is not None:
                return value
            assert info.module is not None
            inner = self._index.submodule(info.module, name)
            return (self.load(inner),) if inner is not None else UNKNOWN
        if info.kind == heap.NAMESPACE:
            inner = self._index.submodule(Package(info.path), name)
            return (self.load(inner),) if inner is not None else UNKNOWN
        if info.kind == heap.CLASS:
            return self._class_member(atom, name, site, state)
        if info.kind == heap.INSTANCE:
            if own is not None:
                return own
            return self._bound(atom, info.cls, name, site, state)
        if own is not None and info.kind == heap.OUTSIDE:
            if name == "reward_metrics":
                self._machine.parts.metrics_read()
            return own
        return self._machine.outside.member(atom, (name,), site, state)

    def _class_member(self, atom: Object, name: str, site: Site, state: State) -> Value:
        found = self.class_attribute(atom.number, name, state)
        if found is None:
            if name == "__name__":
                return (Constant("str", self._machine.heap.info(atom.number).name),)
            if name == "__subclasses__":
                return (Member(atom, (name,)),)
            if self._machine.enumerations.is_enumeration(atom) and name == "__members__":
                return (Member(atom, (name,)),)
            family = self._machine.outside.family_of_class(atom.number)
            is_known = family or name in VALIDATING
            return (Member(atom, (name,)),) if is_known else UNKNOWN
        owner, value = found
        if self._machine.enumerations.is_enumeration(atom) and not any(
            isinstance(item, Function) for item in value
        ):
            return (EnumMember(owner, name),)
        return tuple(
            item._replace(receiver=atom)
            if isinstance(item, Function) and item.marked("builtins.classmethod")
            else item
            for item in value
        )

    def _bound(self, receiver: Atom, cls: int, name: str, site: Site, state: State, after: int = -1) -> Value:
        """Returns an attribute that an instance has through its class."""
        machine = self._machine
        found = self.class_attribute(cls, name, state, after)
        if found is None:
            if name == "__class__":
                return (Object(cls),)
            if name == "__dict__":
                return machine.library.objects.fields_of((receiver,), site, state, every=True)
            known = self.declared(cls, name, state)
            if known is not None:
                return known
            return machine.outside.inherited(receiver, cls, name, site, state)
        results: List[Value] = []
        for item in found[1]:
            if not isinstance(item, (Function, Generated)):
                results.append((item,))
            elif isinstance(item, Generated):
                results.append((item._replace(receiver=receiver),))
            elif item.marked("builtins.staticmethod"):
                results.append((item,))
            elif item.marked("builtins.classmethod"):
                results.append((item._replace(receiver=Object(cls)),))
            elif item.marked("builtins.property", "functools.cached_property"):
                results.append(machine.calls.read_property(item, receiver, name, site, state))
            else:
                results.append((item._replace(receiver=receiver),))
        return join(results)

    def _super_attribute(self, atom: Super, name: str, site: Site, state: State) -> Value:
        info = self._machine.heap.info(atom.receiver.number) if isinstance(atom.receiver, Object) else None
        if info is None:
            return UNKNOWN
        assert isinstance(atom.receiver, Object)
        cls = info.cls if info.kind == heap.INSTANCE else atom.receiver.number
        found = self.class_attribute(cls, name, state, atom.after)
        if found is None:
            return (Member(atom, (name,)),)
        return self._bound(atom.receiver, cls, name, site, state, atom.after)

    def peek_attributes(self, owner: Value, name: str, state: State) -> Value:
        """Returns what `owner.name` may be, without running properties."""
        results: List[Value] = []
        for atom in owner:
            if isinstance(atom, Object):
                own = state.get((ATTRIBUTE, atom.number, name))
                info = self._machine.heap.info(atom.number)
                if own is None and info.kind == heap.INSTANCE:
                    found = self.class_attribute(info.cls, name, state)
                    own = found[1] if found is not None else None
                results.append(own if own is not None else NOTHING)
            elif isinstance(atom, Request):
                path = (*atom.path, name)
                results.append((Request(path, bool(state.get((PRESENT, path), False))),))
        return join(results)

    def set_attributes(
        self, owner: Value, name: str, value: Value, site: Site, state: State, source: Optional[ir.Expression]
    ) -> None:
        """Runs `owner.name = value`."""
        machine = self._machine
        for atom in owner:
            if not isinstance(atom, Object):
                continue
            key = (ATTRIBUTE, atom.number, name)
            machine.watching.assigned(key, value, state)
            if len(owner) > 1:
                old = state.get(key)
                state.set(key, value if old is None else join((old, value)))
            else:
                state.set(key, value)
        machine.watching.attribute_assigned(owner, name, value, site, state, source)

    def narrow_attribute(self, owner: Atom, name: str, value: Value, state: State) -> None:
        """Stores what a condition showed about an attribute."""
        if isinstance(owner, Object):
            info = self._machine.heap.info(owner.number)
            if info.kind in (heap.INSTANCE, heap.CLASS, heap.OUTSIDE):
                state.set((ATTRIBUTE, owner.number, name), value)
            elif info.kind == heap.MODULE:
                state.set((VARIABLE, info.frame, name), value)


def outside_value(module: str, name: str) -> Value:
    """Returns the value of a name in a module outside the workspace."""
    known = _NON_FINITE.get(name)
    if known is not None and module in ("math", "cmath", "numpy", "torch"):
        return non_finite(known)
    return (outside_name(module, name),)


def outside_name(module: str, name: str) -> Atom:
    """Returns the atom of a name in a module outside the workspace.

    Names of the SDK become `sdk.<name>` whatever module they come from; an observability name in a
    module that does not have it is misbound.
    """
    if module == "dashscope" or module.startswith("dashscope."):
        if name in sdk.EXPORTS:
            if module in sdk.EXPORTS[name]:
                return External(f"sdk.{name}")
            return Misbound(name) if name in sdk.OBSERVABILITY_NAMES else External(f"sdk.{name}")
        if name in sdk.KNOWN_NAMES and module.startswith("dashscope.finetune"):
            return External(f"sdk.{name}")
    return External(f"{module}.{name}")
