"""What a component's `classpath` leads to, read as the SDK reads it.

Measured with dashscope 2.0.2: both `package.module.Class` and `path/to/module.py:Class` name a file below
`zipdir`, which must exist when the function is registered; the server then imports that file as a module
of dotted folders and takes the class from it, whether defined or imported there. A package is never
looked into, and a missing `__init__.py` does no harm.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple, Optional, Union

from rlobs_lint import sdk
from rlobs_lint.files.walking import is_below
from rlobs_lint.project.jobs.components import Component

if TYPE_CHECKING:
    from rlobs_lint.facts.module import Module
    from rlobs_lint.project.upload import Upload


class Classpath(NamedTuple):
    """A classpath, taken apart.

    Attributes:
        file: The file below `zipdir`, with `/`.
        class_name: What is taken from it.
    """

    file: str
    class_name: str


class ResolvedClasspath(NamedTuple):
    """What a classpath leads to.

    Attributes:
        file: The file that the SDK looks for, relative to the workspace, with `/`.
        class_name: What is taken from it.
        module: The module, where it is there and could be read.
        problem: Why there is no class to look for: `form`, `outside`, `missing` (no such file),
            `package` (no such file, but a folder of modules), `dotted` (a folder or file whose name has a
            dot cannot be imported), `nested` (no plain class name).
        excluded: The folder or file on the way that the upload leaves out, or `None`.
    """

    file: str
    class_name: str
    module: Optional[Module] = None
    problem: Optional[str] = None
    excluded: Optional[str] = None


def parse_classpath(text: str) -> Optional[Classpath]:
    """Takes a classpath apart; returns `None` for one that the SDK refuses by its form."""
    text = text.strip()
    if ":" in text:
        file, class_name = (part.strip() for part in text.split(":", 1))
        if not file or not class_name or ":" in class_name:
            return None
        file = file if file.endswith(".py") else file + ".py"
    else:
        module, dot, class_name = text.rpartition(".")
        if not dot:
            return None
        file = module.replace(".", "/") + ".py"
    return Classpath(file.replace("\\", "/"), class_name)


def upload_folder(upload: Upload, component: Component) -> Optional[str]:
    """Returns the absolute path of a component's `zipdir`, or `None` where it cannot be told.

    A folder outside the workspace cannot be told: its files are not known.
    """
    given = component.zipdir
    if given is not None and given.text is None:
        return None
    name = given.text if given is not None else None
    folder = os.path.normpath(Path(upload.root, name or "./"))
    return folder if is_below(folder, upload.root) else None


def excluded_part(relative: str) -> Optional[str]:
    """Returns the first folder or file of a path that the upload leaves out, or `None`.

    Args:
        relative: A path below the uploaded folder, with `/`.
    """
    parts = PurePosixPath(relative).parts
    return next((part for part in parts if part in sdk.UPLOAD_EXCLUDED_NAMES), None)


def resolve_classpath(upload: Upload, component: Component) -> Optional[ResolvedClasspath]:
    """Returns what a component's classpath leads to, or `None` where that cannot be told."""
    given, folder = component.classpath, upload_folder(upload, component)
    text = "" if given is not None and given.kind == "null" else given.text if given is not None else None
    if text is None or folder is None:
        return None
    classpath = parse_classpath(text)
    if classpath is None:
        return ResolvedClasspath(text, "", problem="form")
    path = os.path.normpath(Path(folder, classpath.file))
    shown = os.path.relpath(path, upload.root).replace(os.sep, "/")
    target = ResolvedClasspath(shown, classpath.class_name)
    if not is_below(path, folder) or PurePosixPath(classpath.file).is_absolute():
        return target._replace(file=classpath.file, problem="outside")
    inside = os.path.relpath(path, folder).replace(os.sep, "/")
    target = target._replace(excluded=excluded_part(inside))
    found = _module(upload, path)
    if isinstance(found, str):
        return target._replace(problem=found)
    if "." in inside[: -len(".py")]:
        return target._replace(problem="dotted")
    if not classpath.class_name.isidentifier():
        return target._replace(problem="nested")
    return target._replace(module=found) if found is not None or target.excluded is not None else None


def _module(upload: Upload, path: str) -> Optional[Union[Module, str]]:
    """Returns the module of a path, why there is none, or `None` for a file that was not read."""
    module = upload.modules.get(path)
    if module is not None:
        return module
    if upload.has_file(path):
        return None
    folder = path[: -len(".py")]
    return "package" if any(is_below(other, folder) for other in upload.modules) else "missing"
