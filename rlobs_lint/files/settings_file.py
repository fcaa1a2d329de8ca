"""The settings file: reading its table, and checking each key with an error that names it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Callable, Dict, Mapping, NamedTuple, Tuple

from rlobs_lint.files.source import ReadError, read_utf8
from rlobs_lint.model import Text
from rlobs_lint.texts import LANGUAGES, UserError, shown_path

#: A settings file of the tool's own; in the same folder it goes before the other.
SETTINGS_FILE = "rlobs-lint.toml"
PROJECT_FILE = "pyproject.toml"
_TABLE = "rlobs-lint"


class SettingsError(UserError):
    """Settings that cannot be used; the message names the file, the key and what is wrong."""


class _Place(NamedTuple):
    """Where a value stands, for messages."""

    file: str
    key: str


def parse(text: str, file: str) -> Dict[str, Any]:
    """Parses TOML.

    Args:
        text: The TOML.
        file: The file's path, or the option that the text was given with, for messages.

    Raises:
        SettingsError: It is not valid.
    """
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(
            Text("{file}: it is not valid TOML: {reason}", "{file}：不是有效的 TOML：{reason}"),
            file=_shown(file),
            reason=str(error),
        ) from None


def has_table(file: str) -> bool:
    """Whether a `pyproject.toml` has the tool's table.

    Raises:
        SettingsError: The file names the tool, but cannot be read.
    """
    text = _read(file)
    if _TABLE not in text:
        return False
    tool = parse(text, file).get("tool")
    return isinstance(tool, dict) and _TABLE in tool


def read_table(file: str) -> Dict[str, Any]:
    """Returns the keys and values that a settings file sets.

    Raises:
        SettingsError: The file cannot be read, or has no table where one is needed.
    """
    content = parse(_read(file), file)
    if Path(file).name != PROJECT_FILE:
        return content
    tool = content.get("tool")
    table = tool.get(_TABLE) if isinstance(tool, dict) else None
    if not isinstance(table, dict):
        raise SettingsError(
            Text("{file}: it has no table [tool.rlobs-lint]", "{file}：其中没有 [tool.rlobs-lint] 表"),
            file=_shown(file),
        )
    return table


def check_table(table: Mapping[str, Any], file: str) -> Dict[str, Any]:
    """Returns the values of a table by the field of `Settings` that each one sets.

    Args:
        table: What the file says.
        file: Its path, or the option that said it, for messages.

    Raises:
        SettingsError: A key, a code or the type of a value is wrong.
    """
    fields: Dict[str, Any] = {}
    for key, value in table.items():
        if key not in _KEYS:
            import difflib

            nearest = difflib.get_close_matches(key.lower().replace("_", "-"), _KEYS, 1, 0.0)[0]
            raise _unknown(_Place(file, ""), Text("unknown key", "未知的键"), key, nearest)
        field, check = _KEYS[key]
        fields[field] = check(value, _Place(file, key))
    return fields


def _shown(file: str) -> str:
    return file if file.startswith("--") else shown_path(file)


def _read(file: str) -> str:
    source = read_utf8(file)
    if isinstance(source, ReadError):
        reason = Text("{file}: " + source.reason.en, "{file}：" + source.reason.zh)
        raise SettingsError(reason, file=_shown(file), **dict(source.parameters))
    return source.text


# --- checking -------------------------------------------------------------------------------------


def _invalid(place: _Place, expected: Text) -> SettingsError:
    return SettingsError(
        Text("{file}: `{key}` must be " + expected.en, "{file}：`{key}` 必须是" + expected.zh),
        file=_shown(place.file),
        key=place.key,
    )


def _unknown(place: _Place, what: Text, word: str, nearest: str) -> SettingsError:
    return SettingsError(
        Text(
            "{where}: " + what.en + " `{word}`; the nearest known one is `{nearest}`",
            "{where}：" + what.zh + " `{word}`；最接近的是 `{nearest}`",
        ),
        where=": ".join(filter(None, (_shown(place.file), place.key))),
        word=word,
        nearest=nearest,
    )


def _strings(value: Any, place: _Place) -> Tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
        raise _invalid(place, Text("a list of strings", "字符串列表"))
    return tuple(value)


def _selectors(value: Any, place: _Place) -> Tuple[str, ...]:
    selectors = _strings(value, place)
    if selectors:
        from rlobs_lint.files import rule_names

        for selector in selectors:
            try:
                rule_names.resolve_selector(selector)
            except rule_names.UnknownRuleError as unknown:
                # An option has no key beside its own name.
                where = _Place(place.file, "") if place.file.startswith("--") else place
                raise _unknown(where, Text("unknown rule", "未知的规则"), *unknown.args) from None
    return selectors


def _patterns(value: Any, place: _Place) -> Tuple[str, ...]:
    from pathspec import GitIgnoreSpec

    patterns = _strings(value, place)
    for pattern in patterns:
        try:
            GitIgnoreSpec.from_lines([pattern])
        except ValueError:
            raise _invalid(place, Text("a list of gitignore patterns", "gitignore 风格的模式列表")) from None
    return patterns


def _per_file_ignores(value: Any, place: _Place) -> Tuple[Tuple[str, Tuple[str, ...]], ...]:
    if not isinstance(value, dict):
        raise _invalid(place, Text("a table of patterns and codes", "由模式和规则代码组成的表"))
    _patterns(list(value), place)
    return tuple(
        (pattern, _selectors(codes, _Place(place.file, f"{place.key}.{pattern}")))
        for pattern, codes in value.items()
    )


def _count(value: Any, place: _Place) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise _invalid(place, Text("a whole number from 1", "不小于 1 的整数"))
    return value


def _flag(value: Any, place: _Place) -> bool:
    if not isinstance(value, bool):
        raise _invalid(place, Text("true or false", " true 或 false"))
    return value


def _string(value: Any, place: _Place) -> str:
    if not isinstance(value, str):
        raise _invalid(place, Text("a string", "字符串"))
    return value


def _language(value: Any, place: _Place) -> str:
    if value not in LANGUAGES:
        raise _invalid(place, Text('"en" or "zh"', ' "en" 或 "zh"'))
    return str(value)


def _pins(value: Any, place: _Place) -> Dict[str, str]:
    from packaging.utils import canonicalize_name
    from packaging.version import InvalidVersion, Version

    try:
        return {canonicalize_name(name): str(Version(version)) and version for name, version in value.items()}
    except (AttributeError, InvalidVersion, TypeError):
        raise _invalid(
            place, Text("a table of package names and exact versions", "由包名和确切版本组成的表")
        ) from None


_KEYS: Mapping[str, Tuple[str, Callable[[Any, _Place], Any]]] = {
    "select": ("select", _selectors),
    "extend-select": ("extend_select", _selectors),
    "ignore": ("ignore", _selectors),
    "exclude": ("exclude", _patterns),
    "extend-exclude": ("extend_exclude", _patterns),
    "per-file-ignores": ("per_file_ignores", _per_file_ignores),
    "max-metrics": ("max_metrics", _count),
    "id-names": ("id_names", _strings),
    "llm-clients": ("llm_clients", _strings),
    "pins": ("pins", _pins),
    "lang": ("language", _language),
    "baseline": ("baseline", _string),
    "respect-gitignore": ("respect_gitignore", _flag),
    "fixable": ("fixable", _selectors),
    "unfixable": ("unfixable", _selectors),
    "extend-safe-fixes": ("extend_safe_fixes", _selectors),
    "extend-unsafe-fixes": ("extend_unsafe_fixes", _selectors),
}
#: The field of `Settings` that each key sets.
FIELDS: Mapping[str, str] = {key: field for key, (field, _) in _KEYS.items()}
