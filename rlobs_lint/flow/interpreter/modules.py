"""Modules: running them once, and what imports bind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Optional, Sequence, Set, Union

from rlobs_lint import sdk
from rlobs_lint.facts import ir, scopes
from rlobs_lint.facts.module import Module
from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.heap import ObjectInfo
from rlobs_lint.flow.domain.observations import UnboundUse, WrongImport
from rlobs_lint.flow.domain.state import VARIABLE, State, variable
from rlobs_lint.flow.domain.values import (
    UNKNOWN,
    Atom,
    External,
    Misbound,
    Object,
    Site,
    Value,
    constant,
    non_finite,
)
from rlobs_lint.model import Span
from rlobs_lint.project.imports import ModuleIndex, Package, origin

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.activations import Frame
    from rlobs_lint.flow.interpreter.machine import Machine

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
    """Runs imports, for a machine."""

    def __init__(self, machine: Machine, index: ModuleIndex, base: State) -> None:
        self._machine = machine
        self._index = index
        self._base = base
        self._objects: Dict[str, Object] = {}
        self._loaded: Set[str] = set()
        self._frames: Dict[str, Frame] = {}
        self._unbound: Dict[str, None] = {}

    # --- modules --------------------------------------------------------------------------------

    def submodule(self, found: Union[Module, Package], name: str) -> Value:
        """Returns the module of a name inside a package, if there is one."""
        inner = self._index.submodule(found, name)
        return (self.load(inner),) if inner is not None else UNKNOWN

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

    def note_missing(self, module: str, name: str, site: Site) -> None:
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

    # --- attributes -----------------------------------------------------------------------------


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
