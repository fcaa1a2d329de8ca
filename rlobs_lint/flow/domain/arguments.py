"""Arguments: what a call gives, and what a partial function has been given already."""

from __future__ import annotations

from typing import NamedTuple, Optional, Tuple

from rlobs_lint.flow.domain.state import Key
from rlobs_lint.flow.domain.values import NOTHING, Site, Value, join


class ArgumentValue(NamedTuple):
    """An argument of a call, by position or keyword.

    Attributes:
        keyword: Its keyword.
        value: Its value.
        site: Where the value is written.
        name_site: Where the keyword is written, or the key of a `**{...}`, when that is known.
    """

    keyword: Optional[str]
    value: Value
    site: Site
    name_site: Optional[Site] = None


class Arguments(NamedTuple):
    """The arguments of a call.

    Attributes:
        positional: Those by position, in order.
        keywords: Those by keyword, `**{...}` with known keys included.
        open: Whether `*x` or `**x` may pass further ones.
        first_key: Where the state keeps the first one, if that is a variable or attribute.
    """

    positional: Tuple[ArgumentValue, ...] = ()
    keywords: Tuple[ArgumentValue, ...] = ()
    open: bool = False
    first_key: Optional[Key] = None

    def get(self, position: int, name: str) -> Optional[ArgumentValue]:
        """Returns the argument of a parameter by its position from 0 (-1: keyword only) or its name."""
        for argument in self.keywords:
            if argument.keyword == name:
                return argument
        return self.positional[position] if 0 <= position < len(self.positional) else None

    def value(self, position: int, name: str) -> Value:
        """Returns the value of a parameter's argument; nothing where there is none."""
        found = self.get(position, name)
        return found.value if found is not None else NOTHING

    def everything(self) -> Tuple[ArgumentValue, ...]:
        """Returns all arguments."""
        return (*self.positional, *self.keywords)


class PartialContent(NamedTuple):
    """What `functools.partial` bound."""

    callee: Value
    arguments: Arguments

    def merged(self, more: Arguments) -> Arguments:
        """Returns the arguments of a call of the partial function."""
        given = {argument.keyword for argument in more.keywords}
        kept = tuple(argument for argument in self.arguments.keywords if argument.keyword not in given)
        return Arguments(
            (*self.arguments.positional, *more.positional),
            (*kept, *more.keywords),
            self.arguments.open or more.open,
        )

    def join(self, other: PartialContent) -> PartialContent:
        """Unites two paths' partial functions."""
        return PartialContent(join((self.callee, other.callee)), self.arguments)
