"""Texts for people: which language, how a sentence is filled in, and how foreign text is shown harmlessly."""

from __future__ import annotations

import os
import re
from typing import Mapping, Tuple

from rlobs_lint.model import Scalar, Text

LANGUAGES = ("en", "zh")

# What a terminal could obey or what would tear a line: C0 and C1 controls, bidirectional overrides,
# line and paragraph separators, the byte order mark, and bytes of a file name that were no text.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


class UserError(Exception):
    """Something that the user has to mend before the tool can do its job.

    Attributes:
        text: The sentence, with placeholders for `parameters`.
        parameters: Values of the placeholders.
    """

    def __init__(self, text: Text, **parameters: Scalar) -> None:
        super().__init__(text.en)
        self.text = text
        self.parameters = tuple(parameters.items())

    def message(self, language: str) -> str:
        """Returns the sentence in a language."""
        return fill(self.text, self.parameters, language)


def fill(text: Text, parameters: Tuple[Tuple[str, Scalar], ...], language: str) -> str:
    """Returns a sentence in a language, with the values of its placeholders made harmless."""
    sentence = text.zh if language == "zh" else text.en
    return sentence.format(**{name: printable(str(value)) for name, value in parameters})


def printable(text: str) -> str:
    """Returns text with every character escaped that a terminal would obey or not show."""
    return _UNSAFE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    # A byte of a file name that is no text stands for itself minus this offset (PEP 383).
    if "\udc80" <= character <= "\udcff":
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")


def shown_path(path: str, directory: str = "") -> str:
    """Returns a path as the user reads it: relative to a folder, with `/`.

    Args:
        path: Absolute path.
        directory: Absolute path of the folder; empty for the working directory.
    """
    try:
        relative = os.path.relpath(path, directory or None)
    except ValueError:  # another drive
        relative = path
    return relative.replace(os.sep, "/")


def language_of(environment: Mapping[str, str]) -> str:
    """Returns the language that the environment asks for: `RLOBS_LANG`, then the locale's variables.

    Args:
        environment: Environment variables; an empty one counts as unset.
    """
    for variable in ("RLOBS_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = environment.get(variable)
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"
