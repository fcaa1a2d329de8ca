"""From the plan of a fix to edits: of one finding alone, or of many that fit into one round."""

from __future__ import annotations

from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Union,
)

from rlobs_lint import ir
from rlobs_lint.flow import scopes
from rlobs_lint.model import Edit, Finding, Span, Text
from rlobs_lint.resolve import ModuleIndex, Package, origin
from rlobs_lint.source import SourceFile
from rlobs_lint.workspace import Module, Workspace

if TYPE_CHECKING:
    from rlobs_lint.codemods._changes import Change, PythonFile

_UNREADABLE = Text("a file that it changes cannot be read", "要修改的文件无法读取")
_UNENCODABLE = Text("the file's encoding cannot express the new text", "文件的编码无法表示新内容")
_OVERLAP = Text("its changes would overlap", "各处修改会相互重叠")
#: Imports of imports that are followed to the SDK.
_DEEPEST_IMPORT = 8


class FixError(Exception):
    """A fix could not be worked out because of a mistake in the tool."""


class Plans:
    """Makes edits from the fixes of one workspace as it is.

    Args:
        workspace: The workspace.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._files: Dict[str, PythonFile] = {}

    def edits(self, finding: Finding) -> Union[Tuple[Edit, ...], Text]:
        """Returns what fixing one finding alone writes, or why that cannot be done.

        The edits of one file are disjoint and in order.

        Raises:
            FixError: The codemod failed.
        """
        batch = Batch(self)
        reason = batch.add(finding)
        if reason is not None:
            return reason
        return tuple(edit for _, edits in sorted(batch.edits().items()) for edit in edits)

    def source(self, path: str) -> Optional[SourceFile]:
        """Returns a file as it is; `None` where there is none yet.

        Raises:
            CannotFixError: It is there and cannot be read.
        """
        module = self._workspace.modules.get(path)
        if module is not None:
            return module.source
        if not self._workspace.has_file(path):
            return None
        source = self._workspace.yaml_files.get(path) or self._workspace.read(path)
        if isinstance(source, SourceFile):
            return source
        from rlobs_lint.codemods._changes import CannotFixError

        raise CannotFixError(_UNREADABLE)

    def file(self, path: str) -> PythonFile:
        """Returns a Python file for codemods, parsed once however many fixes it has."""
        file = self._files.get(path)
        if file is None:
            from rlobs_lint.codemods._changes import PythonFile

            file = PythonFile(self._workspace.modules[path].source, _Surroundings(self._workspace))
            self._files[path] = file
        return file

    def changes(self, finding: Finding, taken: Mapping[str, Iterable[str]]) -> Dict[str, Change]:
        """Returns what the fix of a finding does to each file.

        Args:
            finding: A finding that has a fix.
            taken: Names that other fixes of the same batch give to values, by path.

        Raises:
            CannotFixError: It cannot be made safely.
            FixError: The codemod failed.
        """
        from rlobs_lint.codemods._base import TargetGoneError, carry_out
        from rlobs_lint.codemods._changes import CannotFixError, Change

        fix = finding.fix
        assert fix is not None
        changes: Dict[str, Change] = {}
        if fix.targets:
            try:
                changes[fix.path] = carry_out(self.file(fix.path), fix.targets, taken.get(fix.path, ()))
            except CannotFixError:
                raise
            except TargetGoneError as error:
                raise FixError(f"{error} has no such place to change") from error
            except Exception as error:
                raise FixError(f"{type(error).__name__}: {error}") from error
        for edit in fix.edits:
            known = changes.get(edit.path, Change(()))
            changes[edit.path] = known._replace(edits=(*known.edits, edit))
        return changes


class _Round(NamedTuple):
    """What a batch does to one file so far."""

    changes: Tuple[Change, ...]
    edits: Tuple[Edit, ...]


class Batch:
    """Fixes that can be made at once: none gets in another's way.

    Args:
        plans: Makes the edits.
    """

    def __init__(self, plans: Plans) -> None:
        self._plans = plans
        self._rounds: Dict[str, _Round] = {}
        self.findings: List[Finding] = []
        #: Findings that have to wait for another batch.
        self.waiting: List[Finding] = []

    def add(self, finding: Finding) -> Optional[Text]:
        """Takes a finding's fix in, or puts it off, or returns why it cannot be made.

        Raises:
            FixError: The codemod failed.
        """
        from rlobs_lint.codemods._changes import CannotFixError

        taken = {
            path: [name for change in one.changes for name in change.names]
            for path, one in self._rounds.items()
        }
        try:
            changes = self._plans.changes(finding, taken)
            rounds = {path: self._with(path, change) for path, change in changes.items()}
        except CannotFixError as error:
            reason: Text = error.reason
            return reason
        if any(one is None for one in rounds.values()):
            if not self.findings:
                return _OVERLAP
            self.waiting.append(finding)
            return None
        self._rounds.update((path, one) for path, one in rounds.items() if one is not None)
        self.findings.append(finding)
        return None

    def edits(self) -> Dict[str, Tuple[Edit, ...]]:
        """Returns the edits of each file, disjoint and in order."""
        return {path: one.edits for path, one in self._rounds.items() if one.edits}

    def _with(self, path: str, change: Change) -> Optional[_Round]:
        """Returns what is done to a file with one change more, or `None` where it does not fit."""
        from rlobs_lint.codemods._changes import CannotFixError, put_together

        source = self._plans.source(path)
        known = self._rounds.get(path, _Round((), ()))
        changes = (*known.changes, change)
        if any(one.moved for one in changes) and any(one.imports for one in changes):
            # A corrected import may be the very one that the other would have extended.
            return None
        file = self._plans.file(path) if any(one.speaks_of_imports for one in changes) else None
        edits = put_together(file, changes)
        if edits is None and any(one.orphans for one in changes):
            edits = put_together(file, [one._replace(orphans=()) for one in changes])
        if source is not None and edits is not None and not _is_encodable(source, edits):
            raise CannotFixError(_UNENCODABLE)
        return None if edits is None else _Round(changes, edits)


def _is_encodable(source: SourceFile, edits: Iterable[Edit]) -> bool:
    try:
        for edit in edits:
            edit.content.encode(source.encoding)
    except UnicodeEncodeError:
        return False
    return True


class _Surroundings:
    """What codemods may ask about the rest of a workspace."""

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
