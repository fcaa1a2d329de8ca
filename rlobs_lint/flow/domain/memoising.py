"""Functions that run once for the same arguments."""

from __future__ import annotations

#: Decorators with which a function runs once for the same arguments.
MEMOISING = (
    "functools.cache",
    "functools.lru_cache",
    "async_lru.alru_cache",
    "methodtools.lru_cache",
    "cachetools.cached",
    "cachetools.func.lru_cache",
    "cachetools.func.ttl_cache",
)
