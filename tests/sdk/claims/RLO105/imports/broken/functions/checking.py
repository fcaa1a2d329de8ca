from typing import TYPE_CHECKING

from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput

if TYPE_CHECKING:
    from dashscope.finetune.reinforcement.component.observability import observe_processor


class EchoRollout(AbstractRolloutProcessor):
    @observe_processor  # expect: RLO105
    async def process(self, input: RolloutInput) -> RolloutOutput:
        return RolloutOutput(agent_output={"messages": input.messages})
