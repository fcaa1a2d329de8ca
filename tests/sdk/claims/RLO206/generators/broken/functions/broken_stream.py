from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_llm, observe_processor


class StreamRollout(AbstractRolloutProcessor):
    @observe_llm
    def _stream(self, *, model: str, messages: list):  # expect: RLO206
        yield messages[-1]["content"]
        raise ConnectionError("the stream broke off")

    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        text = "".join(self._stream(model=input.model_resource.model_name, messages=input.messages))
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
