"""Small projects in many shapes: each holds what its marks say of spans, and nothing else.

The files under `spans/` list them: `=== what it is about`, then the text of `functions/p.py`, which begins
with the usual imports, or of several files, each behind `--- its/path.py`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, Iterator, NamedTuple

import libcst as cst
import pytest

from tests.linting import REQUIREMENTS, Project, expectations
from tests.rules.mending import mended

IMPORTS = """\
from dashscope.finetune.reinforcement import *
from dashscope.finetune.reinforcement.component.observability import *
from openai import OpenAI, AsyncOpenAI
from langchain_openai import ChatOpenAI
from langchain_mcp_adapters.client import MultiServerMCPClient
"""
SPANS = ("RLO1", "RLO2", "RLO3")


class Case(NamedTuple):
    name: str
    files: Dict[str, bytes]


def _cases() -> Iterator[Case]:
    for path in sorted((Path(__file__).parent / "spans").glob("*.txt")):
        for text in re.split(r"^=== ", path.read_text("utf-8"), flags=re.MULTILINE)[1:]:
            title, _, body = text.partition("\n")
            first, *others = re.split(r"^--- (.*)\n", body, flags=re.MULTILINE)
            files = dict(zip(others[::2], others[1::2]))
            if first:
                files["functions/p.py"] = IMPORTS + first
            yield Case(f"{path.stem}: {title}", {name: code.encode() for name, code in files.items()})


CASES = list(_cases())


def test_titles_are_unique() -> None:
    assert len({case.name for case in CASES}) == len(CASES) > 200


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_marked_is_found_and_its_fixes_come_to_an_end(case: Case, tmp_path: Path) -> None:
    files = {"requirements.txt": REQUIREMENTS.encode(), **case.files}
    linted = Project(tmp_path / "before").write(files).lint()
    spans = {place: count for place, count in linted.places.items() if place[2].startswith(SPANS)}
    assert spans == expectations(case.files)
    for data in mended(linted, files, tmp_path / "after").values():
        cst.parse_module(data)
