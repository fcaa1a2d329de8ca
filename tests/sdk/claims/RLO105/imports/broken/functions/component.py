from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component import observe_processor, trace_client  # expect: RLO105
from openai import OpenAI


class ChatRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        client = OpenAI(base_url=input.model_resource.base_url)
        trace_client(client)
        answer = client.chat.completions.create(
            model=input.model_resource.model_name, messages=input.messages
        )
        reply = {"role": "assistant", "content": answer.choices[0].message.content}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
