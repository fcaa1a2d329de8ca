from dashscope import Generation, MultiModalConversation
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client

trace_client(Generation)


class ImageRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        question = [{"role": "user", "content": [{"text": input.messages[-1]["content"]}]}]
        model = f"multimodal-{input.model_resource.model_name}"
        answer = MultiModalConversation.call(model=model, messages=question)  # expect: RLO201
        reply = {"role": "assistant", "content": answer.output.choices[0].message.content[0]["text"]}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
