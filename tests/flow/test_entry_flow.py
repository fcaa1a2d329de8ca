"""ENTRY spans: inherited, wrapped, delegated, misplaced, wrongly imported."""

from __future__ import annotations

import pytest

from tests.flow.judging import check

SDK = "dashscope.finetune.reinforcement"
TRACING = f"{SDK}.component.observability"


@pytest.mark.parametrize(
    "source",
    [
        """
        class P(AbstractRolloutProcessor):
            async def process(self, input):  # expect: RLO101
                return RolloutOutput()
        """,
        """
        class P(AbstractRolloutProcessor):
            @observe_processor
            async def process(self, input):
                return RolloutOutput()
        """,
        """
        class P(AbstractRolloutProcessor):
            @observe_processor(capture_io_attributes=False)
            async def process(self, input):
                return RolloutOutput()
        """,
        """
        class P(AbstractRolloutProcessor):
            async def process(self, input):
                return RolloutOutput()
            process = observe_processor(process)
        """,
        """
        class P(AbstractRolloutProcessor):
            async def _process(self, input):
                return RolloutOutput()
            process = observe_processor(_process)
        """,
        """
        class P(AbstractRolloutProcessor):
            async def process(self, input):
                return RolloutOutput()

        P.process = observe_processor(P.process)
        """,
        """
        class P(AbstractRolloutProcessor):
            async def process(self, input):  # expect: RLO101
                return RolloutOutput()

        observe_processor(P.process)
        """,
        """
        class P(AbstractRolloutProcessor):
            async def process(self, input):
                return RolloutOutput()

        class Q(AbstractRolloutProcessor):
            async def process(self, input):
                return RolloutOutput()

        for cls in [P, Q]:
            cls.process = observe_processor(cls.process)
        """,
        """
        class P(AbstractRolloutProcessor):
            async def process(self, input):
                return RolloutOutput()

        class Q(P):
            async def process(self, input):
                return RolloutOutput()

        for cls in (P, Q):
            setattr(cls, "process", observe_processor(cls.process))
        """,
        # inheritance
        """
        class Base(AbstractRolloutProcessor):
            @observe_processor
            async def process(self, input):
                return await self.answer(input)

        class P(Base):
            async def answer(self, input):
                return RolloutOutput()
        """,
        """
        class Base(AbstractRolloutProcessor):
            @observe_processor
            async def process(self, input):
                return RolloutOutput()

        class P(Base):
            async def process(self, input):  # expect: RLO101
                return RolloutOutput()
        """,
        """
        class Base(AbstractRolloutProcessor):
            @observe_processor
            async def process(self, input):
                return RolloutOutput()

        class P(Base):
            async def process(self, input):
                if not input.messages:
                    return RolloutOutput()
                result = await super().process(input)
                return result
        """,
        """
        class Base(AbstractRolloutProcessor):
            @observe_processor
            async def process(self, input):
                return RolloutOutput()

        class P(Base):
            async def process(self, input):
                return await Base.process(self, input)
        """,
        """
        class Base(AbstractRolloutProcessor):
            async def process(self, input):
                return RolloutOutput()

        class P(Base):
            @observe_processor
            async def process(self, input):
                return await super().process(input)
        """,
        """
        from abc import abstractmethod

        class Base(AbstractRolloutProcessor):
            @abstractmethod
            async def process(self, input):
                ...

        class P(Base):
            async def process(self, input):  # expect: RLO101
                return RolloutOutput()
        """,
        """
        class Base(AbstractRolloutProcessor):
            async def process(self, input):
                raise NotImplementedError
        """,
        """
        class Mixin:
            async def process(self, input):  # expect: RLO101
                return RolloutOutput()

        class P(Mixin, AbstractRolloutProcessor):
            pass
        """,
        """
        class Mixin:
            @observe_processor
            async def process(self, input):
                return RolloutOutput()

        class P(Mixin, AbstractRolloutProcessor):
            pass
        """,
        """
        class Other:
            @observe_processor  # expect: RLO102
            async def process(self, input):
                return input

        class P(AbstractRolloutProcessor):
            @observe_processor
            async def process(self, input):
                return RolloutOutput()
        """,
        # decorators of the workspace
        """
        import functools, time

        def timed(f):
            @functools.wraps(f)
            async def wrapper(*args, **kwargs):
                start = time.time()
                try:
                    return await f(*args, **kwargs)
                finally:
                    print(time.time() - start)
            return wrapper

        class P(AbstractRolloutProcessor):
            @timed
            @observe_processor
            async def process(self, input):
                return RolloutOutput()

        class Q(AbstractRolloutProcessor):
            @observe_processor
            @timed
            async def process(self, input):
                return RolloutOutput()

        class S(AbstractRolloutProcessor):
            @timed
            async def process(self, input):  # expect: RLO101
                return RolloutOutput()
        """,
        """
        def timed(f):
            def wrapper(*args, **kwargs):
                return f(*args, **kwargs)
            return wrapper

        class P(AbstractRolloutProcessor):
            @timed  # expect: RLO106
            @observe_processor
            async def process(self, input):
                return RolloutOutput()

        class Q(AbstractRolloutProcessor):
            @timed
            @observe_processor
            def process(self, input):
                return RolloutOutput()
        """,
        """
        import asyncio

        def timed(f):
            if asyncio.iscoroutinefunction(f):
                async def wrapper(*args, **kwargs):
                    return await f(*args, **kwargs)
            else:
                def wrapper(*args, **kwargs):
                    return f(*args, **kwargs)
            return wrapper

        class P(AbstractRolloutProcessor):
            @timed
            @observe_processor
            async def process(self, input):
                return RolloutOutput()

            @observe_llm
            @timed
            async def call(self, *, model, messages):
                return model
        """,
        """
        def logged(level):
            def decorator(f):
                def wrapper(*args, **kwargs):
                    return f(*args, **kwargs)
                return wrapper
            return decorator

        class P(AbstractRolloutProcessor):
            @observe_processor
            async def process(self, input):
                await self.call(model="m", messages=[])
                await self.act(1)
                return RolloutOutput()

            @observe_llm
            @logged("info")  # expect: RLO106
            async def call(self, *, model, messages):
                return model

            @observe_tool
            @logged("info")  # expect: RLO106
            async def act(self, x):
                return x

            @logged("info")
            @observe_tool
            async def fine(self, x):
                return x
        """,
        """
        from tenacity import retry, stop_after_attempt

        class P(AbstractRolloutProcessor):
            @observe_processor
            @retry(stop=stop_after_attempt(3))
            async def process(self, input):
                return RolloutOutput()
        """,
        # misplaced
        """
        class P(AbstractRolloutProcessor):
            @observe_processor  # expect: RLO102
            def setup(self):
                pass

            async def process(self, input):  # expect: RLO101
                return RolloutOutput()
        """,
        """
        class P(AbstractRolloutProcessor):
            async def process(self, input):
                return await self._run(input)

            @observe_processor  # expect: RLO102
            async def _run(self, input):
                return RolloutOutput()
        """,
        """
        class P(AbstractRolloutProcessor):
            async def process(self, input):  # expect: RLO101
                return await self._run(input.messages)

            @observe_processor  # expect: RLO102
            async def _run(self, messages):
                return RolloutOutput()
        """,
        """
        @observe_processor  # expect: RLO102
        class P(AbstractRolloutProcessor):
            async def process(self, input):
                return RolloutOutput()
        """,
        """
        @observe_processor  # expect: RLO102
        async def answer(input):
            return RolloutOutput()

        class P(AbstractRolloutProcessor):
            @observe_processor
            async def process(self, input):
                return await answer(input)
        """,
        # @reward_func
        """
        @reward_func("a")
        class P(AbstractRewardProcessor):  # expect: RLO103
            @sub_reward_func("x")
            def x(self, input):
                return RewardOutput(reward=Reward(reward_score=1.0))
        """,
        """
        @reward_func("a")
        class P(AbstractRewardProcessor):  # expect: RLO103
            @sub_reward_func("x")
            def x(self, input):
                return RewardOutput(reward=Reward(reward_score=1.0))

            @observe_processor
            async def process(self, input):
                return RewardOutput(reward=Reward(reward_score=1.0))
        """,
        """
        @reward_func("a")
        class P(AbstractRewardProcessor):
            @observe_processor  # expect: RLO102
            @sub_reward_func("x")
            async def x(self, input):
                return RewardOutput(reward=Reward(reward_score=1.0))
        """,
        """
        @reward_func("a")
        class Base(AbstractRewardProcessor):
            @sub_reward_func("x")
            def x(self, input):
                return RewardOutput(reward=Reward(reward_score=1.0))

        class P(Base):
            @observe_processor
            async def process(self, input):
                return await super().process(input)
        """,
        # signatures
        """
        class P(AbstractRolloutProcessor):
            @staticmethod
            async def process(input):  # expect: RLO104
                return RolloutOutput()

        class Q(AbstractRolloutProcessor):
            async def process(self):  # expect: RLO104
                return RolloutOutput()

        class S(AbstractRolloutProcessor):
            @observe_processor
            async def process(self, *, input):  # expect: RLO104
                return RolloutOutput()

        class T(AbstractRolloutProcessor):
            @observe_processor
            async def process(self, input, context):  # expect: RLO104
                return RolloutOutput()

        class U(AbstractRolloutProcessor):
            @observe_processor
            async def process(self, input):  # expect: RLO104
                yield input

        class V(AbstractRolloutProcessor):
            @observe_processor
            async def process(self, *args, **kwargs):
                return RolloutOutput()

        class W(AbstractRolloutProcessor):
            @observe_processor
            async def process(self, input_data, context=None, *, debug=False):
                return RolloutOutput()
        """,
        # unknown bases
        """
        import importlib

        Base = importlib.import_module("somewhere").Base

        class P(Base):
            async def process(self, input):
                return RolloutOutput()
        """,
    ],
)
def test_shapes(source: str) -> None:
    check(source)


@pytest.mark.parametrize(
    "source",
    [
        f"from {SDK} import AbstractRolloutProcessor\n"
        f"from {SDK} import observe_processor  # expect: RLO105\n"
        "class P(AbstractRolloutProcessor):\n    @observe_processor\n"
        "    async def process(self, input):\n        return 1\n",
        f"from {SDK} import AbstractRolloutProcessor\n"
        f"from {SDK}.component import observe_processor\n"
        "class P(AbstractRolloutProcessor):\n    @observe_processor\n"
        "    async def process(self, input):\n        return 1\n",
        f"from {SDK} import AbstractRolloutProcessor\n"
        "class P(AbstractRolloutProcessor):\n    @observe_processor  # expect: RLO105\n"
        "    async def process(self, input):\n        return 1\n"
        "class Q(AbstractRolloutProcessor):\n    @observe_processor\n"
        "    async def process(self, input):\n        return 1\n",
        "from typing import TYPE_CHECKING\n"
        f"from {SDK} import AbstractRolloutProcessor\n"
        f"if TYPE_CHECKING:\n    from {TRACING} import observe_processor\n"
        "class P(AbstractRolloutProcessor):\n    @observe_processor  # expect: RLO105\n"
        "    async def process(self, input):\n        return 1\n",
        f"from {SDK} import AbstractRolloutProcessor\n"
        f"try:\n    from {SDK} import observe_processor\n"
        f"except ImportError:\n    from {TRACING} import observe_processor\n"
        "class P(AbstractRolloutProcessor):\n    @observe_processor\n"
        "    async def process(self, input):\n        return 1\n",
        f"from {SDK} import AbstractRolloutProcessor\n"
        f"try:\n    from {TRACING} import observe_processor\n"
        "except ImportError:\n    def observe_processor(f):\n        return f\n"
        "class P(AbstractRolloutProcessor):\n    @observe_processor\n"
        "    async def process(self, input):\n        return 1\n",
        f"from {SDK} import AbstractRolloutProcessor as Base\nimport {TRACING} as obs\n"
        "class P(Base):\n    @obs.observe_processor\n    async def process(self, input):\n        return 1\n",
        f"from {SDK} import component as c, AbstractRolloutProcessor\n"
        "class P(AbstractRolloutProcessor):\n    @c.observability.observe_processor\n"
        "    async def process(self, input):\n        return 1\n",
        f"from {SDK} import *\nfrom {TRACING} import *\n"
        "class P(AbstractRolloutProcessor):\n    @observe_processor\n"
        "    async def process(self, input):\n        return 1\n",
        f"import {SDK}\n"
        f"class P({SDK}.AbstractRolloutProcessor):\n"
        "    async def process(self, input):  # expect: RLO101\n        return 1\n",
        "class P(AbstractRolloutProcessor):\n"
        "    async def process(self, input):  # expect: RLO101\n        return 1\n",
        "from elsewhere import AbstractRolloutProcessor\n"
        "class P(AbstractRolloutProcessor):\n    async def process(self, input):\n        return 1\n",
        f"from {SDK} import AbstractRolloutProcessor\nfrom elsewhere import observe_processor\n"
        "class P(AbstractRolloutProcessor):\n    @observe_processor\n"
        "    async def process(self, input):  # expect: RLO101\n        return 1\n",
        f"from {SDK} import AbstractRolloutProcessor\nfrom {TRACING} import observe_processor\n"
        "observe_processor = print\n"
        "class P(AbstractRolloutProcessor):\n    @observe_processor\n"
        "    async def process(self, input):  # expect: RLO101\n        return 1\n",
    ],
)
def test_names(source: str) -> None:
    check({"functions/p.py": source})


def test_hierarchy_across_files() -> None:
    check(
        {
            "functions/__init__.py": "",
            "functions/sdk.py": f"from {SDK} import AbstractRolloutProcessor as RolloutBase\n"
            f"from {TRACING} import observe_processor as traced\n",
            "functions/base/__init__.py": "from .agent import Agent as BaseAgent\n",
            "functions/base/agent.py": "from ..sdk import RolloutBase\n\n\n"
            "class Agent(RolloutBase):\n    pass\n",
            "functions/a.py": "from functions.base import BaseAgent\nfrom functions.sdk import traced\n"
            "class A(BaseAgent):\n    @traced\n    async def process(self, input):\n        return 1\n",
            "functions/b.py": "from .base import agent\n"
            "class B(agent.Agent):\n"
            "    async def process(self, input):  # expect: RLO101\n        return 1\n",
            "tests/test_b.py": f"from {SDK} import AbstractRolloutProcessor\n"
            "class Fake(AbstractRolloutProcessor):\n    async def process(self, input):\n        return 1\n",
        }
    )
