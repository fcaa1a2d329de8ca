"""Tells a waiting user what is going on: on a terminal, after a second, and gone when it is over."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import Iterator, TextIO

from rlobs_lint.model import Text
from rlobs_lint.texts import fill

_DELAY = 1.0
_CHECKING = Text("Checking {count} files ...", "正在检查 {count} 个文件……")
_CLEAR_LINE = "\r\x1b[K"


@contextmanager
def shown_on(stream: TextIO, count: int, language: str) -> Iterator[None]:
    """Shows a line while the block runs, if it runs for longer than a moment.

    Args:
        stream: Where to show it; nothing is shown unless it is a terminal.
        count: How many files are checked.
        language: `en` or `zh`.
    """
    if not stream.isatty():
        yield
        return
    lock = threading.Lock()
    state = {"is_over": False, "is_shown": False}

    def show() -> None:
        with lock:
            if not state["is_over"]:
                stream.write(fill(_CHECKING, (("count", count),), language))
                stream.flush()
                state["is_shown"] = True

    timer = threading.Timer(_DELAY, show)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        with lock:
            state["is_over"] = True
            if state["is_shown"]:
                stream.write(_CLEAR_LINE)
                stream.flush()
