import requests

from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class HttpRollout(AbstractRolloutProcessor):
    def _chat(self, *, model: str, messages: list, base_url: str):
        response = requests.post(  # expect: RLO207
            f"{base_url}/chat/completions", json={"model": model, "messages": messages}, timeout=60
        )
        return response.json()

    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        source = input.model_resource
        answer = self._chat(model=source.model_name, messages=input.messages, base_url=source.base_url)
        return RolloutOutput(agent_output={"messages": [*input.messages, answer["choices"][0]["message"]]})
