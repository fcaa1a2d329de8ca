import sys
from pathlib import Path

from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_tool
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools

SERVER = str(Path(__file__).parent / "server.py")
SERVERS = {"calculator": {"transport": "stdio", "command": sys.executable, "args": [SERVER]}}


class CalculatorRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        async with MultiServerMCPClient(SERVERS).session("calculator") as session:
            tools = await load_mcp_tools(session)
            trace_tool(tools)
            result = await tools[0].ainvoke({"left": 6, "right": 7})
        reply = {"role": "tool", "content": str(result)}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
