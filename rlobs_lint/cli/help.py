"""Command-line help and usage errors in the languages of the tool, on top of click."""

from __future__ import annotations

from typing import Any, Iterable, Iterator, List, Mapping, Optional, Tuple

import click

from rlobs_lint.model import Scalar, Text
from rlobs_lint.texts import UserError, fill

_USAGE = Text("Usage: ", "用法：")
_OPTIONS = Text("Options", "选项")
_OPTIONS_OF = Text("Options of `{command}`", "`{command}` 的选项")
_COMMANDS = Text("Commands", "命令")
_HELP = Text("Show this message.", "显示本帮助。")

_EXIT_STATUS = Text("Exit status", "退出状态")
_STATUSES: Mapping[str, Text] = {
    "0": Text("Nothing found, or all of it fixed.", "未发现问题，或已全部修复。"),
    "1": Text("Findings remain, or `--diff` shows a change.", "仍有问题，或 `--diff` 显示了修改。"),
    "2": Text(
        "The job could not be done: wrong usage or settings, a named path that does not exist, "
        "a fix that was kept back, a mistake of the tool.",
        "无法完成任务：用法或设置有误、指定的路径不存在、修复未写入、工具自身出错。",
    ),
    "130": Text("Interrupted.", "被中断。"),
}

_NO_SUCH_OPTION = Text("there is no option `{option}`", "没有选项 `{option}`")
_SIMILAR = Text(
    "there is no option `{option}`; did you mean `{similar}`?", "没有选项 `{option}`；是否想写 `{similar}`？"
)
_FOREIGN = Text(
    "`{command}` has no option `{option}`; a path of that name is checked with "
    "`rlobs-lint {implied} {command}`",
    "`{command}` 没有选项 `{option}`；要检查同名路径，请使用 `rlobs-lint {implied} {command}`",
)
_NEEDS_VALUE = Text("`{option}` needs a value", "`{option}` 需要一个值")
_SUPERFLUOUS = Text("there is an argument too many", "参数过多")
_MISSING = Text("an argument is missing: {name}", "缺少参数：{name}")
_NOT_A_CHOICE = Text("{option}: `{value}` is none of {choices}", "{option}：`{value}` 不在 {choices} 之中")
_NOT_A_COUNT = Text(
    "{option}: `{value}` is no whole number from 0", "{option}：`{value}` 不是不小于 0 的整数"
)


def chosen(context: click.Context, text: Text) -> str:
    """Returns a text in the language of a context, which its outermost one was given as `obj`."""
    return text.zh if _language(context) == "zh" else text.en


def _language(context: click.Context) -> str:
    return "zh" if context.find_root().obj == "zh" else "en"


class Option(click.Option):
    """An option with help in two languages."""

    def __init__(self, *arguments: Any, text: Text, **parameters: Any) -> None:
        super().__init__(*arguments, **parameters)
        self.text = text

    def get_help_record(self, ctx: click.Context) -> Optional[Tuple[str, str]]:
        """Returns the option and its help."""
        self.help = chosen(ctx, self.text)
        return super().get_help_record(ctx)


class Command(click.Command):
    """A command with help in two languages."""

    def __init__(self, *arguments: Any, text: Text, shows_statuses: bool = False, **parameters: Any) -> None:
        super().__init__(*arguments, **parameters)
        self.text = text
        self.shows_statuses = shows_statuses

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the help page."""
        _write_page(self, self.text, ctx, formatter)
        if self.shows_statuses:
            _write_statuses(ctx, formatter)


class Group(click.Group):
    """The commands; where none is named, the first one is meant."""

    def __init__(self, *arguments: Any, text: Text, implied: str, **parameters: Any) -> None:
        super().__init__(*arguments, **parameters)
        self.text = text
        self.implied = implied

    def parse_args(self, ctx: click.Context, args: List[str]) -> List[str]:
        """Puts the implied command in front, unless a command or an option of all stands there."""
        own_options = {name for parameter in self.get_params(ctx) for name in parameter.opts}
        front, rest = self._split(ctx, args)
        if rest and rest[0] in self.commands:
            if not ctx.resilient_parsing:
                self._demand_options(ctx, rest[0], front)
            args = [rest[0], *(word for words in front for word in words), *rest[1:]]
        elif rest and rest[0] in own_options and all(_option(words) == "--lang" for words in front):
            args = rest  # the language is known by now
        # While words are completed, one that is not there yet may become a command.
        elif args or not ctx.resilient_parsing:
            args = [self.implied, *args]
        return super().parse_args(ctx, args)

    def _split(self, ctx: click.Context, args: List[str]) -> Tuple[List[List[str]], List[str]]:
        """Splits off the options of the implied command that stand in front, each with its value."""
        has_value = {
            name: not option.is_flag
            for option in self.commands[self.implied].params
            if isinstance(option, click.Option)
            for name in (*option.opts, *option.secondary_opts)
        }
        front: List[List[str]] = []
        rest = args
        while rest and _option(rest) in has_value:
            length = 2 if has_value[_option(rest)] and "=" not in rest[0] else 1
            front.append(rest[:length])
            rest = rest[length:]
        return front, rest

    def _demand_options(self, ctx: click.Context, command: str, front: List[List[str]]) -> None:
        """Makes sure that a command has the options that stand in front of it.

        Raises:
            UserError: It has not.
        """
        known = {name for parameter in self.commands[command].get_params(ctx) for name in parameter.opts}
        known.update(name for parameter in self.commands[command].params for name in parameter.secondary_opts)
        for words in front:
            if _option(words) not in known:
                raise UserError(_FOREIGN, option=_option(words), command=command, implied=self.implied)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the help page, with the options of the implied command."""
        _write_page(self, self.text, ctx, formatter)
        with formatter.section(chosen(ctx, _COMMANDS)):
            rows = [(name, _summary(ctx, command)) for name, command in self.commands.items()]
            formatter.write_dl([row for row in rows if row[1]])
        own_options = {name for parameter in self.get_params(ctx) for name in parameter.opts}
        with formatter.section(fill(_OPTIONS_OF, (("command", self.implied),), _language(ctx))):
            options = self.commands[self.implied].get_params(ctx)
            formatter.write_dl(
                list(_records([one for one in options if one.opts[0] not in own_options], ctx))
            )
        _write_statuses(ctx, formatter)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> List[Any]:
        """Completes commands, and what may follow the implied one."""
        implied = self.commands[self.implied]
        inner = click.Context(implied, parent=ctx, info_name=self.implied)
        return [*super().shell_complete(ctx, incomplete), *implied.shell_complete(inner, incomplete)]


def _option(words: List[str]) -> str:
    """Returns the name of the option that some words begin with, if they do (`--lang zh`, `--lang=zh`)."""
    return words[0].partition("=")[0]


def _summary(ctx: click.Context, command: click.Command) -> str:
    return (
        chosen(ctx, command.text).split("\n")[0]
        if isinstance(command, Command) and not command.hidden
        else ""
    )


def _write_page(
    command: click.Command, text: Text, ctx: click.Context, formatter: click.HelpFormatter
) -> None:
    pieces = " ".join(command.collect_usage_pieces(ctx))
    formatter.write_usage(ctx.command_path, pieces, chosen(ctx, _USAGE))
    for paragraph in chosen(ctx, text).split("\n"):
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(paragraph)
    with formatter.section(chosen(ctx, _OPTIONS)):
        formatter.write_dl(list(_records(command.get_params(ctx), ctx)))


def _records(parameters: Iterable[click.Parameter], ctx: click.Context) -> Iterator[Tuple[str, str]]:
    for parameter in parameters:
        record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
        if record is not None:
            yield (record[0], chosen(ctx, _HELP)) if "--help" in parameter.opts else record


def _write_statuses(ctx: click.Context, formatter: click.HelpFormatter) -> None:
    with formatter.section(chosen(ctx, _EXIT_STATUS)):
        formatter.write_dl([(status, chosen(ctx, text)) for status, text in _STATUSES.items()])


class Choice(click.Choice):  # type: ignore[type-arg] # generic from click 8.2 on
    """One of some words."""

    def convert(self, value: Any, param: Optional[click.Parameter], ctx: Optional[click.Context]) -> Any:
        """Returns the word.

        Raises:
            UserError: It is none of them.
        """
        if value not in self.choices:
            raise UserError(
                _NOT_A_CHOICE, option=_name(param), value=str(value), choices=", ".join(self.choices)
            )
        return value


class Count(click.ParamType):  # type: ignore[type-arg] # generic from click 8.5 on
    """A whole number from 0."""

    name = "number"

    def convert(self, value: Any, param: Optional[click.Parameter], ctx: Optional[click.Context]) -> Any:
        """Returns the number.

        Raises:
            UserError: It is none.
        """
        if isinstance(value, int):
            return value
        if not (value.isascii() and value.isdigit() and len(value) < 10):
            raise UserError(_NOT_A_COUNT, option=_name(param), value=str(value))
        return int(value)


def _name(parameter: Optional[click.Parameter]) -> str:
    return parameter.opts[-1] if parameter is not None else ""


def explain(error: click.ClickException, language: str) -> str:
    """Returns what is wrong with the arguments, as one sentence."""

    def say(text: Text, **parameters: Scalar) -> str:
        return fill(text, tuple(parameters.items()), language)

    if isinstance(error, click.NoSuchOption):
        if error.possibilities:
            return say(_SIMILAR, option=error.option_name, similar=error.possibilities[0])
        return say(_NO_SUCH_OPTION, option=error.option_name)
    if isinstance(error, click.BadOptionUsage):
        return say(_NEEDS_VALUE, option=error.option_name)
    if isinstance(error, click.MissingParameter):
        return say(_MISSING, name=error.param.human_readable_name if error.param is not None else "")
    if type(error) is click.UsageError:
        return say(_SUPERFLUOUS)
    return " ".join(error.format_message().split())
