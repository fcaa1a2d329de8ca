import asyncio
import contextvars
from concurrent.futures import ThreadPoolExecutor
from threading import Thread

from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import (
    observe_processor,
    trace_client,
    trace_tool,
)
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI


@tool
def double(number: float) -> float:
    """Doubles a number."""
    return 2 * number


class ExecutorRollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        llm = ChatOpenAI(model=model)
        trace_client(llm)
        loop = asyncio.get_running_loop()
        answer = await loop.run_in_executor(None, llm.invoke, input.messages)  # expect: RLO209
        text = answer.content
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class PoolRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        llm = ChatOpenAI(model=model)
        trace_client(llm)
        with ThreadPoolExecutor() as pool:
            text = pool.submit(llm.invoke, input.messages).result().content  # expect: RLO209
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class ThreadRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        llm = ChatOpenAI(model=model)
        trace_client(llm)
        answers = []
        thread = Thread(target=lambda: answers.append(llm.invoke(input.messages)))  # expect: RLO209
        thread.start()
        thread.join()
        text = answers[0].content
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})


class ToolThreadRollout(AbstractRolloutProcessor):
    @observe_processor
    def process(self, input: RolloutInput) -> RolloutOutput:
        model = input.model_resource.model_name
        tools = [double]
        trace_tool(tools)
        with ThreadPoolExecutor() as pool:
            text = str(pool.submit(tools[0].invoke, {"number": 21}).result())  # expect: RLO209
        reply = {"role": "assistant", "content": text}
        return RolloutOutput(agent_output={"messages": [*input.messages, reply]})
