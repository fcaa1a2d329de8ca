"""The options that pip knows in a requirements file."""

from __future__ import annotations

import re
import sys
from functools import cache
from typing import TYPE_CHECKING, List, NamedTuple, NoReturn, Tuple

if TYPE_CHECKING:
    from optparse import OptionParser

_HASHES = re.compile(r"(?:--hash=sha(?:256|384|512):[0-9A-Za-z]+(?: +|$))+")
_HASH = re.compile(r"sha(?:256|384|512):.*", re.DOTALL)

#: Longer options than this (characters), hashes aside, would take too long to tell apart.
_LONGEST = 50_000

#: Options with one argument, by all their spellings. The last five are known to some pips only.
_WITH_ARGUMENT: Tuple[Tuple[str, ...], ...] = (
    ("-r", "--requirement"),
    ("-c", "--constraint"),
    ("-e", "--editable"),
    ("-i", "--index-url", "--pypi-url"),
    ("--extra-index-url",),
    ("-f", "--find-links"),
    ("--no-binary",),
    ("--only-binary",),
    ("--trusted-host",),
    ("--use-feature",),
    ("--hash",),
    ("-C", "--config-settings", "--config-setting"),
    ("--all-releases",),
    ("--only-final",),
    ("--global-option",),
    ("--install-option",),
)
_SWITCHES: Tuple[str, ...] = (
    "--no-index", "--pre", "--prefer-binary", "--require-hashes", "--no-require-hashes", "--always-unzip",
)  # fmt: skip


class Options(NamedTuple):
    """The options of one line that matter here.

    Attributes:
        include: Argument of the first `-r`.
        constraints: Argument of the first `-c`.
        editable: Argument of the first `-e`.
        hashed: Whether there is a `--hash`.
        require_hashes: Whether there is a `--require-hashes`.
    """

    include: str = ""
    constraints: str = ""
    editable: str = ""
    hashed: bool = False
    require_hashes: bool = False


class RefusedOptionsError(ValueError):
    """No pip takes the options; `option` is the unknown one where that is the reason."""

    def __init__(self, option: str = "") -> None:
        super().__init__(option)
        self.option = option


class UnclearOptionsError(ValueError):
    """Some pips take the options, others do not."""


def parse(text: str) -> Options:
    """Reads the options of a line.

    Args:
        text: The part of a logical line from the first option on.

    Raises:
        RefusedOptionsError: No pip takes them.
        UnclearOptionsError: Some pips take them.
    """
    if _HASHES.fullmatch(text):
        return Options(hashed=True)
    if len(text) > _LONGEST:
        raise UnclearOptionsError
    import shlex

    try:
        words = shlex.split(text)
    except ValueError:
        raise RefusedOptionsError from None
    values, _ = _parser().parse_args(words)
    hashes: List[str] = values.hash or []
    if not all(map(_HASH.fullmatch, hashes)):
        raise RefusedOptionsError
    return Options(
        include=_first(values.requirement),
        constraints=_first(values.constraint),
        editable=_first(values.editable),
        hashed=bool(hashes),
        require_hashes=bool(values.require_hashes),
    )


def _first(arguments: object) -> str:
    return str(arguments[0]) if isinstance(arguments, list) else ""


@cache
def _parser() -> OptionParser:
    # The module pip itself reads options with, so that abbreviations and `-rfile` mean the same.
    import optparse

    class LineParser(optparse.OptionParser):
        def error(self, msg: str) -> NoReturn:  # noqa: ARG002 - may hold the line's secrets
            error = sys.exc_info()[1]
            if isinstance(error, optparse.AmbiguousOptionError):
                raise UnclearOptionsError
            option = error.opt_str if isinstance(error, optparse.BadOptionError) else ""
            raise RefusedOptionsError(option)

    parser = LineParser(add_help_option=False)
    for names in _WITH_ARGUMENT:
        parser.add_option(*names, action="append", dest=_destination(names))
    for name in _SWITCHES:
        parser.add_option(name, action="store_true")
    return parser


def _destination(names: Tuple[str, ...]) -> str:
    return next(name for name in names if name.startswith("--"))[2:].replace("-", "_")
