from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client
from langchain_openai import ChatOpenAI


class FallbackRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        first = ChatOpenAI(model="refused")
        second = ChatOpenAI(model=input.model_resource.model_name)
        trace_client(first)
        trace_client(second)
        either = first.with_fallbacks([second])
        answer = await either.ainvoke(input.messages)
        reply = {"role": "assistant", "content": answer.content}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
