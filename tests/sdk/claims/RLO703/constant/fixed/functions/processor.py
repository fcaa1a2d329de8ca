from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class AnswerReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        right = str(input.ground_truth) in str(input.agent_output.messages)
        reward = Reward(reward_score=float(right), reward_metrics={"right": right})
        return RewardOutput(reward=reward)
