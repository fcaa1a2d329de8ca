"""Questions to the installed packages, one a function, asked by `test_contract`.

Each runs in a process of its own that has the SDK, with tracing on; answers are plain values.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import logging
import pkgutil
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from tests.sdk.model_server import MODEL

#: Stops the process that imports it, unless it is told what to serve.
_SERVER = "component.server.server"
_QUESTION = [{"role": "user", "content": "What is 6 times 7?"}]

# --- names --------------------------------------------------------------------------------------


def exports(root: str, names: Sequence[str]) -> Dict[str, List[str]]:
    """Returns which modules below a package have each of the names."""
    package = importlib.import_module(root)
    found = pkgutil.walk_packages(package.__path__, f"{root}.")
    modules = [root, *(module.name for module in found if not module.name.endswith(_SERVER))]
    return {
        name: [module for module in modules if hasattr(importlib.import_module(module), name)]
        for name in names
    }


def star(module: str) -> List[str]:
    """Returns the names that a star import binds."""
    bound: Dict[str, Any] = {}
    exec(f"from {module} import *", bound)
    return [name for name in bound if not name.startswith("__")]


def present(paths: Sequence[str]) -> List[str]:
    """Returns those of some dotted names that can be imported."""
    return [path for path in paths if _resolve(path) is not None]


def _resolve(path: str) -> Any:
    module, _, name = path.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name, None)
    except ImportError:
        return None


def parameters(path: str) -> List[Tuple[str, bool]]:
    """Returns the parameters of a callable: its name, and whether it can be passed by position."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    found = inspect.signature(_resolve(path)).parameters.values()
    return [(parameter.name, parameter.kind in kinds) for parameter in found]


def methods(path: str) -> List[str]:
    """Returns the names of a class's attributes."""
    return dir(_resolve(path))


def bases(path: str) -> List[str]:
    """Returns the names of the classes that a class inherits, nearest first."""
    return [base.__name__ for base in _resolve(path).__mro__[1:]]


def constant(path: str) -> Any:
    """Returns a value of a module."""
    return _resolve(path)


# --- spans --------------------------------------------------------------------------------------


class _Spans:
    """Counts the spans of a kind."""

    def __init__(self) -> None:
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

        self._exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        trace.set_tracer_provider(provider)

    def count(self, kind: str) -> int:
        spans = self._exporter.get_finished_spans()
        return sum((span.attributes or {}).get("gen_ai.span.kind") == kind for span in spans)

    def have_output(self) -> bool:
        return any(
            "gen_ai.output.messages" in (span.attributes or {})
            for span in self._exporter.get_finished_spans()
        )


def _judged(spans: _Spans, call: Callable[[], Any]) -> str:
    """Says what became of a call: `traced`, `missing`, `empty` (a span without output) or `raises`."""
    try:
        call()
    except TypeError:
        return "raises"
    if not spans.count("LLM"):
        return "missing"
    return "traced" if spans.have_output() else "empty"


def openai_call(dotted: str, is_async: bool) -> str:
    """Makes a call on a traced OpenAI client."""
    import openai

    spans, client = _Spans(), openai.AsyncOpenAI() if is_async else openai.OpenAI()
    _trace_client(client)
    return _judged(spans, lambda: _call_openai(client, dotted))


def openai_copy(method: str) -> str:
    """Makes a chat call on what a method of a traced OpenAI client returns."""
    import openai

    spans, client = _Spans(), openai.OpenAI()
    _trace_client(client)
    other = getattr(client, method)(timeout=60)
    return _judged(spans, lambda: _call_openai(other, "chat.completions.create"))


def openai_class(name: str) -> str:
    """Makes a chat call on a traced client of a class of `openai`."""
    import openai

    options = {"api_version": "2024-10-21", "base_url": openai.OpenAI().base_url} if "Azure" in name else {}
    spans, client = _Spans(), getattr(openai, name)(**options)
    _trace_client(client)
    return _judged(spans, lambda: _call_openai(client, "chat.completions.create"))


def _call_openai(client: Any, dotted: str) -> None:
    import pydantic

    answer = pydantic.create_model("Answer", text=(str, ...))
    given: Dict[str, Any] = {"model": MODEL}
    if dotted.startswith("responses"):
        given["input"] = "What is 6 times 7?"
    elif dotted.startswith("completions"):
        given["prompt"] = "What is 6 times 7?"
    else:
        given["messages"] = _QUESTION
    if dotted.endswith("parse") and dotted.startswith(("chat", "beta")):
        given["response_format"] = answer
    method = client
    for name in dotted.split("."):
        method = getattr(method, name)
    asyncio.run(_finish(method(**given)))


async def _finish(result: Any) -> None:
    """Awaits, enters and reads whatever a call returned."""
    if inspect.isawaitable(result) and not hasattr(result, "__aenter__"):
        result = await result
    if hasattr(result, "__aenter__") and not hasattr(result, "choices"):
        async with result as entered:
            await _read(entered)
    elif hasattr(result, "__enter__") and not hasattr(result, "choices"):
        with result as entered:
            await _read(entered)


async def _read(entered: Any) -> None:
    if hasattr(entered, "__aiter__"):
        async for _ in entered:
            pass
    elif hasattr(entered, "__iter__"):
        for _ in entered:
            pass


def _trace_client(client: Any) -> None:
    from dashscope.finetune.reinforcement.component.observability import trace_client

    trace_client(client)


# --- LangChain ----------------------------------------------------------------------------------


def langchain_call(method: str) -> Optional[str]:
    """Calls a method of a traced `ChatOpenAI`; nothing where it has no such method."""
    spans, model = _Spans(), _model()
    _trace_client(model)
    found = getattr(model, method, None)
    if found is None:
        return None
    return _judged(spans, lambda: asyncio.run(_drain(found, _argument(method))))


def _model() -> Any:
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(model=MODEL)


def _argument(method: str) -> Any:
    from langchain_core.messages import HumanMessage
    from langchain_core.prompt_values import StringPromptValue

    message = HumanMessage("What is 6 times 7?")
    if method.endswith("generate_prompt"):
        return [StringPromptValue(text="What is 6 times 7?")]
    if method.endswith("generate"):
        return [[message]]
    if "batch" in method:
        return [[message]]
    if method.endswith("transform"):
        return iter([[message]]) if not method.startswith("a") else _one([message])
    return [message]


async def _one(item: Any) -> Any:
    yield item


async def _drain(method: Callable[..., Any], argument: Any, **options: Any) -> None:
    result = method(argument, **options)
    if inspect.isawaitable(result):
        result = await result
    await _read(result)


def langchain_view(method: str) -> Optional[Tuple[bool, Optional[int]]]:
    """Makes a view of a `ChatOpenAI` and gives it to `trace_client`.

    Returns:
        Whether `trace_client` takes it (it says nothing), and how many LLM spans an `invoke` of the view
        then has, if it can be invoked like a model. Nothing where there is no such method.
    """
    model = _model()
    if not hasattr(model, method):
        return None
    refused = _Refusals()
    spans, view = _Spans(), _view(model, method)
    _trace_client(view)
    if method in ("assign", "pick", "as_tool"):
        return not refused.lines, None
    view.invoke([_QUESTION] if method == "map" else _QUESTION)
    return not refused.lines, spans.count("LLM")


class _Refusals(logging.Handler):
    """Keeps what `trace_client` says of what it does not patch."""

    def __init__(self) -> None:
        from dashscope.finetune.reinforcement.common.log import logger

        super().__init__(logging.WARNING)
        self.lines: List[str] = []
        logger.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        if "trace_client" in record.getMessage():
            self.lines.append(record.getMessage())


def _view(model: Any, method: str) -> Any:
    import pydantic
    from langchain_core.runnables import ConfigurableField, RunnableLambda

    answer = pydantic.create_model("Answer", text=(str, ...))
    arguments: Mapping[str, Tuple[Tuple[Any, ...], Dict[str, Any]]] = {
        "bind_tools": (([],), {}),
        "bind_functions": (([],), {}),
        "with_structured_output": ((answer,), {"method": "function_calling"}),
        "with_fallbacks": (([_model()],), {}),
        "configurable_fields": ((), {"temperature": ConfigurableField(id="temperature")}),
        "configurable_alternatives": ((ConfigurableField(id="model"),), {"other": _model()}),
        "pipe": ((RunnableLambda(str),), {}),
        "as_tool": ((), {"arg_types": {"input": str}, "name": "ask", "description": "Asks."}),
        "assign": ((), {"again": RunnableLambda(str)}),
        "pick": (("content",), {}),
    }
    given, named = arguments.get(method, ((), {}))
    return getattr(model, method)(*given, **named)


def langchain_half(attribute: str) -> Tuple[int, int]:
    """Traces a resource inside a `ChatOpenAI`; returns the LLM spans of an `invoke` and an `ainvoke`."""
    spans, model = _Spans(), _model()
    _trace_client(getattr(model, attribute))
    model.invoke(_QUESTION)
    after_invoke = spans.count("LLM")
    asyncio.run(model.ainvoke(_QUESTION))
    return after_invoke, spans.count("LLM") - after_invoke


def model_inside_a_run(method: str, options: Mapping[str, Any]) -> str:
    """Runs a graph, one of whose nodes invokes a traced `ChatOpenAI`, by one of its methods.

    Args:
        method: Of the graph.
        options: Its keyword arguments.
    """
    from langgraph.graph import END, START, MessagesState, StateGraph

    spans, model = _Spans(), _model()
    _trace_client(model)

    def answer(state: Any) -> Dict[str, Any]:
        return {"messages": [model.invoke(state["messages"])]}

    async def answer_later(state: Any) -> Dict[str, Any]:
        return {"messages": [await model.ainvoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("answer", answer_later if method.startswith("a") else answer)
    graph.add_edge(START, "answer")
    graph.add_edge("answer", END)
    run = getattr(graph.compile(), method)
    return _judged(spans, lambda: asyncio.run(_drain(run, {"messages": _QUESTION}, **options)))


# --- DashScope ----------------------------------------------------------------------------------


def dashscope_class(name: str) -> str:
    """Calls a traced class of `dashscope`."""
    import dashscope

    spans, traced = _Spans(), _resolve(f"dashscope.{name}")
    _trace_client(traced)
    is_multimodal = "MultiModal" in name
    messages = [{"role": "user", "content": [{"text": "6 times 7?"}]}] if is_multimodal else _QUESTION
    model = f"multimodal-{MODEL}" if is_multimodal else MODEL

    async def call() -> None:
        result = traced.call(model=model, messages=messages, result_format="message")
        if inspect.isawaitable(result):
            result = await result
        assert result.status_code == 200, (dashscope, result)

    return _judged(spans, lambda: asyncio.run(call()))


# --- tools --------------------------------------------------------------------------------------


def tool_method(method: str) -> Optional[int]:
    """Runs a traced LangChain tool by one of its methods; returns the number of TOOL spans.

    Returns:
        Nothing where tools have no such method.
    """
    from dashscope.finetune.reinforcement.component.observability import trace_tool
    from langchain_core.tools import tool

    @tool
    def double(number: float) -> float:
        """Doubles a number."""
        return 2 * number

    spans = _Spans()
    trace_tool([double])
    if not hasattr(double, method):
        return None
    argument: Any = [{"number": 21}] if "batch" in method else {"number": 21}
    asyncio.run(_drain(getattr(double, method), argument))
    return spans.count("TOOL")


# --- what is judged by value --------------------------------------------------------------------


def tracing_on(values: Sequence[str]) -> List[str]:
    """Returns the values of the variable that switch tracing on."""
    import os

    from dashscope.finetune.reinforcement.component.observability import is_tracing_enabled

    on = []
    for value in values:
        os.environ["ENABLE_TRAJECTORY"] = value
        if is_tracing_enabled():
            on.append(value)
    return on


def model_fields(name: str) -> Tuple[List[str], str]:
    """Returns the fields of a result model, and what it does with others: `allow` or `ignore`."""
    model = _resolve(f"dashscope.finetune.reinforcement.{name}")
    return list(model.model_fields), str(model.model_config.get("extra", "ignore"))


def nested_model(name: str, field: str) -> str:
    """Returns the model that a field of a result model takes."""
    annotation = _resolve(f"dashscope.finetune.reinforcement.{name}").model_fields[field].annotation
    found = [annotation, *getattr(annotation, "__args__", ())]
    return next(str(one.__name__) for one in found if hasattr(one, "model_fields"))


def entry_span(base: str, decorator: str, kind: str) -> List[str]:
    """Runs a decorated processor as `FuncManager` does; returns the kinds of its entry spans."""
    from dashscope.finetune.reinforcement.component import observability
    from dashscope.finetune.reinforcement.component import processor as bases

    decorate = getattr(observability, decorator)
    if decorator != "observe_processor":
        decorate = decorate(logical_kind=kind)

    async def process(self: Any, input_data: Any) -> None:
        return None

    made = type("Made", (getattr(bases, base),), {"process": decorate(process), "setup": lambda self: None})
    spans = _Spans()
    asyncio.run(made().process(_Input(kind)))
    return [kind for kind in ("ROLLOUT", "REWARD", "GROUP_REWARD", "CHAIN") if spans.count(kind)]


class _Input:
    """As much of an input as a span asks for."""

    def __init__(self, kind: str) -> None:
        from dashscope.finetune.reinforcement import FunctionType

        self.func_type = FunctionType(kind)


def function_kinds() -> List[str]:
    """Returns the kinds of functions that the SDK knows."""
    from dashscope.finetune.reinforcement import FunctionType

    return [kind.value for kind in FunctionType]


def component_kind(name: str) -> str:
    """Returns the kind of function that a component class makes by default."""
    return str(_resolve(f"dashscope.finetune.reinforcement.{name}")().type.value)


def metrics(source: str, expressions: Sequence[str]) -> List[bool]:
    """Says of each expression whether it can be sent as a reward's metrics, as the server sends them."""
    from dashscope.finetune.reinforcement import Reward, RewardOutput
    from fastapi.responses import JSONResponse

    names: Dict[str, Any] = {}
    exec(source, names)

    def is_fine(expression: str) -> bool:
        given = eval(expression, names)
        try:
            reward = Reward(reward_score=1.0, reward_metrics=given)
            JSONResponse(RewardOutput(reward=reward).model_dump())
        except ValueError:
            return False
        return True

    return [is_fine(expression) for expression in expressions]
