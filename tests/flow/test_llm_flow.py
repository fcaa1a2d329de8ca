"""LLM clients, followed through the shapes that people write."""

from __future__ import annotations

import textwrap

import pytest

from tests.flow.judging import check

ROLLOUT = """
from openai import AsyncOpenAI, OpenAI
from langchain_openai import ChatOpenAI


class P(AbstractRolloutProcessor):
"""


def inside(body: str) -> str:
    """Returns a source whose processor class has the given body."""
    return ROLLOUT + textwrap.indent(textwrap.dedent(body), "    ")


PROCESS = "@observe_processor\nasync def process(self, input):\n"


def process(body: str) -> str:
    """Returns a source whose `process` has the given body."""
    return inside(PROCESS + textwrap.indent(textwrap.dedent(body), "    "))


@pytest.mark.parametrize(
    "body",
    [
        # names
        """
        client = AsyncOpenAI()  # expect: RLO201
        await client.chat.completions.create(model="m", messages=input.messages)
        """,
        """
        client = AsyncOpenAI()
        trace_client(client)
        await client.chat.completions.create(model="m", messages=input.messages)
        """,
        """
        client = AsyncOpenAI()  # never used
        """,
        """
        a = b = AsyncOpenAI()
        trace_client(b)
        await a.chat.completions.create(model="m", messages=[])
        """,
        """
        a, b = AsyncOpenAI(), AsyncOpenAI()  # expect: RLO201
        trace_client(a)
        await a.chat.completions.create(model="m", messages=[])
        await b.chat.completions.create(model="m", messages=[])
        """,
        """
        if (client := AsyncOpenAI()):  # expect: RLO201
            await client.chat.completions.create(model="m", messages=[])
        """,
        """
        trace_client(client := AsyncOpenAI())
        await client.chat.completions.create(model="m", messages=[])
        """,
        """
        async with AsyncOpenAI() as client:  # expect: RLO201
            await client.chat.completions.create(model="m", messages=[])
        """,
        """
        async with AsyncOpenAI() as client:
            trace_client(client)
            await client.chat.completions.create(model="m", messages=[])
        """,
        """
        await AsyncOpenAI().chat.completions.create(model="m", messages=[])  # expect: RLO201
        """,
        # branches
        """
        client = AsyncOpenAI()  # expect: RLO201
        if input.tools:
            trace_client(client)
        await client.chat.completions.create(model="m", messages=[])
        """,
        """
        client = AsyncOpenAI()
        if input.tools:
            trace_client(client)
        else:
            trace_client(client)
        await client.chat.completions.create(model="m", messages=[])
        """,
        """
        client = None
        if input.tools:
            client = AsyncOpenAI()
            trace_client(client)
        if client is not None:
            await client.chat.completions.create(model="m", messages=[])
        """,
        """
        client = None
        if input.tools:
            client = AsyncOpenAI()
        if client is not None:
            trace_client(client)
            await client.chat.completions.create(model="m", messages=[])
        """,
        """
        client = None
        if input.tools:
            client = AsyncOpenAI()
        if client:
            trace_client(client)
        if client:
            await client.chat.completions.create(model="m", messages=[])
        """,
        """
        client = AsyncOpenAI() if input.tools else None
        if client is None:
            return None
        trace_client(client)
        await client.chat.completions.create(model="m", messages=[])
        """,
        """
        if input.tools:
            client = AsyncOpenAI(base_url="a")
        else:
            client = OpenAI(base_url="b")
        trace_client(client)
        client.chat.completions.create(model="m", messages=[])
        """,
        """
        client = AsyncOpenAI(base_url="a") if input.tools else AsyncOpenAI()  # expect: RLO201, RLO201
        await client.chat.completions.create(model="m", messages=[])
        """,
        """
        client = AsyncOpenAI()
        if not input.messages:
            return None
        trace_client(client)
        await client.chat.completions.create(model="m", messages=[])
        """,
        """
        client = AsyncOpenAI()  # expect: RLO201
        if not input.messages:
            await client.chat.completions.create(model="m", messages=[])
            return None
        return None
        """,
        # loops
        """
        client = AsyncOpenAI()
        for attempt in range(3):
            trace_client(client)
            await client.chat.completions.create(model="m", messages=[])
        """,
        """
        client = AsyncOpenAI()
        for attempt in range(3):
            await client.chat.completions.create(model="m", messages=[])
            trace_client(client)  # expect: RLO202
        """,
        """
        clients = [AsyncOpenAI(base_url=u) for u in ("a", "b")]
        for client in clients:
            trace_client(client)
        for client in clients:
            await client.chat.completions.create(model="m", messages=[])
        """,
        """
        clients = [AsyncOpenAI(base_url=u) for u in input.tools]
        for client in clients:
            trace_client(client)
        for client in clients:
            await client.chat.completions.create(model="m", messages=[])
        """,
        """
        clients = [AsyncOpenAI(), AsyncOpenAI()]  # expect: RLO201, RLO201
        for client in clients:
            await client.chat.completions.create(model="m", messages=[])
        """,
        """
        clients = {"a": AsyncOpenAI(), "b": AsyncOpenAI()}
        for client in clients.values():
            trace_client(client)
        await clients["a"].chat.completions.create(model="m", messages=[])
        """,
        """
        clients = {"a": AsyncOpenAI(), "b": OpenAI()}  # expect: RLO201
        trace_client(clients["a"])
        await clients["a"].chat.completions.create(model="m", messages=[])
        clients["b"].chat.completions.create(model="m", messages=[])
        """,
        """
        while True:
            client = AsyncOpenAI()
            trace_client(client)
            try:
                await client.chat.completions.create(model="m", messages=[])
                break
            except Exception:
                continue
        """,
        # try
        """
        client = AsyncOpenAI()
        try:
            trace_client(client)
            await client.chat.completions.create(model="m", messages=[])
        except Exception:
            await client.chat.completions.create(model="m", messages=[])
        """,
        """
        try:
            client = AsyncOpenAI()
            trace_client(client)
        except Exception as error:
            return RolloutOutput(status=TaskStatus.FAILED, error=str(error))
        await client.chat.completions.create(model="m", messages=[])
        """,
        """
        client = AsyncOpenAI()  # expect: RLO201
        try:
            answer = await client.chat.completions.create(model="m", messages=[])
        finally:
            await client.close()
        """,
        # late
        """
        llm = ChatOpenAI()
        await llm.ainvoke("plan")
        trace_client(llm)  # expect: RLO202
        await llm.ainvoke("act")
        """,
        """
        llm = ChatOpenAI()
        llm.invoke("plan")
        trace_client(llm)  # expect: RLO202
        await llm.ainvoke("act")
        """,
        """
        llm = ChatOpenAI()
        bound = llm.bind_tools(input.tools)
        trace_client(llm)
        await bound.ainvoke("act")
        """,
        """
        llm = ChatOpenAI()
        trace_client(llm.bind_tools(input.tools))
        await llm.ainvoke("act")
        """,
        """
        client = AsyncOpenAI()
        create = client.chat.completions.create
        trace_client(client)  # expect: RLO202
        await create(model="m", messages=[])
        """,
        """
        client = AsyncOpenAI()
        trace_client(client)
        create = client.chat.completions.create
        await create(model="m", messages=[])
        """,
        # halves
        """
        llm = ChatOpenAI()  # expect: RLO201
        trace_client(llm.client)
        await llm.ainvoke("a")
        """,
        """
        llm = ChatOpenAI()
        trace_client(llm.async_client)
        await llm.ainvoke("a")
        """,
        """
        llm = ChatOpenAI()
        trace_client(llm.client)
        llm.invoke("a")
        """,
        # not supported
        """
        llm = ChatOpenAI()
        judge = llm.with_structured_output(dict)
        trace_client(judge)  # expect: RLO203
        await judge.ainvoke("a")
        """,
        """
        clients = [AsyncOpenAI()]
        trace_client(clients)  # expect: RLO203
        await clients[0].chat.completions.create(model="m", messages=[])
        """,
        """
        trace_client(AsyncOpenAI)  # expect: RLO203
        """,
        """
        client = AsyncOpenAI()
        trace_client(client.chat)  # expect: RLO203
        await client.chat.completions.create(model="m", messages=[])
        """,
        """
        client = AsyncOpenAI()
        trace_client(client.chat.completions)
        await client.chat.completions.create(model="m", messages=[])
        """,
        """
        llm = ChatOpenAI()
        chain = input.prompt | llm
        trace_client(chain)  # expect: RLO203
        await chain.ainvoke("a")
        """,
        """
        llm = ChatOpenAI()
        retrying = llm.with_retry()
        trace_client(retrying)  # expect: RLO203
        await retrying.ainvoke("a")
        """,
        """
        llm = ChatOpenAI()
        trace_client(llm)
        retrying = llm.with_retry().with_config(tags=["x"])
        await retrying.ainvoke("a")
        """,
        # bypassed
        """
        llm = ChatOpenAI()
        trace_client(llm)
        judge = llm.with_structured_output(dict)  # expect: RLO208
        await judge.ainvoke("a")
        """,
        """
        llm = ChatOpenAI()
        trace_client(llm)
        judge = llm.with_structured_output(dict, method="function_calling")
        await judge.ainvoke("a")
        """,
        """
        client = OpenAI()
        trace_client(client)
        for chunk in client.chat.completions.create(model="m", messages=[], stream=True):  # expect: RLO208
            print(chunk)
        """,
        """
        client = AsyncOpenAI()
        trace_client(client)
        fast = client.with_options(timeout=3)  # expect: RLO208
        await fast.chat.completions.create(model="m", messages=[])
        """,
        """
        client = AsyncOpenAI()
        fast = client.with_options(timeout=3)
        trace_client(fast)
        await fast.chat.completions.create(model="m", messages=[])
        """,
        """
        client = AsyncOpenAI()  # expect: RLO201
        await client.with_options(timeout=3).chat.completions.create(model="m", messages=[])
        """,
        """
        client = AsyncOpenAI()
        trace_client(client)
        await client.responses.create(model="m", input="x")  # expect: RLO208
        """,
        """
        client = AsyncOpenAI()
        await client.embeddings.create(model="m", input="x")
        """,
        """
        llm = ChatOpenAI(streaming=True)  # expect: RLO208
        trace_client(llm)
        await llm.ainvoke("x")
        await llm.ainvoke("y")
        """,
        """
        llm = ChatOpenAI()
        trace_client(llm)
        async for chunk in llm.astream("x"):  # expect: RLO208
            print(chunk)
        """,
        # chains and agents
        """
        llm = ChatOpenAI()  # expect: RLO201
        chain = input.prompt | llm | str
        await chain.ainvoke("a")
        """,
        """
        from langgraph.prebuilt import create_react_agent
        llm = ChatOpenAI()
        agent = create_react_agent(llm, [])
        trace_client(llm)
        await agent.ainvoke({})
        """,
        """
        from langgraph.prebuilt import create_react_agent
        llm = ChatOpenAI()  # expect: RLO201
        agent = create_react_agent(llm, [])
        await agent.ainvoke({})
        """,
        # outside code
        """
        from agents import Runner
        client = AsyncOpenAI()  # expect: RLO201
        await Runner.run(client, input.messages)
        """,
        """
        from somewhere import run_agent
        client = AsyncOpenAI()
        trace_client(client)
        await run_agent(client, input.messages)
        """,
        """
        import logging
        client = AsyncOpenAI()
        logging.info("built %s", client)
        print(client, isinstance(client, AsyncOpenAI))
        """,
        # flags
        """
        from dashscope.finetune.reinforcement.component.observability import is_tracing_enabled
        client = AsyncOpenAI()
        if is_tracing_enabled():
            trace_client(client)
        await client.chat.completions.create(model="m", messages=[])
        """,
        # spans of one's own
        """
        client = AsyncOpenAI()

        @observe_llm
        async def call(*, model, messages):
            return await client.chat.completions.create(model=model, messages=messages)

        await call(model="m", messages=input.messages)
        """,
        """
        from dashscope.finetune.reinforcement.component.observability import genai_llm_span
        client = AsyncOpenAI()
        with genai_llm_span() as span:
            await client.chat.completions.create(model="m", messages=[])
        """,
        """
        from dashscope import Generation
        Generation.call(model="m", messages=[])  # expect: RLO201
        Generation.call(model="m", messages=[])
        """,
        """
        from dashscope import Generation
        trace_client(Generation)
        Generation.call(model="m", messages=[])
        """,
        """
        from dashscope import Generation
        trace_client(Generation())  # expect: RLO203
        Generation.call(model="m", messages=[])
        """,
        """
        from dashscope import AioGeneration
        trace_client(AioGeneration)
        await AioGeneration.call(model="m", messages=[])  # expect: RLO208
        """,
        # plain HTTP and others
        """
        import httpx
        async with httpx.AsyncClient() as http:
            await http.post(f"{input.model_resource.base_url}/chat/completions", json={})  # expect: RLO207
        """,
        """
        import requests
        requests.post("https://example.com/v1/chat/completions", json={})  # expect: RLO207
        requests.post("https://example.com/v1/search", json={})
        requests.get("https://example.com/v1/models")
        """,
        """
        import litellm
        await litellm.acompletion(model="m", messages=[])  # expect: RLO207
        """,
        """
        from langchain_anthropic import ChatAnthropic
        llm = ChatAnthropic()
        await llm.ainvoke("x")  # expect: RLO207
        """,
        # threads
        """
        import asyncio
        llm = ChatOpenAI()
        trace_client(llm)
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, llm.invoke, "x")  # expect: RLO209
        await asyncio.to_thread(llm.invoke, "x")
        """,
        """
        from concurrent.futures import ThreadPoolExecutor
        import contextvars
        client = OpenAI()
        trace_client(client)

        def ask(question):
            return client.chat.completions.create(model="m", messages=[question])

        with ThreadPoolExecutor() as pool:
            first = pool.submit(ask, "a")  # expect: RLO209
            more = list(pool.map(ask, ["b", "c"]))  # expect: RLO209
            fine = pool.submit(contextvars.copy_context().run, ask, "d")
        """,
        """
        import asyncio
        client = OpenAI()  # expect: RLO201
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, lambda: client.chat.completions.create(model="m", messages=[]))
        """,
        # results used
        """
        client = trace_client(AsyncOpenAI())  # expect: RLO306
        """,
        """
        client = AsyncOpenAI()
        _ = trace_client(client)
        client = trace_client(client) or client
        await client.chat.completions.create(model="m", messages=[])
        """,
    ],
)
def test_inside_process(body: str) -> None:
    check(process(body))


@pytest.mark.parametrize(
    "body",
    [
        # attributes
        """
        def __init__(self):
            super().__init__()
            self.client = AsyncOpenAI()  # expect: RLO201

        @observe_processor
        async def process(self, input):
            await self.client.chat.completions.create(model="m", messages=[])
        """,
        """
        def __init__(self):
            self.client = AsyncOpenAI()

        def setup(self):
            trace_client(self.client)

        @observe_processor
        async def process(self, input):
            await self.client.chat.completions.create(model="m", messages=[])
        """,
        """
        client = AsyncOpenAI()  # expect: RLO201

        @observe_processor
        async def process(self, input):
            await self.client.chat.completions.create(model="m", messages=[])
        """,
        """
        client = AsyncOpenAI()
        trace_client(client)

        @observe_processor
        async def process(self, input):
            await self.client.chat.completions.create(model="m", messages=[])
        """,
        # lazy
        """
        _client = None

        def client(self):
            if self._client is None:
                self._client = AsyncOpenAI()
                trace_client(self._client)
            return self._client

        @observe_processor
        async def process(self, input):
            for message in input.messages:
                await self.client().chat.completions.create(model="m", messages=[message])
        """,
        """
        _client = None

        @property
        def client(self):
            if not self._client:
                self._client = AsyncOpenAI()  # expect: RLO201
            return self._client

        @observe_processor
        async def process(self, input):
            await self.client.chat.completions.create(model="m", messages=[])
        """,
        """
        from functools import cached_property

        @cached_property
        def client(self):
            client = AsyncOpenAI()
            trace_client(client)
            return client

        @observe_processor
        async def process(self, input):
            await self.client.chat.completions.create(model="m", messages=[])
        """,
        """
        from functools import lru_cache

        @lru_cache
        def client(self):
            return AsyncOpenAI()  # expect: RLO201

        @observe_processor
        async def process(self, input):
            await self.client().chat.completions.create(model="m", messages=[])
        """,
        """
        def __init__(self):
            self._traced = False
            self.client = AsyncOpenAI()

        def _ensure(self):
            if self._traced:
                return
            trace_client(self.client)
            self._traced = True

        @observe_processor
        async def process(self, input):
            for message in input.messages:
                self._ensure()
                await self.client.chat.completions.create(model="m", messages=[message])
        """,
        """
        def __init__(self):
            self.ready = False

        def prepare(self):
            if not self.ready:
                self.client = AsyncOpenAI()
                trace_client(self.client)
                self.ready = True

        @observe_processor
        async def process(self, input):
            while input.messages:
                self.prepare()
                await self.client.chat.completions.create(model="m", messages=[])
        """,
        # helpers
        """
        def build(self, input):
            client = AsyncOpenAI()  # expect: RLO201
            return client

        @observe_processor
        async def process(self, input):
            client = self.build(input)
            await client.chat.completions.create(model="m", messages=[])
        """,
        """
        def build(self, input):
            return AsyncOpenAI()

        @observe_processor
        async def process(self, input):
            client = self.build(input)
            trace_client(client)
            await client.chat.completions.create(model="m", messages=[])
        """,
        """
        def build(self, input):
            client = AsyncOpenAI()
            if self.debug:
                return client
            trace_client(client)
            return client

        debug = False

        @observe_processor
        async def process(self, input):
            client = self.build(input)
            await client.chat.completions.create(model="m", messages=[])
        """,
        """
        async def ask(self, client, question):
            return await client.chat.completions.create(model="m", messages=[question])

        @observe_processor
        async def process(self, input):
            client = AsyncOpenAI()  # expect: RLO201
            await self.ask(client, "q")
        """,
        """
        async def ask(self, client, question):
            trace_client(client)
            return await client.chat.completions.create(model="m", messages=[question])

        @observe_processor
        async def process(self, input):
            client = AsyncOpenAI()
            await self.ask(client, "q")
        """,
        """
        async def ask(self, question, *, client):
            return await client.chat.completions.create(model="m", messages=[question])

        @observe_processor
        async def process(self, input):
            import asyncio
            client = AsyncOpenAI()
            trace_client(client)
            await asyncio.gather(*(self.ask(q, client=client) for q in input.messages))
        """,
        # unknown: silence
        """
        def __init__(self, client=None):
            self.client = client

        @observe_processor
        async def process(self, input):
            await self.client.chat.completions.create(model="m", messages=[])
        """,
        """
        @observe_processor
        async def process(self, input):
            client = self.registry["openai"]()
            await client.chat.completions.create(model="m", messages=[])
        """,
        # sub-rewards are of another class; a tool node
        """
        @observe_processor
        async def process(self, input):
            from langgraph.graph import StateGraph
            llm = ChatOpenAI()  # expect: RLO201

            async def call(state):
                return await llm.ainvoke(state["messages"])

            graph = StateGraph(dict)
            graph.add_node("call", call)
            app = graph.compile()
            return await app.ainvoke({})
        """,
        """
        def setup(self):
            from langgraph.graph import StateGraph
            self.llm = ChatOpenAI()
            graph = StateGraph(dict)
            graph.add_node("call", self.call)
            self.app = graph.compile()
            trace_client(self.llm)

        async def call(self, state):
            return {"messages": [await self.llm.ainvoke(state["messages"])]}

        @observe_processor
        async def process(self, input):
            return await self.app.ainvoke({})
        """,
    ],
)
def test_inside_class(body: str) -> None:
    check(inside(body))


def test_sync_sub_reward_loses_its_trace() -> None:
    check(
        """
        from openai import OpenAI

        client = OpenAI()
        trace_client(client)

        @reward_func("judge")
        class Judge(AbstractRewardProcessor):
            @sub_reward_func("a", sub_weight=0.5)
            def a(self, input):  # expect: RLO209
                client.chat.completions.create(model="m", messages=[])
                return RewardOutput(reward=Reward(reward_score=1.0))

            @sub_reward_func("b", sub_weight=0.5)
            async def b(self, input):
                client.chat.completions.create(model="m", messages=[])
                return RewardOutput(reward=Reward(reward_score=1.0))

        Judge.process = observe_processor(Judge.process)
        """
    )


def test_clients_across_files() -> None:
    head = (
        "from dashscope.finetune.reinforcement import AbstractRolloutProcessor\n"
        "from dashscope.finetune.reinforcement.component.observability import observe_processor\n"
        "from dashscope.finetune.reinforcement.component.observability import trace_client\n"
    )
    check(
        {
            "functions/common/llm.py": "from openai import AsyncOpenAI\n\n"
            "shared = AsyncOpenAI()  # expect: RLO201\n\n"
            "def build(base_url):\n    return AsyncOpenAI(base_url=base_url)\n\n"
            "def build_dark():\n    return AsyncOpenAI()  # expect: RLO201\n",
            "functions/common/__init__.py": "from .llm import build, build_dark as dark, shared\n",
            "functions/rollout/a.py": head + "from ..common import build, dark, shared as s\n"
            "class A(AbstractRolloutProcessor):\n"
            "    @observe_processor\n"
            "    async def process(self, input):\n"
            "        one = build('x')\n"
            "        trace_client(one)\n"
            "        await one.chat.completions.create(model='m', messages=[])\n"
            "        await dark().chat.completions.create(model='m', messages=[])\n"
            "        await s.chat.completions.create(model='m', messages=[])\n",
        }
    )


SDK = (
    "from dashscope.finetune.reinforcement import AbstractRolloutProcessor\n"
    "from dashscope.finetune.reinforcement.component.observability import observe_processor, trace_client\n"
)


def processor(name: str, statement: str) -> str:
    """Returns a processor class whose `process` runs one statement."""
    return (
        f"class {name}(AbstractRolloutProcessor):\n"
        f"    @observe_processor\n    async def process(self, input):\n        {statement}\n"
    )


def test_every_processor_has_a_server_of_its_own() -> None:
    check(
        {
            "functions/a.py": SDK
            + "from dashscope import Generation\n"
            + processor("A", "Generation.call(model='m', messages=[])  # expect: RLO201"),
            "functions/b.py": SDK
            + "from dashscope import Generation\ntrace_client(Generation)\n"
            + processor("B", "Generation.call(model='m', messages=[])"),
        }
    )


def test_packages_are_run_before_their_modules() -> None:
    check(
        {
            "functions/__init__.py": "from functions.tracing import start\nstart()\n",
            "functions/tracing.py": "from dashscope import Generation\n"
            + SDK
            + "def start():\n    trace_client(Generation)\n",
            "functions/a.py": SDK
            + "from dashscope import Generation\n"
            + processor("A", "Generation.call(model='m', messages=[])"),
        }
    )


def test_what_imports_a_processor_may_be_what_is_served() -> None:
    check(
        {
            "functions/a.py": SDK
            + "from dashscope import Generation\n"
            + processor("A", "Generation.call(model='m', messages=[])"),
            "functions/entry.py": SDK
            + "from dashscope import Generation\nfrom functions.a import A\ntrace_client(Generation)\n"
            + processor("B", "return A()"),
        }
    )


def test_subclass_of_a_client() -> None:
    check(
        """
        from langchain_openai import ChatOpenAI

        class Quiet(ChatOpenAI):
            def __init__(self, **kwargs):
                super().__init__(temperature=0, **kwargs)

        class P(AbstractRolloutProcessor):
            @observe_processor
            async def process(self, input):
                llm = Quiet(model="m")  # expect: RLO201
                await llm.ainvoke("x")
                other = Quiet(model="m")
                trace_client(other)
                await other.bind_tools([]).ainvoke("x")
        """
    )
