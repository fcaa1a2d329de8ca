from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class SampleReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        metrics = {"turns": turns}
        reward = Reward(reward_score=1 / turns, reward_metrics=metrics)
        return RewardOutput(reward=reward)
