"""What is said of arguments that `trace_client` and `trace_tool` do not patch, by the kind of argument.

The kinds are those of `rlobs_lint.flow.observations.Unsupported`. Measured with dashscope 2.0.2.
"""

from __future__ import annotations

from typing import Mapping, Tuple

from rlobs_lint.model import Text

#: What an argument is, in both languages, to stand in a sentence; and what to do instead, as a sentence.
_Refusal = Tuple[str, str, Text]


_OWN_SPAN = Text(
    "Put the call into a function under `@observe_llm`.", "请把调用放进带 `@observe_llm` 的函数。"
)
_ORIGINAL = Text(
    "Trace the model or client itself, before this is made from it.",
    "请在由它构造之前，追踪模型或客户端本身。",
)
_CLIENT = Text("Pass the LLM client itself.", "请传入 LLM 客户端本身。")
_EACH = Text("Call `trace_client` for each client in it.", "请对其中每个客户端分别调用 `trace_client`。")
_BUILT = Text("Pass the client that is built of it.", "请传入由它构造的客户端。")
_INNER = Text("Pass the client inside it.", "请传入其内部的客户端。")
_TOOL = Text("Use `trace_tool` for tools.", "工具请使用 `trace_tool`。")

_CHAIN: _Refusal = ("a chain", "链", _ORIGINAL)
_TOOLS: _Refusal = ("a tool", "工具", _TOOL)
_CLIENTS: Mapping[str, _Refusal] = {
    "client-class": ("a client class", "客户端的类", _BUILT),
    "with_structured_output": ("a structured-output runnable", "结构化输出对象", _ORIGINAL),
    "with_retry": ("a runnable with retries", "带重试的对象", _ORIGINAL),
    "chain": _CHAIN,
    "pipe": _CHAIN,
    "map": _CHAIN,
    "pick": _CHAIN,
    "assign": _CHAIN,
    "agent": ("an agent", "agent", _ORIGINAL),
    "list": ("a collection", "集合", _EACH),
    "dict": ("a dictionary", "字典", _EACH),
    "client-part": ("a part of a client", "客户端的一部分", _CLIENT),
    "wrapped-client": ("an object that wraps a client", "包装了客户端的对象", _INNER),
    "own-class": ("an object without a client in it", "内部没有客户端的对象", _OWN_SPAN),
    "unsupported-model": ("a chat model of another kind", "其他类型的对话模型", _OWN_SPAN),
    "unsupported-client": ("a client of another vendor", "其他厂商的客户端", _OWN_SPAN),
    "module": ("a module", "模块", _OWN_SPAN),
    "http-client": ("an HTTP client", "HTTP 客户端", _OWN_SPAN),
    "as_tool": _TOOLS,
    "tool": _TOOLS,
    "toolset": _TOOLS,
    "tool-node": _TOOLS,
    "object": ("no LLM client", "并非 LLM 客户端的对象", _CLIENT),
}

_LIST = Text("Pass a list of the tools.", "请传入工具的列表。")
_GOT = Text("Pass the tools that `get_tools()` returns.", "请传入 `get_tools()` 返回的工具。")
_OBSERVE = Text("Put `@observe_tool` on the functions.", "请在函数上加 `@observe_tool`。")
_OBJECTS = Text("Pass the tools themselves.", "请传入工具本身。")
_AWAIT = Text("Await it, and pass what comes out.", "请先 await，再传入得到的工具。")
_INSTANCE = Text("Pass the tool that is built of it.", "请传入由它构造的工具。")
_FLAT = Text("Pass one flat list of the tools.", "请传入一个不嵌套的工具列表。")
_TOOL_ARGUMENTS: Mapping[str, _Refusal] = {
    "coroutine": ("a coroutine that is not awaited", "没有 await 的协程", _AWAIT),
    "mcp-client": ("an MCP client", "MCP 客户端", _GOT),
    "toolkit": ("a toolkit", "工具包", _GOT),
    "method": ("a method that is not called", "没有调用的方法", _GOT),
    "schemas": ("JSON schemas of tools", "工具的 JSON schema", _OBJECTS),
    "function": ("plain functions", "普通函数", _OBSERVE),
    "tool-class": ("a tool class", "工具类", _INSTANCE),
    "generator": ("a generator", "生成器", _LIST),
    "view": ("a view of a dictionary", "字典视图", _LIST),
    "nested": ("lists inside a list", "嵌套的列表", _FLAT),
    "object": ("no tool", "并非工具的对象", _OBJECTS),
}

#: What is said of `trace_client` by the kind of its argument; `object` is anything else.
CLIENT_MESSAGES: Mapping[str, Text] = {
    **{
        kind: Text(
            f"`trace_client` is given {english}, which it does not patch: the console will show no LLM span "
            f"for its calls. {advice.en}",
            f"传给 `trace_client` 的是{chinese}，它并不支持：控制台看不到其调用的 LLM Span。{advice.zh}",
        )
        for kind, (english, chinese, advice) in _CLIENTS.items()
    },
    "with_fallbacks": Text(
        "`trace_client` is given a runnable with fallbacks, of which it patches the first model only: the "
        "console will show no LLM span for the calls of the others. Trace each model, before this is made.",
        "传给 `trace_client` 的是带备用模型的对象，它只包装其中第一个模型：控制台看不到其余模型调用的 LLM "
        "Span。请在由它们构造之前，分别追踪每个模型。",
    ),
    "embeddings": Text(
        "`trace_client` is given an embedding model, which is no chat model: the console will show each of "
        "its calls as an LLM span without input and output. Drop this.",
        "传给 `trace_client` 的是向量化模型，而不是对话模型：控制台会把它的每次调用显示为一个没有输入和输出"
        "的 LLM Span。请删去。",
    ),
    "generation-instance": Text(
        "`trace_client` is given an object of a DashScope class, and the documents ask for the class: "
        "whether the console shows an LLM span for its calls is up to the SDK's version. Pass the class "
        "itself.",
        "传给 `trace_client` 的是 DashScope 类的实例，而文档要求传入类本身：控制台能否看到其调用的 LLM Span "
        "取决于 SDK 版本。请传入类本身。",
    ),
}
#: What is said of `trace_tool` by the kind of its argument; `object` is anything else.
TOOL_MESSAGES: Mapping[str, Text] = {
    **{
        kind: Text(
            f"`trace_tool` is given {english}, which it does not take: the console will show no TOOL span "
            f"for these tools. {advice.en}",
            f"传给 `trace_tool` 的是{chinese}，它并不支持：控制台看不到这些工具的 TOOL Span。{advice.zh}",
        )
        for kind, (english, chinese, advice) in _TOOL_ARGUMENTS.items()
    },
    "agent": Text(
        "`trace_tool` is given an agent, which it takes for one tool: the console will show a TOOL span "
        "around the whole of it, and none for its tools. Pass the tools themselves.",
        "传给 `trace_tool` 的是 agent，它会被当作一个工具：控制台只有一个包住整个 agent 的 TOOL Span，看不到"
        "其中各个工具的。请传入工具本身。",
    ),
    "set": Text(
        "`trace_tool` is given a set. Tools cannot be put into one: making it raises `TypeError`, and the "
        "console will show a failed trajectory. Pass a list of the tools.",
        "传给 `trace_tool` 的是集合（set）。工具不能放进集合：构造时就会抛出 `TypeError`，控制台会显示失败的"
        "轨迹。请传入工具的列表。",
    ),
    "positional-provider": Text(
        "`trace_tool` is given the provider by position, which raises `TypeError`: the console will show a "
        "failed trajectory. Pass `provider=` by keyword.",
        "`trace_tool` 的 provider 按位置传入，会抛出 `TypeError`：控制台会显示失败的轨迹。请以关键字传入 "
        "`provider=`。",
    ),
}
