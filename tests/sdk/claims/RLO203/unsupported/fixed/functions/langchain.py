from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client
from langchain_core.prompts import ChatPromptTemplate
from langchain_openai import ChatOpenAI
from langgraph.prebuilt import create_react_agent
from pydantic import BaseModel


class Answer(BaseModel):
    text: str


def output(input: RolloutInput, text: str) -> RolloutOutput:
    return RolloutOutput(agent_output={"messages": [*input.messages, {"role": "assistant", "content": text}]})


class ClassRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        llm = ChatOpenAI(model=input.model_resource.model_name)
        trace_client(llm)
        answer = await llm.ainvoke(input.messages)
        return output(input, answer.content)


class TypedRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        llm = ChatOpenAI(model=input.model_resource.model_name)
        trace_client(llm)
        typed = llm.with_structured_output(Answer, method="function_calling")
        answer = await typed.ainvoke(input.messages)
        return output(input, answer.text)


class RetryRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        llm = ChatOpenAI(model=input.model_resource.model_name)
        trace_client(llm)
        patient = llm.with_retry(stop_after_attempt=2)
        answer = await patient.ainvoke(input.messages)
        return output(input, answer.content)


class ChainRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        llm = ChatOpenAI(model=input.model_resource.model_name)
        trace_client(llm)
        chain = ChatPromptTemplate.from_messages([("user", "{question}")]) | llm
        answer = await chain.ainvoke({"question": input.messages[-1]["content"]})
        return output(input, answer.content)


class AgentRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        llm = ChatOpenAI(model=input.model_resource.model_name)
        trace_client(llm)
        agent = create_react_agent(llm, [])
        state = await agent.ainvoke({"messages": input.messages})
        return output(input, state["messages"][-1].content)


class ListRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        models = [ChatOpenAI(model=input.model_resource.model_name)]
        for model in models:
            trace_client(model)
        answer = await models[0].ainvoke(input.messages)
        return output(input, answer.content)


class DictRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        models = {"writer": ChatOpenAI(model=input.model_resource.model_name)}
        for model in models.values():
            trace_client(model)
        answer = await models["writer"].ainvoke(input.messages)
        return output(input, answer.content)
