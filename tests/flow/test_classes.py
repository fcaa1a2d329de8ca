from __future__ import annotations

from pathlib import Path
from typing import Union

import pytest

from rlobs_lint.flow.questions.classes import AbsentClass, ClassSummary
from tests.project.building import build

HEAD = """\
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar, Generic, TypeVar
from dashscope.finetune.reinforcement import AbstractRewardProcessor, AbstractRolloutProcessor
from dashscope.finetune.reinforcement import reward_func
from dashscope.finetune.reinforcement.component.processor import AbstractProcessor
from company import Outside, decorate

class Reward(AbstractRewardProcessor):
    def process(self, input): ...
"""


def found(root: Path, code: str, name: str = "Cls") -> Union[ClassSummary, AbsentClass, None]:
    workspace = build(root, {"functions/a.py": HEAD + code})
    return workspace.flow.classes.find(workspace.modules[str(root / "functions/a.py")], name)


def summary(root: Path, code: str) -> ClassSummary:
    result = found(root, code)
    assert isinstance(result, ClassSummary)
    return result


@pytest.mark.parametrize(
    ("bases", "kinds"),
    [
        ("AbstractRewardProcessor", {"reward"}),
        ("Reward", {"reward"}),
        ("AbstractProcessor", {"any"}),
        ("Reward, AbstractProcessor", {"reward", "any"}),
        ("AbstractGroupRewardProcessor", {"group_reward"}),  # a base that nothing binds
        ("Outside, Reward", {"reward"}),
        ("ABC", set()),
        ("ValueError", set()),
        ("object", set()),
        ("Outside", None),
        ("unbound_name", None),
    ],
)
def test_kinds(tmp_path: Path, bases: str, kinds: object) -> None:
    assert summary(tmp_path, f"class Cls({bases}):\n    def process(self, input): ...\n").kinds == kinds


@pytest.mark.parametrize(
    ("body", "argument"),
    [
        ("    def __init__(self): ...", None),
        ("    def __init__(self, a): ...", "a"),
        ("    def __init__(self, a=1, *b, **c): ...", None),
        ("    def __init__(self, *, key): ...", "key"),
        ("    def __init__(self, a=None, /, *, key=None, other): ...", "other"),
        ("    @decorate\n    def __init__(self, a): ...", None),
        ("    __init__ = decorate(None)", None),
        ("    pass", None),
    ],
)
def test_arguments(tmp_path: Path, body: str, argument: object) -> None:
    assert summary(tmp_path, f"class Cls(Reward):\n{body}\n").missing_argument == argument


@pytest.mark.parametrize(
    ("decorator", "body", "argument"),
    [
        ("dataclass", "a: int", "a"),
        ("dataclass(frozen=True)", "a: int = 1\n    b: str", "b"),
        ("dataclass", "a: int = 1\n    c: ClassVar[int]\n    d: list = field(default_factory=list)", None),
        ("dataclass", "a: int\n    def __init__(self): ...", None),
        ("dataclass(init=False)", "a: int", None),
        ("decorate", "a: int", None),
    ],
)
def test_fields(tmp_path: Path, decorator: str, body: str, argument: object) -> None:
    result = found(tmp_path, f"@{decorator}\nclass Cls(Reward):\n    {body}\n")
    assert (result.missing_argument if isinstance(result, ClassSummary) else None) == argument


@pytest.mark.parametrize(
    ("code", "method"),
    [
        ("class Cls(AbstractRewardProcessor):\n    pass", "process"),
        ("class Cls(AbstractProcessor):\n    def setup(self): ...", "process"),
        ("class Cls(Reward):\n    pass", None),
        ("class Cls(Reward):\n    @abstractmethod\n    def score(self): ...", "score"),
        ("class Cls(AbstractRewardProcessor):\n    @abstractmethod\n    def process(self, x): 1", "process"),
        (
            "class Base(Reward):\n    @abstractmethod\n    def score(self): ...\n"
            "class Cls(Base):\n    def score(self): ...",
            None,
        ),
        ("class Mixin:\n  def process(self, x): ...\nclass Cls(Mixin, AbstractRewardProcessor): ...", None),
        (
            "class Mixin:\n    def process(self, x): ...\nclass Cls(AbstractRewardProcessor, Mixin): ...",
            "process",
        ),
        (
            "class Plain(AbstractRewardProcessor): ...\nclass Cls(Plain, Reward): ...\n",
            None,
        ),
        ("@reward_func('x')\nclass Cls(AbstractRewardProcessor):\n    pass", None),
        ("class Cls(Outside, AbstractRewardProcessor):\n    pass", None),
        ("class Cls(ABC):\n    @abstractmethod\n    def score(self): ...", None),
    ],
)
def test_methods(tmp_path: Path, code: str, method: object) -> None:
    assert summary(tmp_path, code + "\n").missing_method == method


@pytest.mark.parametrize(
    ("code", "nearest"),
    [
        ("class Other: ...", None),
        ("Cls = 1", None),
        ("Cls = Reward()", None),
        ("class Clss: ...", "Clss"),
        ("class cls: ...", None),
        ("x = 1", None),
    ],
)
def test_names_that_are_not_there(tmp_path: Path, code: str, nearest: object) -> None:
    assert found(tmp_path, code + "\n") == AbsentClass(nearest)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "code",
    [
        "Cls = decorate(Reward)",
        "def Cls(): return Reward()",
        "from company import Cls",
        "from company import *",
        "globals()['Cls'] = Reward",
        "def __getattr__(name): return Reward",
        "if __name__ == '__main__':\n    class Cls(Reward): ...",
        "class Cls(:",
    ],
)
def test_what_cannot_be_told(tmp_path: Path, code: str) -> None:
    assert found(tmp_path, code + "\n") is None


@pytest.mark.parametrize(
    "code",
    ["from functions.b import Cls", "from .b import Other as Cls", "import functions.b as b\nCls = b.Cls"],
)
def test_imported_classes(tmp_path: Path, code: str) -> None:
    other = "from functions.c import Cls\nOther = Cls\n"
    workspace = build(
        tmp_path,
        {"functions/a.py": code, "functions/b.py": other, "functions/c.py": f"{HEAD}Cls = Reward\n"},
    )
    result = workspace.flow.classes.find(workspace.modules[str(tmp_path / "functions/a.py")], "Cls")
    assert isinstance(result, ClassSummary) and result.kinds == {"reward"}


REPORTING = """\
from dashscope.finetune.reinforcement import (
    AbstractRewardProcessor, Reward as Score, RewardOutput, TaskStatus,
    aggregate_func, reward_func, sub_reward_func,
)
from company import unknown

def output(metrics):
    return RewardOutput(reward=Score(reward_score=unknown(), reward_metrics=metrics))
"""
PARTS = """
@reward_func("parts")
class Cls(AbstractRewardProcessor):
    @sub_reward_func("format", 0.5)
    async def check(self, input):
        return output({"length": 1.0})
    @sub_reward_func()
    def answer(self, input):
        return output(None)
"""
MERGE = """
    @aggregate_func
    async def merge(self, input, parts):
        return output({%s})
"""


def process(*lines: str) -> str:
    body = "".join(f"        {line}\n" for line in lines)
    return f"class Cls(AbstractRewardProcessor):\n    async def process(self, input):\n{body}"


@pytest.mark.parametrize(
    ("code", "reported"),
    [
        (process("return output({'a': 1.0, 'b': 2.0})"), {"a", "b"}),
        (process("return output(None)"), set()),
        (process("return RewardOutput(status=TaskStatus.FAILED, error='x')"), set()),
        (process("if unknown(): return output({'a': 1.0})", "return output({'b': 1.0})"), {"a", "b"}),
        (process("m = {}", "for k in ('a', 'b'): m[k] = 1.0", "return output(m)"), {"a", "b"}),
        (process("return output({'a': 1.0, **unknown()})"), None),
        (process("return output({unknown(): 1.0})"), None),
        (process("return output({f'{input.x}': 1.0})"), None),
        (process("return output(unknown())"), None),
        (process("return unknown()"), None),
        (process("if unknown(): return unknown()", "return output({'a': 1.0})"), None),
        (process("r = output({'a': 1.0})", "r.reward.reward_metrics['b'] = 1.0", "return r"), None),
        (process("r = output({'a': 1.0})", "x = r.reward.reward_metrics['a'] == 1", "return r"), {"a"}),
        (process("r = output({'a': 1.0})", "r.reward.reward_metrics.update(b=1.0)", "return r"), None),
        (PARTS, {"format", "length", "format.length", "answer"}),
        (PARTS + MERGE % "'total': 1.0", {"format", "length", "format.length", "answer", "total"}),
        (PARTS + MERGE % "**unknown()", None),
        (PARTS.replace('"format", 0.5', "unknown()"), None),
        (process("return output({})").replace("(Abs", "(unknown.Base, Abs"), None),
    ],
)
def test_reported_names(tmp_path: Path, code: str, reported: object) -> None:
    workspace = build(tmp_path, {"functions/a.py": REPORTING + code})
    result = workspace.flow.classes.find(workspace.modules[str(tmp_path / "functions/a.py")], "Cls")
    assert isinstance(result, ClassSummary) and result.reported == reported
