"""The standard streams, whatever the caller made of them: closed, full, of an encoding that lacks letters."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from typing import TextIO, Union

from rlobs_lint.model import Text
from rlobs_lint.texts import UserError

_UNWRITABLE = Text("the output cannot be written: {reason}", "无法写入输出：{reason}")
_NO_INPUT = Text("standard input is closed", "标准输入已关闭")
#: What writing alone runs into: a full disk, a quota, the largest file, a broken device, a closed stream.
_WRITING_ERRORS = frozenset(
    number
    for name in ("ENOSPC", "EDQUOT", "EFBIG", "EIO", "EBADF")
    for number in (getattr(errno, name, None),)
    if number is not None
)


def provide_streams() -> None:
    """Has the null device stand in for a closed output (`>&-`), which Python leaves as `None`.

    Its number would else go to the next file that is opened, and whatever is printed would go there.
    """
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")


def read_input() -> bytes:
    """Returns all of standard input.

    Raises:
        UserError: It is closed.
    """
    if sys.stdin is None:
        raise UserError(_NO_INPUT)
    return sys.stdin.buffer.read()


def write(stream: TextIO, text: Union[str, bytes]) -> None:
    """Writes text whatever the stream's encoding, or bytes as they are.

    Raises:
        BrokenPipeError: Nobody reads it any more.
        UserError: It cannot be written.
    """
    data = text.encode("utf-8", "backslashreplace") if isinstance(text, str) else text
    try:
        stream.flush()
        stream.buffer.write(data)
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        silence(stream)
        raise unwritable(error) from None


def say(text: Union[str, bytes]) -> None:
    """Writes to standard error; where that is not possible, nobody can be told."""
    with suppress(UserError):
        write(sys.stderr, text)


def silence(stream: TextIO) -> None:
    """Sends a stream to nowhere: what is still in its buffer would fail again when the process ends."""
    with suppress(OSError, ValueError):  # no stream of the system
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def is_about_output(error: OSError) -> bool:
    """Whether an error that names no file comes from writing to a stream."""
    return error.filename is None and error.errno in _WRITING_ERRORS


def unwritable(error: OSError) -> UserError:
    """Returns what to tell the user about output that cannot be written."""
    return UserError(_UNWRITABLE, reason=error.strerror or type(error).__name__)
