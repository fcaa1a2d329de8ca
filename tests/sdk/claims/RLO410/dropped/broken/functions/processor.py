from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class MetricsReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        reward = Reward(
            reward_score=1 / turns,
            metrics={"turns": turns},  # expect: RLO410
        )
        return RewardOutput(reward=reward)


class ScoreReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        reward = Reward(score=1 / turns)  # expect: RLO410
        return RewardOutput(reward=reward)


class OutsideReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        reward = Reward(reward_score=1 / turns)
        metrics = {"turns": turns}
        return RewardOutput(reward=reward, reward_metrics=metrics)  # expect: RLO410
