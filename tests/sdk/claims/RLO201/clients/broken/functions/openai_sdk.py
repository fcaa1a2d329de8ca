from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor
from openai import AsyncAzureOpenAI, AsyncOpenAI, AzureOpenAI, OpenAI


def output(input: RolloutInput, completion) -> RolloutOutput:
    reply = {"role": "assistant", "content": completion.choices[0].message.content}
    return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class OpenAIRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        client = OpenAI(base_url=input.model_resource.base_url)  # expect: RLO201
        model = input.model_resource.model_name
        return output(input, client.chat.completions.create(model=model, messages=input.messages))


class AsyncOpenAIRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        client = AsyncOpenAI(base_url=input.model_resource.base_url)  # expect: RLO201
        model = input.model_resource.model_name
        return output(input, await client.chat.completions.create(model=model, messages=input.messages))


class AzureOpenAIRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        url = input.model_resource.base_url
        client = AzureOpenAI(base_url=url, api_version="2024-10-21")  # expect: RLO201
        model = input.model_resource.model_name
        return output(input, client.chat.completions.create(model=model, messages=input.messages))


class AsyncAzureOpenAIRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        url = input.model_resource.base_url
        client = AsyncAzureOpenAI(base_url=url, api_version="2024-10-21")  # expect: RLO201
        model = input.model_resource.model_name
        return output(input, await client.chat.completions.create(model=model, messages=input.messages))


class PatientOpenAI(OpenAI):
    def __init__(self, **options) -> None:
        super().__init__(timeout=600, **options)


class SubclassRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        client = PatientOpenAI(base_url=input.model_resource.base_url)  # expect: RLO201
        model = input.model_resource.model_name
        return output(input, client.chat.completions.create(model=model, messages=input.messages))
