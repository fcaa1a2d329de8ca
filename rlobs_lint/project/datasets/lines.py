"""The lines of a dataset: which are not one JSON object, and which lack fit messages or extras.

A file may hold gigabytes, so a line of the common shape costs little more than parsing it, no line is
kept longer than it is judged, and of the bad ones only the first are remembered.
"""

from __future__ import annotations

import codecs
import json
from functools import partial
from typing import Any, BinaryIO, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple

from rlobs_lint import sdk
from rlobs_lint.model import Position, Range, Scalar

#: Lines of one kind of mistake that are remembered; the next one speaks for all that follow.
MAXIMUM_PROBLEMS = 20
#: Longer lines are not parsed, only their encoding is checked (bytes).
LONGEST_LINE = 32 * 1024 * 1024
#: What is remembered of a bad line, to show it (characters).
EXCERPT_LENGTH = 500

_ROLES = tuple(sorted(sdk.MESSAGE_ROLES))
_SHOWN_LENGTH = 40
_BYTE_ORDER_MARK = "\ufeff"
_LINE_ENDS = ("\n", "", "\r\n")
_JSON_KINDS = {
    dict: "object", list: "array", str: "string", bool: "boolean", int: "number", float: "number",
    type(None): "null",
}  # fmt: skip


class Problem(NamedTuple):
    """A bad line.

    Attributes:
        row: Its number, from 1.
        width: Its length without the line end (characters).
        reason: A key that says what is wrong with it; the rules have a sentence for each.
        parameters: Values for the sentence.
        excerpt: The beginning of the line.
    """

    row: int
    width: int
    reason: str
    parameters: Tuple[Tuple[str, Scalar], ...]
    excerpt: str

    @property
    def location(self) -> Range:
        """The line as rows and columns."""
        return Range(Position(self.row, 1), Position(self.row, self.width + 1))


class Problems:
    """The bad lines of one kind.

    Attributes:
        first: The first of them, in order: at most one more than `MAXIMUM_PROBLEMS`.
        count: How many there are.
    """

    __slots__ = ("count", "first")

    def __init__(self) -> None:
        self.first: List[Problem] = []
        self.count = 0

    def add(self, row: int, text: str, reason: str, parameters: Mapping[str, Scalar]) -> None:
        """Notes a bad line."""
        self.count += 1
        if len(self.first) <= MAXIMUM_PROBLEMS:
            line = text.rstrip("\r\n")
            excerpt = line[:EXCERPT_LENGTH]
            self.first.append(Problem(row, len(line), reason, tuple(parameters.items()), excerpt))

    def reported(self) -> Iterator[Tuple[Problem, int]]:
        """Yields the lines to report, each with the number of lines that it speaks for.

        That is 1 for each of the first `MAXIMUM_PROBLEMS`; a last one stands for all that follow.
        """
        yield from ((problem, 1) for problem in self.first[:MAXIMUM_PROBLEMS])
        if self.count > MAXIMUM_PROBLEMS:
            yield self.first[MAXIMUM_PROBLEMS], self.count - MAXIMUM_PROBLEMS


class Verdict(NamedTuple):
    """The bad lines of a file.

    Attributes:
        lines: Lines that are not one JSON object.
        messages: Lines without fit messages.
        extras: Lines whose `rollout_extra` is neither an object nor null.
    """

    lines: Problems
    messages: Problems
    extras: Problems


class UndecodableLineError(Exception):
    """A line is not UTF-8.

    Attributes:
        row: Its number, from 1.
    """

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row


class _NotFiniteError(ValueError):
    """`NaN` or `Infinity`, which JSON does not have."""


def _refuse_constant(name: str) -> float:
    raise _NotFiniteError(name)


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
# A number of thousands of digits is JSON, though Python refuses to convert it.
_LENIENT_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_int=float)


def judge_lines(file: BinaryIO) -> Verdict:
    """Reads a file to its end and judges every line.

    Raises:
        UndecodableLineError: A line is not UTF-8; nothing else is then said about the file.
        OSError: The file cannot be read.
    """
    verdict = Verdict(Problems(), Problems(), Problems())
    blank = _BlankLines(verdict.lines)
    scan, roles = _DECODER.scan_once, _ROLES  # type: ignore[attr-defined] # as `raw_decode` calls it
    row = 0
    for line in iter(partial(file.readline, LONGEST_LINE), b""):
        row += 1
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            _skip_line(file, line, row)
            blank.flush()
            verdict.lines.add(row, "", "too-long", {"limit": LONGEST_LINE // 1024 // 1024})
            continue
        # The common shape is told here, without calls of our own; everything else is looked at twice.
        try:
            text = line.decode()
            record, end = scan(text, 0)
        except (ValueError, RecursionError, StopIteration):
            record, end = None, 0
        if type(record) is not dict or text[end:] not in _LINE_ENDS or blank.rows:
            record = None  # a long line's values are not kept twice
            record = _judge_line(row, line, verdict.lines, blank)
            if record is None:
                continue
        messages = record.get("messages")
        is_common = type(messages) is list and messages
        if is_common:
            for message in messages:
                if (
                    type(message) is not dict
                    or message.get("role") not in roles
                    or (type(message.get("content")) is not str and _message_problem(message))
                ):
                    is_common = False
                    break
        if not is_common:
            _judge_messages(row, text, record, verdict.messages)
        extra = record.get("rollout_extra")
        if extra is not None and type(extra) is not dict:
            verdict.extras.add(row, text, "kind", {"kind": _json_kind(extra)})
    return verdict


class _BlankLines:
    """Blank lines: a mistake only if a record follows.

    Attributes:
        rows: The first of them.
    """

    __slots__ = ("_count", "_problems", "rows")

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._count = 0
        self.rows: List[int] = []

    def add(self, row: int) -> None:
        self._count += 1
        if len(self.rows) <= MAXIMUM_PROBLEMS:
            self.rows.append(row)

    def flush(self) -> None:
        """Notes them as mistakes: a record has followed."""
        for row in self.rows:
            self._problems.add(row, "", "blank", {})
        self._problems.count += self._count - len(self.rows)
        self._count, self.rows = 0, []


def _judge_line(row: int, line: bytes, problems: Problems, blank: _BlankLines) -> Optional[Dict[str, Any]]:
    """Returns the object of a line, or notes why there is none."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        raise UndecodableLineError(row) from None
    if not line.strip():
        blank.add(row)
        return None
    blank.flush()
    if row == 1 and text.startswith(_BYTE_ORDER_MARK):
        problems.add(row, text, "byte-order-mark", {})
        return None
    try:
        record = _decode(text)
    except _NotFiniteError as error:
        problems.add(row, text, "not-finite", {"token": str(error)})
    except json.JSONDecodeError as error:
        reason = "several" if error.msg == "Extra data" else "not-json"
        problems.add(row, text, reason, {"column": error.pos + 1, "reason": error.msg})
    except RecursionError:
        problems.add(row, text, "too-deep", {})
    else:
        if isinstance(record, dict):
            return record
        problems.add(row, text, "not-object", {"kind": _json_kind(record)})
    return None


def _decode(text: str) -> Any:
    try:
        return _DECODER.decode(text)
    except (json.JSONDecodeError, _NotFiniteError):
        raise
    except ValueError:
        return _LENIENT_DECODER.decode(text)


def _skip_line(file: BinaryIO, beginning: bytes, row: int) -> None:
    """Reads to the end of an overlong line.

    Raises:
        UndecodableLineError: The line is not UTF-8.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    part = beginning
    try:
        while part and not part.endswith(b"\n"):
            decoder.decode(part)
            part = file.readline(1024 * 1024)
        decoder.decode(part, final=True)
    except UnicodeDecodeError:
        raise UndecodableLineError(row) from None


def _judge_messages(row: int, text: str, record: Dict[str, Any], problems: Problems) -> None:
    messages = record.get("messages")
    if "messages" not in record:
        problems.add(row, text, "missing", {})
    elif not isinstance(messages, list):
        problems.add(row, text, "not-list", {"kind": _json_kind(messages)})
    elif not messages:
        problems.add(row, text, "empty", {})
    else:
        for number, message in enumerate(messages, 1):
            problem = _message_problem(message)
            if problem is not None:
                reason, details = problem
                problems.add(row, text, reason, {"number": number, **details})
                return


def _message_problem(message: Any) -> Optional[Tuple[str, Dict[str, Scalar]]]:
    """Returns what is wrong with a message and the values for the sentence, or `None`."""
    if not isinstance(message, dict):
        return "message-kind", {"kind": _json_kind(message)}
    role, content = message.get("role"), message.get("content")
    if role is None:
        return "no-role", {}
    if role not in _ROLES:
        return "unknown-role", {"role": _shown(role)}
    if content is None:
        calls = message.get("tool_calls") if role == "assistant" else None
        return None if isinstance(calls, list) and calls else ("no-content", {"role": role})
    if isinstance(content, list):
        odd = [part for part in content if not isinstance(part, dict)]
        return ("part-kind", {"kind": _json_kind(odd[0])}) if odd else None
    return None if isinstance(content, str) else ("content-kind", {"kind": _json_kind(content)})


def _json_kind(value: object) -> str:
    return _JSON_KINDS[type(value)]


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 1] + "…"
