"""Facts as JSON values and back: what the cache stores, without any executable content."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple, Type

from rlobs_lint.facts import ir
from rlobs_lint.model import Span

_RECORDS: Tuple[Type[Any], ...] = tuple(
    value
    for _, value in sorted(vars(ir).items())
    if isinstance(value, type) and issubclass(value, tuple) and value.__module__ == ir.__name__
)
#: A list begins with its tag: 0 a plain tuple, 1 a span, then the records of `ir` by name.
_TAGS: Dict[Type[Any], int] = {
    tuple: 0,
    Span: 1,
    **{record: index for index, record in enumerate(_RECORDS, 2)},
}
_MAKERS: List[Callable[[List[Any]], Any]] = [tuple, Span._make, *(record._make for record in _RECORDS)]


def encode(value: Any) -> Any:
    """Returns a record, or a tuple of records, as lists, strings, numbers, booleans and nulls."""
    if isinstance(value, tuple):
        return [_TAGS[type(value)], *map(encode, value)]
    return value


def decode(value: Any) -> Any:
    """Returns what `encode` was given.

    Raises:
        IndexError, TypeError: The value was not made by `encode`.
    """
    if type(value) is list:
        return _MAKERS[value[0]]([decode(part) if type(part) is list else part for part in value[1:]])
    return value
