"""Settings: their defaults, and reading and checking them."""

from __future__ import annotations

from typing import Mapping, NamedTuple, Optional, Tuple

from rlobs_lint import sdk

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
