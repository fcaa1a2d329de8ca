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
class BrevityReward(AbstractRewardProcessor):
    @sub_reward_func("brevity", sub_weight=0.5)
    @observe_processor  # expect: RLO102
    def brevity(self, input: RewardInput) -> RewardOutput:
        return RewardOutput(reward=Reward(reward_score=1.0 / len(input.agent_output.messages or [0])))
