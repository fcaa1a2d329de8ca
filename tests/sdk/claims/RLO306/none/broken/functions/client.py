from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client
from langchain_openai import ChatOpenAI


class ChatRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        llm = trace_client(ChatOpenAI(model=input.model_resource.model_name))  # expect: RLO306
        result = (await llm.ainvoke(input.messages)).content
        reply = {"role": "tool", "content": str(result)}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
