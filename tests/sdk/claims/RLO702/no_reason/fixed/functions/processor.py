from dashscope.finetune.reinforcement import (
    AbstractRewardProcessor,
    Reward,
    RewardInput,
    RewardOutput,
    TaskStatus,
)
from dashscope.finetune.reinforcement.component.observability import observe_processor


class AnswerReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        if not input.agent_output.messages:
            reward = Reward(reward_score=0.0)
            return RewardOutput(reward=reward, status=TaskStatus.FAILED, error="no messages")
        answer = str(input.agent_output.messages)
        return RewardOutput(reward=Reward(reward_score=float(str(input.ground_truth) in answer)))
