from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_llm, observe_processor
from openai import AsyncOpenAI


class StreamRollout(AbstractRolloutProcessor):
    @observe_llm
    async def _complete(self, *, model: str, messages: list):
        return await AsyncOpenAI().chat.completions.create(model=model, messages=messages)

    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        answer = await self._complete(model=input.model_resource.model_name, messages=input.messages)
        reply = {"role": "assistant", "content": answer.choices[0].message.content}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
