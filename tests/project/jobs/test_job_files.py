from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Optional

import pytest

from rlobs_lint.files.source import SourceFile
from rlobs_lint.model import Position
from rlobs_lint.project.jobs.job_files import MAXIMUM_LENGTH, JobError, JobFile, is_undecodable_job, read_job
from tests.project.building import build

JOB = """\
name: qa
functions:
- type: reward
  name: quality
  fcmodel:
    zipdir: ./src
    classpath: functions.reward.Quality
    requirements_path: ./requirements.txt
  runtime:
    env: {TZ: UTC, ENABLE_TRAJECTORY: false}
  reward_metric_weight:
    accuracy: 0.9
    ...: 0.1
- name: rollout
  fcmodel: {classpath: "functions.rollout.Rollout"}
datasets:
- type: training
  data_source_type: file_id
  file_name: ./data/train.jsonl
- file_name: data/valid.jsonl
- {data_source_type: oss_mount, file_name: data/mounted.jsonl}
- {data_source_type: null, file_name: data/nowhere.jsonl}
- {file_name: "${DATA}/train.jsonl"}
- {file_id: file-1}
- a string
"""


def job_of(text: str) -> Optional[JobFile]:
    return read_job(SourceFile("/w/job.yaml", text.encode("utf-8", "replace"), text, "utf-8"))


def components_of(text: str) -> JobFile:
    job = job_of(text)
    assert job is not None and job.submission is not None
    return job


def test_components_are_read_with_their_places() -> None:
    job = components_of(JOB)
    assert job.submission is not None and job.submission.submits
    reward, rollout = job.submission.components
    assert (reward.kind, rollout.kind) == ("reward", "rollout")
    assert reward.place.start == Position(3, 3)
    assert rollout.place.start == Position(14, 3)
    assert reward.name is not None and reward.name.text == "quality"
    assert reward.zipdir is not None and reward.zipdir.text == "./src"
    assert reward.classpath is not None and reward.classpath.location.start == Position(7, 16)
    assert reward.requirements_path is not None
    assert reward.requirements_path.location.start == Position(8, 24)
    assert [(name, given.value) for name, given in reward.environment] == [
        ("ENABLE_TRAJECTORY", False),
        ("TZ", "UTC"),
    ]
    assert [(name, at.start) for name, at in reward.metric_weights] == [("accuracy", Position(12, 5))]
    assert rollout.zipdir is None and rollout.environment == () and rollout.metric_weights == ()


def test_only_uploaded_datasets_are_named() -> None:
    job = components_of(JOB)
    assert [(it.file_name, it.location.start.row) for it in job.datasets] == [
        ("./data/train.jsonl", 19),
        ("data/valid.jsonl", 20),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "functions:\n- type: rollout\n",
        "functions:\n- {type: group_reward}\n",
        "functions:\n- fcmodel: {}\n",
        "functions:\n- entity_id: e-1\n",
        "'functions': [{fcmodel: {classpath: a.B}}]\n",
        "{functions: [{type: reward}]}\n",
        "functions:\n- description: other\n- type: reward\n",
        "base: &base {type: reward}\nfunctions:\n- <<: *base\n",
        "functions: []\ndatasets:\n- {file_name: data/train.jsonl}\n",
        "--- # one document\nfunctions:\n- type: reward\n...\n",
    ],
)
def test_lists_of_components_make_a_job(text: str) -> None:
    assert components_of(text).error is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "name: functions\n",
        "functions:\n",
        "functions: []\n",
        "functions:\n  hello:\n    handler: handler.hello\n",
        "functions:\n- name: get_weather\n  parameters: {type: object}\n",
        "functions:\n- type: object\n",
        "functions:\n- a\n- b\n",
        "tools:\n  functions:\n  - type: reward\n",
        "a: b\n---\nfunctions:\n  hello: {}\n",
        "tools:\n  functions: [\n",
        "- functions:\n  - type: reward\n",
    ],
)
def test_other_yaml_is_no_job(text: str) -> None:
    assert job_of(text) is None


@pytest.mark.parametrize(
    ("text", "kind", "position"),
    [
        ("a: 1\nfunctions:\n- type: reward\n   name: x\n", "syntax", Position(4, 8)),
        ("functions: [\n", "syntax", Position(2, 1)),
        ("functions:\r\n\t- a\r\n", "syntax", Position(2, 1)),
        ("functions:\n- type: reward\0\n", "syntax", Position(2, 15)),
        ("functions:\n- " + "[" * 20_000, "depth", Position(1, 1)),
        ("functions:\n- type: reward\n---\na: b\n", "documents", Position(3, 1)),
        ("a: b\n---\nfunctions:\n- type: reward\n", "documents", Position(2, 1)),
    ],
)
def test_a_job_that_does_not_parse_says_where(text: str, kind: str, position: Position) -> None:
    job = job_of(text)
    assert job is not None and isinstance(job.error, JobError)
    assert (job.error.kind, job.error.position, job.submission) == (kind, position, None)
    assert bool(job.error.reason) == (kind == "syntax")


def test_a_file_of_many_megabytes_is_not_read() -> None:
    assert job_of("functions:\n- type: reward\n" + "# x\n" * (MAXIMUM_LENGTH // 4)) is None


def test_a_registered_function_uploads_nothing() -> None:
    text = "functions:\n- {type: reward, entity_id: %s, fcmodel: {classpath: a.B, requirements_path: r}}\n"
    for entity, is_there in (("e-1", False), ("'${ID}'", False), ("''", True), ("null", True)):
        submission = components_of(text % entity).submission
        assert submission is not None
        component = submission.components[0]
        assert (component.classpath is not None) == is_there
        assert (component.requirements_path is not None) == is_there


@pytest.mark.parametrize(
    ("model", "classpath"),
    [
        ("{filepath: a.py, classname: A}", None),
        ("{classpath: '', filepath: a.py}", None),
        ("{classpath: '', filepath: ''}", ""),
        ("{classpath: a.B, filepath: a.py}", "a.B"),
        ("{classpath: ''}", ""),
    ],
)
def test_a_file_path_serves_for_an_empty_classpath(model: str, classpath: Optional[str]) -> None:
    submission = components_of(f"functions:\n- {{type: reward, fcmodel: {model}}}\n").submission
    assert submission is not None
    found = submission.components[0].classpath
    assert (found.text if found is not None else None) == classpath


@pytest.mark.parametrize("kind", ["Reward", "null", "'${KIND}'", "1", "[reward]"])
def test_an_unknown_type_has_no_kind(kind: str) -> None:
    submission = components_of(f"functions:\n- {{type: {kind}, fcmodel: {{}}}}\n").submission
    assert submission is not None and submission.components[0].kind is None


def test_items_that_are_no_mappings_are_passed_over() -> None:
    submission = components_of("functions:\n- nothing\n- type: reward\n- [type, reward]\n").submission
    assert submission is not None and len(submission.components) == 1


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"functions:\n- name: \xb2\xe2\xca\xd4\n", True),
        (b"name: \xff\r\nfunctions:\r\n", True),
        (b"\xef\xbb\xbffunctions: \xff", True),
        ("name: 测试\nfunctions:\n- type: reward\n".encode("utf-16"), True),
        (b"name: \xff\n  functions:\n", False),
        (b"\xff\xfe\xff", False),
        (b"", False),
    ],
)
def test_bytes_that_are_no_text_may_still_be_a_job(data: bytes, expected: bool) -> None:
    assert is_undecodable_job(data) is expected


def test_a_workspace_lists_its_jobs_by_path(tmp_path: Path) -> None:
    job = "functions:\n- type: reward\n"
    workspace = build(tmp_path, {"z.yml": job, "sub/a.yaml": job, "other.yaml": "a: b\n"})
    assert [Path(it.path).name for it in workspace.jobs] == ["a.yaml", "z.yml"]


def test_the_parser_is_imported_for_files_that_mention_functions_only() -> None:
    program = (
        "import sys\n"
        "from rlobs_lint.project.jobs.job_files import read_job\n"
        "from rlobs_lint.files.source import SourceFile\n"
        "def read(text): read_job(SourceFile('/w/a.yaml', text.encode(), text, 'utf-8'))\n"
        "read('jobs: {functions of it: 1}')\n"
        "assert 'yaml' not in sys.modules\n"
        "read('functions: []')\n"
        "assert 'yaml' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
