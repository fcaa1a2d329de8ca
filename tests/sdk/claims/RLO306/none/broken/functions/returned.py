from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client
from langchain_openai import ChatOpenAI


def build(name: str) -> ChatOpenAI:
    llm = ChatOpenAI(model=name)
    return trace_client(llm)  # expect: RLO306


class ChatRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        llm = build(input.model_resource.model_name)
        result = (await llm.ainvoke(input.messages)).content
        reply = {"role": "tool", "content": str(result)}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
