from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client
from openai import OpenAI


def output(input: RolloutInput, completion) -> RolloutOutput:
    reply = {"role": "assistant", "content": completion.choices[0].message.content}
    return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class Gateway:
    def __init__(self) -> None:
        self.client = OpenAI()

    def ask(self, model: str, messages: list):
        return self.client.chat.completions.create(model=model, messages=messages)


class WrapperRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        gateway = Gateway()
        trace_client(gateway.client)
        return output(input, gateway.ask(input.model_resource.model_name, input.messages))


class ClassRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        client = OpenAI()
        trace_client(client)
        model = input.model_resource.model_name
        return output(input, client.chat.completions.create(model=model, messages=input.messages))
