from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import (
    observe_processor,
    observe_tool,
    trace_tool,
)
from langchain_core.tools import BaseTool

SCHEMA = {"type": "function", "function": {"name": "negate", "parameters": {"type": "object"}}}


class Square(BaseTool):
    name: str = "square"
    description: str = "Squares a number."

    def _run(self, number: float) -> float:
        return number**2


@observe_tool
def negate(number: float) -> float:
    """Negates a number."""
    return -number


class ClassRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        square = Square()
        trace_tool(square)
        result = await square.ainvoke({"number": 21})
        reply = {"role": "tool", "content": str(result)}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class FunctionRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        result = negate(21)
        reply = {"role": "tool", "content": str(result)}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class SchemaRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        result = negate(21)
        reply = {"role": "tool", "content": str(result)}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class SetRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        tools = [Square()]
        trace_tool(tools)
        result = await tools[0].ainvoke({"number": 21})
        reply = {"role": "tool", "content": str(result)}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
