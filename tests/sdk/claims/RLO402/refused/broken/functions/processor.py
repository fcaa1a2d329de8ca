from datetime import datetime
from enum import Enum

from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class Level(Enum):
    HIGH = 1.0


class TextReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        metrics = {
            "level": "high",  # expect: RLO402
        }
        reward = Reward(reward_score=1 / turns, reward_metrics=metrics)
        return RewardOutput(reward=reward)


class NoneReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        metrics = {
            "level": None,  # expect: RLO402
        }
        reward = Reward(reward_score=1 / turns, reward_metrics=metrics)
        return RewardOutput(reward=reward)


class DateReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        metrics = {
            "day": datetime.now(),  # expect: RLO402
        }
        reward = Reward(reward_score=1 / turns, reward_metrics=metrics)
        return RewardOutput(reward=reward)


class EnumReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        metrics = {
            "level": Level.HIGH,  # expect: RLO402
        }
        reward = Reward(reward_score=1 / turns, reward_metrics=metrics)
        return RewardOutput(reward=reward)


class ScoreReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        reward = Reward(reward_score="high")  # expect: RLO402
        return RewardOutput(reward=reward)


class AssignedReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        reward = Reward(reward_score=1 / turns, reward_metrics={})
        reward.reward_metrics["level"] = "high"  # expect: RLO402
        return RewardOutput(reward=reward)
