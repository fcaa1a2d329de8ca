from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class NestedReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        metrics = {
            "sizes": [turns],  # expect: RLO401
        }
        reward = Reward(reward_score=1 / turns, reward_metrics=metrics)
        return RewardOutput(reward=reward)


class DictReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        metrics = {
            "sizes": {"turns": turns},  # expect: RLO401
        }
        reward = Reward(reward_score=1 / turns, reward_metrics=metrics)
        return RewardOutput(reward=reward)


class PairsReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        pairs = [("turns", turns)]
        reward = Reward(reward_score=1 / turns, reward_metrics=pairs)  # expect: RLO401
        return RewardOutput(reward=reward)


class AssignedReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        reward = Reward(reward_score=1 / turns)
        reward.reward_metrics = {"sizes": [turns]}  # expect: RLO401
        return RewardOutput(reward=reward)
