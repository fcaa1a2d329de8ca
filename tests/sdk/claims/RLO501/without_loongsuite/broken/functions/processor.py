from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client
from langchain_openai import ChatOpenAI


class ChatRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        llm = ChatOpenAI(model=input.model_resource.model_name)
        trace_client(llm)
        answer = await llm.ainvoke(input.messages)
        reply = {"role": "assistant", "content": answer.content}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
