from __future__ import annotations

import io
import json
from typing import List, Tuple

import pytest
from hypothesis import given as given_by
from hypothesis import settings
from hypothesis import strategies as some

from rlobs_lint.model import Position
from rlobs_lint.project.datasets import lines
from rlobs_lint.project.datasets.lines import (
    EXCERPT_LENGTH,
    MAXIMUM_PROBLEMS,
    Problems,
    UndecodableLineError,
    Verdict,
    judge_lines,
)

GOOD = '{"messages": [{"role": "user", "content": "3*7=?"}]}'


def judge(*lines: str, newline: str = "\n") -> Verdict:
    return judge_lines(io.BytesIO(newline.join(lines).encode()))


def told(problems: Problems) -> List[Tuple[int, str]]:
    return [(problem.row, problem.reason) for problem in problems.first]


def only(verdict: Verdict, kind: str) -> List[Tuple[int, str]]:
    """Returns the problems of one kind, and makes sure that there are no others."""
    for name in Verdict._fields:
        assert name == kind or not getattr(verdict, name).first
    return told(getattr(verdict, kind))


@pytest.mark.parametrize(
    "line",
    [
        GOOD,
        "  " + GOOD + " \t",
        '{"messages": [{"role": "system", "content": ""}, {"content": "x", "role": "user"}]}',
        '{"messages": [{"role": "assistant", "content": null, "tool_calls": [{"id": "1"}]}]}',
        '{"messages": [{"role": "assistant", "tool_calls": [{}]}, {"role": "tool", "content": "21"}]}',
        '{"messages": [{"role": "assistant", "content": "x", "tool_calls": null}]}',
        '{"messages": [{"role": "user", "content": [{"type": "text", "text": "x"}, {"image": "y"}]}]}',
        '{"messages": [{"role": "user", "content": "x"}], "rollout_extra": null}',
        '{"messages": [{"role": "user", "content": "x"}], "rollout_extra": {}}',
        '{"messages": [{"role": "user", "content": "a\\u2028b\u2028c\x85\ufeff"}]}',
        '{"messages": [{"role": "user", "content": "\\ud800"}]}',
        '{"messages": [{"role": "user", "content": "x"}], "n": 1e400, "n": -0}',
        '{"messages": [{"role": "user", "content": "x"}], "n": ' + "1" * 5000 + "}",
        '{"messages": [{"role": "user", "content": "x"}], "deep": ' + "[" * 200 + "]" * 200 + "}",
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_fit_lines(line: str, newline: str) -> None:
    assert judge(line, GOOD, "", newline=newline).lines.count == 0
    assert only(judge(line, GOOD, newline=newline), "lines") == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not-json"),
        ('{"messages": [],}', "not-json"),
        ("{'messages': []}", "not-json"),
        ('{"a": "\t"}', "not-json"),
        ('{"a": "x\0"}', "not-json"),
        ("// comment", "not-json"),
        ("\ufeff" + GOOD, "not-json"),  # in the middle of a file
        ("\u00a0" + GOOD, "not-json"),
        (GOOD + GOOD, "several"),
        (GOOD + ",", "several"),
        (GOOD + "\r" + GOOD, "several"),
        ("[]", "not-object"),
        ("[" + GOOD + "]", "not-object"),
        ('"messages"', "not-object"),
        ("null", "not-object"),
        ("0", "not-object"),
        ("1" * 5000, "not-object"),
        ('{"a": NaN}', "not-finite"),
        ('{"a": -Infinity}', "not-finite"),
        ('{"a": ' + "[" * 200_000, "too-deep"),
        ("", "blank"),
        (" \t", "blank"),
    ],
)
def test_lines_that_are_not_one_object(line: str, reason: str) -> None:
    assert only(judge(GOOD, line, GOOD), "lines") == [(2, reason)]


def test_reasons_come_with_their_values() -> None:
    verdict = judge('{"a" 1}', '{"a": NaN}', "[1]", GOOD + " x")
    column, token, kind, several = (dict(problem.parameters) for problem in verdict.lines.first)
    assert column["column"] == 6 and column["reason"]
    assert token == {"token": "NaN"}
    assert kind == {"kind": "array"}
    assert several["column"] == len(GOOD) + 2


def test_a_byte_order_mark_spoils_the_first_line_only() -> None:
    assert only(judge("\ufeff" + GOOD, GOOD), "lines") == [(1, "byte-order-mark")]


@pytest.mark.parametrize("tail", ["", "\n", "\n\n\n", "\n \n\t\n", "\r\n\r\n"])
def test_blank_lines_at_the_end_are_fine(tail: str) -> None:
    assert only(judge(GOOD, GOOD + tail), "lines") == []


def test_blank_lines_before_a_record_are_not() -> None:
    assert only(judge("", GOOD, "", "", "{", "", ""), "lines") == [
        (1, "blank"),
        (3, "blank"),
        (4, "blank"),
        (5, "not-json"),
    ]


@pytest.mark.parametrize("data", [b"", b"\n", b"\r\n \n"])
def test_a_file_without_records_has_no_bad_line(data: bytes) -> None:
    assert only(judge_lines(io.BytesIO(data)), "lines") == []


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        ("null", "not-list"),
        ('"1+1=?"', "not-list"),
        ('{"role": "user", "content": "x"}', "not-list"),
        ("[]", "empty"),
        ('["x"]', "message-kind"),
        ("[null]", "message-kind"),
        ('[{"content": "x"}]', "no-role"),
        ('[{"role": null, "content": "x"}]', "no-role"),
        ('[{"role": "human", "content": "x"}]', "unknown-role"),
        ('[{"role": "User", "content": "x"}]', "unknown-role"),
        ('[{"role": ["user"], "content": "x"}]', "unknown-role"),
        ('[{"role": {}, "content": "x"}]', "unknown-role"),
        ('[{"role": 1, "content": "x"}]', "unknown-role"),
        ('[{"role": "user"}]', "no-content"),
        ('[{"role": "user", "content": null}]', "no-content"),
        ('[{"role": "user", "tool_calls": [{}]}]', "no-content"),
        ('[{"role": "tool", "content": null}]', "no-content"),
        ('[{"role": "assistant"}]', "no-content"),
        ('[{"role": "assistant", "tool_calls": []}]', "no-content"),
        ('[{"role": "assistant", "tool_calls": "x"}]', "no-content"),
        ('[{"role": "user", "content": 1}]', "content-kind"),
        ('[{"role": "user", "content": {"text": "x"}}]', "content-kind"),
        ('[{"role": "user", "content": [{"text": "x"}, "y"]}]', "part-kind"),
    ],
)
def test_unfit_messages(messages: str, reason: str) -> None:
    line = f'{{"messages": {messages}}}'
    assert only(judge(GOOD, line, line), "messages") == [(2, reason), (3, reason)]


def test_messages_may_be_missing_altogether() -> None:
    assert only(judge('{"prompt": "1+1=?"}', "{}"), "messages") == [(1, "missing"), (2, "missing")]


def test_the_first_unfit_message_is_named() -> None:
    fit = {"role": "user", "content": "x"}
    unfit = {"role": "x" * 100, "content": "y"}
    verdict = judge(json.dumps({"messages": [fit, unfit, {}]}))
    parameters = dict(verdict.messages.first[0].parameters)
    assert parameters["number"] == 2
    assert len(str(parameters["role"])) == 40


@pytest.mark.parametrize(
    ("extra", "kind"),
    [("21", "number"), ("2.1", "number"), ('"21"', "string"), ("[]", "array"), ("false", "boolean")],
)
def test_extras_of_another_type(extra: str, kind: str) -> None:
    verdict = judge(f'{GOOD[:-1]}, "rollout_extra": {extra}}}')
    assert only(verdict, "extras") == [(1, "kind")]
    assert dict(verdict.extras.first[0].parameters) == {"kind": kind}


def test_a_line_can_be_bad_in_two_ways() -> None:
    verdict = judge('{"rollout_extra": 1}')
    assert (told(verdict.messages), told(verdict.extras)) == ([(1, "missing")], [(1, "kind")])


def test_places_count_characters() -> None:
    problem = judge('{"题": "😀"\t', newline="").lines.first[0]
    assert problem.location.start == Position(1, 1)
    assert problem.location.end == Position(1, 11)
    assert problem.excerpt == '{"题": "😀"\t'


def test_only_the_beginning_of_a_line_is_kept() -> None:
    problem = judge("[" + " " * 10_000).lines.first[0]
    assert (problem.width, len(problem.excerpt)) == (10_001, EXCERPT_LENGTH)


@pytest.mark.parametrize("count", [19, 20, 21, 22, 1000])
def test_twenty_lines_are_told_and_the_rest_is_counted(count: int) -> None:
    problems = judge(*["{"] * count, GOOD).lines
    reported = [(problem.row, many) for problem, many in problems.reported()]
    expected = [(row, 1) for row in range(1, min(count, MAXIMUM_PROBLEMS) + 1)]
    if count > MAXIMUM_PROBLEMS:
        expected.append((MAXIMUM_PROBLEMS + 1, count - MAXIMUM_PROBLEMS))
    assert problems.count == count
    assert reported == expected


def test_many_blank_lines_are_counted_without_being_kept() -> None:
    problems = judge(GOOD, *[""] * 1000, GOOD, *[""] * 1000).lines
    assert problems.count == 1000
    assert [problem.row for problem, _ in problems.reported()] == list(range(2, 23))


@pytest.mark.parametrize(
    "data",
    [
        b'{"a": "\xff"}',
        b"\xff\xfe{\x00",
        "测试".encode("gbk"),
        b'{"a": "\xed\xa0\x80"}',  # an encoded surrogate, which `json.loads` lets pass
        b'{"a": "\xe4\xb8"}',
    ],
)
def test_a_line_that_is_not_utf8_ends_the_reading(data: bytes) -> None:
    with pytest.raises(UndecodableLineError) as caught:
        judge_lines(io.BytesIO(b"{\n\n" + data + b"\n{"))
    assert caught.value.row == 3


def test_an_overlong_line_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST_LINE", 100)
    long = '{"a": "' + "长" * 100 + '"}'
    verdict = judge(GOOD, "", long, GOOD, '{"a"}', long)
    assert told(verdict.lines) == [(2, "blank"), (3, "too-long"), (5, "not-json"), (6, "too-long")]


@pytest.mark.parametrize("bad", [b"\xff", "长".encode()[:2]])
def test_an_overlong_line_must_be_utf8_too(monkeypatch: pytest.MonkeyPatch, bad: bytes) -> None:
    monkeypatch.setattr(lines, "LONGEST_LINE", 100)
    with pytest.raises(UndecodableLineError) as caught:
        judge_lines(io.BytesIO(GOOD.encode() + b"\n" + "长".encode() * 1000 + bad))
    assert caught.value.row == 2


def test_a_line_as_long_as_the_limit_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST_LINE", len(GOOD) + 1)
    assert only(judge(GOOD, GOOD, "{", ""), "lines") == [(3, "not-json")]


json_values = some.recursive(
    some.none() | some.booleans() | some.integers() | some.text(max_size=5),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
records = some.fixed_dictionaries(
    {},
    optional={
        "messages": some.lists(
            some.fixed_dictionaries(
                {},
                optional={
                    "role": some.sampled_from(("user", "assistant", "tool", "x")) | json_values,
                    "content": some.text(max_size=5) | json_values,
                    "tool_calls": json_values,
                },
            )
            | json_values,
            max_size=3,
        )
        | json_values,
        "rollout_extra": json_values,
    },
)


@settings(deadline=None)
@given_by(some.lists(records, min_size=1, max_size=5), some.booleans())
def test_the_quick_look_agrees_with_the_thorough_one(found: List[object], space: bool) -> None:
    # White space behind the object makes the reader look at a line a second time.
    plain = judge(*[json.dumps(record) for record in found])
    spaced = judge(*[json.dumps(record, ensure_ascii=space) + "  " for record in found])
    assert plain.lines.count == 0
    assert [told(problems) for problems in plain] == [told(problems) for problems in spaced]


@settings(deadline=None)
@given_by(some.binary(max_size=60))
def test_any_bytes_are_judged_or_refused(data: bytes) -> None:
    try:
        verdict = judge_lines(io.BytesIO(data))
    except UndecodableLineError as error:
        with pytest.raises(UnicodeDecodeError):
            data.split(b"\n")[error.row - 1].decode()
        return
    assert data.decode() is not None
    assert all(problems.count >= len(problems.first) for problems in verdict)
