from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class LengthReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        return RewardOutput(reward=Reward(reward_score=1 / turns, reward_metrics={"turns": turns}))
