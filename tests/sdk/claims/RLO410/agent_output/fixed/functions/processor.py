from dashscope.finetune.reinforcement import (
    AbstractRolloutProcessor,
    AgentOutput,
    RolloutInput,
    RolloutOutput,
)
from dashscope.finetune.reinforcement.component.observability import observe_processor


class EchoRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        metrics = {"turns": len(input.messages)}
        output = AgentOutput(messages=input.messages, rollout_metrics=metrics)
        return RolloutOutput(agent_output=output)
