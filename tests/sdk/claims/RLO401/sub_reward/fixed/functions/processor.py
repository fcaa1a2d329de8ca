from dashscope.finetune.reinforcement import (
    AbstractRewardProcessor,
    Reward,
    RewardInput,
    RewardOutput,
    aggregate_func,
    reward_func,
    sub_reward_func,
)
from dashscope.finetune.reinforcement.component.observability import observe_processor


@reward_func("quality")
class LengthReward(AbstractRewardProcessor):
    @sub_reward_func("length", sub_weight=1.0)
    async def length(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        reward = Reward(reward_score=1 / turns, reward_metrics={"size": turns})
        return RewardOutput(reward=reward)

    @aggregate_func
    async def merge(self, sub_rewards: dict) -> RewardOutput:
        score = self.get_total(sub_rewards)
        metrics = self.get_reward_metrics(sub_rewards)
        return RewardOutput(reward=Reward(reward_score=score, reward_metrics=metrics))


LengthReward.process = observe_processor(LengthReward.process)
