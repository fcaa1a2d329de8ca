"""The words of metric keys."""

from __future__ import annotations

from typing import Optional, Tuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlobs_lint import sdk
from rlobs_lint.flow.questions.metrics.words import (
    bad_character_in,
    debug_word_in,
    id_name_in,
    shown,
    words_of,
)

Pieces = Tuple[Optional[str], ...]


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        (("user_id",), ("user", "id")),
        (("perUserID-score.v2",), ("per", "user", "id", "score", "v", "2")),
        (("HTTPStatus",), ("http", "status")),
        (("UUID4Count",), ("uuid", "4", "count")),
        (("回答长度user_id",), ("回答长度", "user", "id")),
        (("a  b/c",), ("a", "b", "c")),
        ((), ()),
        (("",), ()),
    ],
)
def test_words_end_at_signs_digits_and_capitals(pieces: Pieces, words: Tuple[str, ...]) -> None:
    assert words_of(pieces) == words


@pytest.mark.parametrize(
    ("pieces", "known"),
    [
        ((None, "uid"), ()),
        (("uid", None), ()),
        (("uid_", None, "_uid"), ("uid", "uid")),
        (("log", None, "prob"), ()),
        (("a_uid", None), ("a",)),
    ],
)
def test_half_a_word_beside_an_unknown_part_is_none(pieces: Pieces, known: Tuple[str, ...]) -> None:
    assert tuple(word for word in words_of(pieces) if word != "\0") == known


@pytest.mark.parametrize(
    "key", ["user_id", "per_user_id_score", "userId", "USER-ID", "uid", "run.id", "last_timestamp"]
)
def test_names_of_identifiers_are_found_as_words(key: str) -> None:
    assert id_name_in((key,), sdk.ID_NAMES) is not None


@pytest.mark.parametrize(
    "key",
    [
        "valid",
        "grid",
        "identity_score",
        "user_identity",
        "trunk_id",
        "fluid",
        "timestamps",
        "user",
        "id",
        "pid_user",
    ],
)
def test_letters_inside_words_are_no_names(key: str) -> None:
    assert id_name_in((key,), sdk.ID_NAMES) is None


def test_the_words_of_a_name_must_stand_together() -> None:
    assert id_name_in(("user", None, "id"), ("user_id",)) is None
    assert id_name_in(("user_", None, "_id"), ("user_id",)) is None
    assert id_name_in(("order_no",), ("tenant", "orderNo")) == "orderNo"


@pytest.mark.parametrize(
    ("key", "word"),
    [
        ("debug_size", "debug"),
        ("size.tmp", "tmp"),
        ("LOG", "log"),
        ("log_probability", "log"),
        ("rawScore", "raw"),
        ("dump2", "dump"),
        ("temperature", None),
        ("catalog", None),
        ("logprob", None),
        ("log_prob", None),
        ("old_log_probs", None),
        ("logLikelihood", None),
        ("log_loss_log", "log"),
    ],
)
def test_debugging_words(key: str, word: Optional[str]) -> None:
    assert debug_word_in((key,)) == word


@pytest.mark.parametrize(
    ("pieces", "character"),
    [
        (("a/b",), "/"),
        (("a b",), " "),
        (("a\u3000b",), "\u3000"),
        (('"a"',), '"'),
        (("a", None, "{"), "{"),
        (("",), ""),
        (("准确率@1.a-b_c",), None),
        ((None,), None),
        (("", None), None),
    ],
)
def test_characters_that_break_the_path(pieces: Pieces, character: Optional[str]) -> None:
    assert bad_character_in(pieces) == character


def test_unknown_parts_are_shown() -> None:
    assert shown(("turn_", None, "_size")) == "turn_…_size"


_NAMES = st.sampled_from([name for name in sdk.ID_NAMES if name != "uuid"])
_FILLERS = st.text(alphabet="bcdfghjkmpqwxyz", min_size=1, max_size=8)


@given(_NAMES, _FILLERS, _FILLERS, st.sampled_from(["_", "-", ".", " "]))
def test_a_name_is_found_between_other_words_and_nowhere_inside_one(
    name: str, before: str, after: str, sign: str
) -> None:
    written = name.replace("_", sign)
    assert id_name_in((f"{before}{sign}{written}{sign}{after}",), (name,)) == name
    assert id_name_in((f"{before}{name}",), (name,)) is None
    assert id_name_in((f"{name}{after}",), (name,)) is None
