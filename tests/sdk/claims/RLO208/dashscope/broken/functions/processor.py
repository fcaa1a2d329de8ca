from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client
from dashscope import AioGeneration, Generation


class AioRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        trace_client(AioGeneration)
        answer = await AioGeneration.call(model=model, messages=input.messages)  # expect: RLO208
        text = answer.output.choices[0].message.content
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class StreamRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        trace_client(Generation)
        stream = Generation.call(model=model, messages=input.messages, stream=True)  # expect: RLO208
        text = [piece.output.choices[0].message.content for piece in stream][-1]
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
