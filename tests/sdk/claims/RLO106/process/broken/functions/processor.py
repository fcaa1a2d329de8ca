import functools

from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        print("calling", function.__name__)
        return function(*args, **kwargs)

    return wrapper


class WrappedBelow(AbstractRolloutProcessor):
    @observe_processor
    @logged  # expect: RLO106
    async def process(self, input: RolloutInput) -> RolloutOutput:
        return RolloutOutput(agent_output={"messages": input.messages})


class WrappedAbove(AbstractRolloutProcessor):
    @logged  # expect: RLO106
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        return RolloutOutput(agent_output={"messages": input.messages})
