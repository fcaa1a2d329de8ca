from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class TwiceReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        score = 1 / turns
        metrics = {"turns": turns, "reward_score": score}  # expect: RLO405
        reward = Reward(reward_score=score, reward_metrics=metrics)
        return RewardOutput(reward=reward)
