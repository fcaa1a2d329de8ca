"""What the tests against the SDK share, and when they are skipped."""

from __future__ import annotations

import os
import sys
from importlib import metadata
from typing import Iterator, List

import pytest

from tests.sdk.harness import Harness

#: Distributions of the extra `sdk`.
NEEDED = (
    "dashscope",
    "fastmcp",
    "langchain-mcp-adapters",
    "langchain-openai",
    "langgraph",
    "loongsuite-util-genai",
    "openai",
    "opentelemetry-exporter-otlp-proto-http",
    "opentelemetry-processor-baggage",
)
#: Set where the packages have to be there: a test that would be skipped fails instead.
REQUIRED = "RLOBS_REQUIRE_SDK"


def _missing() -> List[str]:
    missing = []
    for name in NEEDED:
        try:
            metadata.version(name)
        except metadata.PackageNotFoundError:
            missing.append(name)
    return missing


@pytest.fixture(scope="session")
def harness() -> Iterator[Harness]:
    """What runs projects under the SDK; without the SDK the test is skipped."""
    missing = _missing()
    if missing:
        reason = f"not installed: {', '.join(missing)}; pip install -e '.[sdk]'"
        if sys.version_info < (3, 10):
            reason = "the packages around the SDK need Python 3.10 or later"
        if os.environ.get(REQUIRED):
            pytest.fail(f"{REQUIRED} is set, but {reason}")
        pytest.skip(reason)
    with Harness() as entered:
        yield entered
