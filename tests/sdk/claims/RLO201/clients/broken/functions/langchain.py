from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor
from langchain_openai import AzureChatOpenAI, ChatOpenAI


class ChatRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        resource = input.model_resource
        llm = ChatOpenAI(model=resource.model_name, base_url=resource.base_url)  # expect: RLO201
        answer = await llm.ainvoke(input.messages)
        reply = {"role": "assistant", "content": answer.content}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class AzureChatRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        resource = input.model_resource
        llm = AzureChatOpenAI(  # expect: RLO201
            model=resource.model_name,
            azure_endpoint=resource.base_url.removesuffix("/v1"),
            api_version="2024-10-21",
        )
        answer = await llm.ainvoke(input.messages)
        reply = {"role": "assistant", "content": answer.content}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
