from dashscope.finetune.reinforcement import (
    AbstractRewardProcessor,
    Reward,
    RewardInput,
    RewardOutput,
    reward_func,
    sub_reward_func,
)
from dashscope.finetune.reinforcement.component.observability import observe_processor


@reward_func("quality")
class QualityReward(AbstractRewardProcessor):
    @sub_reward_func("brevity", sub_weight=7 / 10)  # expect: RLO608
    async def brevity(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        return RewardOutput(reward=Reward(reward_score=1 / turns))


QualityReward.process = observe_processor(QualityReward.process)
