from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_llm, observe_processor


class StreamRollout(AbstractRolloutProcessor):
    @observe_llm
    def _complete(self, *, model: str, messages: list):
        raise ConnectionError("the stream broke off")

    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        text = self._complete(model=input.model_resource.model_name, messages=input.messages)
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
