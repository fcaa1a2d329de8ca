from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class NestedReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        metrics = {"size": turns}
        reward = Reward(reward_score=1 / turns, reward_metrics=metrics)
        return RewardOutput(reward=reward)


class DictReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        metrics = {"size": turns}
        reward = Reward(reward_score=1 / turns, reward_metrics=metrics)
        return RewardOutput(reward=reward)


class PairsReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        metrics = {"turns": turns}
        reward = Reward(reward_score=1 / turns, reward_metrics=metrics)
        return RewardOutput(reward=reward)


class AssignedReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        reward = Reward(reward_score=1 / turns)
        reward.reward_metrics = {"size": turns}
        return RewardOutput(reward=reward)
