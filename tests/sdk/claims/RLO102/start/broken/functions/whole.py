from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


@observe_processor  # expect: RLO102
class WholeRollout(AbstractRolloutProcessor):
    async def process(self, input: RolloutInput) -> RolloutOutput:
        return RolloutOutput(agent_output={"messages": input.messages})
