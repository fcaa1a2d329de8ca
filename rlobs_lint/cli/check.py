"""The check command: from its options to findings, written files, printed text and an exit status."""

from __future__ import annotations

import json
import os
import sys
from typing import (
    TYPE_CHECKING,
    Dict,
    FrozenSet,
    Iterable,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
)

from rlobs_lint.checking.baseline import renew_baseline, stale_entries
from rlobs_lint.checking.checked import Checked
from rlobs_lint.checking.engine import Engine
from rlobs_lint.checking.shared_files import check_all, without_repeats
from rlobs_lint.cli.progress import shown_on
from rlobs_lint.cli.request import STANDARD_INPUT, Options
from rlobs_lint.facts.deep_stack import with_deep_stack
from rlobs_lint.files.finding_files import MISSING, Discovery, Finder
from rlobs_lint.files.settings import SettingsReader
from rlobs_lint.files.settings_file import FIELDS
from rlobs_lint.model import Finding, Scalar, Text
from rlobs_lint.report import NEED_EDITS, READ_BY_PEOPLE, render, render_statistics
from rlobs_lint.report.outcome import Outcome
from rlobs_lint.texts import UserError, fill, language_of, printable, shown_path

if TYPE_CHECKING:
    from rlobs_lint.fixes.fix import Fixed

CLEAN, FOUND, FAILED = 0, 1, 2

_UNSUPPORTED = Text(
    "{path}: not linted, since it is no Python, requirements, YAML or JSON Lines file",
    "{path}：未检查，因为它不是 Python、依赖、YAML 或 JSON Lines 文件",
)
_CRASHED = Text(
    "{code} failed, which is a mistake of rlobs-lint; please report it: {reason}",
    "{code} 运行出错，这是 rlobs-lint 的缺陷，请反馈：{reason}",
)
_KEPT_BACK = Text(
    "{path}: left as it was, since the fixes of {codes} did not pass the check before writing: {reason}",
    "{path}：保持原样，因为 {codes} 的修复未通过写入前的检查：{reason}",
)
_UNWRITTEN = Text("{path}: left as it was: ", "{path}：保持原样：")
_BASELINE_WRITTEN = Text("Findings written to {path}: {count}.", "已将 {count} 个问题写入 {path}。")
_STALE = Text(
    "{path}: entries that match nothing any more: {count}; renew it with `--write-baseline`",
    "{path}：{count} 个条目已不再对应任何问题；请用 `--write-baseline` 更新",
)
_NOTHING = Text("there is nothing to lint here", "这里没有可以检查的文件")
_LEFT_OUT: Mapping[str, Text] = {
    "exclude": Text("{count} left out by `exclude`", "{count} 项被 `exclude` 排除"),
    "gitignore": Text("{count} ignored by git", "{count} 项被 git 忽略"),
    "hidden": Text("{count} hidden", "{count} 项为隐藏文件夹"),
    "environment": Text("{count} a virtual environment", "{count} 项为虚拟环境"),
    "link": Text("{count} a link out of the workspace", "{count} 项为指向工作区之外的链接"),
}


class Finished(NamedTuple):
    """What is to be printed and written when all is known.

    Attributes:
        status: The exit status.
        output: For standard output.
        notes: For standard error.
        files: Further outputs, by path.
    """

    status: int
    output: bytes
    notes: bytes
    files: Tuple[Tuple[str, bytes], ...]


class Check:
    """One run of the check command.

    Args:
        options: What the user asked for.
        environment: Environment variables.
        stdin: What standard input holds, where that is to be linted.
    """

    def __init__(self, options: Options, environment: Mapping[str, str], stdin: bytes = b"") -> None:
        self._options = options
        self._stdin = stdin
        self._directory = os.getcwd()
        self._language = options.language or language_of(environment)
        self._is_language_set = bool(options.language or environment.get("RLOBS_LANG"))
        self._errors: List[UserError] = []
        self._notes: List[str] = []
        self._fixed: List[Finding] = []
        self.engine = Engine(
            jobs=options.jobs,
            use_cache=options.use_cache,
            cache_directory=options.cache_directory,
            ignore_suppressions=options.ignore_suppressions,
            use_baseline=options.write_baseline is None,
        )

    def run(self) -> Finished:
        """Checks, fixes where that was asked for, and says what is to be printed.

        Files are written by the thread that calls, which is where an interrupt arrives.

        Raises:
            UserError: Something has to be mended before the tool can do its job.
            KeyboardInterrupt: The user interrupted it.
        """
        found = self.discover()
        count = sum(len(files.python) for files in found.workspaces)
        with shown_on(sys.stderr, count, self._language):
            every = with_deep_stack(lambda: check_all(self.engine, found.workspaces, self._overlay()))
        checked = without_repeats(every)
        self._note_emptiness(found, checked)
        if self._options.write_baseline is not None:
            if found.missing and not found.workspaces:
                return Finished(FAILED, b"", self._complaints(), ())
            return self._finish_baseline(self._options.write_baseline, every)
        self._note_stale_entries(checked)
        if self._options.diff:
            return self._finish_diff(self._fix(every))
        replaced: Optional[bytes] = None
        if self._options.fix:
            results = self._fix(every)
            if self._stand_in is not None:
                replaced = self._fixed_input(results)
                checked = tuple(result.checked for result in results)
            else:
                checked = self._write(results)
        return self._finish(checked, replaced)

    def discover(self) -> Discovery:
        """Finds the workspaces that are named, and notes what cannot be linted.

        Raises:
            SettingsError: Settings cannot be used.
        """
        paths = self._options.paths or ("functions" if os.path.isdir("functions") else ".",)
        if self._stand_in is not None:
            paths = (self._stand_in,)
        finder = Finder(SettingsReader(self._options.overrides), self._options.force_exclude)
        found = finder.discover(paths, frozenset(self._overlay()))
        chosen = [
            files.settings.language for files in found.workspaces if files.settings.language is not None
        ]
        if chosen and not self._is_language_set:
            self._language = chosen[0]
        self._errors += [UserError(MISSING, path=path) for path in found.missing]
        self._notes += [self._say(_UNSUPPORTED, path=self._shown(path)) for path in found.unsupported]
        return found

    def show(self, settings: bool) -> Finished:
        """Says what is checked, or which settings hold; no file is checked.

        Raises:
            SettingsError: Settings cannot be used.
        """
        text = self._show_settings() if settings else self._show_files()
        status = FAILED if self._errors else CLEAN
        return Finished(status, text.encode("utf-8", "backslashreplace"), self._complaints(), ())

    def _show_files(self) -> str:
        """Returns the paths of the files that are checked and reported on, one a line."""
        found = self.discover()
        lines: Set[str] = set()
        for files in found.workspaces:
            workspace = self.engine.load(files, self._overlay())
            paths = Checked(files, workspace, (), ()).reported_files
            lines.update(printable(self._shown(path)) for path in paths)
        return "".join(f"{line}\n" for line in sorted(lines))

    def _show_settings(self) -> str:
        """Returns the settings of each workspace, as TOML."""
        blocks = []
        for files in self.discover().workspaces:
            values = ((key, getattr(files.settings, field)) for key, field in FIELDS.items())
            lines = [f"{key} = {_toml(value)}\n" for key, value in values if value is not None]
            blocks.append(f"# {printable(self._shown(files.root))}\n{''.join(lines)}")
        return "\n".join(blocks)

    # --- fixes ----------------------------------------------------------------------------------

    def _fix(self, checked: Sequence[Checked]) -> Tuple[Fixed, ...]:
        from rlobs_lint.fixes import fix

        unsafe = self._options.unsafe_fixes
        results = with_deep_stack(lambda: fix.fix_all(self.engine, checked, unsafe=unsafe))
        for result in results:
            for kept in result.kept_back:
                path, codes = self._shown(kept.path), ", ".join(kept.codes)
                self._errors.append(UserError(_KEPT_BACK, path=path, codes=codes, reason=kept.reason))
        return results

    def _write(self, results: Sequence[Fixed]) -> Tuple[Checked, ...]:
        unwritten: Set[str] = set()
        for result in results:
            unwritten.update(self._write_files(result))
        findings = (finding for result in results for finding in result.findings)
        self._fixed += [finding for finding in findings if not unwritten & _paths(finding)]
        if not unwritten:
            return tuple(result.checked for result in results)
        # What could not be written is found again.
        files = [result.checked.files for result in results]
        return without_repeats(with_deep_stack(lambda: check_all(self.engine, files)))

    def _write_files(self, result: Fixed) -> Iterator[str]:
        """Writes the files of a workspace; yields the paths of those that were left as they were."""
        from rlobs_lint.fixes.write import write

        together = [_paths(finding) for finding in result.findings if len(_paths(finding)) > 1]
        written = write(result.files, result.checked.files.root, together)
        for file in written.unwritten:
            text = Text(_UNWRITTEN.en + file.reason.en, _UNWRITTEN.zh + file.reason.zh)
            self._errors.append(UserError(text, path=self._shown(file.path), **dict(file.parameters)))
            yield file.path
        if written.interrupted is not None:
            raise KeyboardInterrupt

    def _fixed_input(self, results: Sequence[Fixed]) -> bytes:
        self._fixed += [finding for result in results for finding in result.findings]
        path = os.path.abspath(self._stand_in or "")
        changed = {file.path: file.data for result in results for file in result.files}
        return changed.get(path, self._stdin)

    def _finish_diff(self, results: Sequence[Fixed]) -> Finished:
        from rlobs_lint.fixes.write import unified_diff

        changes = [unified_diff(file, self._shown(file.path)) for result in results for file in result.files]
        self._errors += _crashes(result.checked for result in results)
        status = FAILED if self._errors else FOUND if changes and not self._options.exit_zero else CLEAN
        return Finished(status, b"".join(changes), self._complaints(), ())

    # --- baseline -------------------------------------------------------------------------------

    def _finish_baseline(self, file: str, checked: Sequence[Checked]) -> Finished:
        # Each workspace tells its findings apart by itself: what several find goes in by all their names.
        renew_baseline(file, checked)
        count = sum(len(one.findings) for one in without_repeats(checked))
        said = self._say(_BASELINE_WRITTEN, count=count, path=self._shown(file))
        self._errors += _crashes(checked)
        output = "" if self._options.quiet else f"{said}\n"
        return Finished(FAILED if self._errors else CLEAN, output.encode("utf-8"), self._complaints(), ())

    def _note_stale_entries(self, checked: Sequence[Checked]) -> None:
        for file, count in stale_entries(checked).items():
            if count:
                self._notes.append(self._say(_STALE, count=count, path=self._shown(file)))

    # --- output ---------------------------------------------------------------------------------

    def _finish(self, checked: Tuple[Checked, ...], replaced: Optional[bytes]) -> Finished:
        self._errors += _crashes(checked)
        options = self._options
        outputs = [(options.format_name, ""), *options.output_files]
        taken = {name for name, path in options.output_files if path}
        texts = [(path, self._render(name, checked)) for name, path in outputs if path or name not in taken]
        printed = b"".join(text for path, text in texts if not path)
        files = tuple((path, text) for path, text in texts if path)
        notes = self._complaints()
        if replaced is not None:
            printed, notes = replaced, printed + notes
        return Finished(self._status(checked), printed, notes, files)

    def _status(self, checked: Sequence[Checked]) -> int:
        if self._errors:
            return FAILED
        found = any(one.findings for one in checked) and not self._options.exit_zero
        return FOUND if found or (self._fixed and self._options.exit_non_zero_on_fix) else CLEAN

    def _render(self, name: str, checked: Tuple[Checked, ...]) -> bytes:
        options = self._options
        # What machines read does not depend on the environment of the machine.
        language = self._language if name in READ_BY_PEOPLE or options.language else "en"

        def work() -> str:
            shown = checked
            if name in NEED_EDITS:
                from rlobs_lint.fixes.remembered import with_edits

                folder = self.engine.cache_folder
                shown = tuple(with_edits(self.engine, one, folder(one.files.root)) for one in checked)
            outcome = Outcome(
                shown,
                language,
                self._directory,
                fixed=tuple(self._fixed),
                unsafe_fixes=options.unsafe_fixes,
                show_fixes=options.show_fixes,
                colour=options.colour,
                quiet=options.quiet,
                errors=tuple(error.message(language) for error in self._errors),
            )
            return render_statistics(name, outcome) if options.statistics else render(name, outcome)

        return with_deep_stack(work).encode("utf-8", "backslashreplace")

    def _complaints(self) -> bytes:
        notes = [] if self._options.quiet else self._notes
        lines = [
            f"rlobs-lint: {line}\n"
            for line in (*notes, *(one.message(self._language) for one in self._errors))
        ]
        return "".join(lines).encode("utf-8", "backslashreplace")

    def _note_emptiness(self, found: Discovery, checked: Sequence[Checked]) -> None:
        if not found.missing and not any(one.file_count for one in checked):
            reasons = [self._say(_LEFT_OUT[name], count=count) for name, count in found.left_out.items()]
            sentence = self._say(_NOTHING)
            self._notes.append(f"{sentence} ({', '.join(reasons)})" if reasons else sentence)

    # --- small things ---------------------------------------------------------------------------

    @property
    def _stand_in(self) -> Optional[str]:
        """The path of the file whose content is given on standard input, as written."""
        return self._options.stdin_filename or "stdin.py" if STANDARD_INPUT in self._options.paths else None

    def _overlay(self) -> Dict[str, bytes]:
        return {} if self._stand_in is None else {os.path.abspath(self._stand_in): self._stdin}

    def _shown(self, path: str) -> str:
        return shown_path(path, self._directory)

    def _say(self, text: Text, **parameters: Scalar) -> str:
        return fill(text, tuple(parameters.items()), self._language)


def _paths(finding: Finding) -> FrozenSet[str]:
    """Returns the paths of the files that a finding's fix changes."""
    return finding.fix.paths if finding.fix is not None else frozenset()


def _crashes(checked: Iterable[Checked]) -> List[UserError]:
    crashes = dict.fromkeys(crash for one in checked for crash in one.crashes)
    return [UserError(_CRASHED, code=crash.code, reason=crash.reason) for crash in crashes]


def _toml(value: object) -> str:
    """Returns a value of the settings as TOML; strings and lists are written as in JSON."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return _toml(dict(value))
    return json.dumps(value, ensure_ascii=False)
