"""Facts of many files: from the cache where their bytes are known, else by scanning them.

Code that could kill the process or keep it for minutes is scanned in another one; so is everything
where there is enough of it to pay for the other processes. The facts do not depend on that.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from typing import TYPE_CHECKING, Dict, Iterator, List, Optional, Sequence, Tuple

from rlobs_lint.facts.cache import FactsCache, dump_facts, load_facts
from rlobs_lint.facts.hazards import is_risky
from rlobs_lint.facts.ir import ModuleFacts, ScanError
from rlobs_lint.files.source import SourceFile

if TYPE_CHECKING:
    from rlobs_lint.facts.worker import Worker

#: Characters of unknown code from which more processes are started: they take a second or so to scan,
#: and each further process first spends a third of one on importing the parser.
_ENOUGH_WORK = 300_000
#: The computing time that one file may take, and how much more for each of its characters (seconds).
_TIME_LIMIT = 20
_TIME_PER_CHARACTER = 20e-6

_TOO_DEEP = ModuleFacts((), (), ScanError("depth", "", 1, 1))


class Scanner:
    """Scans files, and remembers their facts for as long as it lives.

    Args:
        jobs: How many processes may scan at once; 0 for one a processor.

    Attributes:
        running: The other processes that are at work.
        is_stopped: Whether no more are to be started.
    """

    def __init__(self, jobs: int = 0) -> None:
        self._jobs = jobs or _processors()
        self._known: Dict[str, ModuleFacts] = {}
        self.is_stopped = False
        self.running: List[Worker] = []

    def scan(
        self, sources: Sequence[SourceFile], cache: Optional[FactsCache] = None
    ) -> Dict[str, ModuleFacts]:
        """Returns the facts of files by path.

        Args:
            sources: The files.
            cache: Facts of earlier runs; what is new is added to it.
        """
        unknown: Dict[str, SourceFile] = {}
        for source in sources:
            digest = source.digest
            if digest in self._known:
                if cache is not None and not cache.keep(digest):
                    cache.put(digest, dump_facts(self._known[digest]))
                continue
            facts = cache.get(digest) if cache is not None else None
            if facts is None:
                unknown[digest] = source
            else:
                self._known[digest] = facts
        for source, data in self._scan_unknown(list(unknown.values())):
            self._known[source.digest] = _read(data)
            if cache is not None and data is not None:
                cache.put(source.digest, data)
        if cache is not None:
            cache.save()
        return {source.path: self._known[source.digest] for source in sources}

    def stop(self) -> None:
        """Ends the processes that are still at work, and starts no more."""
        self.is_stopped = True
        for worker in list(self.running):
            worker.stop()

    def _scan_unknown(self, sources: Sequence[SourceFile]) -> Iterator[Tuple[SourceFile, Optional[bytes]]]:
        """Yields files and their facts as the cache stores them; `None` where scanning came to nothing."""
        many = self._jobs > 1 and len(sources) > 1 and sum(map(_size, sources)) > _ENOUGH_WORK
        apart = [source for source in sources if many or is_risky(source.text)]
        if apart:
            yield from self._scan_apart(apart)
        for source in sources:
            if source not in apart:
                yield source, _scan_here(source)

    def _scan_apart(self, sources: Sequence[SourceFile]) -> List[Tuple[SourceFile, Optional[bytes]]]:
        # The largest first, so that no process is left alone with it at the end.
        waiting = deque(sorted(sources, key=_size, reverse=True))
        scanned: List[Tuple[SourceFile, Optional[bytes]]] = []

        def work() -> None:
            with _Process(self) as process:
                while waiting:
                    try:
                        source = waiting.popleft()
                    except IndexError:  # another thread was faster
                        return
                    scanned.append((source, process.scan(source)))

        threads = [threading.Thread(target=work, daemon=True) for _ in range(min(self._jobs, len(waiting)))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return scanned


class _Process:
    """A worker that is started when it is needed, and again when one has died.

    Args:
        scanner: Which lists the worker while it lives.
    """

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._worker: Optional[Worker] = None

    def __enter__(self) -> _Process:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def scan(self, source: SourceFile) -> Optional[bytes]:
        """Returns the facts of a file as the cache stores them, or `None`."""
        seconds = _TIME_LIMIT + int(_TIME_PER_CHARACTER * len(source.text))
        # A second try, since a process can also be ended from outside, for want of memory.
        for _ in range(2):
            try:
                worker = self._start()
            except OSError:
                return None if is_risky(source.text) else _scan_here(source)
            facts = worker.scan(source.text, seconds)
            if facts is not None:
                return facts
            self._end()
            if worker.took_too_long:
                return dump_facts(_TOO_DEEP)
        return None

    def _start(self) -> Worker:
        if self._worker is None:
            from rlobs_lint.facts.worker import Worker  # with all that starting a process takes

            if self._scanner.is_stopped:
                raise OSError("no process is to be started any more")
            self._worker = Worker()
            self._scanner.running.append(self._worker)
        return self._worker

    def _end(self) -> None:
        if self._worker is not None:
            self._worker.stop()
            self._scanner.running.remove(self._worker)
            self._worker = None


def _scan_here(source: SourceFile) -> Optional[bytes]:
    # Imported here: an unchanged workspace is checked without the parser.
    from rlobs_lint.facts.scan_file import scan

    try:
        return dump_facts(scan(source))
    except RecursionError:
        return None


def _read(data: Optional[bytes]) -> ModuleFacts:
    try:
        return load_facts(data) if data is not None else _TOO_DEEP
    except RecursionError:
        return _TOO_DEEP


def _size(source: SourceFile) -> int:
    return len(source.text)


def _processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every platform
        return os.cpu_count() or 1
