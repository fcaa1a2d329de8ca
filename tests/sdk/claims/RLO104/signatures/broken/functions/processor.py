from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class SecondArgument(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput, tools: list) -> RolloutOutput:  # expect: RLO104
        return RolloutOutput(agent_output={"messages": [*input.messages, *tools]})


class KeywordOnly(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, *, input: RolloutInput) -> RolloutOutput:  # expect: RLO104
        return RolloutOutput(agent_output={"messages": input.messages})


class NoArgument(AbstractRolloutProcessor):
    @observe_processor
    async def process(self) -> RolloutOutput:  # expect: RLO104
        return RolloutOutput(agent_output={"messages": []})


class Static(AbstractRolloutProcessor):
    @observe_processor
    @staticmethod
    def process(input: RolloutInput) -> RolloutOutput:  # expect: RLO104
        return RolloutOutput(agent_output={"messages": input.messages})


class Yielding(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:  # expect: RLO104
        for message in input.messages:
            yield RolloutOutput(agent_output={"messages": [message]})
