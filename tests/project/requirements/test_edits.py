"""Edits of requirement files change what they should, and not a byte more."""

from __future__ import annotations

from itertools import permutations
from typing import List

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlobs_lint.model import Edit, Span
from rlobs_lint.project.requirements.edits import append_pin, create_file, replace_version
from rlobs_lint.project.requirements.lines import NAMED, logical_lines, read_lines
from rlobs_lint.project.requirements.pins import RIGHT, Pin, standing
from tests.project.requirements.building import applied, file_of
from tests.project.requirements.test_lines import TEXTS

API, SDK, GENAI = (
    Pin("opentelemetry-api", "1.41.1"),
    Pin("opentelemetry-sdk", "1.41.1"),
    Pin("genai", "0.4.0"),
)


def appended(text: str, *pins: Pin) -> str:
    edits = dict.fromkeys(edit for pin in pins for edit in append_pin(file_of(text), pin))
    return applied(text, list(edits))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "A\n"),
        ("\n\n", "A\n\n\n"),
        ("\r\n", "A\r\n\r\n"),
        ("  ", "A\n  "),
        ("foo", "foo\nA"),
        ("foo\n", "foo\nA\n"),
        ("foo\r\n", "foo\r\nA\r\n"),
        ("foo\r", "foo\rA\r"),
        ("a\r\nfoo", "a\r\nfoo\r\nA"),
        ("a\nb\r\nfoo", "a\nb\r\nfoo\r\nA"),
        ("a\r\nb\nfoo", "a\r\nb\nfoo\nA"),
        ("a\n\nfoo\r\n\n\n", "a\n\nfoo\r\nA\r\n\n\n"),
        ("foo\n \t\n", "foo\nA\n \t\n"),
        ("foo  ", "foo  \nA"),
        ("# only\n", "# only\nA\n"),
        ("foo \\", "foo \\\n\nA"),
        ("foo \\\n", "foo \\\n\nA\n"),
        ("foo \\\r\n", "foo \\\r\n\r\nA\r\n"),
        ("foo \\\n\n", "foo \\\n\nA\n\n"),
        ("foo # c \\\n", "foo # c \\\n\nA\n"),
        ("# c \\\n", "# c \\\nA\n"),
        ("foo \\ \n", "foo \\ \nA\n"),
        ("foo\x0bbar \\\n", "foo\x0bbar \\\n\nA\n"),
        ("foo \\\x0bbar\n", "foo \\\x0bbar\nA\n"),
        ("foo\u2028", "foo\u2028\nA"),
    ],
)
def test_a_pin_becomes_the_last_line(text: str, wanted: str) -> None:
    assert appended(text, API) == wanted.replace("A", str(API))


@pytest.mark.parametrize("text", ["foo \\", "foo \\\n", "foo \\\r\n", "foo \\\n\n"])
def test_a_backslash_at_the_end_is_ended_once(text: str) -> None:
    newline = "\r\n" if "\r" in text else "\n"
    added = appended(text, API, SDK, GENAI)
    assert added == text.rstrip("\r\n") + newline + newline + newline.join(
        [str(API), str(SDK), str(GENAI)]
    ) + text.lstrip("fo \\")


@pytest.mark.parametrize("text", ["", "foo", "foo\n", "foo\r\n", "\n\n", "foo \\", "foo \\\n", "foo\n\n"])
def test_several_pins_are_added_in_their_order_at_once_or_in_turn(text: str) -> None:
    at_once = appended(text, API, SDK, GENAI)
    in_turn = appended(appended(appended(text, API), SDK), GENAI)
    for result in (at_once, in_turn):
        added = [line.text for line in logical_lines(result)][-3:]
        assert added == [str(API), str(SDK), str(GENAI)]
    assert at_once == in_turn


@given(TEXTS)
def test_an_added_pin_is_read_and_nothing_else_is_read_differently(text: str) -> None:
    for order in permutations([API, SDK], 2):
        result = appended(text, *order)
        before = [line.text for line in logical_lines(text)]
        assert [line.text for line in logical_lines(result)] == [*before, *map(str, order)]
        assert [line.kind for line in read_lines(result)][-2:] == [NAMED, NAMED]
        # Nothing is lost: what was added taken away again leaves the text.
        # Nothing is lost: what is replaced still begins with what was there.
        edits = [edit for pin in order for edit in append_pin(file_of(text), pin)]
        assert all(edit.content.startswith(text[slice(*edit.span)]) for edit in edits)
        if text.strip():
            assert result.endswith(("\n", "\r")) == text.endswith(("\n", "\r"))


def test_a_new_file_holds_every_pin() -> None:
    edit = create_file("/w/requirements.txt", [API, GENAI])
    assert edit == Edit("/w/requirements.txt", Span(0, 0), "opentelemetry-api==1.41.1\ngenai==0.4.0\n")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("api", "api==2"),
        ("api\n", "api==2\n"),
        ("api # c", "api==2 # c"),
        ("Api_X[a, b] ; python_version>'3'", "Api_X[a, b]==2 ; python_version>'3'"),
        ("api>=1", "api==2"),
        ("api >= 1 # c", "api == 2 # c"),
        ("api\t~=\t1.0\t", "api\t==\t2\t"),
        ("api>=1,<3;python_version>'3'", "api==2;python_version>'3'"),
        ("api > 1 , < 3", "api == 2"),
        ("api (>=1)", "api (==2)"),
        ("api( >= 1 )", "api( == 2 )"),
        ("api ()", "api (==2)"),
        ("api===1", "api==2"),
        ("api==1.*", "api==2"),
        (
            "api \\\r\n  >=1, \\\r\n  <3 ; python_version>'3' # c\r\n",
            "api \\\r\n  ==2 ; python_version>'3' # c\r\n",
        ),
        ("ap\\\ni\\\n>\\\n=1", "ap\\\ni\\\n==2"),
        ("api\\\n", "api==2\\\n"),
        ("api>=1 --pre", "api==2 --pre"),
    ],
)
def test_a_version_is_replaced_in_its_place(text: str, wanted: str) -> None:
    file = file_of(text)
    assert applied(text, [replace_version(file, file.lines[0], "2")]) == wanted


SPACES = st.sampled_from(["", " ", "\t", "  ", " \\\n ", "\\\r\n"])


@st.composite
def requirement_lines(draw: st.DrawFn) -> str:
    """A line that asks for the API, in every way to write one."""
    clauses = draw(
        st.lists(st.sampled_from([">=1", "<2.0", "!=1.5", "==1.2", "~=1.2", "===1.0", "==1.*"]), max_size=3)
    )
    # Behind `===` everything up to a blank is the version.
    joined: List[str] = [
        clause.replace("===1.0", "===1.0 ") if len(clauses) > 1 else clause for clause in clauses
    ]
    versions = ("," + draw(st.sampled_from(["", " "]))).join(
        clause for clause in joined if "===" not in clause
    )
    parts = [
        draw(st.sampled_from(["", "  ", "\t"])),
        draw(st.sampled_from(["opentelemetry-api", "OpenTelemetry_API", "opentelemetry.api"])),
        draw(st.sampled_from(["", "[a]", "[a,b]", " [a]"])),
        draw(SPACES),
        draw(st.sampled_from([versions, f"({versions})", versions])),
        draw(SPACES),
        draw(st.sampled_from(["", "; python_version>'3'", ";os_name=='posix'"])),
        draw(st.sampled_from(["", " # note", " --hash=sha256:ab", "\t# 备注"])),
    ]
    return "".join(parts)


@given(TEXTS, requirement_lines(), TEXTS, st.sampled_from(["\n", "\r\n"]))
def test_a_replaced_version_is_read_and_nothing_else_changes(
    before: str, middle: str, after: str, newline: str
) -> None:
    # A blank line ends whatever the random text has left open.
    head, tail = before + newline * 2, newline + after
    file = file_of(head + middle + tail)
    (line,) = [line for line in file.lines if line.extent.start == len(head)]
    assert (line.kind, line.name) == (NAMED, "opentelemetry-api")
    edit = replace_version(file, line, "1.41.1")
    result = applied(file.source.text, [edit])
    assert result.startswith(head) and result.endswith(tail)
    (changed,) = [line for line in read_lines(result) if line.extent.start == len(head)]
    assert standing(changed, "1.41.1") == RIGHT
    assert changed._replace(
        at=line.at, extent=line.extent, specifier="", specifier_at=line.at
    ) == line._replace(specifier="", specifier_at=line.at)
    assert result[: edit.span.start] == file.source.text[: edit.span.start]
    assert result[edit.span.start + len(edit.content) :] == file.source.text[edit.span.end :]
