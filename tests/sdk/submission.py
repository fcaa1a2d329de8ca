"""Registers and submits a job file by the SDK, and takes the platform's part from there.

Imported by the process that runs a project only.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
import tempfile
import zipfile
from typing import Any, Dict, List, Mapping
from urllib.request import urlopen

_PROCESSOR = re.compile(r'^PROCESSOR_CLASS="(.*?)"', re.MULTILINE)


def register(job: str) -> Any:
    """Registers the functions of a job file, in the working directory; returns the SDK's client."""
    from dashscope.finetune.agentic_rl import AgenticRL

    client = AgenticRL("key").init(job)
    asyncio.run(client.register_functions())
    return client


def submit(client: Any, kind: str) -> List[Dict[str, Any]]:
    """Submits the job, and changes to the upload of its first function of a kind.

    Returns:
        The functions as they were submitted: `kind`, `name`, `weights`.
    """
    client.submit_job(model="base-model")
    platform = os.environ["DASHSCOPE_HTTP_BASE_URL"].partition("/api")[0]
    sent = json.loads(_get(f"{platform}/job"))
    functions = [function for function in (sent.get("rollout"), *sent.get("rewards", ())) if function]
    kinds = {component.entity_id: component.type.value for component in client.tuning.functions}
    submitted = []
    for function in functions:
        entity = function.get("rollout_id") or function.get("reward_id")
        weights = function.get("reward_metric_weight")
        submitted.append({"kind": kinds[entity], "name": function["name"], "weights": weights})
    mine = next(one for one in client.tuning.functions if one.type.value == kind)
    function = next(one for one in functions if mine.entity_id in one.values())
    _start_from(_get(f"{platform}/uploads/{mine.fcmodel.oss_id}"), function.get("env") or {})
    return submitted


def _start_from(upload: bytes, environment: Mapping[str, Any]) -> None:
    """Unpacks an upload, and sets what its start script and the submitted environment say."""
    folder = tempfile.mkdtemp()
    with zipfile.ZipFile(io.BytesIO(upload)) as archive:
        archive.extractall(folder)
        script = archive.read("start.sh").decode("utf-8")
    os.chdir(folder)
    found = _PROCESSOR.search(script)
    assert found is not None, script
    os.environ["PROCESSOR_CLASS"] = found.group(1)
    for name, value in environment.items():
        os.environ[name] = value if isinstance(value, str) else json.dumps(value)


def _get(url: str) -> bytes:
    with urlopen(url) as response:
        content: bytes = response.read()
    return content
