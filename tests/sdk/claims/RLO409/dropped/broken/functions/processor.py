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
class LengthReward(AbstractRewardProcessor):  # expect: RLO409
    @sub_reward_func("length", sub_weight=1.0)
    async def length(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        reward = Reward(reward_score=1 / turns, reward_metrics={"turns": turns})
        return RewardOutput(reward=reward)


LengthReward.process = observe_processor(LengthReward.process)
