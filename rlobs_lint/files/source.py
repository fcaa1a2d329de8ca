"""Reading files: safely, and with the text's characters, rows and columns as Python and editors see them."""

from __future__ import annotations

import hashlib
import io
import re
import stat
import tokenize
from bisect import bisect_right
from pathlib import Path
from typing import List, NamedTuple, Optional, Tuple, Union

from rlobs_lint.model import Position, Range, Span, Text

#: Larger files are not code; reading one would only cost memory (bytes).
MAXIMUM_SIZE = 64 * 1024 * 1024

_LINE_END = re.compile(r"\r\n|\r|\n")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class ReadError(NamedTuple):
    """Why a file could not be read or decoded."""

    path: str
    reason: Text
    parameters: Tuple[Tuple[str, str], ...] = ()


class SourceFile:
    """The text of one file, and how its bytes are made from it.

    Attributes:
        path: Absolute path.
        digest: Hash of the bytes, hexadecimal.
        text: The decoded text, without a byte order mark; line ends are as in the file.
        encoding: Python's name of the encoding, without the mark.
        has_mark: Whether the bytes begin with a UTF-8 byte order mark.
    """

    __slots__ = ("_starts", "digest", "encoding", "has_mark", "path", "text")

    def __init__(self, path: str, data: bytes, text: str, encoding: str) -> None:
        self.path = path
        self.digest = hashlib.sha256(data).hexdigest()
        self.text = text
        self.encoding = encoding
        self.has_mark = data.startswith(_BYTE_ORDER_MARK) and encoding == "utf-8"
        self._starts: Optional[List[int]] = None

    @property
    def line_starts(self) -> List[int]:
        """Offsets of the first character of every line, as Python counts lines (LF, CRLF, CR)."""
        if self._starts is None:
            self._starts = [0, *(match.end() for match in _LINE_END.finditer(self.text))]
        return self._starts

    @property
    def newline(self) -> str:
        """The line end of the file's first line, a line feed where there is none."""
        match = _LINE_END.search(self.text)
        return match.group() if match else "\n"

    def position(self, offset: int) -> Position:
        """Returns row and column of a character."""
        row = bisect_right(self.line_starts, offset)
        return Position(row, offset - self.line_starts[row - 1] + 1)

    def range(self, span: Span) -> Range:
        """Returns rows and columns of a span."""
        return Range(self.position(span.start), self.position(span.end))

    def line(self, row: int) -> str:
        """Returns the text of a line without its end; empty for a row that the file does not have."""
        starts = self.line_starts
        if not 1 <= row <= len(starts):
            return ""
        end = starts[row] if row < len(starts) else len(self.text)
        return self.text[starts[row - 1] : end].rstrip("\r\n")

    def encode(self, text: str) -> bytes:
        """Returns the bytes that a changed text is written as.

        Raises:
            UnicodeEncodeError: The file's encoding cannot express the text.
        """
        return (_BYTE_ORDER_MARK if self.has_mark else b"") + text.encode(self.encoding)


def read_bytes(path: str) -> Union[bytes, ReadError]:
    """Reads a regular file of bearable size; everything else is an error, and nothing blocks."""
    file = Path(path)
    try:
        status = file.stat()
        if not stat.S_ISREG(status.st_mode):
            return ReadError(path, Text("it is not a regular file", "它不是普通文件"))
        if status.st_size > MAXIMUM_SIZE:
            return ReadError(path, Text("it is larger than 64 MiB", "它大于 64 MiB"))
        return file.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        return ReadError(path, Text("{reason}", "{reason}"), (("reason", reason),))


def decode_utf8(path: str, data: bytes) -> Union[SourceFile, ReadError]:
    """Decodes a file that the SDK reads as UTF-8: requirements, job files, datasets."""
    bare = data[len(_BYTE_ORDER_MARK) :] if data.startswith(_BYTE_ORDER_MARK) else data
    try:
        return SourceFile(path, data, bare.decode("utf-8"), "utf-8")
    except UnicodeDecodeError as error:
        return _undecodable(path, "utf-8", error.start + len(data) - len(bare))


def decode_python(path: str, data: bytes) -> Union[SourceFile, ReadError]:
    """Decodes a Python file as its byte order mark or coding cookie says (PEP 263), else as UTF-8."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as error:
        cookie = _unknown_cookie(str(error))
        if cookie is None:
            return _undecodable(path, "utf-8", None)
        return ReadError(
            path,
            Text("its coding cookie names the unknown encoding {cookie}", "其编码声明 {cookie} 不是已知编码"),
            (("cookie", cookie),),
        )
    bare = data[len(_BYTE_ORDER_MARK) :] if encoding == "utf-8-sig" else data
    encoding = "utf-8" if encoding == "utf-8-sig" else encoding
    try:
        return SourceFile(path, data, bare.decode(encoding), encoding)
    except UnicodeDecodeError as error:
        return _undecodable(path, encoding, error.start + len(data) - len(bare))
    except (LookupError, UnicodeError):
        return _undecodable(path, encoding, None)


def read_python(path: str) -> Union[SourceFile, ReadError]:
    """Reads and decodes a Python file."""
    data = read_bytes(path)
    return data if isinstance(data, ReadError) else decode_python(path, data)


def read_utf8(path: str) -> Union[SourceFile, ReadError]:
    """Reads and decodes a UTF-8 file."""
    data = read_bytes(path)
    return data if isinstance(data, ReadError) else decode_utf8(path, data)


def _unknown_cookie(message: str) -> Optional[str]:
    match = re.search(r"unknown encoding(?: for [^:]*)?: (.+)|encoding problem(?: for [^:]*)?: (.+)", message)
    return (match.group(1) or match.group(2)) if match else None


def _undecodable(path: str, encoding: str, offset: Optional[int]) -> ReadError:
    if offset is None:
        return ReadError(
            path, Text("it is not {encoding}", "它不是 {encoding} 编码"), (("encoding", encoding),)
        )
    return ReadError(
        path,
        Text("byte {offset} is not {encoding}", "第 {offset} 个字节不是 {encoding} 编码"),
        (("encoding", encoding), ("offset", str(offset + 1))),
    )
