from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_llm, observe_processor
from openai import AsyncOpenAI


class StreamRollout(AbstractRolloutProcessor):
    @observe_llm
    async def _stream(self, *, model: str, messages: list):  # expect: RLO206
        return await AsyncOpenAI().chat.completions.create(model=model, messages=messages, stream=True)

    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        stream = await self._stream(model=input.model_resource.model_name, messages=input.messages)
        text = "".join([chunk.choices[0].delta.content or "" async for chunk in stream])
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
