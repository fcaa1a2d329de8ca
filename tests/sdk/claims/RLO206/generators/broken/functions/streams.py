from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_llm, observe_processor
from openai import AsyncOpenAI


class StreamRollout(AbstractRolloutProcessor):
    @observe_llm
    async def _stream(self, *, model: str, messages: list):  # expect: RLO206
        stream = await AsyncOpenAI().chat.completions.create(model=model, messages=messages, stream=True)
        async for chunk in stream:
            yield chunk.choices[0].delta.content or ""

    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        name = input.model_resource.model_name
        text = "".join([piece async for piece in self._stream(model=name, messages=input.messages)])
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
