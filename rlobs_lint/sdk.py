"""The contract of the SDK: every fact about `dashscope` and its peers that rules rely on.

Data only. Each table names its source: a section of one of the two product documents, or "measured"
with dashscope 2.0.2 (and peers of November 2026); the tests under `tests/sdk` check the rows against
the installed packages.
"""

from __future__ import annotations

from typing import FrozenSet, Mapping, Tuple

# --- modules ------------------------------------------------------------------------------------

ROOT = "dashscope.finetune.reinforcement"
COMPONENT = f"{ROOT}.component"
OBSERVABILITY = f"{COMPONENT}.observability"
GENAI = f"{OBSERVABILITY}.genai"
#: The job client lives beside the reinforcement package.
CLIENT_MODULE = "dashscope.finetune.agentic_rl"

#: Which modules have an observability name at run time. Measured: `getattr` of every name on every
#: module of 2.0.2; the same for the documented names in 1.25.19, 1.26.0, 1.26.7, 1.27.0, 1.27.8.
EXPORTS: Mapping[str, FrozenSet[str]] = {
    "observe_processor": frozenset({COMPONENT, OBSERVABILITY, f"{OBSERVABILITY}.processor_span"}),
    "trace_processor_span": frozenset({OBSERVABILITY, f"{OBSERVABILITY}.processor_span"}),
    "observe_llm": frozenset({OBSERVABILITY, GENAI, f"{GENAI}.llm_span"}),
    "observe_tool": frozenset({OBSERVABILITY, GENAI, f"{GENAI}.tools"}),
    "trace_client": frozenset({OBSERVABILITY, GENAI}),
    "trace_tool": frozenset({OBSERVABILITY, GENAI, f"{GENAI}.tools"}),
    "instrument_openai_chat_completions": frozenset({OBSERVABILITY, GENAI, f"{GENAI}.llm_openai"}),
    "instrument_dashscope_generation_call": frozenset({OBSERVABILITY, GENAI, f"{GENAI}.llm_dashscope"}),
    "genai_llm_span": frozenset({OBSERVABILITY, GENAI, f"{GENAI}.llm_span"}),
    "run_with_genai_llm_span": frozenset({OBSERVABILITY, GENAI, f"{GENAI}.llm_span"}),
    "is_tracing_enabled": frozenset(
        {
            OBSERVABILITY,
            f"{OBSERVABILITY}.tracing",
            f"{OBSERVABILITY}.processor_span",
            f"{GENAI}.llm_dashscope",
            f"{GENAI}.llm_openai",
            f"{GENAI}.llm_span",
            f"{COMPONENT}.func_manager",
        }
    ),
    "rollout_context": frozenset({OBSERVABILITY, f"{OBSERVABILITY}.tracing"}),
}

#: Names that RLO105 judges: the documents' five and their older or lower-level kin.
OBSERVABILITY_NAMES: FrozenSet[str] = frozenset(EXPORTS) - {"is_tracing_enabled", "rollout_context"}

# --- processors ---------------------------------------------------------------------------------

#: The four base classes and the kind of processor that each makes (`any` has no kind of its own).
#: Document: observe_processor, "SDK infers the span type from the parent class".
PROCESSOR_BASES: Mapping[str, str] = {
    "AbstractRolloutProcessor": "rollout",
    "AbstractRewardProcessor": "reward",
    "AbstractGroupRewardProcessor": "group_reward",
    "AbstractProcessor": "any",
}

#: Decorators that open the ENTRY span; the second is the older name. Measured.
ENTRY_DECORATORS: FrozenSet[str] = frozenset({"observe_processor", "trace_processor_span"})

_RESULTS: FrozenSet[str] = frozenset(
    {
        "Reward", "RewardOutput", "RewardInput", "GroupReward", "GroupRewardOutput", "GroupRewardInput",
        "AgentOutput", "RolloutOutput", "RolloutInput", "TaskStatus",
    }
)  # fmt: skip
_REWARD_DECORATORS: FrozenSet[str] = frozenset({"reward_func", "sub_reward_func", "aggregate_func"})
_JOBS: FrozenSet[str] = frozenset(
    {
        "RolloutFunctionComponent", "RewardFunctionComponent", "GroupRewardFunctionComponent",
        "AgenticRLFunctionComponent", "FunctionComponentRuntime", "FunctionComponentModel", "TrainingDataset",
        "ValidationDataset", "Dataset", "Datasets", "FunctionType",
    }
)  # fmt: skip

#: Names of the SDK that rules know, whichever of its modules they are imported from.
KNOWN_NAMES: FrozenSet[str] = frozenset(
    {*PROCESSOR_BASES, *_REWARD_DECORATORS, *_RESULTS, *_JOBS, "AgenticRL"}
)

#: What star imports bind, of the names that rules know. Measured: each was run with 2.0.2.
STARS: Mapping[str, FrozenSet[str]] = {
    ROOT: KNOWN_NAMES - {"AbstractProcessor", "AgenticRL"},
    COMPONENT: frozenset({"observe_processor", "AbstractRolloutProcessor", "AbstractRewardProcessor"})
    | _REWARD_DECORATORS
    | {name for name in _RESULTS if not name.startswith("Group")},
    f"{COMPONENT}.data": _RESULTS,
    f"{COMPONENT}.processor": frozenset(PROCESSOR_BASES),
    f"{COMPONENT}.func_decorator": _REWARD_DECORATORS
    | {"Reward", "RewardOutput", "RewardInput", "TaskStatus"},
    CLIENT_MODULE: frozenset(
        {
            "AgenticRL", "AgenticRLFunctionComponent", "Dataset", "FunctionType", "GroupRewardInput",
            "RewardFunctionComponent", "RewardInput", "RolloutFunctionComponent", "RolloutInput",
            "TrainingDataset", "ValidationDataset",
        }
    ),
}  # fmt: skip


def star_names(module: str) -> FrozenSet[str]:
    """Returns the names that a star import of an SDK module binds, of those that rules know."""
    public = OBSERVABILITY_NAMES if module != OBSERVABILITY else frozenset(EXPORTS)
    return STARS.get(module) or frozenset(name for name in public if module in EXPORTS[name])


# --- LLM clients --------------------------------------------------------------------------------

#: Client constructors, the packages that have them, and the family of each.
#: Documents, trace_client "supported client types"; measured.
CLIENTS: Mapping[str, Tuple[str, FrozenSet[str]]] = {
    "OpenAI": ("openai", frozenset({"openai"})),
    "AzureOpenAI": ("openai", frozenset({"openai"})),
    "AsyncOpenAI": ("openai-async", frozenset({"openai"})),
    "AsyncAzureOpenAI": ("openai-async", frozenset({"openai"})),
    "Client": ("openai", frozenset({"openai"})),
    "AsyncClient": ("openai-async", frozenset({"openai"})),
    "ChatOpenAI": ("langchain", frozenset({"langchain_openai", "langchain", "langchain_community"})),
    "AzureChatOpenAI": ("langchain", frozenset({"langchain_openai", "langchain", "langchain_community"})),
    "Generation": ("dashscope", frozenset({"dashscope"})),
    "MultiModalConversation": ("dashscope", frozenset({"dashscope"})),
    "AioGeneration": ("dashscope-async", frozenset({"dashscope"})),
    "AioMultiModalConversation": ("dashscope-async", frozenset({"dashscope"})),
}

#: Bases of everything that LangChain can invoke.
RUNNABLE_BASES: Tuple[str, ...] = ("RunnableSerializable", "Runnable")
_MODEL_BASES = ("BaseChatOpenAI", "BaseChatModel", "BaseLanguageModel", *RUNNABLE_BASES)
#: What client classes inherit, nearest first.
CLIENT_BASES: Mapping[str, Tuple[str, ...]] = {
    "AzureOpenAI": ("OpenAI",),
    "AsyncAzureOpenAI": ("AsyncOpenAI",),
    "ChatOpenAI": _MODEL_BASES,
    "AzureChatOpenAI": _MODEL_BASES,
}

#: Calls on an OpenAI client, by what a traced one does: `traced`, `missing` (no span), `raises`.
#: Everything that is not here (embeddings, files, models, ...) is no chat. `client.beta.chat` is another
#: object than `client.chat`, and not patched. Measured.
OPENAI_CALLS: Mapping[str, str] = {
    "chat.completions.create": "traced",
    "chat.completions.with_raw_response.create": "traced",
    "chat.completions.with_streaming_response.create": "traced",
    "chat.completions.stream": "raises",
    "chat.completions.parse": "missing",
    "beta.chat.completions.create": "missing",
    "beta.chat.completions.stream": "missing",
    "beta.chat.completions.parse": "missing",
    "chat.completions.with_raw_response.parse": "missing",
    "responses.create": "missing",
    "responses.parse": "missing",
    "responses.stream": "missing",
    "completions.create": "missing",
}
#: Calls that do something else on an asynchronous client: `empty` (a span without output and tokens).
OPENAI_ASYNC_CALLS: Mapping[str, str] = {"chat.completions.with_streaming_response.create": "empty"}
#: Stand for an argument that is left out.
OPENAI_LEFT_OUT: FrozenSet[str] = frozenset(
    {"openai.NOT_GIVEN", "openai.NotGiven", "openai.omit", "openai.Omit"}
)
#: Make another client, which has to be traced by itself. Measured.
OPENAI_COPIES: FrozenSet[str] = frozenset({"with_options", "copy"})

#: Calls on a LangChain chat model. Measured.
LANGCHAIN_SYNC: FrozenSet[str] = frozenset(
    {
        "invoke", "batch", "batch_as_completed", "generate", "generate_prompt", "predict", "predict_messages",
        "__call__", "call_as_llm",
    }
)  # fmt: skip
LANGCHAIN_ASYNC: FrozenSet[str] = frozenset(
    {
        "ainvoke", "abatch", "abatch_as_completed", "agenerate", "agenerate_prompt", "apredict",
        "apredict_messages",
    }
)  # fmt: skip
#: With a traced model, the synchronous ones raise, the asynchronous ones lose output and tokens.
LANGCHAIN_STREAM_SYNC: FrozenSet[str] = frozenset({"stream", "transform"})
LANGCHAIN_STREAM_ASYNC: FrozenSet[str] = frozenset({"astream", "astream_events", "astream_log", "atransform"})
#: Runs of a chain, graph or agent in which every model streams, also one that a function in it invokes.
#: Measured, also the rest of this part.
LANGCHAIN_EVENT_STREAMS: FrozenSet[str] = frozenset({"stream_events", "astream_events", "astream_log"})
#: The argument of a graph's runs, and its value (alone or in a list) with which they do the same.
STREAM_MODE = "stream_mode"
MESSAGE_MODE = "messages"
#: Packages whose graphs take it.
GRAPH_PACKAGES: FrozenSet[str] = frozenset({"langgraph", "langchain", "deepagents", "langgraph_supervisor"})
#: Agents that stream from their model unless told otherwise. Read: `RunnableAgent.stream_runnable`.
STREAMING_AGENTS: FrozenSet[str] = frozenset({"AgentExecutor"})
#: Make another runnable around the same model.
LANGCHAIN_VIEWS: FrozenSet[str] = frozenset(
    {
        "bind_tools", "bind", "bind_functions", "with_config", "with_types", "with_listeners",
        "with_alisteners",
        "with_retry", "with_fallbacks", "with_structured_output", "configurable_fields",
        "configurable_alternatives",
        "model_copy", "copy", "pipe", "as_tool", "map", "pick", "assign",
    }
)  # fmt: skip
#: Views that `trace_client` does not patch (it looks for `.client`, which they do not have); of one with
#: fallbacks it patches the first model only.
LANGCHAIN_UNTRACEABLE_VIEWS: FrozenSet[str] = frozenset(
    {"with_structured_output", "with_retry", "with_fallbacks", "pipe", "map", "pick", "assign", "as_tool"}
)
#: The resources inside a LangChain model, and the half of it that each makes.
LANGCHAIN_HALVES: Mapping[str, str] = {
    "client": "sync",
    "root_client": "sync",
    "async_client": "async",
    "root_async_client": "async",
}

#: Chat models and clients that `trace_client` cannot patch. Measured; the others are built alike.
UNSUPPORTED_CHAT_MODELS: FrozenSet[str] = frozenset(
    {
        "ChatAnthropic", "AnthropicLLM", "ChatTongyi", "Tongyi", "ChatOllama", "OllamaLLM",
        "ChatLiteLLM", "ChatZhipuAI",
        "ChatBaichuan", "QianfanChatEndpoint", "ChatSparkLLM", "MiniMaxChat", "ChatHunyuan", "ChatCohere",
        "ChatGoogleGenerativeAI", "ChatVertexAI", "ChatBedrock", "ChatBedrockConverse", "ChatMistralAI",
        "ChatHuggingFace", "HuggingFaceEndpoint", "ChatFireworks", "ChatNVIDIA",
    }
)  # fmt: skip
#: Clients of other vendors' own SDKs: the constructor, and the calls that reach a chat model.
UNSUPPORTED_CLIENTS: Mapping[str, FrozenSet[str]] = {
    "anthropic.Anthropic": frozenset({"messages.create", "messages.stream", "completions.create"}),
    "anthropic.AsyncAnthropic": frozenset({"messages.create", "messages.stream", "completions.create"}),
    "anthropic.AnthropicBedrock": frozenset({"messages.create", "messages.stream"}),
    "anthropic.AsyncAnthropicBedrock": frozenset({"messages.create", "messages.stream"}),
    "ollama.Client": frozenset({"chat", "generate"}),
    "ollama.AsyncClient": frozenset({"chat", "generate"}),
    "zhipuai.ZhipuAI": frozenset({"chat.completions.create"}),
    "mistralai.Mistral": frozenset(
        {"chat.complete", "chat.complete_async", "chat.stream", "chat.stream_async"}
    ),
    "cohere.Client": frozenset({"chat", "generate", "chat_stream"}),
    "cohere.ClientV2": frozenset({"chat", "chat_stream"}),
}
#: Functions that reach a chat model by themselves.
UNSUPPORTED_FUNCTIONS: FrozenSet[str] = frozenset(
    {
        "litellm.completion", "litellm.acompletion", "litellm.text_completion", "litellm.atext_completion",
        "litellm.batch_completion", "ollama.chat", "ollama.generate",
    }
)  # fmt: skip
#: Embedding models: `trace_client` takes them, but they make no chat span.
EMBEDDINGS_SUFFIX = "Embeddings"

#: Ends of the address of a chat endpoint.
CHAT_ENDPOINTS: Tuple[str, ...] = ("/chat/completions", "/completions", "/messages", "/generation")

# --- tools --------------------------------------------------------------------------------------

#: Make a LangChain tool of a function.
TOOL_DECORATORS: FrozenSet[str] = frozenset(
    {
        "langchain_core.tools.tool", "langchain.tools.tool", "langchain.agents.tool",
        "langchain_core.tools.convert.tool",
        "langchain.tools.base.tool", "langgraph.prebuilt.tool",
    }
)  # fmt: skip
#: Constructors of a single tool, by the name behind the package.
TOOL_CONSTRUCTORS: FrozenSet[str] = frozenset({"StructuredTool", "Tool", "BaseTool"})
TOOL_PACKAGES: FrozenSet[str] = frozenset({"langchain_core", "langchain", "langchain_community"})
#: Clients that hand out MCP tools, and functions that do.
MCP_CLIENTS: FrozenSet[str] = frozenset({"MultiServerMCPClient"})
MCP_LOADERS: FrozenSet[str] = frozenset({"load_mcp_tools"})
#: Nodes and agents that run the tools that they are given, and the parameter that takes those:
#: its position and name.
TOOL_CONSUMERS: Mapping[str, Tuple[int, str]] = {
    "ToolNode": (0, "tools"),
    "ToolExecutor": (0, "tools"),
    "create_react_agent": (1, "tools"),
    "create_agent": (1, "tools"),
    "create_tool_calling_agent": (1, "tools"),
    "create_openai_tools_agent": (1, "tools"),
    "create_openai_functions_agent": (1, "tools"),
    "create_structured_chat_agent": (1, "tools"),
    "create_deep_agent": (0, "tools"),
    "create_supervisor": (-1, "tools"),
    "initialize_agent": (0, "tools"),
    "AgentExecutor": (-1, "tools"),
}
#: Methods that run a tool with a span once it is traced; the others never make one. Measured.
TOOL_INVOCATIONS: FrozenSet[str] = frozenset({"invoke", "ainvoke", "batch", "abatch"})
TOOL_OTHER_RUNS: FrozenSet[str] = frozenset({"run", "arun", "__call__"})
#: MCP server objects and their decorators for tools.
MCP_SERVERS: FrozenSet[str] = frozenset({"FastMCP", "Server", "MCPServer"})

# --- requirements -------------------------------------------------------------------------------

#: Documents, "Step 1: add dependencies" / `requirements.txt` table.
PINS: Mapping[str, str] = {
    "opentelemetry-api": "1.41.1",
    "opentelemetry-sdk": "1.41.1",
    "opentelemetry-exporter-otlp-proto-http": "1.41.1",
    "opentelemetry-processor-baggage": "0.62b1",
    "loongsuite-util-genai": "0.4.0",
}

#: The requirements file that the SDK builds the environment from, in `zipdir`. Measured.
REQUIREMENTS_FILE = "requirements.txt"

# --- results ------------------------------------------------------------------------------------

#: The result models and their fields, in order; they accept keywords only. Measured, Q8.
MODEL_FIELDS: Mapping[str, Tuple[str, ...]] = {
    "Reward": ("reward_score", "reward_metrics"),
    "AgentOutput": ("messages", "rollout_extra", "rollout_metrics", "reward_score"),
    "RewardOutput": ("reward", "status", "error", "error_code"),
    "RolloutOutput": ("agent_output", "status", "error", "error_code"),
    "GroupReward": ("rewards",),
    "GroupRewardOutput": ("reward", "status", "error"),
}
#: Fields that take another model, also as a dictionary.
NESTED_MODELS: Mapping[Tuple[str, str], str] = {
    ("RewardOutput", "reward"): "Reward",
    ("RolloutOutput", "agent_output"): "AgentOutput",
    ("GroupRewardOutput", "reward"): "GroupReward",
}
METRICS_FIELDS: Mapping[str, str] = {"Reward": "reward_metrics", "AgentOutput": "rollout_metrics"}

# --- metrics ------------------------------------------------------------------------------------

#: Names that identify one user, request or run: never a metric key. Document: cost governance of
#: custom metrics ("user_id / request_id"), completed by the identifiers that the SDK itself carries.
ID_NAMES: Tuple[str, ...] = (
    "user_id",
    "uid",
    "request_id",
    "session_id",
    "conversation_id",
    "message_id",
    "trace_id",
    "span_id",
    "sample_id",
    "rollout_id",
    "attempt_id",
    "job_id",
    "task_id",
    "run_id",
    "uuid",
    "guid",
    "timestamp",
)

#: Words of a key that speak of debugging or logging, and pairs of words that only look so. Documents:
#: "keep no temporary debugging metrics", and the anti-pattern of logs put into metrics.
DEBUG_WORDS: FrozenSet[str] = frozenset({"debug", "tmp", "temp", "log", "logs", "raw", "dump"})
NO_DEBUG_WORDS: FrozenSet[Tuple[str, str]] = frozenset(
    {("log", "prob"), ("log", "probs"), ("log", "loss"), ("log", "likelihood")}
)

#: Characters, beside white space, that break `trace/reward_metrics/{reward-name}/{key}/{avg,sum}`.
PATH_BREAKERS: FrozenSet[str] = frozenset("/'\"`{}")

# --- upload -------------------------------------------------------------------------------------

#: Folders and files that the upload leaves out at any depth. Measured.
UPLOAD_EXCLUDED_NAMES: FrozenSet[str] = frozenset(
    {
        "build", "data", "temp", "tmp", "test", "tests", ".git", ".venv", ".env", ".idea", ".vscode",
        ".Python", ".eggs", "develop-eggs", "__pycache__", ".gitignore", ".DS_Store",
    }
)  # fmt: skip

#: Values of ENABLE_TRAJECTORY that keep tracing on, lower case and trimmed. Measured.
TRACING_ON_VALUES: FrozenSet[str] = frozenset({"true", "1", "yes"})
TRACING_VARIABLE = "ENABLE_TRAJECTORY"

# --- components ---------------------------------------------------------------------------------

#: Constructors of function components and the kind of processor that each takes; the generic one
#: reads its kind from `type`.
COMPONENT_CLASSES: Mapping[str, str] = {
    "RolloutFunctionComponent": "rollout",
    "RewardFunctionComponent": "reward",
    "GroupRewardFunctionComponent": "group_reward",
    "AgenticRLFunctionComponent": "any",
}
#: Methods of an `AgenticRL` client that submit what a script builds.
SUBMITTING_METHODS: FrozenSet[str] = frozenset({"run", "submit_job", "add_function_components"})
DATASET_CLASSES: FrozenSet[str] = frozenset({"TrainingDataset", "ValidationDataset", "Dataset"})
COMPONENT_KINDS: Tuple[str, ...] = ("rollout", "reward", "group_reward")

#: Roles of a message in a dataset. Document: "data format error: check `messages` roles".
MESSAGE_ROLES: FrozenSet[str] = frozenset({"system", "user", "assistant", "tool"})
