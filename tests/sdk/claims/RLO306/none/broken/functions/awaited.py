import os

from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_tool
from langchain_mcp_adapters.client import MultiServerMCPClient

SERVERS = {"calculator": {"transport": "streamable_http", "url": os.environ["MCP_URL"]}}
QUESTION = {"left": 6, "right": 7}


class ToolRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        tools = await MultiServerMCPClient(SERVERS).get_tools()
        await trace_tool(tools)  # expect: RLO306
        result = await tools[0].ainvoke(QUESTION)
        reply = {"role": "tool", "content": str(result)}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
