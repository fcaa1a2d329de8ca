from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class PreparedRollout(AbstractRolloutProcessor):
    @observe_processor  # expect: RLO102
    def setup(self) -> None:
        self.prefix = [{"role": "system", "content": "Be brief."}]

    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        return RolloutOutput(agent_output={"messages": [*self.prefix, *input.messages]})
