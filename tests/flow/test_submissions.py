"""Submission scripts: components and datasets through variables, functions and unpacking."""

from __future__ import annotations

import textwrap
from typing import List, Tuple

import pytest

from rlobs_lint.project.jobs.components import Component
from tests.flow.judging import analyse

HEAD = """\
from dashscope.finetune.agentic_rl import AgenticRL, TrainingDataset, ValidationDataset
from dashscope.finetune.reinforcement import (
    AgenticRLFunctionComponent, FunctionComponentModel, FunctionComponentRuntime, FunctionType,
    GroupRewardFunctionComponent, RewardFunctionComponent, RolloutFunctionComponent,
)
"""

PROCESSOR = """\
from dashscope.finetune.reinforcement import AbstractRolloutProcessor
class P(AbstractRolloutProcessor):
    def process(self, input): ...
"""


def submissions(script: str) -> List[Tuple[bool, List[Component]]]:
    files = {"submit.py": HEAD + textwrap.dedent(script), "functions/p.py": PROCESSOR}
    _, analysis = analyse(files)
    return [(found.submits, list(found.components)) for found in analysis.submissions.all]


def shown(component: Component) -> Tuple[object, ...]:
    given = (component.name, component.classpath, component.zipdir)
    values = tuple(value.value if value is not None else None for value in given)
    return (component.kind, *values, tuple((key, value.value) for key, value in component.environment))


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (
            """
            model = FunctionComponentModel(classpath="a.B", zipdir="./src")
            RolloutFunctionComponent(name="r", fcmodel=model)
            """,
            [("rollout", "r", "a.B", "./src", ())],
        ),
        (
            """
            runtime = {"env": {"ENABLE_TRAJECTORY": "false"}}
            RewardFunctionComponent(name="r", fcmodel={"classpath": "a.B"}, runtime=runtime)
            """,
            [("reward", "r", "a.B", None, (("ENABLE_TRAJECTORY", "false"),))],
        ),
        (
            """
            BASE = {"cpu": 1, "env": {"A": 1}}
            def runtime(**more):
                env = dict(BASE["env"])
                env.update(more)
                return FunctionComponentRuntime(**{**BASE, "env": env})
            GroupRewardFunctionComponent(name="g", runtime=runtime(ENABLE_TRAJECTORY=0))
            """,
            [("group_reward", "g", None, None, (("A", 1), ("ENABLE_TRAJECTORY", 0)))],
        ),
        (
            """
            AgenticRLFunctionComponent(type=FunctionType.REWARD, name="x")
            AgenticRLFunctionComponent(type="group_reward", name="y")
            AgenticRLFunctionComponent(name="z")
            AgenticRLFunctionComponent(type=KIND, name="u")
            """,
            [
                ("reward", "x", None, None, ()),
                ("group_reward", "y", None, None, ()),
                ("rollout", "z", None, None, ()),
                (None, "u", None, None, ()),
            ],
        ),
        (
            """
            import os
            RewardFunctionComponent(name=os.environ["NAME"], fcmodel=build())
            """,
            [("reward", None, None, None, ())],
        ),
        (
            """
            component = RewardFunctionComponent(name="r", fcmodel=FunctionComponentModel(classpath="a.B"))
            component.name = "s"
            component.fcmodel.zipdir = "./src"
            """,
            [("reward", None, "a.B", None, ())],
        ),
    ],
)
def test_components(script: str, expected: List[Tuple[object, ...]]) -> None:
    found = [shown(component) for _, components in submissions(script) for component in components]
    assert found == expected


def test_what_is_submitted_together() -> None:
    found = submissions(
        """
        def reward(name):
            return RewardFunctionComponent(name=name)

        async def main(job: AgenticRL):
            job = AgenticRL()
            rewards = [reward("a"), reward("b")]
            await job.run(model="m", functions=[RolloutFunctionComponent(name="r"), *rewards])

        if __name__ == "__main__":
            import asyncio
            asyncio.run(main(None))
        """
    )
    assert [(submits, [c.name.value for c in components if c.name]) for submits, components in found] == [
        (True, ["r", "a", "b"])
    ]


@pytest.mark.parametrize(
    "script",
    [
        """
        if unknown:
            functions = [RewardFunctionComponent(name="a"), RewardFunctionComponent(name="b")]
        else:
            functions = [RewardFunctionComponent(name="b")]
        AgenticRL().run(functions=functions)
        """,
        """
        def pick(variant):
            if variant:
                return [RewardFunctionComponent(name="a"), RewardFunctionComponent(name="b")]
            return [RewardFunctionComponent(name="b")]

        AgenticRL().run(functions=pick(unknown))
        """,
        """
        ONE = [RewardFunctionComponent(name="a"), RewardFunctionComponent(name="b")]
        OTHER = [RewardFunctionComponent(name="b")]
        AgenticRL().init("job.json").run(functions=OTHER if unknown else ONE)
        """,
    ],
)
def test_lists_of_which_one_is_submitted(script: str) -> None:
    found = [[c.name.value for c in components if c.name] for _, components in submissions(script)]
    assert sorted(found) == [["a", "b"], ["b"]]
    assert all(submits for submits, _ in submissions(script))


def test_registering_is_not_submitting() -> None:
    found = submissions(
        """
        async def main():
            await AgenticRL().register_functions([RewardFunctionComponent(), RewardFunctionComponent()])
        """
    )
    assert [(submits, len(components)) for submits, components in found] == [(False, 2)]


def test_components_made_of_lists() -> None:
    found = submissions(
        """
        job = AgenticRL()
        job.tuning.add_function_components(
            FunctionType.REWARD,
            classpaths=["functions.a.A", "functions.b.B"],
            names=["a", "b"],
            runtimes=[{"env": {"ENABLE_TRAJECTORY": "0"}}, {}],
        )
        """
    )
    assert [[shown(component) for component in components] for _, components in found] == [
        [
            ("reward", "a", "functions.a.A", None, (("ENABLE_TRAJECTORY", "0"),)),
            ("reward", "b", "functions.b.B", None, ()),
        ]
    ]


def test_datasets() -> None:
    _, analysis = analyse(
        {
            "submit.py": HEAD
            + "T = TrainingDataset(file_name='data/a.jsonl')\n"
            + "V = ValidationDataset(file_name=f'data/{\"b\"}.jsonl', data_source_type='file_id')\n"
            + "M = TrainingDataset(file_name='data/c.jsonl', data_source_type='mount')\n"
            + "U = TrainingDataset(file_name=NAME)\n",
            "functions/p.py": PROCESSOR,
        }
    )
    assert [reference.file_name for reference in analysis.submissions.datasets] == [
        "data/a.jsonl",
        "data/b.jsonl",
    ]
