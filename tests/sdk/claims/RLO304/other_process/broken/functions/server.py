from dashscope.finetune.reinforcement.component.observability import observe_tool
from fastmcp import FastMCP

server = FastMCP("calculator")


@server.tool
@observe_tool  # expect: RLO304
def multiply(left: float, right: float) -> float:
    """Multiplies two numbers."""
    return left * right


if __name__ == "__main__":
    server.run(show_banner=False)
