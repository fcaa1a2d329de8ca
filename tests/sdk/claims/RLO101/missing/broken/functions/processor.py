from dashscope.finetune.reinforcement import (
    AbstractGroupRewardProcessor,
    AbstractRewardProcessor,
    AbstractRolloutProcessor,
    GroupRewardInput,
    GroupRewardOutput,
    RewardInput,
    RewardOutput,
    RolloutInput,
    RolloutOutput,
)


class EchoRollout(AbstractRolloutProcessor):
    async def process(self, input: RolloutInput) -> RolloutOutput:  # expect: RLO101
        return RolloutOutput(agent_output={"messages": input.messages})


class LengthReward(AbstractRewardProcessor):
    def process(self, input: RewardInput) -> RewardOutput:  # expect: RLO101
        return RewardOutput(reward={"reward_score": len(input.agent_output.messages or [])})


class BestOfGroup(AbstractGroupRewardProcessor):
    def process(self, input: GroupRewardInput) -> GroupRewardOutput:  # expect: RLO101
        rewards = [{"reward_score": len(output.messages or [])} for output in input.agent_outputs]
        return GroupRewardOutput(reward={"rewards": rewards})
