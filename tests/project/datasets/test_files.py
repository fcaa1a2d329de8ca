from __future__ import annotations

import os
from pathlib import Path

import pytest

from rlobs_lint.files.settings import Settings
from rlobs_lint.project.datasets.files import DatasetFile, read_dataset
from rlobs_lint.rulebook.workspace import Workspace
from tests.project.building import build

GOOD = '{"messages": [{"role": "user", "content": "3*7=?"}]}\n'


def job_naming(*names: str) -> str:
    entries = "".join(f"- file_name: {name}\n" for name in names)
    return f"functions:\n- type: reward\n  name: a\ndatasets:\n{entries}"


def test_named_files_are_found_once_and_in_order(tmp_path: Path) -> None:
    workspace = build(
        tmp_path,
        {
            "b.yaml": job_naming("./data/z.jsonl", "data/../data/a.jsonl", "data/gone.jsonl", "data/a.JSONL"),
            "a.yaml": job_naming("data/a.jsonl", "data/a.csv", "data/x.jsonl/y.jsonl"),
            "data/a.jsonl": GOOD,
            "data/a.csv": "a,b\n",
            "data/z.jsonl": GOOD,
            "data/linted.jsonl": GOOD,
        },
        linted_datasets=["data/linted.jsonl", "data/z.jsonl"],
    )
    found = {Path(dataset.path).name: dataset for dataset in workspace.datasets}
    assert list(found) == ["a.jsonl", "linted.jsonl", "z.jsonl"]
    assert [Path(it.path).name for it in found["a.jsonl"].references] == ["a.yaml", "b.yaml"]
    assert found["linted.jsonl"].references == ()
    assert len(found["z.jsonl"].references) == 1


@pytest.mark.parametrize(
    "name", ['"\\0.jsonl"', '"\\ud800.jsonl"', "x" * 5000 + ".jsonl", "''", "'${D}.jsonl'"]
)
def test_names_that_no_file_has_are_passed_over(tmp_path: Path, name: str) -> None:
    assert build(tmp_path, {"job.yaml": job_naming(name)}).datasets == ()


def test_a_missing_file_of_the_command_line_is_an_error(tmp_path: Path) -> None:
    workspace = build(tmp_path, {}, linted_datasets=["gone.jsonl"])
    assert workspace.datasets[0].report.error is not None
    assert workspace.datasets[0].report.verdict is None


def test_an_overlay_stands_in_for_the_file(tmp_path: Path) -> None:
    path = str(tmp_path / "new.jsonl")
    workspace = build(tmp_path, {"job.yaml": job_naming("new.jsonl")})
    assert workspace.datasets == ()
    source = workspace.yaml_files
    overlaid = Workspace(str(tmp_path), Settings(str(tmp_path)), {}, source, overlay={path: b"{"})
    (dataset,) = overlaid.datasets
    assert dataset.report.verdict is not None and dataset.report.verdict.lines.count == 1


def test_bytes_that_are_not_utf8_are_the_only_thing_told(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"{\n" + b'{"a": "\xff"}\n')
    report = read_dataset(str(path))
    assert report.verdict is None and report.error is not None
    assert report.error.parameters == (("row", "2"),)
    assert report.error.path == str(path)


def test_a_folder_is_no_dataset(tmp_path: Path) -> None:
    report = read_dataset(str(tmp_path))
    assert report.error is not None and "regular" in report.error.reason.en


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    os.mkfifo(path)
    assert read_dataset(str(path)).error is not None
    workspace = build(tmp_path, {"job.yaml": job_naming("a.jsonl")})
    assert workspace.datasets[0].report.error is not None


def test_links_that_lead_nowhere_are_errors(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").symlink_to(tmp_path / "b.jsonl")
    (tmp_path / "b.jsonl").symlink_to(tmp_path / "a.jsonl")
    workspace = build(tmp_path, {"job.yaml": job_naming("a.jsonl")})
    assert workspace.datasets[0].report.error is not None


def test_the_file_is_read_when_asked_for_and_once(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    dataset = DatasetFile(str(path))
    path.write_text("{\n")
    assert dataset.report.verdict is not None
    path.write_text(GOOD)
    assert dataset.report.verdict.lines.count == 1


def test_bad_lines_can_be_shown(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(GOOD + "[1]\n" + '{"rollout_extra": 1}\n')
    dataset = DatasetFile(str(path))
    assert [dataset.line(row) for row in (1, 2, 3, 4)] == ["", "[1]", '{"rollout_extra": 1}', ""]
    assert DatasetFile(str(tmp_path / "gone")).line(1) == ""
