import os

from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_tool
from langchain_mcp_adapters.client import MultiServerMCPClient

SERVERS = {"calculator": {"transport": "streamable_http", "url": os.environ["MCP_URL"]}}
QUESTION = {"left": 6, "right": 7}


class CoroutineRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        client = MultiServerMCPClient(SERVERS)
        tools = await client.get_tools()
        trace_tool(tools)
        result = await tools[0].ainvoke(QUESTION)
        reply = {"role": "tool", "content": str(result)}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class ClientRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        client = MultiServerMCPClient(SERVERS)
        tools = await client.get_tools()
        trace_tool(tools)
        result = await tools[0].ainvoke(QUESTION)
        reply = {"role": "tool", "content": str(result)}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class GeneratorRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        tools = await MultiServerMCPClient(SERVERS).get_tools()
        trace_tool(tools)
        result = await tools[0].ainvoke(QUESTION)
        reply = {"role": "tool", "content": str(result)}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class MapRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        tools = await MultiServerMCPClient(SERVERS).get_tools()
        trace_tool(tools)
        result = await tools[0].ainvoke(QUESTION)
        reply = {"role": "tool", "content": str(result)}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class ValuesRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        tools = await MultiServerMCPClient(SERVERS).get_tools()
        by_name = {tool.name: tool for tool in tools}
        trace_tool(by_name)
        result = await tools[0].ainvoke(QUESTION)
        reply = {"role": "tool", "content": str(result)}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class NestedRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        tools = await MultiServerMCPClient(SERVERS).get_tools()
        trace_tool(tools)
        result = await tools[0].ainvoke(QUESTION)
        reply = {"role": "tool", "content": str(result)}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class ProviderRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        tools = await MultiServerMCPClient(SERVERS).get_tools()
        trace_tool(tools, provider="calculator")
        result = await tools[0].ainvoke(QUESTION)
        reply = {"role": "tool", "content": str(result)}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
