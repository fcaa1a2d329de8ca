"""The options of the check command, and what they, the environment and the defaults come to."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, List, Mapping, Optional, Sequence, Tuple

import click

from rlobs_lint.cli.help import Choice, Count, Option
from rlobs_lint.model import Text
from rlobs_lint.report import FORMATS
from rlobs_lint.texts import LANGUAGES, UserError

if TYPE_CHECKING:
    from rlobs_lint.cli.request import Options
    from rlobs_lint.files.settings import Overrides

_TRUE_WORDS = frozenset({"1", "true", "yes", "on"})
_FALSE_WORDS = frozenset({"0", "false", "no", "off"})

_NOT_A_FORMAT = Text(
    "{variable}: `{value}` is none of {choices}", "{variable}：`{value}` 不在 {choices} 之中"
)
_NOT_A_SWITCH = Text(
    "{variable}: `{value}` is neither true nor false", "{variable}：`{value}` 既不是 true 也不是 false"
)
_NO_CONFIG = Text("--config: there is no file `{value}`", "--config：没有文件 `{value}`")
_TWO_CONFIGS = Text("--config: only one settings file can be used", "--config：只能使用一个设置文件")
_INPUT_ALONE = Text("`-` cannot be combined with other paths", "`-` 不能与其他路径同时使用")
_NO_INPUT = Text("`--stdin-filename` needs the path `-`", "`--stdin-filename` 需要与路径 `-` 一起使用")


def _flag(*names: str, en: str, zh: str) -> Option:
    return Option(names, is_flag=True, text=Text(en, zh))


def _value(*names: str, en: str, zh: str, **parameters: Any) -> Option:
    return Option(names, text=Text(en, zh), **parameters)


LANGUAGE: Option = _value("--lang", type=Choice(LANGUAGES), en="Language of the output.", zh="输出语言。")

CHECK: Sequence[click.Parameter] = (
    click.Argument(["paths"], nargs=-1, metavar="[PATH]...", type=click.Path()),
    _flag("--fix", en="Apply safe fixes.", zh="应用安全的修复。"),
    _flag("--unsafe-fixes", en="Let unsafe fixes count, too.", zh="同时包括不安全的修复。"),
    _flag("--diff", en="Print what fixes would change; write nothing.", zh="只打印修复内容，不写入文件。"),
    _flag("--show-fixes", en="List what was fixed.", zh="列出已修复的问题。"),
    _value(
        "--select",
        metavar="RULES",
        multiple=True,
        en="Rules to run: codes, prefixes (RLO4), names or ALL; commas between them.",
        zh="要运行的规则：代码、前缀（RLO4）、名称或 ALL，以逗号分隔。",
    ),
    _value(
        "--extend-select", metavar="RULES", multiple=True, en="Rules to run as well.", zh="额外运行的规则。"
    ),
    _value("--ignore", metavar="RULES", multiple=True, en="Rules to leave out.", zh="要排除的规则。"),
    _value("--output-format", type=Choice(tuple(FORMATS)), en="Format of the output.", zh="输出格式。"),
    _value(
        "--output-file",
        metavar="[FORMAT:]FILE",
        multiple=True,
        en="Write the output to a file; with a format before it, that format, too.",
        zh="将输出写入文件；文件前加格式时，另外以该格式输出。",
    ),
    LANGUAGE,
    _flag("--statistics", en="Print how often each rule speaks.", zh="打印各规则的问题数量。"),
    _flag("--exit-zero", en="Exit with 0 although findings remain.", zh="仍有问题时也以 0 退出。"),
    _flag("--exit-non-zero-on-fix", en="Exit with 1 if anything was fixed.", zh="有修复时以 1 退出。"),
    _value(
        "--jobs",
        type=Count(),
        metavar="N",
        default=0,
        en="Processes that scan at once; 0 for one a processor.",
        zh="同时扫描的进程数；0 表示每个处理器一个。",
    ),
    _flag("--no-cache", en="Neither use nor keep facts of earlier runs.", zh="不使用也不保存缓存。"),
    _value("--cache-dir", metavar="FOLDER", type=click.Path(), en="Folder of the cache.", zh="缓存文件夹。"),
    _value(
        "--config",
        metavar="FILE|KEY=VALUE",
        multiple=True,
        en="A settings file, or a setting in TOML.",
        zh="设置文件，或以 TOML 书写的设置。",
    ),
    _flag("--isolated", en="Read no settings file.", zh="不读取设置文件。"),
    Option(
        ["--respect-gitignore/--no-respect-gitignore"],
        default=None,
        text=Text("Whether files that git ignores are left out.", "是否跳过 git 忽略的文件。"),
    ),
    _flag(
        "--force-exclude",
        en="Let `exclude` hold for named files, too.",
        zh="`exclude` 对指定的文件同样生效。",
    ),
    _flag("--ignore-suppressions", en="Report what comments hide.", zh="报告被注释隐藏的问题。"),
    _value(
        "--baseline",
        metavar="FILE",
        type=click.Path(),
        en="Leave out the findings of a baseline.",
        zh="不报告基线中已有的问题。",
    ),
    _value(
        "--write-baseline",
        metavar="FILE",
        type=click.Path(),
        en="Make or renew a baseline of all findings.",
        zh="将全部问题写入基线，或更新基线。",
    ),
    _flag("--show-files", en="List the files that would be checked.", zh="列出将要检查的文件。"),
    _flag("--show-settings", en="Show the settings that hold.", zh="显示生效的设置。"),
    _value(
        "--stdin-filename",
        metavar="FILE",
        type=click.Path(),
        en="The file whose text standard input is.",
        zh="标准输入所代表的文件。",
    ),
    _flag("-q", "--quiet", en="Print findings only.", zh="只打印问题。"),
    _value(
        "--color", type=Choice(("auto", "always", "never")), en="When to use colours.", zh="何时使用颜色。"
    ),
)


def read_options(given: Mapping[str, Any], environment: Mapping[str, str], is_terminal: bool) -> Options:
    """Returns what the user asked for: by an option, else by a variable, else by default.

    Args:
        given: Values of `CHECK` by name.
        environment: Environment variables; an empty one counts as unset.
        is_terminal: Whether a terminal shows the output.

    Raises:
        UserError: A value cannot be used.
    """
    from rlobs_lint.cli.request import STANDARD_INPUT, Options

    paths = given["paths"]
    if STANDARD_INPUT in paths and len(paths) > 1:
        raise UserError(_INPUT_ALONE)
    if given["stdin_filename"] and STANDARD_INPUT not in paths:
        raise UserError(_NO_INPUT)
    format_name = given["output_format"] or _format_of(environment)
    variable = environment.get("RLOBS_OUTPUT_FILE")
    files = given["output_file"] or ((variable,) if variable else ())
    cache_directory = given["cache_dir"] or environment.get("RLOBS_CACHE_DIR")
    plain = {name: given[name] for name in Options._fields if name in given and name != "write_baseline"}
    return Options(
        overrides=_overrides(given, environment),
        format_name=format_name,
        output_files=tuple(_output_file(text, format_name) for text in files),
        language=given["lang"],
        use_cache=not (given["no_cache"] or _is_on(environment, "RLOBS_NO_CACHE")),
        cache_directory=os.path.abspath(cache_directory) if cache_directory else None,
        write_baseline=os.path.abspath(given["write_baseline"]) if given["write_baseline"] else None,
        colour=_wants_colour(given["color"], environment, is_terminal),
        **plain,
    )


def _format_of(environment: Mapping[str, str]) -> str:
    value = environment.get("RLOBS_OUTPUT_FORMAT") or "text"
    if value not in FORMATS:
        raise UserError(
            _NOT_A_FORMAT, variable="RLOBS_OUTPUT_FORMAT", value=value, choices=", ".join(FORMATS)
        )
    return value


def _output_file(text: str, format_name: str) -> Tuple[str, str]:
    """Returns format and path of an output file; what precedes a colon is a format only if it is known."""
    before, colon, path = text.partition(":")
    return (before, path) if colon and before in FORMATS and path else (format_name, text)


def _is_on(environment: Mapping[str, str], variable: str) -> bool:
    value = environment.get(variable, "").lower()
    if value and value not in _TRUE_WORDS | _FALSE_WORDS:
        raise UserError(_NOT_A_SWITCH, variable=variable, value=value)
    return value in _TRUE_WORDS


def _overrides(given: Mapping[str, Any], environment: Mapping[str, str]) -> Overrides:
    overrides = _settings(given["config"], environment)
    return overrides._replace(
        file=None if given["isolated"] else overrides.file,
        isolated=given["isolated"],
        select=_selectors(given["select"]) if given["select"] else None,
        extend_select=_selectors(given["extend_select"]),
        ignore=_selectors(given["ignore"]),
        respect_gitignore=given["respect_gitignore"],
        baseline=os.path.abspath(given["baseline"]) if given["baseline"] else None,
    )


def settings_of_environment(environment: Mapping[str, str]) -> Overrides:
    """Returns what the environment says about settings.

    Raises:
        UserError: It names no file.
    """
    return _settings((), environment)


def _settings(given: Sequence[str], environment: Mapping[str, str]) -> Overrides:
    from rlobs_lint.files.settings import Overrides

    variable = environment.get("RLOBS_CONFIG")
    wanted: List[str] = list(given) or ([variable] if variable else [])
    files = [text for text in wanted if os.path.exists(text) or "=" not in text]
    for file in files:
        if not os.path.isfile(file):
            raise UserError(_NO_CONFIG, value=file)
    if len(files) > 1:
        raise UserError(_TWO_CONFIGS)
    return Overrides(
        file=os.path.abspath(files[0]) if files else None,
        values=tuple(text for text in wanted if text not in files),
    )


def _selectors(values: Sequence[str]) -> Tuple[str, ...]:
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


def _wants_colour(option: Optional[str], environment: Mapping[str, str], is_terminal: bool) -> bool:
    if option in ("always", "never"):
        return option == "always"
    if environment.get("NO_COLOR"):
        return False
    forced = (environment.get("FORCE_COLOR"), environment.get("CLICOLOR_FORCE"))
    if any(value and value != "0" for value in forced):
        return True
    return is_terminal and environment.get("TERM") != "dumb"
