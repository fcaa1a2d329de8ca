from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


@observe_processor  # expect: RLO102
def shorten(messages: list, count: int) -> list:
    return messages[-count:]


class LookupRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        return RolloutOutput(agent_output={"messages": shorten(input.messages, 1)})
