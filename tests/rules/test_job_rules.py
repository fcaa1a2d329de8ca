from __future__ import annotations

from pathlib import Path

import pytest

from rlobs_lint.model import FILE_START
from rlobs_lint.project.jobs.components import field_value
from rlobs_lint.rules.rlo601_tracing_disabled import switches_tracing_off
from rlobs_lint.texts import fill
from tests.linting import Project


@pytest.mark.parametrize("value", [True, "true", " TRUE ", "Yes", "1", 1, None, "", "  ", (), "${X}"])
def test_values_that_leave_tracing_on(value: object) -> None:
    assert not switches_tracing_off(field_value(FILE_START, value))


@pytest.mark.parametrize("value", [False, "false", "on", "t", 0, 2, 1.0, "1.0", b"true", (True,), "真"])
def test_values_that_turn_tracing_off(value: object) -> None:
    assert switches_tracing_off(field_value(FILE_START, value))


@pytest.mark.parametrize(
    ("value", "shown"), [("false", "false"), ("'Off'", "'Off'"), ("[1]", "..."), ("1.0", "1.0"), ("2", "2")]
)
def test_the_message_shows_the_value(tmp_path: Path, value: str, shown: str) -> None:
    job = f"functions:\n- type: rollout\n  runtime: {{env: {{ENABLE_TRAJECTORY: {value}}}}}\n"
    (finding,) = Project(tmp_path).write({"job.yaml": job}).lint().findings
    assert f"is {shown} here" in fill(finding.message, finding.parameters, "en")


def test_a_long_value_is_cut(tmp_path: Path) -> None:
    job = f"functions:\n- type: rollout\n  runtime: {{env: {{ENABLE_TRAJECTORY: {'x' * 1000}}}}}\n"
    (finding,) = Project(tmp_path).write({"job.yaml": job}).lint().findings
    assert len(fill(finding.message, finding.parameters, "zh")) < 200


def test_a_taken_name_shows_where_it_was_first_used(tmp_path: Path) -> None:
    job = "functions:\n- {type: reward, name: q}\n- {type: reward, name: q}\n- {type: reward, name: q}\n"
    findings = Project(tmp_path).write({"job.yaml": job}).lint().findings
    assert [finding.location.start.row for finding in findings] == [3, 4]
    assert {note.location.start for finding in findings for note in finding.notes} == {(2, 24)}


def test_comments_hide_findings_in_job_files(tmp_path: Path) -> None:
    job = "functions:\n- type: reward  # rlobs: ignore[unnamed-reward] one reward only\n"
    assert Project(tmp_path).write({"job.yaml": job}).lint().codes == ()


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"functions:\n- type: reward\n  name: [a\nweight: 1\n", ("job.yaml", 4, "RLO901")),
        (b"functions:\n- type: reward\n---\na: b\n", ("job.yaml", 3, "RLO901")),
        (b"functions:\n- type: \xff\n", ("job.yaml", 1, "RLO902")),
    ],
)
def test_a_broken_job_has_one_finding(tmp_path: Path, content: bytes, place: object) -> None:
    assert list(Project(tmp_path).write({"job.yaml": content}).lint().places.elements()) == [place]


@pytest.mark.parametrize("content", [b"a: [\n", b"\xff", b"functions:\n  a: {b: 1}\n", b"a: 1\n---\nb: 2\n"])
def test_other_yaml_is_never_spoken_of(tmp_path: Path, content: bytes) -> None:
    assert Project(tmp_path).write({"other.yaml": content}).lint().codes == ()
