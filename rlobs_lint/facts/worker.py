"""A process that scans files for another: what kills it, or takes too long, costs that file alone.

Requests and answers are a line with a number of bytes and then the bytes: the text of a file, and its
facts as the cache stores them.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import BinaryIO, Optional

#: How much longer than it may compute a process may take: on a busy machine it hardly gets to it.
_PATIENCE = 5
#: The return code of a process whose computing time is over.
_OUT_OF_TIME = -getattr(signal, "SIGXCPU", 0)
#: Sent when the process is ready, before the first answer.
_READY = b"ready\n"
#: Isolated mode keeps the working directory, which may be a linted folder, off the path.
_BOOT = "import sys; sys.path[:] = sys.argv[1:]; from rlobs_lint.facts.worker import main; main()"


class Worker:
    """The other process, seen from this one.

    Attributes:
        took_too_long: Whether it was ended because its time was over.

    Raises:
        OSError: It cannot be started.
    """

    def __init__(self) -> None:
        self.took_too_long = False
        path = [entry for entry in sys.path if entry]
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter, with this tool's own code
            [sys.executable, "-I", "-c", _BOOT, *path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._requests: BinaryIO = self._process.stdin  # type: ignore[assignment] # opened for bytes
        self._answers: BinaryIO = self._process.stdout  # type: ignore[assignment]
        if self._answers.readline() != _READY:
            self.stop()
            raise OSError("the process ended before it was ready")

    def scan(self, text: str, seconds: int) -> Optional[bytes]:
        """Returns the facts of a file, or `None` where the process died of it or took too long.

        After `None` the process is gone.

        Args:
            text: The decoded text of the file.
            seconds: The computing time that it may take.
        """
        # The system counts computing time, so that a busy machine changes no result. Where it does not,
        # or the process sleeps, this clock ends it.
        timer = threading.Timer(seconds * _PATIENCE, self._process.kill)
        timer.daemon = True
        timer.start()
        try:
            self._requests.write(b"%d\n" % seconds)
            _write_block(self._requests, text.encode("utf-8", "surrogatepass"))
            answer = _read_block(self._answers)
        except (OSError, ValueError):
            answer = None
        self.took_too_long = not timer.is_alive()
        timer.cancel()
        if answer is None:
            self.stop()
            self.took_too_long = self.took_too_long or self._process.returncode == _OUT_OF_TIME
        return answer

    def stop(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.wait()
        for stream in (self._requests, self._answers):
            with suppress(OSError):
                stream.close()


def main() -> None:
    """Answers requests until there are no more."""
    import gc

    from rlobs_lint.facts.deep_stack import with_deep_stack

    gc.disable()
    with_deep_stack(_serve)


def _serve() -> None:
    from rlobs_lint.facts.cache import dump_facts
    from rlobs_lint.facts.scan_file import scan_with_care
    from rlobs_lint.files.source import SourceFile

    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    answers.write(_READY)
    answers.flush()
    while True:
        seconds = requests.readline()
        data = _read_block(requests)
        if data is None:
            return
        _limit_time(int(seconds))
        source = SourceFile("", b"", data.decode("utf-8", "surrogatepass"), "utf-8")
        _write_block(answers, dump_facts(scan_with_care(source)))


def _limit_time(seconds: int) -> None:
    """Lets the system end this process when it has computed for so long from now on."""
    try:
        import resource
    except ImportError:  # not on every platform
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    wanted = int(time.process_time()) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (wanted if most < 0 else min(wanted, most), most))


def _write_block(stream: BinaryIO, data: bytes) -> None:
    stream.write(b"%d\n" % len(data))
    stream.write(data)
    stream.flush()


def _read_block(stream: BinaryIO) -> Optional[bytes]:
    length = stream.readline()
    if not length:
        return None
    data = stream.read(int(length))
    return data if len(data) == int(length) else None
