from __future__ import annotations

from pathlib import Path

import pytest

from rlobs_lint.model import FILE_START
from rlobs_lint.project.jobs.components import (
    Component,
    FieldValue,
    field_value,
    is_placeholder,
    unknown_value,
)
from tests.project.building import build


@pytest.mark.parametrize(
    "text",
    "... {...} {path} ${NAME} a.${NAME}.B $NAME $(name) {{name}} {%if%} <your.Class>".split(),
)
def test_placeholders(text: str) -> None:
    assert is_placeholder(text)
    assert field_value(FILE_START, text) == unknown_value(FILE_START)


@pytest.mark.parametrize(
    "text", ["", "a.b.C", "a..C", "a/b.py:C", "100$", "a < b", "a > b", "质量", "{", "a{b}c"]
)
def test_plain_texts(text: str) -> None:
    assert not is_placeholder(text)
    assert field_value(FILE_START, text).text == text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, FieldValue(FILE_START, "bool", True)),
        (1, FieldValue(FILE_START, "int", 1)),
        (1.0, FieldValue(FILE_START, "float", 1.0)),
        (None, FieldValue(FILE_START, "null")),
        ("x", FieldValue(FILE_START, "str", "x")),
        ((), FieldValue(FILE_START, "empty")),
        ({}, FieldValue(FILE_START, "empty")),
        ([True], FieldValue(FILE_START, "other")),
        (b"true", FieldValue(FILE_START, "other")),
        (b"", FieldValue(FILE_START, "other")),
    ],
)
def test_values_are_kept_with_their_type(value: object, expected: FieldValue) -> None:
    found = field_value(FILE_START, value)
    assert found == expected
    assert type(found.value) is type(expected.value)


def test_only_strings_have_a_text() -> None:
    assert field_value(FILE_START, 1).text is None
    assert unknown_value(FILE_START).text is None


def test_everything_that_jobs_describe_is_gathered(tmp_path: Path) -> None:
    job = "functions:\n- {type: reward}\n- {type: rollout}\ndatasets:\n- {file_name: a.jsonl}\n"
    broken = "functions:\n- {\n"
    workspace = build(tmp_path, {"a.yaml": job, "b.yaml": broken, "c.yaml": job})
    assert [Path(it.path).name for it in workspace.submissions] == ["a.yaml", "c.yaml"]
    found = list(workspace.components)
    assert [it.kind for it in found] == ["reward", "rollout", "reward", "rollout"]
    assert all(isinstance(it, Component) for it in found)
    assert [Path(it.path).name for it in workspace.flow.submissions.datasets] == ["a.yaml", "c.yaml"]


def test_a_component_that_is_named_twice_is_one(tmp_path: Path) -> None:
    workspace = build(tmp_path, {"a.yaml": "functions:\n- &one {type: reward, name: x}\n"})
    assert len(list(workspace.components)) == 1
