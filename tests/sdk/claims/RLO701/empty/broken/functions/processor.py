from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class AnswerReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        messages = input.agent_output.messages
        answer = messages[-1].get("content", "")  # expect: RLO701
        return RewardOutput(reward=Reward(reward_score=float(str(input.ground_truth) in answer)))
