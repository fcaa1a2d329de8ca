"""Tools, followed through the shapes that people write."""

from __future__ import annotations

import textwrap

import pytest

from tests.flow.judging import check

ROLLOUT = """
from langchain_core.tools import BaseTool, StructuredTool, tool
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI
from langgraph.prebuilt import ToolNode, create_react_agent

SERVERS = {"calculator": {"transport": "sse", "url": "http://localhost:10086/sse"}}


class P(AbstractRolloutProcessor):
"""

PROCESS = "@observe_processor\nasync def process(self, input):\n"


def inside(body: str, before: str = "") -> str:
    """Returns a source whose processor class has the given body."""
    head, _, cls = ROLLOUT.rpartition("class P")
    return (
        head + textwrap.dedent(before) + "\n\nclass P" + cls + textwrap.indent(textwrap.dedent(body), "    ")
    )


def process(body: str, before: str = "") -> str:
    """Returns a source whose `process` has the given body."""
    return inside(PROCESS + textwrap.indent(textwrap.dedent(body), "    "), before)


@pytest.mark.parametrize(
    "body",
    [
        """
        client = MultiServerMCPClient(SERVERS)
        tools = await client.get_tools()
        trace_tool(tools)
        await tools[0].ainvoke({})
        """,
        """
        client = MultiServerMCPClient(SERVERS)
        tools = await client.get_tools()  # expect: RLO302
        await tools[0].ainvoke({})
        """,
        """
        tools = await MultiServerMCPClient(SERVERS).get_tools()  # never run
        """,
        """
        tools = await MultiServerMCPClient(SERVERS).get_tools()
        for one in tools:
            trace_tool(one)
        by_name = {one.name: one for one in tools}
        await by_name["add"].ainvoke({})
        """,
        """
        tools = await MultiServerMCPClient(SERVERS).get_tools()  # expect: RLO302
        by_name = {one.name: one for one in tools}
        for call in input.messages:
            await by_name[call["name"]].ainvoke(call["args"])
        """,
        """
        tools = await MultiServerMCPClient(SERVERS).get_tools()
        llm = ChatOpenAI()
        trace_client(llm)
        agent = create_react_agent(llm, tools)
        trace_tool(tools)
        await agent.ainvoke({})
        """,
        """
        tools = await MultiServerMCPClient(SERVERS).get_tools()  # expect: RLO302
        llm = ChatOpenAI()
        trace_client(llm)
        agent = create_react_agent(llm, tools)
        await agent.ainvoke({})
        trace_tool(tools)
        """,
        """
        tools = await MultiServerMCPClient(SERVERS).get_tools()
        if tools:
            trace_tool(tools)
        node = ToolNode(tools)
        await node.ainvoke({})
        """,
        """
        tools = await MultiServerMCPClient(SERVERS).get_tools()  # expect: RLO302
        if input.tools:
            trace_tool(tools)
        node = ToolNode(tools)
        await node.ainvoke({})
        """,
        """
        tools = await MultiServerMCPClient(SERVERS).get_tools()
        node = ToolNode(tools)
        trace_tool(node)
        await node.ainvoke({})
        """,
        # the retry loop
        """
        import asyncio
        tools = None
        for attempt in range(3):
            try:
                tools = await MultiServerMCPClient(SERVERS).get_tools()
                break
            except Exception:
                await asyncio.sleep(1)
        if tools is None:
            return None
        trace_tool(tools)
        await ToolNode(tools).ainvoke({})
        """,
        """
        tools = []
        for attempt in range(3):
            try:
                tools = await MultiServerMCPClient(SERVERS).get_tools()  # expect: RLO302
                break
            except Exception:
                continue
        await ToolNode(tools).ainvoke({})
        """,
        """
        client = MultiServerMCPClient(SERVERS)
        tools = []
        trace_tool(tools)  # expect: RLO301
        tools = await client.get_tools()
        await tools[0].ainvoke({})
        """,
        """
        client = MultiServerMCPClient(SERVERS)
        tools = []
        trace_tool(tools)  # expect: RLO301
        tools.extend(await client.get_tools())
        await tools[0].ainvoke({})
        """,
        """
        tools = []
        tools += await MultiServerMCPClient(SERVERS).get_tools()
        trace_tool(tools)
        await tools[0].ainvoke({})
        """,
        """
        client = MultiServerMCPClient(SERVERS)
        trace_tool(client.get_tools())  # expect: RLO303
        """,
        """
        client = MultiServerMCPClient(SERVERS)
        trace_tool(client)  # expect: RLO303
        tools = await client.get_tools()
        await tools[0].ainvoke({})
        """,
        """
        tools = await MultiServerMCPClient(SERVERS).get_tools()
        trace_tool({one.name: one for one in tools}.values())  # expect: RLO303
        await tools[0].ainvoke({})
        """,
        """
        tools = await MultiServerMCPClient(SERVERS).get_tools()
        trace_tool({one.name: one for one in tools})
        await tools[0].ainvoke({})
        """,
        """
        tools = await MultiServerMCPClient(SERVERS).get_tools()
        trace_tool(t for t in tools)  # expect: RLO303
        await tools[0].ainvoke({})
        """,
        """
        tools = trace_tool(await MultiServerMCPClient(SERVERS).get_tools())  # expect: RLO306
        """,
        """
        tools = await MultiServerMCPClient(SERVERS).get_tools()
        tools = [one for one in tools if one.name != "danger"]
        trace_tool(tools)
        llm = ChatOpenAI()
        trace_client(llm)
        await llm.bind_tools(tools).ainvoke("x")
        """,
        """
        schemas = [{"type": "function", "function": {"name": "add", "parameters": {}}}]
        trace_tool(schemas)  # expect: RLO303
        """,
        """
        trace_tool(input.tools)
        """,
        """
        tools = await MultiServerMCPClient(SERVERS).get_tools()
        [trace_tool(one) for one in tools]
        await ToolNode(tools).ainvoke({})
        """,
        """
        tools = await MultiServerMCPClient(SERVERS).get_tools()
        trace_tool(tools, "mcp")  # expect: RLO303
        await ToolNode(tools).ainvoke({})
        """,
        """
        tools = await MultiServerMCPClient(SERVERS).get_tools()
        trace_tool(tools, provider="mcp")
        await ToolNode(tools).ainvoke({})
        """,
        """
        from langchain_mcp_adapters.tools import load_mcp_tools
        from mcp import ClientSession
        async with ClientSession(None, None) as session:
            tools = await load_mcp_tools(session)  # expect: RLO302
            agent = create_react_agent("openai:m", tools)
            await agent.ainvoke({})
        """,
        """
        from contextlib import AsyncExitStack
        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(MultiServerMCPClient(SERVERS))
            tools = client.get_tools()
            trace_tool(tools)
            await ToolNode(tools).ainvoke({})
        """,
        """
        async with MultiServerMCPClient(SERVERS) as client:
            tools = client.get_tools()
            trace_tool(tools)
            await ToolNode(tools).ainvoke({})
        """,
    ],
)
def test_toolsets(body: str) -> None:
    check(process(body))


@pytest.mark.parametrize(
    ("before", "body"),
    [
        (
            """
            @tool  # expect: RLO302
            def add(a: int, b: int) -> int:
                "Adds."
                return a + b
            """,
            "await ToolNode([add]).ainvoke({})",
        ),
        (
            """
            @tool
            def add(a: int, b: int) -> int:
                "Adds."
                return a + b

            trace_tool(add)
            """,
            "await ToolNode([add]).ainvoke({})",
        ),
        (
            """
            @tool
            @observe_tool
            def add(a: int, b: int) -> int:
                "Adds."
                return a + b
            """,
            "await ToolNode([add]).ainvoke({})",
        ),
        (
            """
            @observe_tool  # expect: RLO305
            @tool
            def add(a: int, b: int) -> int:
                "Adds."
                return a + b
            """,
            "pass",
        ),
        (
            """
            @tool  # expect: RLO302
            def add(a: int, b: int) -> int:
                "Adds."
                return a + b

            @tool
            def sub(a: int, b: int) -> int:
                "Subtracts."
                return a - b

            TOOLS = [add, sub]
            """,
            """
            llm = ChatOpenAI()
            trace_client(llm)
            await llm.bind_tools(TOOLS).ainvoke("x")
            for call in input.messages:
                {t.name: t for t in TOOLS}[call["name"]].invoke(call)
            """,
        ),
        (
            """
            @tool
            def add(a: int, b: int) -> int:
                "Adds."
                return a + b

            @tool  # expect: RLO302
            def sub(a: int, b: int) -> int:
                "Subtracts."
                return a - b

            trace_tool(add)
            """,
            "await ToolNode([add, sub]).ainvoke({})",
        ),
        (
            """
            def add(a: int, b: int) -> int:  # expect: RLO302
                "Adds."
                return a + b
            """,
            "await create_react_agent('openai:m', [add]).ainvoke({})",
        ),
        (
            """
            @observe_tool
            def add(a: int, b: int) -> int:
                "Adds."
                return a + b
            """,
            "await create_react_agent('openai:m', [add]).ainvoke({})",
        ),
        (
            """
            def add(a: int, b: int) -> int:
                return a + b

            trace_tool([add])  # expect: RLO303
            """,
            "pass",
        ),
        (
            """
            def add(a: int, b: int) -> int:
                return a + b

            ADD = StructuredTool.from_function(add)  # expect: RLO302
            """,
            "await ADD.ainvoke({})",
        ),
        (
            """
            class Add(BaseTool):
                name: str = "add"
                description: str = "Adds."

                def _run(self, a: int, b: int) -> int:
                    return a + b
            """,
            """
            tools = [Add()]  # expect: RLO302
            await ToolNode(tools).ainvoke({})
            """,
        ),
        (
            """
            class Add(BaseTool):
                name: str = "add"
                description: str = "Adds."

                @observe_tool(name="add")
                def _run(self, a: int, b: int) -> int:
                    return a + b
            """,
            "await ToolNode([Add()]).ainvoke({})",
        ),
        (
            """
            class Add(BaseTool):
                name: str = "add"
                description: str = "Adds."

                def _run(self, a: int, b: int) -> int:
                    return a + b
            """,
            """
            tools = [Add()]
            trace_tool(tools)
            await ToolNode(tools).ainvoke({})
            """,
        ),
        (
            """
            class Add(BaseTool):
                name: str = "add"
                def _run(self, a: int, b: int) -> int:
                    return a + b
            """,
            "trace_tool(Add)  # expect: RLO303",
        ),
        (
            """
            @tool
            def add(a: int, b: int) -> int:
                "Adds."
                return a + b

            def helper(a):
                return add.func(a, 1)
            """,
            "return helper",
        ),
    ],
)
def test_own_tools(before: str, body: str) -> None:
    check(process(body, before))


@pytest.mark.parametrize(
    "body",
    [
        """
        def __init__(self):
            super().__init__()
            self._tools = None

        async def _init(self):
            self._tools = await MultiServerMCPClient(SERVERS).get_tools()
            trace_tool(self._tools)

        @observe_processor
        async def process(self, input):
            if self._tools is None:
                await self._init()
            await ToolNode(self._tools).ainvoke({})
        """,
        """
        def __init__(self):
            super().__init__()
            self._tools = []

        async def _init(self):
            trace_tool(self._tools)  # expect: RLO301
            self._tools = await MultiServerMCPClient(SERVERS).get_tools()

        @observe_processor
        async def process(self, input):
            await self._init()
            await ToolNode(self._tools).ainvoke({})
        """,
        """
        async def setup(self):
            self.client = MultiServerMCPClient(SERVERS)
            self.tools = await self.client.get_tools()

        @observe_processor
        async def process(self, input):
            trace_tool(self.tools)
            await ToolNode(self.tools).ainvoke({})
        """,
        """
        async def setup(self):
            self.client = MultiServerMCPClient(SERVERS)
            self.tools = await self.client.get_tools()
            trace_tool(self.tools)

        @observe_processor
        async def process(self, input):
            tools = await self.client.get_tools()  # expect: RLO302
            await ToolNode(tools).ainvoke({})
        """,
        """
        async def tools(self):
            client = MultiServerMCPClient(SERVERS)
            for _ in range(5):
                try:
                    tools = await client.get_tools()
                except Exception:
                    continue
                trace_tool(tools)
                return tools
            raise RuntimeError("no tools")

        @observe_processor
        async def process(self, input):
            await ToolNode(await self.tools()).ainvoke({})
        """,
        """
        _lock = None
        _tools = None

        async def _ensure(self):
            async with self._lock:
                if self._tools is not None:
                    return self._tools
                tools = await MultiServerMCPClient(SERVERS).get_tools()
                trace_tool(tools)
                self._tools = tools
                return tools

        @observe_processor
        async def process(self, input):
            for _ in range(2):
                tools = await self._ensure()
                for call in input.messages:
                    tool = next((t for t in tools if t.name == call["name"]), None)
                    if tool is not None:
                        await tool.ainvoke(call)
        """,
        """
        async def load(self):
            tools = trace_tool(await MultiServerMCPClient(SERVERS).get_tools())  # expect: RLO306
            return tools

        @observe_processor
        async def process(self, input):
            return None
        """,
    ],
)
def test_across_methods(body: str) -> None:
    check(inside(body))


def test_server_side_tools() -> None:
    check(
        {
            "tools/server.py": "from fastmcp import FastMCP\n"
            "from dashscope.finetune.reinforcement.component.observability import observe_tool\n"
            "mcp = FastMCP('calc')\n\n"
            "@mcp.tool\n@observe_tool  # expect: RLO304\n"
            "def add(a: int, b: int) -> int:\n    return a + b\n\n"
            "@observe_tool(name='x')  # expect: RLO304\n@mcp.tool()\n"
            "def sub(a: int, b: int) -> int:\n    return a - b\n\n"
            "@mcp.tool()\ndef mul(a: int, b: int) -> int:\n    return a * b\n\n"
            "@mcp.resource('x')\n@observe_tool\ndef data() -> str:\n    return ''\n",
        }
    )
