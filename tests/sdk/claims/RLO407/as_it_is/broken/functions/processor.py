from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class SlashReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        metrics = {"turns/total": turns}  # expect: RLO407
        reward = Reward(reward_score=1 / turns, reward_metrics=metrics)
        return RewardOutput(reward=reward)


class EmptyReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        metrics = {"": turns}  # expect: RLO407
        reward = Reward(reward_score=1 / turns, reward_metrics=metrics)
        return RewardOutput(reward=reward)
