"""The words of a metric key: what its text alone tells."""

from __future__ import annotations

import re
from typing import Iterable, List, Optional, Sequence, Tuple

from rlobs_lint import sdk

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_A-Za-z]+")
_HOLE = "\0"


def words_of(pieces: Sequence[Optional[str]]) -> Tuple[str, ...]:
    r"""Returns the words of a key in lower case.

    Words end at `_`, `-`, `.`, any other sign, a digit and a change to a capital letter (`userId`). What
    is glued to an unknown part may be half a word and is left out. An unknown part is the word `\0`.
    """
    words: List[str] = []
    for position, piece in enumerate(pieces):
        if piece is None:
            words.append(_HOLE)
            continue
        found = _WORD.findall(piece)
        if found and _is_unknown(pieces, position - 1) and piece.startswith(found[0]):
            found = found[1:]
        if found and _is_unknown(pieces, position + 1) and piece.endswith(found[-1]):
            found = found[:-1]
        words.extend(word.lower() for word in found)
    return tuple(words)


def id_name_in(pieces: Sequence[Optional[str]], names: Iterable[str]) -> Optional[str]:
    """Returns the first of `names` whose words stand in a key one after the other, or `None`."""
    words = words_of(pieces)
    return next((name for name in names if _holds(words, words_of((name,)))), None)


def debug_word_in(pieces: Sequence[Optional[str]]) -> Optional[str]:
    """Returns the word of a key that speaks of debugging or logging, or `None`."""
    words = words_of(pieces)
    for position, word in enumerate(words):
        if word not in sdk.DEBUG_WORDS:
            continue
        following = words[position + 1] if position + 1 < len(words) else ""
        if (word, following) not in sdk.NO_DEBUG_WORDS:
            return word
    return None


def bad_character_in(pieces: Sequence[Optional[str]]) -> Optional[str]:
    """Returns the first character of a key that breaks its console path, `""` for an empty key, or `None`."""
    if not any(piece is None or piece for piece in pieces):
        return ""
    for piece in pieces:
        for character in piece or "":
            if character.isspace() or character in sdk.PATH_BREAKERS:
                return character
    return None


def shown(pieces: Sequence[Optional[str]]) -> str:
    """Returns a key as messages show it: unknown parts are `…`."""
    return "".join("…" if piece is None else piece for piece in pieces)


def _is_unknown(pieces: Sequence[Optional[str]], position: int) -> bool:
    return 0 <= position < len(pieces) and pieces[position] is None


def _holds(words: Sequence[str], wanted: Sequence[str]) -> bool:
    count = len(wanted)
    return count > 0 and any(
        tuple(words[start : start + count]) == tuple(wanted) for start in range(len(words) - count + 1)
    )
