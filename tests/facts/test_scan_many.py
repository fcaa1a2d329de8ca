"""Scanning: facts that do not depend on how they were made, and a tool that outlives what it reads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Callable, List, Optional

import pytest

from rlobs_lint.facts import scan_many, worker
from rlobs_lint.facts.cache import FactsCache, dump_facts
from rlobs_lint.facts.deep_stack import with_deep_stack
from rlobs_lint.facts.ir import ModuleFacts
from rlobs_lint.facts.scan_many import Scanner
from rlobs_lint.facts.worker import Worker
from rlobs_lint.files.source import SourceFile, decode_python

#: Scanned in a process of its own, in about a second.
LONG_SUM = "x = " + " + ".join(["a"] * 1100) + "\n"


def _source(text: str, path: str = "x.py") -> SourceFile:
    source = decode_python(path, text.encode("utf-8"))
    assert isinstance(source, SourceFile)
    return source


def _facts(text: str, jobs: int = 1, cache: Optional[FactsCache] = None) -> ModuleFacts:
    return with_deep_stack(lambda: Scanner(jobs).scan([_source(text)], cache))["x.py"]


DEEP = {
    "400 elifs": "if a: pass\n" + "elif b: pass\n" * 400,
    "200 chained calls": "x = a" + ".b(c)" * 200 + "\n",
    "900 terms": "x = " + " + ".join(["a"] * 900) + "\n",
    "a long sum": LONG_SUM,
    "400 adjacent strings": "x = (" + "\n'a'" * 400 + ")\n",
    "190 brackets": "x = " + "[" * 190 + "]" * 190 + "\n",
    "99 indents": "".join(" " * depth + "if a:\n" for depth in range(99)) + " " * 99 + "pass\n",
    "500 lambdas": "x = " + "lambda: " * 500 + "1\n",
    "500 negations": "x = " + "not " * 500 + "1\n",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP.keys())
def test_deep_code_has_facts(text: str) -> None:
    facts = _facts(text)
    assert facts.error is None
    assert facts.body


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("y = 1\nx = " + "(" * 2000 + ")" * 2000 + "\n", "too many nested parentheses"),
        ("".join(" " * depth + "if a:\n" for depth in range(120)) + " " * 120 + "pass\n", "too many levels"),
    ],
)
def test_what_python_refuses_for_its_depth_is_a_syntax_error(text: str, words: str) -> None:
    error = _facts(text).error
    assert error is not None
    assert error.kind == "syntax"
    assert words in error.reason
    assert error.row > 1


@pytest.mark.parametrize(
    "text",
    [
        "type X = int\n",
        "class A[T: int, *Ts, **P = [int]](B[T]): pass\n",
        "x = f'{a['b']}'\n",
        "x = t'{a}'\n",
        "try:\n    pass\nexcept A, B:\n    pass\n",
        "lazy import os\n",
    ],
)
def test_syntax_newer_than_this_python_is_read(text: str) -> None:
    assert _facts(text).error is None


class _Dying(Worker):
    """A worker whose process dies of every file."""

    def scan(self, text: str, seconds: int) -> Optional[bytes]:
        self._process.kill()
        return super().scan(text, seconds)


def test_the_death_of_a_process_costs_one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    started: List[Worker] = []

    def start() -> Worker:
        started.append(_Dying())
        return started[-1]

    monkeypatch.setattr(worker, "Worker", start)
    sources = [_source(LONG_SUM, "long.py"), _source("y = 1\n", "short.py")]
    facts = Scanner(1).scan(sources)
    assert facts["long.py"].error is not None and facts["long.py"].error.kind == "depth"
    assert facts["short.py"].error is None
    assert len(started) == 2, "it may have been ended from outside, so there is a second try"


def test_a_file_that_takes_too_long_is_given_up_and_remembered(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(scan_many, "_TIME_LIMIT", 0)
    monkeypatch.setattr(scan_many, "_TIME_PER_CHARACTER", 0)
    slow = "x = " + " + ".join(["a"] * 20_000) + "\n"
    cache = FactsCache(str(tmp_path), "/w")
    error = _facts(slow, cache=cache).error
    assert error is not None and error.kind == "depth"
    again = FactsCache(str(tmp_path), "/w").get(_source(slow).digest)
    assert again is not None and again.error == error


def test_where_no_process_can_be_started_ordinary_files_are_scanned_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail() -> Worker:
        raise OSError("no more processes")

    monkeypatch.setattr(worker, "Worker", fail)
    monkeypatch.setattr(scan_many, "_ENOUGH_WORK", 0)
    facts = Scanner(2).scan(
        [_source("x = 1\n", "a.py"), _source("y = 1\n", "b.py"), _source(LONG_SUM, "c.py")]
    )
    assert [facts[name].error is None for name in ("a.py", "b.py", "c.py")] == [True, True, False]


def test_a_process_that_says_nothing_counts_as_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_BOOT", "pass")
    with pytest.raises(OSError, match="before it was ready"):
        Worker()


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_facts_do_not_depend_on_the_number_of_processes(monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    monkeypatch.setattr(scan_many, "_ENOUGH_WORK", 0)
    texts = [f"x{index} = '字'\n" * 20 for index in range(7)] + [
        "def\n",
        "\x0cx = 1\n",
        "x = '\ud800'\n"[:5] + "'\n",
    ]
    sources = [_source(text, f"{index}.py") for index, text in enumerate(texts)]
    here = Scanner(1).scan(sources)
    assert Scanner(jobs).scan(sources) == here


def test_the_same_bytes_are_scanned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    scanned: List[str] = []

    def scan_here(source: SourceFile) -> bytes:
        scanned.append(source.path)
        return dump_facts(ModuleFacts((), (), None))

    monkeypatch.setattr(scan_many, "_scan_here", scan_here)
    scanner = Scanner(1)
    facts = scanner.scan([_source("x = 1\n", "a.py"), _source("x = 1\n", "b.py")])
    assert set(facts) == {"a.py", "b.py"}
    scanner.scan([_source("x = 1\n", "c.py")])
    assert len(scanned) == 1


def test_a_worker_ends_when_nobody_asks_any_more() -> None:
    deep_stack = Worker()
    assert deep_stack.scan("x = 1\n", 20) is not None
    deep_stack._requests.close()
    assert deep_stack._process.wait(20) == 0
    deep_stack.stop()


def test_the_working_directory_is_not_on_the_path_of_a_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("libcst", "json", "subprocess", "rlobs_lint"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported from the linted folder')\n")
    monkeypatch.chdir(tmp_path)
    deep_stack = Worker()
    try:
        assert deep_stack.scan("x = 1\n", 20) is not None
    finally:
        deep_stack.stop()


# --- deep calls -----------------------------------------------------------------------------------


def test_code_may_recurse_deeply_and_the_limit_is_put_back() -> None:
    def dive(depth: int) -> int:
        return 0 if depth == 0 else 1 + dive(depth - 1)

    before = sys.getrecursionlimit()
    assert with_deep_stack(lambda: dive(20_000)) == 20_000
    assert sys.getrecursionlimit() == before


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(3), KeyboardInterrupt()])
def test_errors_come_out_as_they_are(error: BaseException) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        with_deep_stack(fail)
    assert caught.value is error


def test_an_interrupt_does_not_wait_for_the_work() -> None:
    code = (
        "import os, signal, threading, time\n"
        "from rlobs_lint.facts.deep_stack import with_deep_stack\n"
        # Whoever starts the tests in the background has them ignore it.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "try:\n"
        "    with_deep_stack(lambda: time.sleep(60))\n"
        "except KeyboardInterrupt:\n"
        "    os._exit(42)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=30).returncode == 42


def test_a_small_machine_gets_a_smaller_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    from rlobs_lint.facts import deep_stack

    tried: List[int] = []
    set_size: Callable[[int], int] = deep_stack.threading.stack_size

    def refuse(size: int = 0) -> int:
        tried.append(size)
        if size > 100_000_000:
            raise ValueError("too large")
        return set_size(size)

    monkeypatch.setattr(deep_stack.threading, "stack_size", refuse)
    assert with_deep_stack(lambda: 7) == 7
    assert {size for size in tried if size} == set(deep_stack._STACK_SIZES)
