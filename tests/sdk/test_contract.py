"""Every row of the SDK's contract (`rlobs_lint.sdk`), asked of the installed packages."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Any, FrozenSet, List, Mapping, Tuple

import pytest

from rlobs_lint import sdk
from tests.sdk.harness import Harness

CONSTANTS = f"{sdk.ROOT}.common.constants"
#: Rows of tables that only older editions of a package have.
GONE = frozenset({"__call__", "predict", "predict_messages", "apredict", "apredict_messages", "call_as_llm"})
#: Packages of which tables name things, and which are not installed for these tests.
ABSENT = frozenset({"langchain", "langchain_community"})


class Ask:
    """Asks the probes."""

    def __init__(self, harness: Harness) -> None:
        self._harness = harness

    def __getattr__(self, probe: str) -> Any:
        return lambda *arguments: self._harness.probe(f"tests.sdk.probes:{probe}", *arguments)


@pytest.fixture
def ask(harness: Harness) -> Ask:
    return Ask(harness)


#: Tables that the packages of this suite say nothing about, and who does.
NOT_ASKED: Mapping[str, str] = {
    "CHAT_ENDPOINTS": "the vendors' documents",
    "GRAPH_PACKAGES": "packages of which one is installed",
    "STREAMING_AGENTS": "a package that is not installed",
    "GENAI": "the names in EXPORTS, of which it is a part",
    "EMBEDDINGS_SUFFIX": "the claim RLO203/embeddings",
    "DEBUG_WORDS": "the documents",
    "NO_DEBUG_WORDS": "the documents",
    "ID_NAMES": "the documents",
    "PATH_BREAKERS": "the documents: it is the console that makes paths",
    "MESSAGE_ROLES": "the documents",
    "TOOL_PACKAGES": "packages of which one is installed",
    "UNSUPPORTED_CHAT_MODELS": "packages that are not installed",
    "UNSUPPORTED_CLIENTS": "packages that are not installed",
    "UNSUPPORTED_FUNCTIONS": "packages that are not installed",
}


def _rows(*tables: FrozenSet[str]) -> List[str]:
    return sorted(row for table in tables for row in table)


def test_every_table_is_asked_about() -> None:
    tables = {name for name in vars(sdk) if name.isupper() and not name.startswith("_")}
    asked = {name for name in tables if f"sdk.{name}" in Path(__file__).read_text(encoding="utf-8")}
    assert tables - asked == set(NOT_ASKED)


# --- the SDK itself -----------------------------------------------------------------------------


def test_the_pins_are_installed(harness: Harness) -> None:
    assert {name: metadata.version(name) for name in sdk.PINS} == dict(sdk.PINS)


def test_names_are_exported_where_the_contract_says(ask: Ask) -> None:
    found = ask.exports(sdk.ROOT, _rows(frozenset(sdk.EXPORTS)))
    assert {name: frozenset(modules) for name, modules in found.items()} == dict(sdk.EXPORTS)


def test_every_known_name_is_somewhere_in_the_sdk(ask: Ask) -> None:
    found = ask.exports(sdk.ROOT, _rows(sdk.KNOWN_NAMES - {"AgenticRL"}))
    assert [name for name, modules in found.items() if not modules] == []
    assert ask.present([f"{sdk.CLIENT_MODULE}.AgenticRL"])


@pytest.mark.parametrize("module", sorted(sdk.STARS))
def test_a_star_import_binds_what_the_contract_says(module: str, ask: Ask) -> None:
    known = sdk.KNOWN_NAMES | frozenset(sdk.EXPORTS)
    assert frozenset(ask.star(module)) & known == sdk.star_names(module)


@pytest.mark.parametrize("module", sorted({module for modules in sdk.EXPORTS.values() for module in modules}))
def test_a_star_import_binds_no_less_than_the_contract_says(module: str, ask: Ask) -> None:
    assert sdk.star_names(module) <= frozenset(ask.star(module))


def test_what_switches_tracing_on(ask: Ask) -> None:
    off = ["false", "0", "no", "off", "on", "y", "t", "enabled", "1.0", "2", "ture", ""]
    on = [form for value in sorted(sdk.TRACING_ON_VALUES) for form in (value, value.upper(), f" {value} ")]
    assert ask.tracing_on([*on, *off]) == on


def test_what_the_upload_leaves_out(ask: Ask) -> None:
    patterns = ask.constant(f"{CONSTANTS}.FC_ZIP_EXCLUDE_PATTERNS").split(",")
    assert {pattern for pattern in patterns if "*" not in pattern} == sdk.UPLOAD_EXCLUDED_NAMES


def test_where_the_requirements_are(ask: Ask) -> None:
    assert Path(ask.constant(f"{CONSTANTS}.FC_REQUIREMENTS_FILE")) == Path(sdk.REQUIREMENTS_FILE)


@pytest.mark.parametrize("name", sorted(sdk.PROCESSOR_BASES))
@pytest.mark.parametrize("decorator", sorted(sdk.ENTRY_DECORATORS))
def test_the_entry_span_of_a_processor(name: str, decorator: str, ask: Ask) -> None:
    kind = sdk.PROCESSOR_BASES[name]
    asked = "rollout" if kind == "any" else kind
    assert ask.entry_span(name, decorator, asked) == [asked.upper()]


def test_the_names_that_one_may_import_wrongly_are_the_sdk_s(ask: Ask) -> None:
    names = sorted(sdk.OBSERVABILITY_NAMES)
    assert ask.present([f"{sdk.OBSERVABILITY}.{name}" for name in names]) == [
        f"{sdk.OBSERVABILITY}.{name}" for name in names
    ]


# --- submission ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "kind"), sorted(sdk.COMPONENT_CLASSES.items()))
def test_the_kind_of_a_component(name: str, kind: str, ask: Ask) -> None:
    assert ask.component_kind(name) == ("rollout" if kind == "any" else kind)


def test_the_kinds_of_functions(ask: Ask) -> None:
    assert set(ask.function_kinds()) == set(sdk.COMPONENT_KINDS)


def test_the_classes_of_datasets(ask: Ask) -> None:
    names = [f"{sdk.ROOT}.{name}" for name in _rows(sdk.DATASET_CLASSES)]
    assert ask.present(names) == names


def test_the_variable_that_a_job_sets(ask: Ask) -> None:
    assert ask.constant(f"{sdk.OBSERVABILITY}.tracing._ENV_ENABLE_TRAJECTORY_SHORT") == sdk.TRACING_VARIABLE


def test_the_methods_that_submit(ask: Ask) -> None:
    of_client = ask.methods(f"{sdk.CLIENT_MODULE}.AgenticRL")
    of_tuning = ask.methods(f"{sdk.ROOT}.common.model.TuningModel")
    assert sdk.SUBMITTING_METHODS - {"add_function_components"} <= set(of_client)
    assert "add_function_components" in of_tuning


# --- result models ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(sdk.MODEL_FIELDS))
def test_the_fields_of_a_model(name: str, ask: Ask) -> None:
    fields, others = ask.model_fields(name)
    assert tuple(fields) == sdk.MODEL_FIELDS[name]
    assert others == ("allow" if name.endswith("Output") and name != "AgentOutput" else "ignore")
    assert sdk.METRICS_FIELDS.get(name, fields[0]) in fields


@pytest.mark.parametrize(("where", "model"), sorted(sdk.NESTED_MODELS.items()))
def test_a_model_inside_a_model(where: Tuple[str, str], model: str, ask: Ask) -> None:
    assert ask.nested_model(*where) == model


# --- clients ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(sdk.CLIENTS))
def test_a_traced_client(name: str, ask: Ask) -> None:
    family, packages = sdk.CLIENTS[name]
    if "openai" in packages:
        assert ask.openai_class(name) == "traced"
    elif "dashscope" in packages:
        assert ask.dashscope_class(name) == ("empty" if family == "dashscope-async" else "traced")
    else:
        installed = sorted(packages - ABSENT)
        assert ask.present([f"{package}.{name}" for package in installed]) == [
            f"{package}.{name}" for package in installed
        ]


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("dotted", sorted(sdk.OPENAI_CALLS))
def test_a_call_on_a_traced_openai_client(dotted: str, is_async: bool, ask: Ask) -> None:
    wanted = sdk.OPENAI_CALLS[dotted]
    if is_async:
        wanted = sdk.OPENAI_ASYNC_CALLS.get(dotted, wanted)
    assert ask.openai_call(dotted, is_async) == wanted


@pytest.mark.parametrize("method", sorted(sdk.OPENAI_COPIES))
def test_a_copy_of_a_traced_openai_client(method: str, ask: Ask) -> None:
    assert ask.openai_copy(method) == "missing"


@pytest.mark.parametrize("name", sorted(sdk.CLIENT_BASES))
def test_what_a_client_inherits(name: str, ask: Ask) -> None:
    (package,) = sorted(sdk.CLIENTS[name][1] - ABSENT)
    known = sdk.CLIENT_BASES[name]
    assert [base for base in ask.bases(f"{package}.{name}") if base in known] == list(known)


def test_what_everything_that_can_be_invoked_inherits(ask: Ask) -> None:
    known = sdk.RUNNABLE_BASES
    assert [base for base in ask.bases("langgraph.pregel.Pregel") if base in known] == list(known[1:])
    assert [base for base in ask.bases("langchain_core.tools.BaseTool") if base in known] == list(known)


def test_what_stands_for_an_argument_that_is_left_out(ask: Ask) -> None:
    names = _rows(sdk.OPENAI_LEFT_OUT)
    assert ask.present(names) == names


@pytest.mark.parametrize("method", _rows(sdk.LANGCHAIN_EVENT_STREAMS))
def test_a_traced_model_inside_a_run_that_streams_events(method: str, ask: Ask) -> None:
    # The synchronous one has only the newest protocol.
    options = {"version": "v3"} if method == "stream_events" else {}
    assert ask.model_inside_a_run(method, options) == ("empty" if method.startswith("a") else "raises")


@pytest.mark.parametrize("mode", [sdk.MESSAGE_MODE, ["updates", sdk.MESSAGE_MODE], "updates"])
@pytest.mark.parametrize(("method", "lost"), [("stream", "raises"), ("astream", "empty")])
def test_a_traced_model_inside_a_graph_that_streams(method: str, lost: str, mode: object, ask: Ask) -> None:
    wanted = "traced" if mode == "updates" else lost
    assert ask.model_inside_a_run(method, {sdk.STREAM_MODE: mode}) == wanted


LANGCHAIN: Mapping[str, str] = {
    **dict.fromkeys(_rows(sdk.LANGCHAIN_SYNC, sdk.LANGCHAIN_ASYNC), "traced"),
    **dict.fromkeys(_rows(sdk.LANGCHAIN_STREAM_SYNC), "raises"),
    **dict.fromkeys(_rows(sdk.LANGCHAIN_STREAM_ASYNC), "empty"),
}


@pytest.mark.parametrize("method", sorted(LANGCHAIN))
def test_a_call_of_a_traced_langchain_model(method: str, ask: Ask) -> None:
    assert ask.langchain_call(method) == (None if method in GONE else LANGCHAIN[method])


@pytest.mark.parametrize("method", _rows(sdk.LANGCHAIN_VIEWS - {"bind_functions"}))
def test_a_traced_view_of_a_langchain_model(method: str, ask: Ask) -> None:
    is_taken, spans = ask.langchain_view(method)
    if method == "with_fallbacks":
        assert (is_taken, spans) == (True, 1), "its first model is patched"
    elif method in sdk.LANGCHAIN_UNTRACEABLE_VIEWS:
        assert not is_taken and not spans
    else:
        assert is_taken and spans == 1


@pytest.mark.parametrize(("attribute", "half"), sorted(sdk.LANGCHAIN_HALVES.items()))
def test_a_traced_half_of_a_langchain_model(attribute: str, half: str, ask: Ask) -> None:
    assert ask.langchain_half(attribute) == ([1, 0] if half == "sync" else [0, 1])


# --- tools --------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", _rows(sdk.TOOL_INVOCATIONS, sdk.TOOL_OTHER_RUNS))
def test_a_run_of_a_traced_tool(method: str, ask: Ask) -> None:
    wanted = int(method in sdk.TOOL_INVOCATIONS)
    assert ask.tool_method(method) == (None if method in GONE else wanted)


def test_what_makes_tools_is_there(ask: Ask) -> None:
    made = [f"langchain_core.tools.{name}" for name in sorted(sdk.TOOL_CONSTRUCTORS)]
    got = [f"langchain_mcp_adapters.client.{name}" for name in sorted(sdk.MCP_CLIENTS)]
    loaded = [f"langchain_mcp_adapters.tools.{name}" for name in sorted(sdk.MCP_LOADERS)]
    decorators = sorted(path for path in sdk.TOOL_DECORATORS if path.startswith("langchain_core"))
    servers = ["fastmcp.FastMCP", "mcp.server.Server"]
    assert {path.rpartition(".")[2] for path in servers} <= sdk.MCP_SERVERS
    wanted = [*made, *got, *loaded, *decorators, *servers]
    assert ask.present(wanted) == wanted


@pytest.mark.parametrize("name", ["ToolNode", "create_react_agent"])
def test_which_parameter_takes_the_tools(name: str, ask: Ask) -> None:
    position, keyword = sdk.TOOL_CONSUMERS[name]
    assert ask.parameters(f"langgraph.prebuilt.{name}")[position] == [keyword, True]
