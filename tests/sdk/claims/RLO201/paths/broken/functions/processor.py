from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client
from langchain_openai import ChatOpenAI


class BranchRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        llm = ChatOpenAI(model=input.model_resource.model_name)  # expect: RLO201
        if len(input.messages) > 1:
            trace_client(llm)
        answer = await llm.ainvoke(input.messages)
        reply = {"role": "assistant", "content": answer.content}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class TwoClientsRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        planner = ChatOpenAI(model=input.model_resource.model_name)
        writer = ChatOpenAI(model=input.model_resource.model_name)  # expect: RLO201
        trace_client(planner)
        plan = await planner.ainvoke(input.messages)
        answer = await writer.ainvoke([*input.messages, plan])
        reply = {"role": "assistant", "content": answer.content}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
