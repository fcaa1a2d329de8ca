from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import (
    observe_processor,
    observe_tool,
    trace_client,
    trace_tool,
)
from langchain_core.tools import BaseTool, StructuredTool, tool
from langchain_openai import ChatOpenAI
from langgraph.prebuilt import create_react_agent


@tool
def double(number: float) -> float:
    """Doubles a number."""
    return 2 * number


def halve(number: float) -> float:
    """Halves a number."""
    return number / 2


class Square(BaseTool):
    name: str = "square"
    description: str = "Squares a number."

    def _run(self, number: float) -> float:
        return number**2


@observe_tool
def negate(number: float) -> float:
    """Negates a number."""
    return -number


class DecoratedRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        tools = [double]
        trace_tool(tools)
        result = await tools[0].ainvoke({"number": 21})
        reply = {"role": "tool", "content": str(result)}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class StructuredRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        tools = [StructuredTool.from_function(halve)]
        trace_tool(tools)
        result = await tools[0].ainvoke({"number": 21})
        reply = {"role": "tool", "content": str(result)}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class ClassRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        tools = [Square()]
        trace_tool(tools)
        result = await tools[0].ainvoke({"number": 21})
        reply = {"role": "tool", "content": str(result)}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class FunctionRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        llm = ChatOpenAI(model=input.model_resource.model_name)
        trace_client(llm)
        agent = create_react_agent(llm, [negate])
        state = await agent.ainvoke({"messages": input.messages})
        messages = [message.model_dump() for message in state["messages"]]
        return RolloutOutput(agent_output={"messages": messages})
