from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput

from functions.base import EchoMixin, EchoRollout


class QuietRollout(EchoRollout):
    async def process(self, input: RolloutInput) -> RolloutOutput:  # expect: RLO101
        return RolloutOutput(agent_output={"messages": input.messages[-1:]})


class MixedRollout(EchoMixin, AbstractRolloutProcessor):
    pass
