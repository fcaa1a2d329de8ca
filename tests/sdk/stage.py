"""Runs a project as the SDK's server does, in a process of its own, and tells what came of it.

Imported by the process that runs the project only, never by the tests themselves.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import json
import logging
import os
import sys
import threading
import warnings
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional

from tests.sdk import submission

_SERVER = "dashscope.finetune.reinforcement.component.server.server"
_KIND = "gen_ai.span.kind"


def perform(request: Mapping[str, Any]) -> Dict[str, Any]:
    """Runs a project, or calls a probe, as the request says."""
    os.environ.update(request["environment"])
    return run(request) if "processor" in request else call(request)


def run(request: Mapping[str, Any]) -> Dict[str, Any]:
    """Starts the SDK's server with a processor, sends it the inputs, and returns what was seen.

    Args:
        request: `folder` of the project, `processor` and `kind` as the platform sets them, `inputs` to
            send, `export` (`memory` for OpenTelemetry's in-memory exporter, or `collector` for the SDK's
            own exporter and a collector on loopback), `absent` modules that are as if not installed, a
            `job` file to submit first: the server then runs what was uploaded, as it was submitted.

    Returns:
        `submitted` functions, `problem` that kept them from it, or the server from starting (`where`),
        `answers` with their HTTP status, body and error, `spans` in the order in which they began, and
        what was logged as a warning or worse.
    """
    for name in request["absent"]:
        sys.modules[name] = None  # type: ignore[assignment]
    os.chdir(request["folder"])
    log = _Log()
    seen: Dict[str, Any] = {"problem": None, "answers": [], "spans": [], "submitted": []}
    os.environ.update(FUNC_TYPE=request["kind"], PROCESSOR_CLASS=request["processor"])
    if request["job"]:
        where = "register"
        try:
            client = submission.register(request["job"])
            where = "submit"
            seen["submitted"] = submission.submit(client, request["kind"])
        except Exception as error:
            return {**seen, "problem": _root_cause(error, where), "log": log.lines}
    sys.path.insert(0, str(Path.cwd()))
    spans = _Collector() if request["export"] == "collector" else _Memory()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", RuntimeWarning)
        try:
            app = importlib.import_module(_SERVER).app
            asyncio.run(_serve(app, request["inputs"], log, seen["answers"]))
        except BaseException as error:
            seen["problem"] = _root_cause(error, "start")
        gc.collect()  # lets a coroutine that nobody awaited say so
    told = [str(warning.message) for warning in warned if issubclass(warning.category, RuntimeWarning)]
    return {**seen, "spans": spans.finished(), "log": [*log.lines, *told]}


def call(request: Mapping[str, Any]) -> Dict[str, Any]:
    """Calls a function of a module of this package, which looks at the SDK, and returns its result."""
    module, function = request["probe"].split(":")
    return {"result": getattr(importlib.import_module(module), function)(*request["arguments"])}


async def _serve(app: Any, inputs: List[Any], log: _Log, answers: List[Dict[str, Any]]) -> None:
    import httpx

    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://function", timeout=60) as client:
            for body in inputs:
                log.error = None
                response = await client.post("/api/v1", json=body)
                answers.append({"status": response.status_code, "body": response.json(), "error": log.error})


def _root_cause(error: BaseException, where: str) -> Dict[str, str]:
    while error.__cause__ is not None:
        error = error.__cause__
    return {"where": where, "type": type(error).__name__, "message": str(error)}


class _Log(logging.Handler):
    """Keeps what is logged as a warning or worse, and the exception behind an answer of HTTP 500.

    Attributes:
        lines: The messages, but for those in which the server tells of such an exception.
        error: The last exception that the server logged.
    """

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: List[str] = []
        self.error: Optional[Dict[str, str]] = None
        from dashscope.finetune.reinforcement.common.log import logger

        logging.getLogger().addHandler(self)
        logger.addHandler(self)  # it does not hand its records on

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if not message.startswith(("[Server]", "Processor setup failed")):
            self.lines.append(message)
        elif record.exc_info and record.exc_info[1] is not None:
            self.error = _root_cause(record.exc_info[1], "request")


# --- spans --------------------------------------------------------------------------------------


class _Memory:
    """OpenTelemetry's in-memory exporter."""

    def __init__(self) -> None:
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

        self._exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        trace.set_tracer_provider(provider)

    def finished(self) -> List[Dict[str, Any]]:
        spans = sorted(self._exporter.get_finished_spans(), key=lambda span: span.start_time or 0)
        return [
            {
                "id": f"{span.context.span_id:016x}",
                "parent": f"{span.parent.span_id:016x}" if span.parent else None,
                "trace": f"{span.context.trace_id:032x}",
                "name": span.name,
                "kind": (span.attributes or {}).get(_KIND),
                "failed": span.status.status_code.name == "ERROR",
                "attributes": dict(span.attributes or {}),
            }
            for span in spans
        ]


class _Collector:
    """A collector on loopback for the SDK's own exporter, as the platform has one."""

    def __init__(self) -> None:
        self.bodies: List[bytes] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                """Says nothing."""

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.bodies.append(body)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        os.environ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] = (
            f"http://127.0.0.1:{self._server.server_address[1]}/v1/traces"
        )
        os.environ["OTEL_EXPORTER_OTLP_COMPRESSION"] = "none"

    def finished(self) -> List[Dict[str, Any]]:
        from opentelemetry import trace
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

        flush = getattr(trace.get_tracer_provider(), "force_flush", None)
        if flush is not None:
            flush()
        self._server.shutdown()
        spans = [
            span
            for body in self.bodies
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]
        spans.sort(key=lambda span: span.start_time_unix_nano)
        return [
            {
                "id": span.span_id.hex(),
                "parent": span.parent_span_id.hex() or None,
                "trace": span.trace_id.hex(),
                "name": span.name,
                "kind": _attributes(span).get(_KIND),
                "failed": span.status.code == 2,
                "attributes": _attributes(span),
            }
            for span in spans
        ]


def _attributes(span: Any) -> Dict[str, Any]:
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in span.attributes}


def main() -> None:
    """Does what one line of standard input asks for, and prints the result as the last line."""
    sys.stdout.write(json.dumps(perform(json.loads(sys.stdin.readline())), default=str))


if __name__ == "__main__":
    main()
