"""A line for a waiting user: shown late, on terminals only, and removed."""

from __future__ import annotations

import io
import threading

import pytest

from rlobs_lint.cli import progress


class _Stream(io.StringIO):
    """A stream that says whether it is a terminal, and when it was written to."""

    def __init__(self, is_terminal: bool) -> None:
        super().__init__()
        self._is_terminal = is_terminal
        self.written = threading.Event()

    def isatty(self) -> bool:
        return self._is_terminal

    def flush(self) -> None:
        self.written.set()


@pytest.mark.parametrize(
    ("language", "says"), [("en", "Checking 3 files ..."), ("zh", "正在检查 3 个文件……")]
)
def test_it_is_shown_after_a_while_and_removed(
    monkeypatch: pytest.MonkeyPatch, language: str, says: str
) -> None:
    monkeypatch.setattr(progress, "_DELAY", 0)
    stream = _Stream(True)
    with progress.shown_on(stream, 3, language):
        assert stream.written.wait(30)
    assert stream.getvalue() == says + "\r\x1b[K"


def test_short_work_shows_nothing() -> None:
    stream = _Stream(True)
    with progress.shown_on(stream, 3, "en"):
        pass
    assert stream.getvalue() == ""


def test_only_terminals_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_DELAY", 0)
    stream = _Stream(False)
    with progress.shown_on(stream, 3, "en"):
        assert not stream.written.wait(0.1)


def test_it_is_removed_when_the_work_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_DELAY", 0)
    stream = _Stream(True)
    with pytest.raises(ValueError, match="x"), progress.shown_on(stream, 3, "en"):
        assert stream.written.wait(30)
        raise ValueError("x")
    assert stream.getvalue().endswith("\r\x1b[K")
