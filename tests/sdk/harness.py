"""Runs projects under the SDK: starts what they need on loopback, and a process for each run."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Dict, List, Mapping, NamedTuple, Optional, Tuple, Type

from tests.checkout import ROOT
from tests.sdk import outcome
from tests.sdk.host import READY
from tests.sdk.model_server import MODEL, ModelServer
from tests.sdk.outcome import Outcome

#: Seconds that one run may take, far above what it needs.
PATIENCE = 120
#: What a line begins with in which the tool server tells of a call.
CALLED = "called "
_QUESTION = {"role": "user", "content": "What is 6 times 7?"}
_ANSWER = {"role": "assistant", "content": "The answer is 42."}
_METADATA = {"job_id": "job-1", "sample_id": "sample-1", "rollout_id": "rollout-1", "attempt_id": "attempt-1"}
#: Without both, spans hold no messages.
_MESSAGES_ON_SPANS = {
    "OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental",
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY",
}


class Run(NamedTuple):
    """How a project is run.

    Attributes:
        processor: The class, with its module: `functions.processor.ChatRollout`.
        kind: `rollout`, `reward` or `group_reward`.
        inputs: What each request has beside or in place of the usual input.
        environment: Variables that the platform sets.
        export: `memory`, or `collector` for the SDK's own exporter.
        absent: Modules that are as if not installed.
        job: A job file that the SDK submits first; what it uploaded is run then, as it was submitted.
    """

    processor: str
    kind: str = "rollout"
    inputs: Tuple[Mapping[str, Any], ...] = ({},)
    environment: Mapping[str, str] = {}
    export: str = "memory"
    absent: Tuple[str, ...] = ()
    job: str = ""


class Harness:
    """What runs share, while it is entered as a context manager."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._host: Optional[_Host] = None
        self._tool_server: Optional[_ToolServer] = None
        self._model: Optional[ModelServer] = None

    def __enter__(self) -> Harness:
        self._model = self._stack.enter_context(ModelServer())
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self._stack.close()

    def run(self, folder: Path, run: Run) -> Outcome:
        """Runs a project and returns what was seen."""
        request = {
            "folder": str(folder),
            "processor": run.processor,
            "kind": run.kind,
            "inputs": [self._input(run.kind, given) for given in run.inputs],
            "environment": run.environment,
            "export": run.export,
            "absent": run.absent,
            "job": run.job,
        }
        return outcome.read(self._perform(request, is_fresh=bool(run.absent)))

    def probe(self, function: str, *arguments: Any) -> Any:
        """Calls `module:function` in a process that has the SDK, and returns its result."""
        request = {"probe": function, "arguments": arguments, "environment": {}}
        return self._perform(request, is_fresh=False)["result"]

    def _perform(self, request: Dict[str, Any], is_fresh: bool) -> Mapping[str, Any]:
        line = json.dumps({**request, "seconds": PATIENCE})
        if is_fresh or not hasattr(os, "fork"):
            told = _fresh(line, self._environment())
        else:
            if self._host is None:
                self._host = self._stack.enter_context(_Host(self._environment()))
            told = self._host.ask(line)
        seen: Mapping[str, Any] = json.loads(told)
        assert "died" not in seen, f"the process of the run ended with {seen['died']}"
        return seen

    # --- what was asked of what projects meet ------------------------------------------------------

    @property
    def asked(self) -> List[Tuple[str, Mapping[str, Any]]]:
        """The requests to the model, of all runs so far."""
        assert self._model is not None
        return self._model.asked

    def called(self) -> List[str]:
        """Returns the names of the tools that the MCP server ran, in all runs so far."""
        lines = self._tool_server.noise().splitlines() if self._tool_server is not None else ()
        return [line[len(CALLED) :] for line in lines if line.startswith(CALLED)]

    # --- what projects meet -----------------------------------------------------------------------

    @property
    def _model_url(self) -> str:
        assert self._model is not None
        return self._model.url

    @property
    def _tools_url(self) -> str:
        if self._tool_server is None:
            self._tool_server = self._stack.enter_context(_ToolServer())
        return self._tool_server.url

    def _environment(self) -> Dict[str, str]:
        """Returns the variables of the processes: no proxy may stand in front of loopback."""
        left_out = ("OTEL_", "AGENTIC_RL_", "PYTEST_")
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.lower().endswith("_proxy") and not name.startswith(left_out)
        }
        return {
            **kept,
            **_MESSAGES_ON_SPANS,
            "AZURE_OPENAI_API_KEY": "key",
            "DASHSCOPE_API_KEY": "key",
            "DASHSCOPE_HTTP_BASE_URL": f"{self._model_url}/api/v1",
            "ENABLE_TRAJECTORY": "true",
            "MCP_URL": self._tools_url,
            "NO_PROXY": "*",
            "OPENAI_API_KEY": "key",
            "OPENAI_BASE_URL": f"{self._model_url}/v1",
            "PYTHONPATH": str(ROOT),
        }

    def _input(self, kind: str, given: Mapping[str, Any]) -> Dict[str, Any]:
        resource = {"model_name": MODEL, "base_url": f"{self._model_url}/v1", "api_key": "key"}
        output = {"messages": [_QUESTION, _ANSWER]}
        usual: Mapping[str, Mapping[str, Any]] = {
            "rollout": {"messages": [_QUESTION], "model_resource": resource},
            "reward": {"agent_output": output, "ground_truth": "42"},
            "group_reward": {"agent_outputs": [output, output], "ground_truth": "42"},
        }
        return {**usual[kind], "request_metadata": _METADATA, **given}


def _fresh(line: str, environment: Mapping[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tests.sdk.stage"],
        input=line.encode("utf-8"),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
        env=environment,
        timeout=PATIENCE,
        check=True,
    )
    return done.stdout.decode("utf-8").splitlines()[-1]


class _Process:
    """A process of ours, ended when it is left."""

    def __init__(self, environment: Mapping[str, str], module: str, *arguments: str) -> None:
        self._noise = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._noise,
            cwd=ROOT,
            env=environment,
        )

    def noise(self) -> str:
        """Returns what it wrote to standard error."""
        self._noise.seek(0)
        return self._noise.read().decode("utf-8", "replace")

    def close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.terminate()
        self._process.wait()
        self._noise.close()


class _Host(_Process):
    """The process that forks a copy of itself for each run."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        super().__init__(environment, "tests.sdk.host")

    def __enter__(self) -> _Host:
        assert self._read() == READY
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, line: str) -> str:
        pipe: Optional[IO[bytes]] = self._process.stdin
        assert pipe is not None
        pipe.write(f"{line}\n".encode())
        pipe.flush()
        return self._read()

    def _read(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline().decode("utf-8").strip()
        assert line, self.noise()
        return line


class _ToolServer(_Process):
    """The MCP server.

    Attributes:
        url: Where it answers.
    """

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        super().__init__(os.environ, "tests.sdk.tool_server", str(self._port))
        self.url = f"http://127.0.0.1:{self._port}/mcp"

    def __enter__(self) -> _ToolServer:
        deadline = time.monotonic() + PATIENCE
        while True:
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", self._port)) == 0:
                    return self
            assert self._process.poll() is None and time.monotonic() < deadline, self.noise()
            time.sleep(0.05)

    def __exit__(self, *_: object) -> None:
        self.close()
