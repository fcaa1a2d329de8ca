from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client
from openai import AsyncOpenAI, OpenAI
from pydantic import BaseModel


class Answer(BaseModel):
    text: str


class StreamRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        client = OpenAI()
        trace_client(client)
        answer = client.chat.completions.create(model=model, messages=input.messages)
        text = answer.choices[0].message.content
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class AsyncStreamRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        client = AsyncOpenAI()
        trace_client(client)
        answer = await client.chat.completions.create(model=model, messages=input.messages)
        text = answer.choices[0].message.content
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class StreamHelperRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        client = OpenAI()
        trace_client(client)
        answer = client.chat.completions.create(model=model, messages=input.messages)
        text = answer.choices[0].message.content
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class AsyncStreamHelperRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        client = AsyncOpenAI()
        trace_client(client)
        answer = await client.chat.completions.create(model=model, messages=input.messages)
        text = answer.choices[0].message.content
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class ParseRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        client = OpenAI()
        trace_client(client)
        answer = client.chat.completions.create(model=model, messages=input.messages)
        text = answer.choices[0].message.content
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class ResponsesRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        client = OpenAI()
        trace_client(client)
        answer = client.chat.completions.create(model=model, messages=input.messages)
        text = answer.choices[0].message.content
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class CompletionsRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        client = OpenAI()
        trace_client(client)
        answer = client.chat.completions.create(model=model, messages=input.messages)
        text = answer.choices[0].message.content
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class BetaRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        client = OpenAI()
        trace_client(client)
        create = client.chat.completions.create
        answer = create(model=model, messages=input.messages)
        text = answer.choices[0].message.content
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class StreamingResponseRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        client = AsyncOpenAI()
        trace_client(client)
        raw = client.chat.completions.with_raw_response
        response = await raw.create(model=model, messages=input.messages)
        text = response.parse().choices[0].message.content
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class CopyRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        client = OpenAI()
        patient = client.with_options(timeout=600)
        trace_client(patient)
        answer = patient.chat.completions.create(model=model, messages=input.messages)
        text = answer.choices[0].message.content
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
