"""Threads, executors and contexts: code that runs without the context of its trace."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Iterator, List, Optional, Tuple

from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.arguments import Arguments, ArgumentValue
from rlobs_lint.flow.domain.heap import ObjectInfo, SequenceContent
from rlobs_lint.flow.domain.observations import Detached
from rlobs_lint.flow.domain.state import State
from rlobs_lint.flow.domain.values import UNKNOWN, Coroutine, Site, Value

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine
    from rlobs_lint.flow.outside.knowledge import Knowledge


_THREAD_POOLS = frozenset({"multiprocessing.pool.ThreadPool", "multiprocessing.dummy.Pool"})
#: Methods of executors and pools that call a function once for each element; and once with the elements of
#: a tuple, or of each of several.
_MAPS = frozenset({"map", "map_async", "imap", "imap_unordered"})
_APPLICATIONS = frozenset({"apply", "apply_async", "starmap", "starmap_async"})


class Threads:
    """Runs code in other threads, for a machine."""

    def __init__(self, machine: Machine, outside: Knowledge) -> None:
        self._machine = machine
        self._outside = outside
        self._detached: List[Optional[Tuple[Site, str]]] = []

    def begin(self) -> None:
        """Forgets the threads of the last root."""
        self._detached = []

    def spanned(self, kind: str, site: Site, traced: bool) -> None:
        """Notes a call that makes a span, if it runs without the context of its trace."""
        if self._detached and self._detached[-1] is not None:
            handing, way = self._detached[-1]
            self._machine.ledger.note(Detached(handing, way, site, kind, traced, self._machine.root))

    @contextmanager
    def detached(self, site: Site, way: str) -> Iterator[None]:
        """Runs code in another thread without its context; no `way`: with it."""
        self._detached.append((site, way) if way else None)
        try:
            yield
        finally:
            self._detached.pop()

    def call(self, name: str, arguments: Arguments, site: Site, state: State) -> Optional[Value]:
        """Carries out a function that starts a thread, or makes what does; `None` for any other."""
        machine = self._machine
        last = name.rpartition(".")[2]
        if name in (
            "asyncio.to_thread",
            "anyio.to_thread.run_sync",
            "starlette.concurrency.run_in_threadpool",
        ):
            return (Coroutine(self._run_given(arguments, 0, site, state)),)
        if name in ("asyncio.get_running_loop", "asyncio.get_event_loop", "asyncio.new_event_loop"):
            return (machine.allocate("loop", ObjectInfo(heap.OUTSIDE, site, name, family="event-loop")),)
        if last == "ThreadPoolExecutor" or name in _THREAD_POOLS:
            return (machine.allocate("executor", ObjectInfo(heap.OUTSIDE, site, name, family="executor")),)
        if name in ("contextvars.copy_context", "contextvars.Context"):
            # What a worker copies is its own context: that of no trace.
            is_own = bool(self._detached) and self._detached[-1] is not None
            family = "worker-context" if is_own else "context"
            return (machine.allocate(family, ObjectInfo(heap.OUTSIDE, site, name, family=family)),)
        if name in ("threading.Thread", "threading.Timer"):
            target = arguments.value(1, "target") if last == "Thread" else arguments.value(1, "function")
            given = arguments.value(3 if last == "Thread" else 2, "args")
            with self.detached(site, last):
                machine.expressions.awaited(self._run_with(target, given, site, state))
            return UNKNOWN
        if name.endswith("context.attach") and self._detached:
            self._detached[-1] = None
            return UNKNOWN
        return None

    def method(self, family: str, name: str, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out a method of an event loop, executor or context."""
        machine = self._machine
        if name == "run_in_executor":
            return self.run_in_executor(arguments, site, state)
        if family == "executor" and name == "submit":
            with self.detached(site, "submit"):
                return self._run_given(arguments, 0, site, state)
        if family == "executor" and name in _MAPS:
            with self.detached(site, name):
                made = machine.library.call("builtins.map", arguments, site, state) or UNKNOWN
                return made if name == "map" else UNKNOWN
        if family == "executor" and name in _APPLICATIONS:
            given = arguments.value(1, "iterable" if name.startswith("star") else "args")
            rows = machine.contents.element(given, state) if name.startswith("star") else given
            with self.detached(site, name):
                return self._run_with(arguments.value(0, "func"), rows, site, state)
        if family == "worker-context" and name == "run":
            return self._run_given(arguments, 0, site, state)
        if family == "context" and name == "run":
            with self.detached(site, ""):
                return self._run_given(arguments, 0, site, state)
        if name in ("run_until_complete", "create_task"):
            value = arguments.value(0, "future") or arguments.value(0, "coro")
            awaited = machine.expressions.awaited(value)
            return awaited if name == "run_until_complete" else (Coroutine(awaited),)
        if name in ("call_soon", "call_soon_threadsafe", "call_later"):
            return self._run_given(arguments, 1 if name == "call_later" else 0, site, state)
        self._outside.handover.give(arguments, site, state)
        return UNKNOWN

    def run_in_executor(self, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out `loop.run_in_executor(executor, function, ...)`."""
        with self.detached(site, "run_in_executor"):
            return (Coroutine(self._run_given(arguments, 1, site, state)),)

    def _run_with(self, callee: Value, given: Value, site: Site, state: State) -> Value:
        """Calls something with the elements of a tuple."""
        values = self._machine.contents.of(given[0], state) if len(given) == 1 else None
        elements = values.elements if isinstance(values, SequenceContent) else ()
        passed = tuple(ArgumentValue(None, element, site) for element in elements)
        return self._machine.calls.call(callee, Arguments(passed, (), not elements), site, state)

    def _run_given(self, arguments: Arguments, position: int, site: Site, state: State) -> Value:
        """Calls the argument at a position with those behind it."""
        if len(arguments.positional) <= position:
            return UNKNOWN
        callee = arguments.positional[position].value
        rest = Arguments(arguments.positional[position + 1 :], arguments.keywords, arguments.open)
        return self._machine.calls.call(callee, rest, site, state)
