from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class SecondArgument(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        return RolloutOutput(agent_output={"messages": [*input.messages, *(input.tools or [])]})


class KeywordOnly(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        return RolloutOutput(agent_output={"messages": input.messages})


class NoArgument(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        return RolloutOutput(agent_output={"messages": []})


class Static(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        return RolloutOutput(agent_output={"messages": input.messages})


class Yielding(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        return RolloutOutput(agent_output={"messages": list(input.messages)})
