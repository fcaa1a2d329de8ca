from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, observe_tool
from langchain_core.tools import tool


@observe_tool  # expect: RLO305
@tool
def add(left: float, right: float) -> float:
    """Adds two numbers."""
    return left + right


class AddRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        result = await add.ainvoke({"left": 1, "right": 2})
        reply = {"role": "tool", "content": str(result)}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
