"""What the platform answers when the SDK registers functions and submits a job, and what it was sent."""

from __future__ import annotations

import json
import threading
from typing import Any, Dict, Mapping, Optional

_OK = {"code": 200, "message": "OK"}


class Platform:
    """Keeps uploads and jobs in memory.

    Args:
        url: Where it is served.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._lock = threading.Lock()
        self._uploads: Dict[str, bytes] = {}
        self._last_job: Mapping[str, Any] = {}

    def post(self, path: str, request: Mapping[str, Any]) -> Optional[Dict[str, Any]]:
        """Answers a request, or nothing where there is no such path."""
        if path.endswith("/generate/faas/upload/url"):
            return {"status": _OK, "output": {"url": f"{self._url}/uploads/{request['unique_key']}"}}
        if path.endswith("/create/faas/layer"):
            return {"status": _OK, "output": {"layer_code": "layer-1"}}
        for kind in ("rollout", "reward", "group-reward"):
            if path.endswith(f"/create/{kind}"):
                names = ("rollout_id", "reward_id", "group_reward_id")
                return {"status": _OK, "output": dict.fromkeys(names, request["unique_key"])}
        if path.endswith("/fine-tunes"):
            with self._lock:
                self._last_job = request
            return {"request_id": "request-1", "output": {"job_id": "job-1", "status": "PENDING"}}
        return None

    def put(self, path: str, content: bytes) -> None:
        """Takes an upload."""
        with self._lock:
            self._uploads[path] = content

    def get(self, path: str) -> Optional[bytes]:
        """Returns an upload, or the last job under `/job`: one run at a time submits here."""
        with self._lock:
            if path == "/job":
                return json.dumps(self._last_job).encode("utf-8")
            return self._uploads.get(path)
