"""Settings: their defaults, and reading and checking them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, FrozenSet, Mapping, NamedTuple, Optional, Tuple

from rlobs_lint import sdk
from rlobs_lint.files import rule_names
from rlobs_lint.files.settings_file import (
    PROJECT_FILE,
    SETTINGS_FILE,
    check_table,
    has_table,
    parse,
    read_table,
)

#: How long a rule's code is (characters).
_CODE_LENGTH = len("RLO") + 3
#: Skipped unless the settings say otherwise. Not `build` or `dist`: people keep code there.
DEFAULT_EXCLUDE = (
    ".git",
    ".hg",
    ".svn",
    ".venv",
    "venv",
    "node_modules",
    "__pycache__",
    ".tox",
    ".nox",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    ".rlobs_cache",
    "*.egg-info",
)


class Settings(NamedTuple):
    """What a `[tool.rlobs-lint]` table can say, with its defaults.

    Attributes:
        directory: Absolute path of the folder that the patterns are relative to.
        select: Codes, prefixes or names to run; `None` runs all.
        extend_select: Further ones.
        ignore: Ones to leave out.
        exclude: Patterns of files and folders to skip, in the style of gitignore.
        extend_exclude: Further patterns.
        per_file_ignores: Codes, prefixes or names left out for the files of a pattern.
        max_metrics: The number of metrics from which RLO404 speaks is one more than this.
        id_names: Words that RLO403 takes for identifiers.
        llm_clients: Further LLM client constructors, as dotted names (`company.llm.Client`).
        pins: The documented requirements, by distribution name: exact versions.
        language: `en`, `zh`, or `None` for what the environment says.
        baseline: Absolute path of the baseline file, or `None`.
        respect_gitignore: Whether walking leaves out what git ignores.
        fixable: Rules whose fixes may be applied; `None` for all.
        unfixable: Rules whose fixes are never applied.
        extend_safe_fixes: Rules whose unsafe fixes count as safe.
        extend_unsafe_fixes: Rules whose safe fixes count as unsafe.
    """

    directory: str
    select: Optional[Tuple[str, ...]] = None
    extend_select: Tuple[str, ...] = ()
    ignore: Tuple[str, ...] = ()
    exclude: Tuple[str, ...] = DEFAULT_EXCLUDE
    extend_exclude: Tuple[str, ...] = ()
    per_file_ignores: Tuple[Tuple[str, Tuple[str, ...]], ...] = ()
    max_metrics: int = 10
    id_names: Tuple[str, ...] = sdk.ID_NAMES
    llm_clients: Tuple[str, ...] = ()
    pins: Mapping[str, str] = sdk.PINS
    language: Optional[str] = None
    baseline: Optional[str] = None
    respect_gitignore: bool = True
    fixable: Optional[Tuple[str, ...]] = None
    unfixable: Tuple[str, ...] = ()
    extend_safe_fixes: Tuple[str, ...] = ()
    extend_unsafe_fixes: Tuple[str, ...] = ()


class Overrides(NamedTuple):
    """What the command line says about settings.

    Attributes:
        file: Absolute path of the one settings file to use, or `None` to search.
        values: Pieces of TOML (`max-metrics = 5`), checked as a settings file is.
        isolated: Whether settings files are left unread.
        select: In the place of everything that the settings select or ignore.
        extend_select: Added to the setting.
        ignore: Added to the setting.
        respect_gitignore: In the place of the setting.
        baseline: Absolute path, in the place of the setting.
    """

    file: Optional[str] = None
    values: Tuple[str, ...] = ()
    isolated: bool = False
    select: Optional[Tuple[str, ...]] = None
    extend_select: Tuple[str, ...] = ()
    ignore: Tuple[str, ...] = ()
    respect_gitignore: Optional[bool] = None
    baseline: Optional[str] = None


class SettingsReader:
    """Finds, reads and checks the settings of workspaces, each file once.

    Args:
        overrides: What the command line says.

    Raises:
        SettingsError: An override cannot be used.
    """

    def __init__(self, overrides: Overrides = Overrides()) -> None:  # noqa: B008 - immutable
        self._overrides = overrides
        self._by_file: Dict[str, Settings] = {}
        self._by_folder: Dict[str, Settings] = {}
        for option in ("select", "extend_select", "ignore"):
            check_table(
                {option.replace("_", "-"): getattr(overrides, option) or ()}, "--" + option.replace("_", "-")
            )

    def settings_of(self, folder: str) -> Settings:
        """Returns the settings that hold for the workspace at an absolute path.

        Raises:
            SettingsError: A settings file or an override cannot be used.
        """
        settings = self._by_folder.get(folder)
        if settings is None:
            file = self._overrides.file
            if file is None and not self._overrides.isolated:
                file = find_settings(folder)
            base = Settings(folder) if file is None else self._read(file)
            settings = self._by_folder[folder] = self._override(base)
        return settings

    def _read(self, file: str) -> Settings:
        if file not in self._by_file:
            settings = Settings(str(Path(file).parent))
            self._by_file[file] = _merge(settings, read_table(file), file)
        return self._by_file[file]

    def _override(self, settings: Settings) -> Settings:
        given = self._overrides
        for piece in given.values:
            settings = _merge(settings, parse(piece, "--config"), "--config")
        if given.select is not None:
            settings = settings._replace(select=given.select, extend_select=(), ignore=())
        if given.respect_gitignore is not None:
            settings = settings._replace(respect_gitignore=given.respect_gitignore)
        if given.baseline is not None:
            settings = settings._replace(baseline=given.baseline)
        return settings._replace(
            extend_select=settings.extend_select + given.extend_select, ignore=settings.ignore + given.ignore
        )


def find_settings(folder: str) -> Optional[str]:
    """Returns the nearest settings file at or above a folder, but not above a `.git`, or `None`.

    A `pyproject.toml` counts only where it has the table.

    Args:
        folder: Absolute path.
    """
    for place in (Path(folder), *Path(folder).parents):
        own, project = place / SETTINGS_FILE, place / PROJECT_FILE
        if own.is_file():
            return str(own)
        if project.is_file() and has_table(str(project)):
            return str(project)
        if (place / ".git").exists():
            break
    return None


def selected_codes(settings: Settings) -> FrozenSet[str]:
    """Returns the codes of the rules that run under the settings.

    The most specific selector of a rule decides: `select = ["RLO101"]` holds against
    `ignore = ["RLO1"]`. Of equally specific ones `ignore` does.
    """
    decided: Dict[str, Tuple[int, bool]] = {}
    selects = (("ALL",) if settings.select is None else settings.select) + settings.extend_select
    for ignored, selectors in ((False, selects), (True, settings.ignore)):
        for selector in selectors:
            for code in rule_names.resolve_selector(selector):
                decided[code] = max(decided.get(code, (-1, False)), (_specificity(selector), ignored))
    return frozenset(code for code, (_, ignored) in decided.items() if not ignored)


def _specificity(selector: str) -> int:
    wanted = selector.strip().upper()
    if wanted == "ALL":
        return 0
    # `RLO`, `RLO4`, `RLO40`, `RLO401`; a name stands for one rule, as a whole code does.
    return min(len(wanted), _CODE_LENGTH) if wanted.startswith("RLO") else _CODE_LENGTH


def _merge(settings: Settings, table: Mapping[str, Any], file: str) -> Settings:
    changed = check_table(table, file)
    for field, value in changed.items():
        if field.startswith("extend_"):
            changed[field] = getattr(settings, field) + value
        elif field == "baseline":
            changed[field] = str(Path(settings.directory, value))
    return settings._replace(**changed)
