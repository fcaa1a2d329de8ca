"""What the names of a file stand for: how a place can write a name of the SDK, and which names are taken."""

from __future__ import annotations

from functools import cached_property
from typing import Callable, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from rlobs_lint import sdk
from rlobs_lint.facts import ir
from rlobs_lint.facts.scan_file import ParsedModule
from rlobs_lint.facts.scopes import Scope, own_expressions, scope_of, walk_expression, walk_statements
from rlobs_lint.facts.statements import Lowering
from rlobs_lint.files.source import SourceFile

from ._changes import Surroundings
from ._scope_walks import binders_of, imports_of

_SDK_PREFIX = sdk.ROOT.partition(".")[0] + "."


class Way(NamedTuple):
    """How a place can write a name of the SDK.

    Attributes:
        expression: The text to write.
        is_missing: Whether nothing binds it yet at run time.
        alias: What it has to be imported as, where its own name is taken.
    """

    expression: str
    is_missing: bool
    alias: Optional[str] = None


class _Area(NamedTuple):
    """A scope around a place; `kind` is `module`, `class` or `function` (also lambdas and comprehensions)."""

    kind: str
    scope: Scope
    body: Tuple[ir.Statement, ...]


class _Imported(NamedTuple):
    """An import that gives a name of the SDK.

    Attributes:
        root: The identifier that the statement binds.
        expression: How the name is written through it.
        statement: The import.
        around: The compound statements around it in its scope, outermost first.
        is_true: Whether it has the name; false where the SDK has no such name in that module.
        at_run_time: Whether it is run when the module is imported or its function called.
    """

    root: str
    expression: str
    statement: Union[ir.Import, ir.ImportFrom]
    around: Tuple[ir.Statement, ...]
    is_true: bool
    at_run_time: bool


class Bindings:
    """The names of one file.

    Args:
        parsed: Its tree.
        source: Its text.
        import_offset: Returns where the import of a name that is not there yet will end up, for the name
            and the offset that it has to precede, if any.
        surroundings: The rest of the workspace, where it is known.
    """

    def __init__(
        self,
        parsed: ParsedModule,
        source: SourceFile,
        import_offset: Callable[[str, Optional[int]], int],
        surroundings: Optional[Surroundings] = None,
    ) -> None:
        self._parsed = parsed
        self._source = source
        self._import_offset = import_offset
        self._surroundings = surroundings

    @cached_property
    def body(self) -> Tuple[ir.Statement, ...]:
        """The statements of the module, as records."""
        return Lowering(self._parsed.span).module(self._parsed.module)

    def way_to(self, name: str, offset: int, at_import: bool) -> Way:
        """Returns how a place can write a name of the SDK.

        Args:
            name: As the SDK calls it.
            offset: The place.
            at_import: Whether the place is evaluated while the module is imported.

        Raises:
            CannotFixError: Nothing binds it, and there is no place for an import.
        """
        areas = self._areas(offset)
        for area in areas:
            found = [
                imported
                for imported in self._imported(area.body, name)
                if self._serves(imported, name, area, areas, offset, at_import)
            ]
            if found:
                # The plain name reads best, then an alias, then the way through a module.
                best = min(
                    found, key=lambda way: (not way.is_true, way.expression.count("."), way.root != name)
                )
                return Way(best.expression, False)
        stars = self._stars_behind(self._import_offset(name, offset if at_import else None))
        if self._is_free(name, name, areas) and all(
            self._rebinds(star, name, name) is False for star in stars
        ):
            return Way(name, True)
        candidates = (f"sdk_{name}", *(f"sdk_{name}_{number}" for number in range(2, 100)))
        alias = next(
            word
            for word in candidates
            if word not in self._source.text and not any(self._rebinds(star, word, name) for star in stars)
        )
        return Way(alias, True, alias)

    def _stars_behind(self, offset: int) -> List[ir.ImportFrom]:
        """Returns the star imports that are run after what stands at an offset of the module itself."""
        return [
            statement
            for statement, _, at_run_time in imports_of(self.body)
            if isinstance(statement, ir.ImportFrom)
            and statement.star
            and at_run_time
            and statement.at.start > offset
        ]

    def _rebinds(self, star: ir.ImportFrom, identifier: str, name: str) -> Optional[bool]:
        """Whether a star import makes an identifier anything but a name of the SDK; `None` if unknown."""
        if star.level == 0 and star.module.startswith(_SDK_PREFIX):
            return False
        if self._surroundings is None:
            return None
        path = self._source.path
        is_bound = self._surroundings.star_binds(path, star, identifier)
        if not is_bound:
            return is_bound
        dotted = self._surroundings.canonical(path, star.module, star.level, identifier) or ""
        module, _, last = dotted.rpartition(".")
        return dotted not in sdk.EXPORTS[name] and not (last == name and module in sdk.EXPORTS[name])

    def _serves(
        self,
        imported: _Imported,
        name: str,
        area: _Area,
        areas: Sequence[_Area],
        offset: int,
        at_import: bool,
    ) -> bool:
        if not imported.at_run_time or self._scope_area(imported.root, areas) is not area:
            return False
        # A function is called later: whatever the module has bound by then counts.
        is_later = area.kind == "module" and not at_import
        is_earlier = is_later or imported.statement.at.end <= offset
        if area.kind != "module" and not all(_contains(outer, offset) for outer in imported.around):
            return False
        return is_earlier and not self._is_rebound(imported, name, area)

    def _is_rebound(self, imported: _Imported, name: str, area: _Area) -> bool:
        """Whether the identifier of an import may be something else by the time it is used."""
        if any(imported.root in scope.declared_global for scope in self._function_scopes):
            return True
        if area.kind == "module" and any(
            self._rebinds(star, imported.root, name)
            for star in self._stars_behind(imported.statement.at.start)
        ):
            return True
        same = {other.statement for other in self._imported(area.body, name) if other.root == imported.root}
        for statement, around in binders_of(area.body, imported.root):
            if statement.at.start < imported.statement.at.start:
                continue
            shares = bool(set(map(id, around)).intersection(map(id, imported.around)))
            is_whole_package = isinstance(statement, ir.Import) and isinstance(imported.statement, ir.Import)
            if statement not in same and not shares and not is_whole_package:
                return True
        return False

    def _is_free(self, identifier: str, name: str, areas: Sequence[_Area]) -> bool:
        """Whether a module-level import may bind an identifier, and a place then sees it."""
        area = self._scope_area(identifier, areas)
        module = areas[-1]
        if area is not None and area is not module:
            return False
        if any(identifier in scope.declared_global for scope in self._function_scopes):
            return False
        same = {other.statement for other in self._imported(module.body, name) if other.root == identifier}
        return all(statement in same for statement, _ in binders_of(module.body, identifier))

    def _scope_area(self, identifier: str, areas: Sequence[_Area]) -> Optional[_Area]:
        """Returns the scope that an identifier is looked up in; with a star import, perhaps the module."""
        for area in areas[:-1]:
            if identifier in area.scope.declared_global:
                break
            if identifier in area.scope.local:
                return area
        module = areas[-1]
        return module if identifier in module.scope.local or module.scope.stars else None

    @cached_property
    def _function_scopes(self) -> Tuple[Scope, ...]:
        scopes = []
        stack: List[Sequence[ir.Statement]] = [self.body]
        while stack:
            for statement in walk_statements(stack.pop()):
                if isinstance(statement, (ir.FunctionDef, ir.ClassDef)):
                    stack.append(statement.body)
                    scopes.append(scope_of(statement.body))
        return tuple(scopes)

    def _areas(self, offset: int) -> List[_Area]:
        """Returns the scopes that a place sees, innermost first."""
        areas = [_Area("module", scope_of(self.body), self.body)]
        body: Optional[Tuple[ir.Statement, ...]] = self.body
        while body is not None:
            inner, body = body, None
            for statement in walk_statements(inner):
                if not _contains(statement, offset):
                    continue
                areas.extend(_expression_areas(statement, offset))
                if isinstance(statement, (ir.FunctionDef, ir.ClassDef)) and offset >= statement.header.end:
                    is_class = isinstance(statement, ir.ClassDef)
                    parameters = () if isinstance(statement, ir.ClassDef) else statement.parameters
                    scope = scope_of(statement.body, parameters)
                    areas.append(_Area("class" if is_class else "function", scope, statement.body))
                    body = statement.body
        # The names of a class body are seen in that body alone, not in its functions.
        visible = [area for area in areas[:-1] if area.kind != "class"]
        return [areas[-1], *reversed(visible)]

    def _imported(self, body: Sequence[ir.Statement], name: str) -> Iterator[_Imported]:
        """Yields the imports of a scope that give a name of the SDK, or would if the module had it."""
        for statement, around, at_run_time in imports_of(body):
            for root, written, dotted in self._paths(statement, name):
                module, _, last = dotted.rpartition(".")
                known = sdk.EXPORTS[name]
                if last == name and module in known:
                    yield _Imported(root, written, statement, around, True, at_run_time)
                elif dotted in known:
                    yield _Imported(root, f"{written}.{name}", statement, around, True, at_run_time)
                elif dotted == sdk.COMPONENT:
                    path = f"{written}.{sdk.OBSERVABILITY.rpartition('.')[2]}.{name}"
                    yield _Imported(root, path, statement, around, True, at_run_time)
                elif any(isinstance(outer, ir.Try) and outer.handlers for outer in around):
                    # The SDK has no such name there, and a handler binds something else to it.
                    continue
                elif last == name and module.startswith(_SDK_PREFIX):
                    # The SDK has no such name there; the import is wrong, but what it means is plain.
                    yield _Imported(root, written, statement, around, False, at_run_time)

    def _paths(self, statement: Union[ir.Import, ir.ImportFrom], name: str) -> Iterator[Tuple[str, str, str]]:
        """Yields what an import binds: the identifier, how its value is written, its dotted name."""
        if isinstance(statement, ir.Import):
            for imported in statement.names:
                if imported.alias is not None:
                    yield imported.alias, imported.alias, imported.name
                else:
                    yield imported.name.partition(".")[0], imported.name, imported.name
            return
        if statement.star and statement.level == 0 and statement.module in sdk.EXPORTS[name]:
            yield name, name, f"{statement.module}.{name}"
        for imported in statement.names:
            bound = imported.alias or imported.name
            dotted = f"{statement.module}.{imported.name}"
            if statement.level or not dotted.startswith(_SDK_PREFIX):
                canonical = None
                if self._surroundings is not None:
                    canonical = self._surroundings.canonical(
                        self._source.path, statement.module, statement.level, imported.name
                    )
                dotted = canonical or ""
            yield bound, bound, dotted


def _expression_areas(statement: ir.Statement, offset: int) -> Iterator[_Area]:
    """Yields the scopes of lambdas and comprehensions around a place in a statement's own expressions."""
    for expression in own_expressions(statement):
        for inner in walk_expression(expression):
            if not _contains(inner, offset):
                continue
            if isinstance(inner, ir.Lambda):
                yield _Area("function", scope_of((), inner.parameters), ())
            elif isinstance(inner, ir.Comprehension):
                bound = tuple(
                    ir.Assign(inner.at, (clause.target,), clause.iterable) for clause in inner.clauses
                )
                yield _Area("function", scope_of(bound), ())


def _contains(record: Union[ir.Statement, ir.Expression], offset: int) -> bool:
    start = record.header.start if isinstance(record, (ir.FunctionDef, ir.ClassDef)) else record.at.start
    return start <= offset < record.at.end
