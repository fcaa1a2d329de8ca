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
        create = client.chat.completions.create
        stream = create(model=model, messages=input.messages, stream=True)  # expect: RLO208
        text = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class AsyncStreamRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        client = AsyncOpenAI()
        trace_client(client)
        create = client.chat.completions.create
        chunks = await create(model=model, messages=input.messages, stream=True)  # expect: RLO208
        text = "".join([chunk.choices[0].delta.content or "" async for chunk in chunks])
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class StreamHelperRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        client = OpenAI()
        trace_client(client)
        with client.chat.completions.stream(model=model, messages=input.messages) as stream:  # expect: RLO208
            text = stream.get_final_completion().choices[0].message.content
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class AsyncStreamHelperRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        client = AsyncOpenAI()
        trace_client(client)
        async with client.chat.completions.stream(  # expect: RLO208
            model=model, messages=input.messages
        ) as stream:
            text = (await stream.get_final_completion()).choices[0].message.content
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class ParseRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        client = OpenAI()
        trace_client(client)
        parse = client.chat.completions.parse
        answer = parse(model=model, messages=input.messages, response_format=Answer)  # expect: RLO208
        text = answer.choices[0].message.parsed.text
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class ResponsesRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        client = OpenAI()
        trace_client(client)
        text = client.responses.create(model=model, input=input.messages).output_text  # expect: RLO208
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class CompletionsRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        client = OpenAI()
        trace_client(client)
        prompt = input.messages[-1]["content"]
        text = client.completions.create(model=model, prompt=prompt).choices[0].text  # expect: RLO208
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class BetaRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        client = OpenAI()
        trace_client(client)
        create = client.beta.chat.completions.create
        answer = create(model=model, messages=input.messages)  # expect: RLO208
        text = answer.choices[0].message.content
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class StreamingResponseRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        client = AsyncOpenAI()
        trace_client(client)
        stream = client.chat.completions.with_streaming_response
        async with stream.create(model=model, messages=input.messages) as response:  # expect: RLO208
            text = (await response.parse()).choices[0].message.content
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class CopyRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        client = OpenAI()
        trace_client(client)
        patient = client.with_options(timeout=600)  # expect: RLO208
        answer = patient.chat.completions.create(model=model, messages=input.messages)
        text = answer.choices[0].message.content
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
