"""What the other files of a workspace make of a file's names: what they give to it, and take from it."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator, List, Optional, Sequence, Set, Tuple, Union

from rlobs_lint import sdk
from rlobs_lint.facts import ir, scopes
from rlobs_lint.facts.module import Module
from rlobs_lint.model import Span
from rlobs_lint.project.imports import ModuleIndex, Package, origin
from rlobs_lint.rulebook.workspace import Workspace

_SDK_PREFIX = sdk.ROOT.partition(".")[0] + "."
#: Imports of imports that are followed to the SDK.
_DEEPEST_IMPORT = 8


class Surroundings:
    """What codemods may ask about the rest of a workspace.

    Args:
        workspace: The workspace.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._modules = workspace.modules
        self._index = ModuleIndex(workspace.modules, (workspace.root,))

    def canonical(self, path: str, module: str, level: int, name: str) -> Optional[str]:
        """Returns the dotted name outside of the workspace that an import leads to in the end."""
        importer: Union[Module, Package, None] = self._modules.get(path)
        statement = ir.ImportFrom(_NOWHERE, module, level, (ir.ImportedName(_NOWHERE, name, None),), False)
        for _ in range(_DEEPEST_IMPORT):
            if not isinstance(importer, Module):
                return None
            source = origin(statement, importer, self._index)
            if source is None:
                return None if statement.level else f"{statement.module}.{name}"
            following = _import_of(name, source)
            if following is None:
                return None
            importer, (statement, name) = source, following
        return None

    def star_binds(self, path: str, star: ir.ImportFrom, name: str) -> Optional[bool]:
        """Whether a star import in a file binds a name; `None` where its module is not known.

        What `__all__` leaves out counts as bound: whoever takes another name for it is right either way.
        """
        if name.startswith("_"):
            return False
        pending: List[Tuple[ir.ImportFrom, Union[Module, Package, None]]] = [(star, self._modules.get(path))]
        seen: Set[str] = set()
        is_known = True
        while pending:
            statement, importer = pending.pop()
            source = origin(statement, importer, self._index) if isinstance(importer, Module) else None
            if isinstance(source, Module) and source.path not in seen:
                seen.add(source.path)
                if name in scopes.scope_of(source.facts.body).local:
                    return True
                pending += [(inner, source) for inner in _stars(source)]
            elif source is None and statement.level == 0 and statement.module.startswith(_SDK_PREFIX):
                if name in sdk.star_names(statement.module):
                    return True
            elif source is None:
                is_known = False
        return False if is_known else None

    def is_imported_elsewhere(self, path: str, name: str) -> bool:
        """Whether another module takes a name from a file, everything, or the file itself."""
        stem = Path(path).stem
        others = (module for module in self._modules.values() if module.path != path)
        return any(
            _takes(statement, stem, name, module.source.text)
            for module in others
            if stem in module.source.text
            for statement in _all_statements(module.facts.body)
        )


def _stars(module: Module) -> Iterator[ir.ImportFrom]:
    for statement in scopes.walk_statements(module.facts.body):
        if isinstance(statement, ir.ImportFrom) and statement.star:
            yield statement


def _takes(statement: ir.Statement, stem: str, name: str, text: str) -> bool:
    if isinstance(statement, ir.ImportFrom):
        names = {one.name for one in statement.names}
        if statement.module.rpartition(".")[2] == stem and (statement.star or name in names):
            return True
        return stem in names and f".{name}" in text
    if isinstance(statement, ir.Import):
        return any(one.name.rpartition(".")[2] == stem for one in statement.names) and f".{name}" in text
    return False


def _all_statements(body: Sequence[ir.Statement]) -> Iterator[ir.Statement]:
    for statement in scopes.walk_statements(body):
        yield statement
        if isinstance(statement, (ir.FunctionDef, ir.ClassDef)):
            yield from _all_statements(statement.body)


_NOWHERE = Span(0, 0)


def _import_of(name: str, source: Union[Module, Package]) -> Optional[Tuple[ir.ImportFrom, str]]:
    """Returns the import that binds a name in a module, and what it calls the name itself.

    A name that the module binds otherwise as well may be something else.
    """
    found: Optional[Tuple[ir.ImportFrom, str]] = None
    for statement in source.facts.body if isinstance(source, Module) else ():
        for inner in scopes.walk_statements((statement,)):
            if isinstance(inner, ir.ImportFrom):
                taken = [one.name for one in inner.names if (one.alias or one.name) == name]
                if inner.star and found is None:
                    taken = [name]
                found = (inner, taken[0]) if taken else found
        is_import = isinstance(statement, (ir.Import, ir.ImportFrom, ir.Try, ir.If))
        if not is_import and name in scopes.scope_of((statement,)).local:
            return None
    return found
