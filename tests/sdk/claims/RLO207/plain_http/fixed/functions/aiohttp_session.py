import aiohttp

from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_llm, observe_processor
from openai.types.chat import ChatCompletion


class HttpRollout(AbstractRolloutProcessor):
    @observe_llm
    async def _chat(self, *, model: str, messages: list, base_url: str):
        async with aiohttp.ClientSession() as session:
            async with session.post(
                f"{base_url}/chat/completions", json={"model": model, "messages": messages}
            ) as response:
                return ChatCompletion.model_validate(await response.json())

    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        source = input.model_resource
        answer = await self._chat(model=source.model_name, messages=input.messages, base_url=source.base_url)
        return RolloutOutput(
            agent_output={"messages": [*input.messages, answer.choices[0].message.model_dump()]}
        )
