from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client
from langchain_openai import ChatOpenAI
from openai import OpenAI


def output(input: RolloutInput, text: str) -> RolloutOutput:
    return RolloutOutput(agent_output={"messages": [*input.messages, {"role": "assistant", "content": text}]})


class AsyncPlanRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        llm = ChatOpenAI(model=input.model_resource.model_name)
        plan = await llm.ainvoke(input.messages)
        trace_client(llm)  # expect: RLO202
        answer = await llm.ainvoke([*input.messages, plan])
        return output(input, answer.content)


class SyncPlanRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        llm = ChatOpenAI(model=input.model_resource.model_name)
        plan = llm.invoke(input.messages)
        trace_client(llm)  # expect: RLO202
        answer = llm.invoke([*input.messages, plan])
        return output(input, answer.content)


class BoundRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        llm = ChatOpenAI(model=input.model_resource.model_name)
        plan = await llm.bind_tools(input.tools or []).ainvoke(input.messages)
        trace_client(llm)  # expect: RLO202
        answer = await llm.ainvoke([*input.messages, plan])
        return output(input, answer.content)


class OpenAIRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        client = OpenAI()
        model = input.model_resource.model_name
        plan = client.chat.completions.create(model=model, messages=input.messages)
        trace_client(client)  # expect: RLO202
        messages = [*input.messages, {"role": "assistant", "content": plan.choices[0].message.content}]
        answer = client.chat.completions.create(model=model, messages=messages)
        return output(input, answer.choices[0].message.content)


class BoundCreateRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        client = OpenAI()
        create = client.chat.completions.create
        trace_client(client)  # expect: RLO202
        answer = create(model=input.model_resource.model_name, messages=input.messages)
        return output(input, answer.choices[0].message.content)
