from __future__ import annotations

from pathlib import Path
from typing import Union

import pytest

from rlobs_lint.classes import Absent, ClassSummary, find_class
from tests.job_building import build

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


def found(root: Path, code: str, name: str = "Cls") -> Union[ClassSummary, Absent, None]:
    workspace = build(root, {"functions/a.py": HEAD + code})
    return find_class(workspace, workspace.modules[str(root / "functions/a.py")], name)


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
        ("class Cls(AbstractRewardProcessor):\n    @abstractmethod\n    def process(self, x): ...", "process"),
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
    [("class Other: ...", None), ("class Clss: ...", "Clss"), ("class cls: ...", None), ("x = 1", None)],
)
def test_names_that_are_not_there(tmp_path: Path, code: str, nearest: object) -> None:
    assert found(tmp_path, code + "\n") == Absent(nearest)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "code",
    [
        "Cls = decorate(Reward)",
        "def Cls(): return Reward()",
        "Cls = 1",
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
    result = find_class(workspace, workspace.modules[str(tmp_path / "functions/a.py")], "Cls")
    assert isinstance(result, ClassSummary) and result.kinds == {"reward"}
