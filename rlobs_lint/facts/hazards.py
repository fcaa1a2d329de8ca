"""Finds code that could kill a parser, or keep it busy for minutes, before it is parsed.

A parser calls itself for every bracket, `lambda` and `not` within another, and its time grows with
the square of a chain's length. So such code is scanned in a process of its own, with a time limit.
"""

from __future__ import annotations

import re
from typing import List, NamedTuple

#: CPython refuses more open brackets, and more indents, than these.
MOST_BRACKETS = 200
MOST_INDENTS = 100
#: Links of a chain in one logical line that are parsed in about a second.
MOST_LINKS = 1000
#: A file of this many characters takes several seconds and gigabytes.
MOST_CHARACTERS = 1_000_000

_TOKEN = re.compile(
    r"""
    (?P<skipped>
        \#[^\r\n]*
      | \"{3} [^"\\]* (?: (?: \\. | "(?!"") ) [^"\\]* )* \"{3}
      | '{3} [^'\\]* (?: (?: \\. | '(?!'') ) [^'\\]* )* '{3}
      | " (?: [^"\\\r\n] | \\. )* "
      | ' (?: [^'\\\r\n] | \\. )* '
      | \\ (?: \r\n | \r | \n )
    )
    | (?P<line> (?: \r\n | \r | \n ) (?P<indent> [ \t\f]* ) (?= (?P<content> [^\#\r\n] )? ) )
    | (?P<link> \b(?:lambda|not|else)\b | [-+*/%@&|^~<>=!]+ | \.(?=\s*\w) | (?<=[)\]}])[(\[] )
    | (?P<open> [(\[{] )
    | (?P<close> [)\]}] )
    """,
    re.VERBOSE | re.DOTALL,
)


class Measure(NamedTuple):
    """How demanding a file is.

    Attributes:
        brackets: Most brackets open at once.
        indents: Most indents within one another.
        links: Most links of chains in one logical line: operators, `lambda`, `.name`, calls of calls.
    """

    brackets: int
    indents: int
    links: int

    @property
    def is_refused(self) -> bool:
        """Whether CPython refuses the file for its depth."""
        return self.brackets > MOST_BRACKETS or self.indents > MOST_INDENTS


def is_risky(text: str) -> bool:
    """Whether a file should not be parsed in a process that has other work to do."""
    if len(text) > MOST_CHARACTERS:
        return True
    found = measure(text)
    return found.is_refused or found.links > MOST_LINKS


def measure(text: str) -> Measure:
    """Measures a file, as far as that can be told without parsing it."""
    brackets = deepest = links = most_links = most_indents = 0
    indents: List[int] = [0]
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "link":
            # No operator is longer than three signs: a longer run is a chain of its own.
            links += 1 if len(token.group()) <= 3 or token.group().isalpha() else len(token.group())
            # A bracket behind a bracket is both.
            brackets += token.group() in "(["
        elif kind == "open":
            brackets += 1
        elif kind == "close":
            brackets = max(0, brackets - 1)
        elif kind != "skipped" and brackets == 0:
            most_links, links = max(most_links, links), 0
            if token.group("content") is not None:
                width = len(token.group("indent"))
                while width < indents[-1]:
                    indents.pop()
                if width > indents[-1]:
                    indents.append(width)
                most_indents = max(most_indents, len(indents) - 1)
        deepest = max(deepest, brackets)
    return Measure(deepest, most_indents, max(most_links, links))
