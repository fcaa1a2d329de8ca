"""Which language is spoken, and that nothing foreign can command a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Dict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlobs_lint.model import Text
from rlobs_lint.texts import UserError, fill, language_of, printable, shown_path


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh"}, "zh"),
        ({"LANG": "ZH_tw"}, "zh"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LC_ALL": "C", "LANG": "zh_CN"}, "en"),
        ({"LC_ALL": "", "LC_MESSAGES": "zh_CN", "LANG": "en_US"}, "zh"),
        ({"RLOBS_LANG": "zh", "LC_ALL": "en_US"}, "zh"),
        ({"RLOBS_LANG": "", "LANG": "zh_CN"}, "zh"),
    ],
)
def test_the_environment_decides(environment: Dict[str, str], language: str) -> None:
    assert language_of(environment) == language


def test_a_sentence_is_filled_in_and_values_stay_values() -> None:
    text = Text("{a} and {{b}}", "{a}与{{b}}")
    assert fill(text, (("a", "{b}"),), "en") == "{b} and {b}"
    assert fill(text, (("a", 7),), "zh") == "7与{b}"
    assert UserError(text, a="\x1b").message("en") == "\\x1b and {b}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain 观测 😀 é", "plain 观测 😀 é"),
        ("\x1b[31m\r\n\t\x00", "\\x1b[31m\\r\\n\\t\\x00"),
        ("a\u202eb\u2066c\u200f", "a\\u202eb\\u2066c\\u200f"),
        ("\udcff", "\\xff"),
        ("\ud800", "\\ud800"),
        ("\x9b2J\x85\u2028", "\\x9b2J\\x85\\u2028"),
    ],
)
def test_what_a_terminal_would_obey_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text())
def test_printable_text_can_be_printed(text: str) -> None:
    shown = printable(text)
    shown.encode("utf-8")
    assert "\x1b" not in shown and len(shown.splitlines()) <= 1
    assert printable(shown) == shown


def test_paths_are_relative_with_slashes() -> None:
    file = str(Path.cwd() / "a" / "b.py")
    assert shown_path(file) == "a/b.py"
    assert shown_path(file, str(Path.cwd() / "c")) == "../a/b.py"
