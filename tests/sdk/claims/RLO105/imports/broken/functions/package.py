from dashscope.finetune.reinforcement import (
    AbstractRolloutProcessor,
    RolloutInput,
    RolloutOutput,
    observe_processor,  # expect: RLO105
)


class EchoRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        return RolloutOutput(agent_output={"messages": input.messages})
