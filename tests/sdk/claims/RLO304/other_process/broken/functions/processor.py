import sys
from pathlib import Path

from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor
from langchain_mcp_adapters.client import MultiServerMCPClient

SERVER = str(Path(__file__).parent / "server.py")
SERVERS = {"calculator": {"transport": "stdio", "command": sys.executable, "args": [SERVER]}}


class CalculatorRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        tools = await MultiServerMCPClient(SERVERS).get_tools()  # expect: RLO302
        result = await tools[0].ainvoke({"left": 6, "right": 7})
        reply = {"role": "tool", "content": str(result)}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
