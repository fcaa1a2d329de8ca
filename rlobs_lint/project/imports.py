"""Finds the file that an import statement names, by the rules of Python's import system."""

from __future__ import annotations

import os
from typing import FrozenSet, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple, Union

from rlobs_lint.facts import ir, scopes
from rlobs_lint.facts.module import Module


class Package(NamedTuple):
    """A folder without `__init__.py` that holds modules: a namespace package."""

    path: str


class ModuleIndex:
    """The modules of a workspace by where they lie.

    Args:
        modules: All modules by absolute path.
        roots: Folders that absolute imports start from, the most important first: the workspace, and
            the folders that components are zipped from.
    """

    def __init__(self, modules: Mapping[str, Module], roots: Sequence[str]) -> None:
        self._modules = modules
        self._roots = tuple(roots)
        folders: Set[str] = set()
        for path in modules:
            folder = os.path.dirname(path)
            while folder not in folders and len(folder) > 1:
                folders.add(folder)
                folder = os.path.dirname(folder)
        self._folders: FrozenSet[str] = frozenset(folders)

    def absolute(self, dotted: str, importer: Module) -> Optional[Union[Module, Package]]:
        """Returns what `import dotted` finds in the workspace.

        A file that changes `sys.path` is taken to import its neighbours, too.
        """
        roots = list(self._roots)
        if _changes_path(importer):
            folder = os.path.dirname(importer.path)
            roots += [folder, os.path.dirname(folder)]
        for root in roots:
            found = self._below(root, dotted)
            if found is not None:
                return found
        return self._in_named_folder(dotted, importer) if _changes_path(importer) else None

    def _in_named_folder(self, dotted: str, importer: Module) -> Optional[Union[Module, Package]]:
        """Returns the one module of a name in a folder that a file which changes `sys.path` mentions."""
        named = [folder for folder in self._folders if os.path.basename(folder) in importer.source.text]
        found = {
            module.path: module
            for folder in named
            for module in (self._below(folder, dotted),)
            if isinstance(module, Module)
        }
        return next(iter(found.values())) if len(found) == 1 else None

    def relative(self, level: int, dotted: str, importer: Module) -> Optional[Union[Module, Package]]:
        """Returns what `from ...dotted import` finds, with `level` dots."""
        folder = os.path.dirname(importer.path)
        for _ in range(level - 1):
            folder = os.path.dirname(folder)
        return self._below(folder, dotted)

    def packages_around(self, module: Module) -> Tuple[Module, ...]:
        """Returns the `__init__.py` files that Python runs before a module, the outermost first."""
        found: List[Module] = []
        folder = os.path.dirname(module.path)
        while folder not in self._roots and len(folder) > 1:
            package = self._modules.get(os.path.join(folder, "__init__.py"))
            if package is None:
                break
            if package is not module:
                found.append(package)
            folder = os.path.dirname(folder)
        return tuple(reversed(found))

    def submodule(self, parent: Union[Module, Package], name: str) -> Optional[Union[Module, Package]]:
        """Returns the module called `name` inside a package."""
        if isinstance(parent, Module):
            if os.path.basename(parent.path) != "__init__.py":
                return None
            return self._below(os.path.dirname(parent.path), name)
        return self._below(parent.path, name)

    def _below(self, folder: str, dotted: str) -> Optional[Union[Module, Package]]:
        base = os.path.join(folder, *dotted.split(".")) if dotted else folder
        for path in (os.path.join(base, "__init__.py"), base + ".py"):
            module = self._modules.get(path)
            if module is not None:
                return module
        return Package(base) if base in self._folders and base not in self._roots else None


def _changes_path(module: Module) -> bool:
    return "sys.path" in module.source.text


def imported_modules(module: Module, index: ModuleIndex) -> Iterator[Module]:
    """Yields the workspace modules that a module imports at run time, anywhere in its code.

    Imports below `if TYPE_CHECKING:` and `if __name__ == "__main__":` do not count.
    """
    for statement in _run_time_statements(module.facts.body):
        found: List[Optional[Union[Module, Package]]] = []
        if isinstance(statement, ir.Import):
            for name in statement.names:
                parts = name.name.split(".")
                found += [index.absolute(".".join(parts[:end]), module) for end in range(1, len(parts) + 1)]
        elif isinstance(statement, ir.ImportFrom):
            source = origin(statement, module, index)
            if not statement.level:
                parts = statement.module.split(".")
                found += [index.absolute(".".join(parts[:end]), module) for end in range(1, len(parts))]
            found.append(source)
            if source is not None:
                found += [index.submodule(source, name.name) for name in statement.names]
        for target in found:
            if isinstance(target, Module):
                yield target


def origin(statement: ir.ImportFrom, module: Module, index: ModuleIndex) -> Optional[Union[Module, Package]]:
    """Returns the workspace module or package that a `from` import takes names from."""
    if statement.level:
        return index.relative(statement.level, statement.module, module)
    return index.absolute(statement.module, module)


def _run_time_statements(body: Sequence[ir.Statement]) -> Iterator[ir.Statement]:
    stack: List[ir.Statement] = list(reversed(body))
    while stack:
        statement = stack.pop()
        yield statement
        if isinstance(statement, ir.If):
            guarded = scopes.is_type_checking(statement.test) or scopes.is_main_guard(statement.test)
            inner = statement.otherwise if guarded else (*statement.body, *statement.otherwise)
            stack.extend(reversed(inner))
        elif isinstance(statement, (ir.FunctionDef, ir.ClassDef)):
            stack.extend(reversed(statement.body))
        else:
            for block in reversed(scopes.blocks(statement)):
                stack.extend(reversed(block))
