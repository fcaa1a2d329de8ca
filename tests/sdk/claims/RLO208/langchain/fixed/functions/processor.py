from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client
from langchain_openai import ChatOpenAI
from pydantic import BaseModel


class Answer(BaseModel):
    text: str


class StructuredRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        llm = ChatOpenAI(model=model)
        trace_client(llm)
        typed = llm.with_structured_output(Answer, method="function_calling")
        text = (await typed.ainvoke(input.messages)).text
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class JsonModeRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        llm = ChatOpenAI(model=model)
        trace_client(llm)
        typed = llm.with_structured_output(Answer, method="function_calling")
        text = (await typed.ainvoke(input.messages)).text
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class ResponseFormatRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        llm = ChatOpenAI(model=model)
        trace_client(llm)
        text = (await llm.ainvoke(input.messages)).content
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class ResponsesRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        llm = ChatOpenAI(model=model)
        trace_client(llm)
        text = str((await llm.ainvoke(input.messages)).content)
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class OutputVersionRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        llm = ChatOpenAI(model=model)
        trace_client(llm)
        text = str((await llm.ainvoke(input.messages)).content)
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class StreamRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        llm = ChatOpenAI(model=model)
        trace_client(llm)
        text = llm.invoke(input.messages).content
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class StreamingFlagRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        llm = ChatOpenAI(model=model)
        trace_client(llm)
        text = llm.invoke(input.messages).content
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class AsyncStreamRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        llm = ChatOpenAI(model=model)
        trace_client(llm)
        text = (await llm.ainvoke(input.messages)).content
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
