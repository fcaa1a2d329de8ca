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

#: Decorators that open the ENTRY span; the second is the older name. Measured, Q11.
ENTRY_DECORATORS: FrozenSet[str] = frozenset({"observe_processor", "trace_processor_span"})

# --- requirements -------------------------------------------------------------------------------

#: Documents, "Step 1: add dependencies" / `requirements.txt` table.
PINS: Mapping[str, str] = {
    "opentelemetry-api": "1.41.1",
    "opentelemetry-sdk": "1.41.1",
    "opentelemetry-exporter-otlp-proto-http": "1.41.1",
    "opentelemetry-processor-baggage": "0.62b1",
    "loongsuite-util-genai": "0.4.0",
}

#: The requirements file that the SDK builds the environment from, in `zipdir`. Measured, Q10 D.
REQUIREMENTS_FILE = "requirements.txt"

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

# --- upload -------------------------------------------------------------------------------------

#: Folders and files that the upload leaves out at any depth. Measured, Q10 E.
UPLOAD_EXCLUDED_NAMES: FrozenSet[str] = frozenset(
    {
        "build", "data", "temp", "tmp", "test", "tests", ".git", ".venv", ".env", ".idea", ".vscode",
        ".Python", ".eggs", "develop-eggs", "__pycache__", ".gitignore", ".DS_Store",
    }
)  # fmt: skip

#: Values of ENABLE_TRAJECTORY that keep tracing on, lower case and trimmed. Measured, Q9.
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

