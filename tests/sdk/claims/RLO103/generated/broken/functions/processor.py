from dashscope.finetune.reinforcement import (
    AbstractRewardProcessor,
    Reward,
    RewardInput,
    RewardOutput,
    reward_func,
    sub_reward_func,
)
from dashscope.finetune.reinforcement.component.observability import observe_processor


@reward_func("brevity")
class BrevityReward(AbstractRewardProcessor):  # expect: RLO103
    @sub_reward_func("brevity", sub_weight=1.0)
    def brevity(self, input: RewardInput) -> RewardOutput:
        return RewardOutput(reward=Reward(reward_score=1.0 / len(input.agent_output.messages or [0])))


@reward_func("own")
class OwnReward(AbstractRewardProcessor):  # expect: RLO103
    @sub_reward_func("length", sub_weight=1.0)
    def length(self, input: RewardInput) -> RewardOutput:
        return RewardOutput(reward=Reward(reward_score=len(input.agent_output.messages or [])))

    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        return RewardOutput(reward=Reward(reward_score=-len(input.agent_output.messages or [])))
