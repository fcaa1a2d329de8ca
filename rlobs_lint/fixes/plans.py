"""From the plan of a fix to edits: of one finding alone, or of many that fit into one round."""

from __future__ import annotations

from typing import (
    TYPE_CHECKING,
    Dict,
    FrozenSet,
    Iterable,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Tuple,
    Union,
)

from rlobs_lint.files.source import SourceFile
from rlobs_lint.fixes.surroundings import Surroundings
from rlobs_lint.model import Edit, Finding, Text
from rlobs_lint.rulebook.workspace import Workspace

if TYPE_CHECKING:
    from rlobs_lint.codemods._changes import Change
    from rlobs_lint.codemods._file import PythonFile

_UNREADABLE = Text("a file that it changes cannot be read", "要修改的文件无法读取")
_UNENCODABLE = Text("the file's encoding cannot express the new text", "文件的编码无法表示新内容")
_OVERLAP = Text("its changes would overlap", "各处修改会相互重叠")


#: A name in a file: the file's absolute path, and the name.
FileName = Tuple[str, str]


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
            from rlobs_lint.codemods._file import PythonFile

            file = PythonFile(self._workspace.modules[path].source, Surroundings(self._workspace))
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
        for path in dict.fromkeys(target.path or fix.path for target in fix.targets):
            targets = [target for target in fix.targets if (target.path or fix.path) == path]
            try:
                changes[path] = carry_out(self.file(path), targets, taken.get(path, ()))
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
        kept_names: Imported names that stay although nothing uses them any more, each with its file.
    """

    def __init__(self, plans: Plans, kept_names: FrozenSet[FileName] = frozenset()) -> None:
        self._plans = plans
        self._kept_names = kept_names
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

    @property
    def orphans(self) -> FrozenSet[FileName]:
        """Names that it may leave unused, and then takes out of their imports, each with its file."""
        return frozenset(
            (path, name)
            for path, one in self._rounds.items()
            for change in one.changes
            for name in change.orphans
        )

    @property
    def imports(self) -> FrozenSet[FileName]:
        """Names that it imports, as the files call them, each with its file."""
        changes = ((path, change) for path, one in self._rounds.items() for change in one.changes)
        return frozenset((path, new.alias or new.name) for path, change in changes for new in change.imports)

    def _with(self, path: str, change: Change) -> Optional[_Round]:
        """Returns what is done to a file with one change more, or `None` where it does not fit."""
        from rlobs_lint.codemods._changes import CannotFixError
        from rlobs_lint.codemods._merging import put_together

        source = self._plans.source(path)
        known = self._rounds.get(path, _Round((), ()))
        orphans = tuple(name for name in change.orphans if (path, name) not in self._kept_names)
        changes = (*known.changes, change._replace(orphans=orphans))
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
