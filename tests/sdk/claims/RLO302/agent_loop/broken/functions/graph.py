import os

from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

SERVERS = {"calculator": {"transport": "streamable_http", "url": os.environ["MCP_URL"]}}


class GraphRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        llm = ChatOpenAI(model=input.model_resource.model_name)
        trace_client(llm)
        tools = await MultiServerMCPClient(SERVERS).get_tools()  # expect: RLO302
        model = llm.bind_tools(tools)

        async def ask(state: MessagesState) -> dict:
            return {"messages": [await model.ainvoke(state["messages"])]}

        graph = StateGraph(MessagesState)
        graph.add_node("ask", ask)
        graph.add_node("tools", ToolNode(tools))
        graph.add_edge(START, "ask")
        graph.add_conditional_edges("ask", tools_condition, ["tools", END])
        graph.add_edge("tools", "ask")
        state = await graph.compile().ainvoke({"messages": input.messages})
        messages = [message.model_dump() for message in state["messages"]]
        return RolloutOutput(agent_output={"messages": messages})
