from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class EchoRollout(AbstractRolloutProcessor):
    def setup(self) -> None:
        trace.set_tracer_provider(TracerProvider())  # expect: RLO607

    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        return RolloutOutput(agent_output={"messages": input.messages})
