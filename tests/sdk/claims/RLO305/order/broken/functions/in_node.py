from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, observe_tool
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode


@observe_tool  # expect: RLO305
@tool
def add(left: float, right: float) -> float:
    """Adds two numbers."""
    return left + right


class AddRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        graph = StateGraph(MessagesState)
        graph.add_node("tools", ToolNode([add]))
        graph.add_edge(START, "tools")
        call = {"name": "add", "args": {"left": 1, "right": 2}, "id": "call-1"}
        state = await graph.compile().ainvoke({"messages": [AIMessage("", tool_calls=[call])]})
        result = state["messages"][-1].content
        reply = {"role": "tool", "content": str(result)}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
