"""A model on loopback that answers like an OpenAI-compatible server and like DashScope's own API.

What it says follows from the request alone: where tools are offered it calls the first one once, where
a JSON schema is asked for it fills it in, and else it gives one fixed sentence. So every run of a
project is the same as the one before. The platform that jobs are submitted to answers at the same place.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Type

from tests.sdk.platform_service import Platform

ANSWER = "The answer is 42."
MODEL = "proof-model"
_PROMPT_TOKENS, _ANSWER_TOKENS = 11, 7
_CREATED = 1_700_000_000
#: Paths at which a model is asked for text.
_FOR_TEXT = ("/completions", "/responses", "/generation")
_EXAMPLES: Mapping[str, Any] = {"boolean": True, "array": [], "object": {}, "string": "6 * 7"}


class ModelServer:
    """Serves until it is left as a context manager.

    Attributes:
        url: `http://127.0.0.1:<port>`.
        asked: Where a model was asked for text, and with what, request by request.
    """

    def __init__(self) -> None:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.platform = Platform(f"http://127.0.0.1:{self._server.server_address[1]}")
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.asked = self._server.asked = []

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    platform: Platform
    asked: List[Tuple[str, Mapping[str, Any]]]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing of a project that went away in the middle: its run tells what happened."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Says nothing: test output is for tests."""

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        path = self.path.partition("?")[0]
        if path.endswith(_FOR_TEXT):
            self.server.asked.append((path, request))
        if path.endswith("/chat/completions"):
            self._chat(request)
        elif path.endswith("/completions"):
            self._send(_completion(request))
        elif path.endswith("/responses"):
            self._send(_response(request))
        elif path.endswith("/embeddings"):
            self._send(_embeddings(request))
        elif path.endswith("/generation"):
            self._send(_generation(request))
        else:
            told = self.server.platform.post(path, request)
            self._send(told or {"error": {"message": f"there is nothing at {path}"}}, 200 if told else 404)

    def do_PUT(self) -> None:
        self.server.platform.put(self.path, self.rfile.read(int(self.headers["Content-Length"])))
        self._send_bytes(b"", "text/plain", 200)

    def do_GET(self) -> None:
        kept = self.server.platform.get(self.path)
        self._send_bytes(kept or b"", "application/octet-stream", 404 if kept is None else 200)

    def _chat(self, request: Dict[str, Any]) -> None:
        if request["model"] == "refused":
            self._send({"error": {"message": "refused", "type": "invalid_request_error"}}, 400)
        elif request.get("stream"):
            self._send_events(_chat_chunks(request))
        else:
            self._send(_chat_completion(request))

    def _send(self, body: Mapping[str, Any], status: int = 200) -> None:
        self._send_bytes(json.dumps(body).encode("utf-8"), "application/json", status)

    def _send_events(self, events: Iterator[Mapping[str, Any]]) -> None:
        texts = [f"data: {json.dumps(event)}\n\n" for event in events]
        self._send_bytes("".join([*texts, "data: [DONE]\n\n"]).encode("utf-8"), "text/event-stream", 200)

    def _send_bytes(self, content: bytes, kind: str, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


# --- what is said -------------------------------------------------------------------------------


def _say(request: Mapping[str, Any]) -> Tuple[Optional[str], List[Dict[str, Any]]]:
    """Returns the text and the tool calls of an answer."""
    wanted = request.get("response_format") or {}
    tools: Sequence[Mapping[str, Any]] = request.get("tools") or ()
    messages = request["messages"]
    if wanted.get("type") in ("json_schema", "json_object"):
        schema = wanted.get("json_schema", {}).get("schema", {"properties": {"text": {"type": "string"}}})
        return json.dumps(_example(schema)), []
    if tools and messages[-1].get("role") != "tool":
        function = tools[0]["function"]
        arguments = json.dumps(_example(function.get("parameters", {})))
        call = {"name": function["name"], "arguments": arguments}
        return None, [{"id": "call-1", "type": "function", "function": call}]
    return ANSWER, []


def _example(schema: Mapping[str, Any]) -> Dict[str, Any]:
    """Fills in a schema; of two numbers the first is 6 and the second 7."""
    fields = schema.get("properties", {})
    return {
        name: _EXAMPLES.get(field.get("type", "string"), number)
        for number, (name, field) in enumerate(fields.items(), 6)
    }


def _usage() -> Dict[str, int]:
    return {
        "prompt_tokens": _PROMPT_TOKENS,
        "completion_tokens": _ANSWER_TOKENS,
        "total_tokens": _PROMPT_TOKENS + _ANSWER_TOKENS,
    }


# --- the OpenAI API -----------------------------------------------------------------------------


def _chat_completion(request: Mapping[str, Any]) -> Dict[str, Any]:
    text, calls = _say(request)
    message: Dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    return {**_head(request, "chat.completion"), "choices": [choice], "usage": _usage()}


def _chat_chunks(request: Mapping[str, Any]) -> Iterator[Dict[str, Any]]:
    text, calls = _say(request)
    head = _head(request, "chat.completion.chunk")
    for word in (text or "").split():
        yield {**head, "choices": [_delta({"role": "assistant", "content": f"{word} "})]}
    for number, call in enumerate(calls):
        yield {**head, "choices": [_delta({"role": "assistant", "tool_calls": [{"index": number, **call}]})]}
    yield {**head, "choices": [_delta({}, "tool_calls" if calls else "stop")]}
    if (request.get("stream_options") or {}).get("include_usage"):
        yield {**head, "choices": [], "usage": _usage()}


def _delta(delta: Mapping[str, Any], finished: Optional[str] = None) -> Dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": finished}


def _head(request: Mapping[str, Any], kind: str) -> Dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": _CREATED, "model": request["model"]}


def _completion(request: Mapping[str, Any]) -> Dict[str, Any]:
    choice = {"index": 0, "text": ANSWER, "finish_reason": "stop", "logprobs": None}
    return {**_head(request, "text_completion"), "choices": [choice], "usage": _usage()}


def _response(request: Mapping[str, Any]) -> Dict[str, Any]:
    content = {"type": "output_text", "text": ANSWER, "annotations": []}
    message = {"id": "msg-1", "type": "message", "role": "assistant", "status": "completed"}
    return {
        "id": "resp-1",
        "object": "response",
        "created_at": _CREATED,
        "model": request["model"],
        "status": "completed",
        "output": [{**message, "content": [content]}],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": _PROMPT_TOKENS,
            "output_tokens": _ANSWER_TOKENS,
            "total_tokens": _PROMPT_TOKENS + _ANSWER_TOKENS,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    }


def _embeddings(request: Mapping[str, Any]) -> Dict[str, Any]:
    vector = {"object": "embedding", "index": 0, "embedding": [0.5, 0.5]}
    return {"object": "list", "model": request["model"], "data": [vector], "usage": _usage()}


# --- DashScope's own API ------------------------------------------------------------------------


def _generation(request: Mapping[str, Any]) -> Dict[str, Any]:
    is_list = "multimodal" in request["model"]
    content: Any = [{"text": ANSWER}] if is_list else ANSWER
    choice = {"finish_reason": "stop", "message": {"role": "assistant", "content": content}}
    usage = {"input_tokens": _PROMPT_TOKENS, "output_tokens": _ANSWER_TOKENS}
    return {"request_id": "request-1", "output": {"text": None, "choices": [choice]}, "usage": usage}
