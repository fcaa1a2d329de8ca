"""The command line: arguments in, exit status out."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, List, Optional, Sequence

import click

from rlobs_lint.cli.help import Choice, Command, Group, Option, explain
from rlobs_lint.cli.options import CHECK, LANGUAGE, read_options
from rlobs_lint.cli.streams import (
    is_about_output,
    provide_streams,
    read_input,
    say,
    silence,
    unwritable,
    write,
)
from rlobs_lint.model import Text
from rlobs_lint.texts import LANGUAGES, UserError, language_of
from rlobs_lint.version import __version__

PROGRAM = "rlobs-lint"
_COMPLETION_VARIABLE = "_RLOBS_LINT_COMPLETE"
_FAILED, _INTERRUPTED, _PIPE_CLOSED = 2, 130, 141

_UNWRITABLE = Text("{path}: it cannot be written: {reason}", "{path}：无法写入：{reason}")
_INTERNAL = Text(
    "a mistake of rlobs-lint, please report it: {reason}", "rlobs-lint 自身出错，请反馈：{reason}"
)


_ABOUT = Text(
    "Finds missing traces, spans and metrics in agentic reinforcement learning function projects.\n"
    "`rlobs-lint [PATH]...` stands for `rlobs-lint check [PATH]...`.",
    "检查智能体强化学习函数项目中缺失的追踪、Span 和指标。\n"
    "`rlobs-lint [PATH]...` 等同于 `rlobs-lint check [PATH]...`。",
)
_CHECK_TEXT = Text(
    "Check workspaces, folders and files.\n"
    "A folder inside a workspace stands for the workspace's requirements, job files, submission scripts and "
    "their datasets as well. Without a path, `functions` is checked or, where there is none, the working "
    "directory. `-` reads standard input.",
    "检查工作区、文件夹和文件。\n"
    "指定工作区内的文件夹时，同时检查该工作区的依赖文件、任务文件、提交脚本及其数据集。"
    "未指定路径时检查 `functions`，没有该文件夹时检查当前目录。`-` 表示读取标准输入。",
)


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """Runs the command line and exits.

    Args:
        arguments: The arguments; those of the process where there are none.
    """
    # The facts of a workspace are hundreds of thousands of small objects without cycles.
    gc.disable()
    given = list(sys.argv[1:] if arguments is None else arguments)
    provide_streams()
    try:
        status = run(given)
        sys.stdout.flush()
    except KeyboardInterrupt:
        _leave(_INTERRUPTED)
    except BrokenPipeError:
        silence(sys.stdout)
        _leave(_PIPE_CLOSED)
    sys.exit(status)


def run(arguments: List[str]) -> int:
    """Runs the command line and returns the exit status.

    Raises:
        KeyboardInterrupt: The user interrupted it.
        BrokenPipeError: Nobody reads the output any more.
    """
    asked = os.environ.get(_COMPLETION_VARIABLE)
    if asked:
        from click.shell_completion import shell_complete

        return shell_complete(cli, {}, PROGRAM, _COMPLETION_VARIABLE, asked)
    wanted = _given_value(arguments, "--lang")
    language = wanted if wanted in LANGUAGES else language_of(os.environ)
    try:
        with cli.make_context(PROGRAM, arguments, obj=language) as context:
            status: int = cli.invoke(context)
            return status
    except click.exceptions.Exit as request:
        return request.exit_code
    except click.ClickException as error:
        complaint = explain(error, language)
    except UserError as error:
        complaint = error.message(language)
    except BrokenPipeError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and is_about_output(error):
            # What click prints by itself, such as help.
            silence(sys.stdout)
            complaint = unwritable(error).message(language)
        else:
            complaint = UserError(_INTERNAL, reason=f"{type(error).__name__}: {error}").message(language)
    say(f"{PROGRAM}: {complaint}\n")
    _keep_promise(arguments, complaint)
    return _FAILED


# --- commands -------------------------------------------------------------------------------------


def _version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        write(sys.stdout, f"{PROGRAM} {__version__}\n")
        context.exit()


def _check(**given: Any) -> int:
    from rlobs_lint.cli.check import Check
    from rlobs_lint.cli.request import STANDARD_INPUT

    options = read_options(given, os.environ, sys.stdout.isatty())
    stdin = read_input() if STANDARD_INPUT in options.paths else b""
    check = Check(options, os.environ, stdin)
    if given["show_files"] or given["show_settings"]:
        shown = check.show(settings=given["show_settings"])
        say(shown.notes)
        write(sys.stdout, shown.output)
        return shown.status
    try:
        finished = check.run()
    except KeyboardInterrupt:
        check.engine.stop()
        raise
    say(finished.notes)
    for path, text in finished.files:
        _write_file(path, text)
    write(sys.stdout, finished.output)
    return finished.status


def _explain(rule: Optional[str], output_format: str, lang: Optional[str]) -> int:
    from rlobs_lint.rulebook import catalogue

    language = lang or ("en" if output_format == "json" else _configured_language())
    text = (
        catalogue.listing(output_format, language)
        if rule is None
        else catalogue.page(rule, output_format, language)
    )
    write(sys.stdout, text)
    return 0


def _configured_language() -> str:
    """Returns the language that the environment or the settings of the working directory ask for."""
    from rlobs_lint.cli.options import settings_of_environment
    from rlobs_lint.files.settings import SettingsReader

    language = None
    if not os.environ.get("RLOBS_LANG"):
        # What the rules say does not depend on settings: broken ones keep nobody from reading it.
        with suppress(UserError):
            reader = SettingsReader(settings_of_environment(os.environ))
            language = reader.settings_of(os.getcwd()).language
    return language or language_of(os.environ)


def _rules(output_format: str, lang: Optional[str]) -> int:
    return _explain(None, output_format, lang)


def _clean(paths: Sequence[str], cache_dir: Optional[str], lang: Optional[str]) -> int:
    from rlobs_lint.facts import cache
    from rlobs_lint.files.finding_files import MISSING, Finder
    from rlobs_lint.files.settings import Overrides, SettingsReader

    directory = cache_dir or os.environ.get("RLOBS_CACHE_DIR")
    found = Finder(SettingsReader(Overrides(isolated=True))).discover(paths or ["."])
    for folder in (
        [directory] if directory else [os.path.join(one.root, cache.FOLDER) for one in found.workspaces]
    ):
        cache.clear(os.path.abspath(folder))
    for path in found.missing:
        complaint = UserError(MISSING, path=path).message(lang or language_of(os.environ))
        say(f"{PROGRAM}: {complaint}\n")
    return _FAILED if found.missing else 0


def _completion(shell: str) -> int:
    from click.shell_completion import ShellComplete, get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    # Without the check of the shell's version, which would start that shell.
    write(sys.stdout, ShellComplete.source(kind(cli, {}, PROGRAM, _COMPLETION_VARIABLE)) + "\n")
    return 0


_TABLE_FORMAT = Option(
    ["--output-format"],
    type=Choice(("text", "json")),
    default="text",
    text=Text("Format of the output.", "输出格式。"),
)
_RULE = click.Argument(["rule"], required=False, metavar="[RULE]")
_EXPLAIN_TEXT = Text("Explain a rule, by its code or name.", "解释一条规则（代码或名称）。")

cli = Group(
    PROGRAM,
    text=_ABOUT,
    implied="check",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    params=[
        Option(
            ["-V", "--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_version,
            text=Text("Show the version.", "显示版本。"),
        )
    ],
)
for _command in (
    Command("check", params=list(CHECK), callback=_check, text=_CHECK_TEXT, shows_statuses=True),
    Command("explain", params=[_RULE, _TABLE_FORMAT, LANGUAGE], callback=_explain, text=_EXPLAIN_TEXT),
    Command(
        "rule", params=[_RULE, _TABLE_FORMAT, LANGUAGE], callback=_explain, text=_EXPLAIN_TEXT, hidden=True
    ),
    Command(
        "rules",
        params=[_TABLE_FORMAT, LANGUAGE],
        callback=_rules,
        text=Text("List the rules.", "列出全部规则。"),
    ),
    Command(
        "clean",
        params=[
            click.Argument(["paths"], nargs=-1, metavar="[PATH]...", type=click.Path()),
            Option(["--cache-dir"], metavar="FOLDER", text=Text("Folder of the cache.", "缓存文件夹。")),
            LANGUAGE,
        ],
        callback=_clean,
        text=Text("Remove the cache.", "清除缓存。"),
    ),
    Command(
        "completion",
        params=[
            click.Argument(["shell"], type=Choice(("bash", "zsh", "fish"))),
            # The script has no words of any language, but what is wrong with the arguments may be told.
            Option(["--lang"], type=Choice(LANGUAGES), expose_value=False, text=LANGUAGE.text),
        ],
        callback=_completion,
        text=Text("Print a completion script for a shell.", "打印 shell 自动补全脚本。"),
    ),
):
    cli.add_command(_command)


# --- streams --------------------------------------------------------------------------------------


def _keep_promise(arguments: List[str], complaint: str) -> None:
    """Prints an empty document that names the error where a JSON document was asked for."""
    wanted = _given_value(arguments, "--output-format") or os.environ.get("RLOBS_OUTPUT_FORMAT")
    if wanted == "json":
        from rlobs_lint.report.as_json import failure

        write(sys.stdout, failure(complaint))


def _given_value(arguments: Sequence[str], option: str) -> Optional[str]:
    """Returns the value of an option before the arguments are parsed, or when they cannot be."""
    value = None
    for index, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument == option and index + 1 < len(arguments):
            value = arguments[index + 1]
        elif argument.startswith(f"{option}="):
            value = argument[len(option) + 1 :]
    return value


def _write_file(path: str, data: bytes) -> None:
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UserError(_UNWRITABLE, path=path, reason=reason) from None


def _leave(status: int) -> None:
    """Ends the process at once: a thread may still be at work."""
    sys.stderr.flush()
    os._exit(status)
