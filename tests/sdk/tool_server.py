"""An MCP server with two tools, as a process of its own: `python -m tests.sdk.tool_server PORT`.

It tells of each call by a line on standard error.
"""

from __future__ import annotations

import sys

from fastmcp import FastMCP

from tests.sdk.harness import CALLED

server = FastMCP("calculator")


def _tell(name: str) -> None:
    sys.stderr.write(f"{CALLED}{name}\n")
    sys.stderr.flush()


@server.tool
def multiply(left: float, right: float) -> float:
    """Multiplies two numbers."""
    _tell("multiply")
    return left * right


@server.tool
def add(left: float, right: float) -> float:
    """Adds two numbers."""
    _tell("add")
    return left + right


if __name__ == "__main__":
    server.run(
        transport="http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False, log_level="error"
    )
