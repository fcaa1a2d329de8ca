from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor

LETTERS = ("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k")


class LettersReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        turns = len(input.agent_output.messages or [])
        text = str(input.agent_output.messages)
        counts = {"letters": sum(text.count(letter) for letter in LETTERS)}
        reward = Reward(reward_score=1 / turns, reward_metrics=counts)
        return RewardOutput(reward=reward)
