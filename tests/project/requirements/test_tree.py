"""Which requirement files count, and how their includes are followed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Dict, List, Tuple

import pytest

from rlobs_lint.project.requirements.tree import RequirementsTree, read_requirements
from tests.project.requirements.building import workspace_of

JOB = """\
functions:
- type: reward
  name: quality
  fcmodel:
    zipdir: {zipdir}
    classpath: functions.reward.Quality
"""


def only_tree(root: Path, files: Dict[str, str]) -> RequirementsTree:
    (tree,) = workspace_of(root, files).requirements.trees
    return tree


def names(tree: RequirementsTree) -> List[Tuple[str, bool]]:
    return [(entry.line.name, entry.is_constraint) for entry in tree.entries if entry.line.name]


def faults(tree: RequirementsTree) -> List[Tuple[str, int, str]]:
    root = Path(tree.path).parent
    return [
        (
            Path(fault.entry.file.path).relative_to(root).as_posix(),
            fault.entry.file.place(fault.entry.line).start.row,
            fault.problem,
        )
        for fault in tree.faults
    ]


# --- includes -------------------------------------------------------------------------------------


def test_includes_are_relative_to_the_file_that_has_them(tmp_path: Path) -> None:
    tree = only_tree(
        tmp_path,
        {
            "requirements.txt": "a\n-r reqs/base.txt\nb\n",
            "reqs/base.txt": "c\n-r more/d.txt\n--requirement=../e.txt\n",
            "reqs/more/d.txt": "d\n",
            "e.txt": "e\n",
        },
    )
    assert sorted(names(tree)) == [(name, False) for name in "abcde"]
    assert not tree.faults and not tree.has_unknown_includes


def test_constraints_limit_and_what_they_include_is_required(tmp_path: Path) -> None:
    tree = only_tree(
        tmp_path,
        {
            "requirements.txt": "a\n-c c.txt\n",
            "c.txt": "b\n-r d.txt\n--constraint e.txt\n",
            "d.txt": "d\n-c e.txt\n",
            "e.txt": "e\n",
        },
    )
    assert sorted(names(tree)) == [("a", False), ("b", True), ("d", False), ("e", True)]


def test_a_file_counts_once_in_each_role(tmp_path: Path) -> None:
    files = {
        "requirements.txt": "-r a.txt\n-r a.txt\n-c a.txt\n-r b.txt\n",
        "a.txt": "a\n",
        "b.txt": "-r ./a.txt\n",
    }
    tree = only_tree(tmp_path, files)
    assert sorted(names(tree)) == [("a", False), ("a", True)]
    assert not tree.faults


def test_missing_files_are_faults_where_they_are_named(tmp_path: Path) -> None:
    tree = only_tree(
        tmp_path,
        {
            "requirements.txt": "a\n-r none.txt\n-r sub/b.txt\n-r sub\n",
            "sub/b.txt": '\n-c none.txt\n-r ""\n-r .\n',
        },
    )
    assert sorted(faults(tree)) == [
        ("requirements.txt", 2, "missing"),
        ("requirements.txt", 4, "missing"),
        ("sub/b.txt", 2, "missing"),
        ("sub/b.txt", 4, "missing"),
    ]
    assert tree.has_unknown_includes and tree.has_unknown_constraints


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        ({"requirements.txt": "-r requirements.txt\n"}, [("requirements.txt", 1, "circular")]),
        ({"requirements.txt": "a\n-c ./sub/../requirements.txt\n"}, [("requirements.txt", 2, "circular")]),
        (
            {"requirements.txt": "-r a.txt\n", "a.txt": "-r b.txt\n", "b.txt": "\n-r a.txt\n"},
            [("b.txt", 2, "circular")],
        ),
        (
            {"requirements.txt": "-r a.txt\n-r b.txt\n", "a.txt": "-r b.txt\n", "b.txt": "-r a.txt\n"},
            [("b.txt", 1, "circular")],
        ),
        ({"requirements.txt": "-r a.txt\n", "a.txt": "-c requirements.txt\n"}, [("a.txt", 1, "circular")]),
    ],
)
def test_each_circle_is_one_fault(
    tmp_path: Path, files: Dict[str, str], wanted: List[Tuple[str, int, str]]
) -> None:
    tree = only_tree(tmp_path, files)
    assert faults(tree) == wanted
    assert not tree.has_unknown_includes


def test_a_circle_through_a_link_is_seen(tmp_path: Path) -> None:
    (tmp_path / "again").symlink_to(tmp_path)
    tree = only_tree(tmp_path, {"requirements.txt": "a\n-r again/requirements.txt\n"})
    assert faults(tree) == [("requirements.txt", 2, "circular")]


def test_a_long_chain_of_includes_is_followed(tmp_path: Path) -> None:
    length = 1500
    files = {f"{number}.txt": f"-r {number + 1}.txt\n" for number in range(length)}
    tree = only_tree(tmp_path, {"requirements.txt": "-r 0.txt\n", **files, f"{length}.txt": "last\n"})
    assert names(tree) == [("last", False)]


@pytest.mark.parametrize(
    "target", ["https://host/a.txt", "HTTP://host/a.txt", "file:///a.txt", "//host/a.txt", "${A}"]
)
def test_other_machines_and_variables_leave_a_file_unknown(tmp_path: Path, target: str) -> None:
    tree = only_tree(
        tmp_path, {"requirements.txt": f"-r {target}\n-c constraints.txt\n", "constraints.txt": ""}
    )
    assert tree.has_unknown_includes and not tree.has_unknown_constraints and not tree.faults


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("a==1 --hash=sha256:ab", True),
        ("--require-hashes", True),
        ("a==1", False),
        ("--hash=sha256:ab", False),
    ],
)
def test_one_hash_anywhere_demands_hashes_everywhere(tmp_path: Path, line: str, wanted: bool) -> None:
    tree = only_tree(tmp_path, {"requirements.txt": "-r a.txt\nb\n", "a.txt": line + "\n"})
    assert tree.is_hashed is wanted


# --- files that cannot be read --------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        "opentelemetry-api\r\n".encode("utf-16"),
        "# 依赖\n".encode("gbk"),
        b"# -*- coding: latin-1 -*-\n# \xe9\n",
    ],
)
def test_a_file_that_is_not_utf8_is_unreadable(tmp_path: Path, data: bytes) -> None:
    requirements = workspace_of(tmp_path, {"requirements.txt": data}).requirements
    (tree,) = requirements.trees
    assert tree.exists and tree.root is None and not tree.entries and tree.has_unknown_includes
    assert [error.path for error in requirements.unreadable] == [str(tmp_path / "requirements.txt")]
    assert requirements.paths == {str(tmp_path / "requirements.txt")}


def test_an_include_that_cannot_be_read_leaves_the_rest(tmp_path: Path) -> None:
    files = {"requirements.txt": "a\n-r b.txt\n-c c.txt\n", "b.txt": b"\xff", "c.txt": b"\xff"}
    requirements = workspace_of(tmp_path, files).requirements
    (tree,) = requirements.trees
    assert names(tree) == [("a", False)]
    assert tree.has_unknown_includes and tree.has_unknown_constraints and not tree.faults
    assert [Path(error.path).name for error in requirements.unreadable] == ["b.txt", "c.txt"]


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path: Path) -> None:
    (tree,) = workspace_of(tmp_path, {"requirements.txt": b"\xef\xbb\xbfa==1\n"}).requirements.trees
    assert names(tree) == [("a", False)]
    assert tree.root is not None and tree.root.source.has_mark


def test_a_folder_in_its_place_is_unreadable_not_missing(tmp_path: Path) -> None:
    requirements = workspace_of(tmp_path, {"requirements.txt/a.txt": ""}).requirements
    assert [tree.exists for tree in requirements.trees] == [True]
    assert len(requirements.unreadable) == 1


def test_a_link_to_nowhere_is_missing(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").symlink_to(tmp_path / "nowhere.txt")
    (tree,) = workspace_of(tmp_path, {}).requirements.trees
    assert not tree.exists


def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes here")
    os.mkfifo(tmp_path / "requirements.txt")
    requirements = workspace_of(tmp_path, {}).requirements
    assert len(requirements.unreadable) == 1


def test_the_overlay_stands_in_for_files(tmp_path: Path) -> None:
    workspace = workspace_of(tmp_path, {"requirements.txt": "a\n"})
    workspace.overlay = {
        str(tmp_path / "requirements.txt"): b"b\n-r new.txt\n",
        str(tmp_path / "new.txt"): b"c\n",
    }
    (tree,) = read_requirements(workspace, workspace.components).trees
    assert names(tree) == [("b", False), ("c", False)]


# --- folders --------------------------------------------------------------------------------------


def trees(root: Path, files: Dict[str, str]) -> List[Tuple[str, bool]]:
    requirements = workspace_of(root, files).requirements
    return [(Path(tree.path).relative_to(root).as_posix(), tree.exists) for tree in requirements.trees]


def test_without_components_it_is_the_workspace(tmp_path: Path) -> None:
    assert trees(tmp_path, {}) == [("requirements.txt", False)]


@pytest.mark.parametrize("zipdir", ["./service", "service/", "./x/../service", '"service"'])
def test_a_component_names_its_folder(tmp_path: Path, zipdir: str) -> None:
    files = {"job.yaml": JOB.format(zipdir=zipdir), "service/a.txt": "", "requirements.txt": "a\n"}
    assert trees(tmp_path, files) == [("service/requirements.txt", False)]


def test_several_components_may_have_several_folders(tmp_path: Path) -> None:
    files = {
        "job.yaml": JOB.format(zipdir="./"),
        "other.yaml": JOB.format(zipdir="./service") + JOB.format(zipdir=".").split("\n", 1)[1],
        "service/requirements.txt": "a\n",
    }
    assert trees(tmp_path, files) == [("requirements.txt", False), ("service/requirements.txt", True)]


@pytest.mark.parametrize("zipdir", ["${FOLDER}", "../elsewhere", "/opt/service"])
def test_a_folder_that_cannot_be_told_is_most_likely_the_workspace(tmp_path: Path, zipdir: str) -> None:
    job = {"job.yaml": JOB.format(zipdir=zipdir)}
    assert trees(tmp_path / "with", {**job, "requirements.txt": "a\n"}) == [("requirements.txt", True)]
    assert trees(tmp_path / "without", job) == []


def test_a_folder_that_does_not_exist_has_no_requirements_to_miss(tmp_path: Path) -> None:
    assert trees(tmp_path, {"job.yaml": JOB.format(zipdir="./nowhere")}) == []


def test_a_script_names_folders_too(tmp_path: Path) -> None:
    script = (
        "from dashscope.finetune.reinforcement import RewardFunctionComponent, FunctionComponentModel\n"
        "component = RewardFunctionComponent(name='a', fcmodel=FunctionComponentModel(\n"
        "    zipdir='./service', classpath='functions.reward.Quality'))\n"
    )
    assert trees(tmp_path, {"submit.py": script, "service/a.txt": ""}) == [
        ("service/requirements.txt", False)
    ]


# --- named files ----------------------------------------------------------------------------------


def test_named_files_that_belong_to_nothing_are_strays(tmp_path: Path) -> None:
    files = {
        "requirements.txt": "-r base.txt\n",
        "base.txt": "a\n",
        "requirements-dev.txt": "b\n-r base.txt\n",
    }
    requirements = workspace_of(tmp_path, files, named=["base.txt", "requirements-dev.txt"]).requirements
    assert [Path(tree.path).name for tree in requirements.strays] == ["requirements-dev.txt"]
    assert names(requirements.strays[0]) == [("b", False), ("a", False)]
    assert set(requirements.files) == {str(tmp_path / name) for name in files}


def test_a_stray_that_cannot_be_read_is_unreadable(tmp_path: Path) -> None:
    requirements = workspace_of(
        tmp_path, {"requirements.txt": "", "dev.txt": b"\xff"}, named=["dev.txt"]
    ).requirements
    assert [Path(error.path).name for error in requirements.unreadable] == ["dev.txt"]
