"""An MCP server with two tools, as a process of its own: `python -m tests.sdk.tool_server PORT`."""

from __future__ import annotations

import sys

from fastmcp import FastMCP

server = FastMCP("calculator")


@server.tool
def multiply(left: float, right: float) -> float:
    """Multiplies two numbers."""
    return left * right


@server.tool
def add(left: float, right: float) -> float:
    """Adds two numbers."""
    return left + right


if __name__ == "__main__":
    server.run(
        transport="http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False, log_level="error"
    )
