from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client
from dashscope import AioGeneration, Generation


class AioRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        trace_client(Generation)
        answer = Generation.call(model=model, messages=input.messages, result_format="message")
        text = answer.output.choices[0].message.content
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class StreamRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        trace_client(Generation)
        answer = Generation.call(model=model, messages=input.messages, result_format="message")
        text = answer.output.choices[0].message.content
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
