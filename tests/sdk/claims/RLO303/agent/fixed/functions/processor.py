import os

from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import (
    observe_processor,
    trace_client,
    trace_tool,
)
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI
from langgraph.prebuilt import create_react_agent

SERVERS = {"calculator": {"transport": "streamable_http", "url": os.environ["MCP_URL"]}}


class AgentRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        llm = ChatOpenAI(model=input.model_resource.model_name)
        trace_client(llm)
        tools = await MultiServerMCPClient(SERVERS).get_tools()
        trace_tool(tools)
        agent = create_react_agent(llm, tools)
        state = await agent.ainvoke({"messages": input.messages})
        messages = [message.model_dump() for message in state["messages"]]
        return RolloutOutput(agent_output={"messages": messages})
