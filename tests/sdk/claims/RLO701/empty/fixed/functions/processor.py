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
        messages = input.agent_output.messages
        if not messages:
            return RewardOutput(
                reward=Reward(reward_score=0.0), status=TaskStatus.FAILED, error="no messages"
            )
        answer = messages[-1].get("content", "")
        return RewardOutput(reward=Reward(reward_score=float(str(input.ground_truth) in answer)))
