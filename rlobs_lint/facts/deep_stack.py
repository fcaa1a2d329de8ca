"""Runs code that recurses deeply: in a thread with room for it, since the main one has little."""

from __future__ import annotations

import sys
import threading
from typing import Callable, List, Optional, TypeVar

_Result = TypeVar("_Result")

#: Sizes of stack to try (bytes): memory that is reserved, not used. A small machine may refuse the first.
_STACK_SIZES = (512 * 1024 * 1024, 64 * 1024 * 1024)
#: Calls within calls. A frame of the interpreter takes about 500 bytes of stack.
_RECURSION_LIMITS = (200_000, 25_000)


def with_deep_stack(function: Callable[[], _Result]) -> _Result:
    """Calls a function in a thread with a large stack and returns what it returns.

    Raises:
        BaseException: Whatever the function raises, and `KeyboardInterrupt` as soon as the user asks.
    """
    results: List[_Result] = []
    errors: List[BaseException] = []

    def work() -> None:
        try:
            results.append(function())
        except BaseException as error:
            errors.append(error)

    usual = sys.getrecursionlimit()
    try:
        thread = _start(work)
        if thread is None:
            return function()
        thread.join()
    finally:
        sys.setrecursionlimit(usual)
    if errors:
        raise errors[0]
    return results[0]


def _start(work: Callable[[], None]) -> Optional[threading.Thread]:
    for size, limit in zip(_STACK_SIZES, _RECURSION_LIMITS):
        usual = threading.stack_size()
        # Before the thread begins: it may be deep down before this one runs again.
        sys.setrecursionlimit(max(limit, sys.getrecursionlimit()))
        try:
            threading.stack_size(size)
            # A daemon: an interrupt ends the process without waiting for it.
            thread = threading.Thread(target=work, daemon=True)
            thread.start()
        except (ValueError, RuntimeError):
            continue
        finally:
            threading.stack_size(usual)
        return thread
    return None
