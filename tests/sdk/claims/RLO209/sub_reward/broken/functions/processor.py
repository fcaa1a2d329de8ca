from dashscope.finetune.reinforcement import (
    AbstractRewardProcessor,
    Reward,
    RewardInput,
    RewardOutput,
    reward_func,
    sub_reward_func,
)
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client
from langchain_openai import ChatOpenAI


@reward_func("judge")
class JudgeReward(AbstractRewardProcessor):
    def __init__(self) -> None:
        super().__init__()
        self.llm = ChatOpenAI(model="proof-model")
        trace_client(self.llm)

    @sub_reward_func("judged", sub_weight=1.0)
    def judged(self, input: RewardInput) -> RewardOutput:  # expect: RLO209
        verdict = self.llm.invoke(input.agent_output.messages or [])
        return RewardOutput(reward=Reward(reward_score=1.0 if "42" in verdict.content else 0.0))


JudgeReward.process = observe_processor(JudgeReward.process)
