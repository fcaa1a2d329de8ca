from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class TrimmedRollout(AbstractRolloutProcessor):
    async def process(self, input: RolloutInput) -> RolloutOutput:
        return RolloutOutput(
            agent_output={"messages": await self._trim(input), "rollout_metrics": {"kept": 1}}
        )

    @observe_processor  # expect: RLO102
    async def _trim(self, input: RolloutInput) -> list:
        return input.messages[-1:]
