import functools

from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import (
    observe_llm,
    observe_processor,
    observe_tool,
)
from openai import AsyncOpenAI


def logged(function):
    @functools.wraps(function)
    async def wrapper(*args, **kwargs):
        print("calling", function.__name__)
        return await function(*args, **kwargs)

    return wrapper


class GatewayRollout(AbstractRolloutProcessor):
    @observe_llm
    @logged
    async def _chat(self, *, model: str, messages: list):
        return await AsyncOpenAI().chat.completions.create(model=model, messages=messages)

    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        answer = await self._chat(model=input.model_resource.model_name, messages=input.messages)
        reply = {"role": "assistant", "content": answer.choices[0].message.content}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


@observe_tool
@logged
async def search(query: str) -> str:
    raise LookupError(f"nothing about {query}")


class SearchRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        try:
            found = await search(input.messages[-1]["content"])
        except LookupError as error:
            found = str(error)
        return RolloutOutput(agent_output={"messages": [*input.messages, {"role": "tool", "content": found}]})
