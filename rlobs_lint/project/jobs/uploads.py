"""What function code imports from folders that the upload leaves out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from rlobs_lint.facts import ir, scopes
from rlobs_lint.files.walking import is_below
from rlobs_lint.model import Span
from rlobs_lint.project.imports import ModuleIndex, Package, origin
from rlobs_lint.project.jobs.classpaths import excluded_part, upload_folder
from rlobs_lint.project.jobs.components import Component

if TYPE_CHECKING:
    from rlobs_lint.facts.module import Module
    from rlobs_lint.project.upload import Upload

_IMPORT_ERRORS = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


class ExcludedImport(NamedTuple):
    """An import of something that is not uploaded.

    Attributes:
        module: The importing module.
        at: The import: the whole statement, or the one name that is left out.
        name: What is imported, dotted.
        part: The folder or file on the way that the upload leaves out.
    """

    module: Module
    at: Span
    name: str
    part: str


def upload_folders(upload: Upload, components: Iterable[Component]) -> Tuple[str, ...]:
    """Returns the absolute paths of the folders that components upload; the workspace without any."""
    folders = [upload_folder(upload, component) for component in components]
    known = tuple(dict.fromkeys(folder for folder in folders if folder is not None))
    return known or (upload.root,)


def excluded_imports(
    upload: Upload, components: Iterable[Component], function_modules: Iterable[Module]
) -> Iterator[ExcludedImport]:
    """Yields the imports of function code that lead to what the upload leaves out.

    An import below `if TYPE_CHECKING:` or in a `try` that catches its failure does no harm, and what an
    excluded module imports in turn is not the mistake.
    """
    folders = upload_folders(upload, components)
    index = ModuleIndex(upload.modules, (*folders, upload.root))
    for module in function_modules:
        if _left_out(module.path, folders) is None:
            for statement in _imports(module.facts.body):
                yield from _judge(statement, module, index, folders)


def _judge(
    statement: Union[ir.Import, ir.ImportFrom], module: Module, index: ModuleIndex, folders: Sequence[str]
) -> Iterator[ExcludedImport]:
    if isinstance(statement, ir.Import):
        for name in statement.names:
            part = _part(index.absolute(name.name, module), folders)
            if part is not None:
                yield ExcludedImport(module, name.at, name.name, part)
        return
    source = origin(statement, module, index)
    spelled = "." * statement.level + statement.module
    part = _part(source, folders)
    if part is not None:
        yield ExcludedImport(module, statement.at, spelled, part)
    elif source is not None:
        for name in statement.names:
            part = _part(index.submodule(source, name.name), folders)
            if part is not None:
                separator = "" if spelled.endswith(".") else "."
                yield ExcludedImport(module, name.at, f"{spelled}{separator}{name.name}", part)


def _part(found: Optional[Union[Module, Package]], folders: Sequence[str]) -> Optional[str]:
    return _left_out(found.path, folders) if found is not None else None


def _left_out(path: str, folders: Sequence[str]) -> Optional[str]:
    """Returns the part of a path that no upload takes along, or `None` where one does."""
    below = [os.path.relpath(path, folder) for folder in folders if is_below(path, folder)]
    parts = [excluded_part(relative.replace(os.sep, "/")) for relative in below]
    return next(iter(parts), None) if None not in parts else None


def _imports(body: Sequence[ir.Statement]) -> Iterator[Union[ir.Import, ir.ImportFrom]]:
    """Yields the imports that must succeed where the code runs."""
    waiting: List[ir.Statement] = list(body)
    while waiting:
        statement = waiting.pop()
        if isinstance(statement, (ir.Import, ir.ImportFrom)):
            yield statement
        elif isinstance(statement, ir.If) and (
            scopes.is_type_checking(statement.test) or scopes.is_main_guard(statement.test)
        ):
            waiting.extend(statement.otherwise)
        elif isinstance(statement, ir.Try) and any(map(_catches_import_error, statement.handlers)):
            waiting.extend((*statement.otherwise, *statement.final))
        elif isinstance(statement, (ir.FunctionDef, ir.ClassDef)):
            waiting.extend(statement.body)
        else:
            for block in scopes.blocks(statement):
                waiting.extend(block)


def _catches_import_error(handler: ir.Handler) -> bool:
    caught = handler.exception
    if caught is None:
        return True
    names = caught.elements if isinstance(caught, ir.Display) else (caught,)
    return any(isinstance(name, ir.Name) and name.identifier in _IMPORT_ERRORS for name in names)
