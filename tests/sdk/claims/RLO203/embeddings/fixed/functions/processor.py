from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client
from langchain_openai import OpenAIEmbeddings


class SearchRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        embeddings = OpenAIEmbeddings(model="proof-embedding", check_embedding_ctx_length=False)
        vector = await embeddings.aembed_query(input.messages[-1]["content"])
        reply = {"role": "assistant", "content": str(len(vector))}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
