from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor
from langchain_core.tools import tool


@tool
def double(number: float) -> float:
    """Doubles a number."""
    return 2 * number


class ToolRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        tools = [double]
        trace_tool(tools)  # expect: RLO105
        result = await tools[0].ainvoke({"number": 21})
        reply = {"role": "tool", "content": str(result)}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
