from dashscope import Generation
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class QwenRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        answer = Generation.call(  # expect: RLO201
            model=model, messages=input.messages, result_format="message"
        )
        reply = {"role": "assistant", "content": answer.output.choices[0].message.content}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
