"""What the linter has to say of the SDK's own code, and what running it shows."""

from __future__ import annotations

from typing import NamedTuple, Tuple

#: The part of the package that is about function projects.
PART = "finetune"
#: Where the demo processors are.
DEMOS_FOLDER = "finetune/reinforcement/component/demo"


class Demo(NamedTuple):
    """A demo processor of the SDK, undecorated.

    Attributes:
        module: Its module.
        name: The class.
        kind: What it processes.
        answer: What the server answers beside HTTP 200.
        span: The entry span that it has once it is fixed.
    """

    module: str
    name: str
    kind: str
    answer: str
    span: str

    @property
    def broken(self) -> str:
        """What is to be seen when it is run as it is, as text."""
        return f"HTTP 200{self.answer}\nCHAIN invoke_agentic_rl\n"

    @property
    def fixed(self) -> str:
        """What is to be seen once it is fixed."""
        return f"{self.broken}  {self.span} {self.name}\n"


_SCORED = ", score 1, metrics {}"
DEMOS: Tuple[Demo, ...] = (
    Demo("rollout_processor_demo", "DemoRolloutProcessor", "rollout", "", "ROLLOUT invoke_rollout"),
    Demo("reward_processor_demo", "DemoRewardProcessor", "reward", _SCORED, "REWARD invoke_reward"),
    Demo(
        "group_reward_processor_demo",
        "DemoGroupRewardProcessor",
        "group_reward",
        2 * _SCORED,
        "GROUP_REWARD invoke_reward",
    ),
)
#: Every finding in that part, as relative file and code.
FINDINGS: Tuple[Tuple[str, str], ...] = (
    *((f"{DEMOS_FOLDER}/{demo.module}.py", "RLO101") for demo in DEMOS),
    ("requirements.txt", "RLO503"),
)
#: Why they are true.
REASONS = """\
The tool was run on `dashscope.finetune` 2.0.2 as well, the part of the package for function projects. It
reports the three demo processors and nothing else in the code: each has an undecorated `process` (RLO101),
and run by the SDK's server as they are, their span trees are `CHAIN` alone; after `--fix` they are
`CHAIN(ROLLOUT)`, `CHAIN(REWARD)` and `CHAIN(GROUP_REWARD)`. Since it holds processors and no
`requirements.txt`, it could not be registered as a function project either (RLO503), which is true, though
nobody means to.
"""
