"""A process that has imported the SDK and its peers once, and forks a copy of itself for each run.

The SDK patches classes and keeps state for a whole process, so that two runs in one process would see
each other; importing it anew for every run would take seconds. Requests come from standard input, one
JSON object a line; the result of each goes to standard output.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import sys
import time
from typing import Any, List, Mapping, TextIO

#: What the projects import. None of these starts a thread, which a fork would lose.
PRELOADED = (
    "anyio._backends._asyncio",
    "dashscope",
    "dashscope.finetune.reinforcement",
    "dashscope.finetune.reinforcement.component.observability.genai.tools",
    "fastapi",
    "h11",
    "httpx",
    "langchain_core.tools",
    "langchain_mcp_adapters.client",
    "langchain_openai",
    "langgraph.prebuilt",
    "mcp.client.streamable_http",
    "openai.resources.chat.completions",
    "opentelemetry.exporter.otlp.proto.http.trace_exporter",
    "opentelemetry.processor.baggage",
    "opentelemetry.sdk.trace.export.in_memory_span_exporter",
    "tests.sdk.stage",
)
READY = "ready"


def main() -> None:
    """Serves requests until standard input ends."""
    # What projects print goes to standard error, so that it cannot get between the results.
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for name in PRELOADED:
        importlib.import_module(name)
    _warm_up()
    # A copy that collects garbage looks at its own objects only: a look at all the others would copy them.
    gc.freeze()
    _tell(results, READY)
    for line in sys.stdin:
        _tell(results, _in_copy(json.loads(line)))


def _warm_up() -> None:
    """Builds clients, which imports what they put off till then."""
    import openai
    from langchain_openai import ChatOpenAI

    for client in (openai.OpenAI(), openai.AsyncOpenAI(), ChatOpenAI(model="none")):
        hasattr(client, "chat")


def _tell(results: TextIO, text: str) -> None:
    results.write(f"{text}\n")
    results.flush()


def _in_copy(request: Mapping[str, Any]) -> str:
    """Does one request in a copy of this process, and returns what it tells as JSON."""
    from tests.sdk import stage

    reader, writer = os.pipe()
    copy = os.fork()
    if copy == 0:
        os.close(reader)
        os.setsid()
        told = json.dumps(stage.perform(request), default=str)
        with os.fdopen(writer, "w", encoding="utf-8") as pipe:
            pipe.write(told)
        # Threads of the project must not keep it alive.
        os._exit(0)
    os.close(writer)
    try:
        told = _read(reader, request["seconds"])
        _, status = os.waitpid(copy, 0) if told else _end(copy)
    finally:
        os.close(reader)
    return told or json.dumps({"died": status})


def _read(reader: int, seconds: float) -> str:
    """Returns all that comes through a pipe; nothing if it is not closed in time."""
    pieces: List[bytes] = []
    deadline = time.monotonic() + seconds
    while True:
        readable, _, _ = select.select([reader], [], [], max(0.0, deadline - time.monotonic()))
        if not readable:
            return ""
        piece = os.read(reader, 1 << 16)
        if not piece:
            return b"".join(pieces).decode("utf-8")
        pieces.append(piece)


def _end(copy: int) -> Any:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(copy, signal.SIGKILL)
    return os.waitpid(copy, 0)


if __name__ == "__main__":
    main()
