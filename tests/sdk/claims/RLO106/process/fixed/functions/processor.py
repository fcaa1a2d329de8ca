import functools

from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


def logged(function):
    @functools.wraps(function)
    async def wrapper(*args, **kwargs):
        print("calling", function.__name__)
        return await function(*args, **kwargs)

    return wrapper


class WrappedBelow(AbstractRolloutProcessor):
    @observe_processor
    @logged
    async def process(self, input: RolloutInput) -> RolloutOutput:
        return RolloutOutput(agent_output={"messages": input.messages})


class WrappedAbove(AbstractRolloutProcessor):
    @logged
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        return RolloutOutput(agent_output={"messages": input.messages})
