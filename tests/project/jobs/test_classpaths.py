from __future__ import annotations

from pathlib import Path
from typing import Dict, Optional, Tuple

import pytest
from hypothesis import given as given_by
from hypothesis import strategies as some

from rlobs_lint.files.settings import Settings
from rlobs_lint.project.jobs.classpaths import (
    Classpath,
    ResolvedClasspath,
    excluded_part,
    parse_classpath,
    resolve_classpath,
    upload_folder,
)
from rlobs_lint.project.jobs.components import Component
from rlobs_lint.rulebook.workspace import Workspace
from tests.project.building import build

FILES = {
    "functions/__init__.py": "",
    "functions/rollout.py": "class Rollout: pass\n",
    "functions/pkg/__init__.py": "class Cls: pass\n",
    "functions/pkg/inner.py": "class Cls: pass\n",
    "functions/data/reward.py": "class Reward: pass\n",
    "my-mod/1mod.py": "class Cls: pass\n",
    "a.b/c.py": "class Cls: pass\n",
    "top.py": "class Top: pass\n",
    "src/functions/reward.py": "class Reward: pass\n",
    "tests/src/reward.py": "class Reward: pass\n",
}


def target_of(root: Path, classpath: str, zipdir: Optional[str] = None) -> Optional[ResolvedClasspath]:
    model: Dict[str, str] = {"classpath": classpath}
    if zipdir is not None:
        model["zipdir"] = zipdir
    job = f"functions:\n- {{type: reward, fcmodel: {model!r}}}\n"
    return resolve_classpath(*only_component(build(root, {**FILES, "job.yaml": job})))


def only_component(workspace: Workspace) -> Tuple[Workspace, Component]:
    submission = workspace.jobs[0].submission
    assert submission is not None
    return workspace, submission.components[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("functions.rollout.rollout.Cls", ("functions/rollout/rollout.py", "Cls")),
        ("functions/rollout/rollout.py:Cls", ("functions/rollout/rollout.py", "Cls")),
        ("./functions/rollout/rollout.py:Cls", ("./functions/rollout/rollout.py", "Cls")),
        ("functions/rollout/rollout:Cls", ("functions/rollout/rollout.py", "Cls")),
        ("functions/rollout/rollout.Cls", ("functions/rollout/rollout.py", "Cls")),
        ("functions\\rollout\\rollout.py:Cls", ("functions/rollout/rollout.py", "Cls")),
        ("functions\\rollout.Cls", ("functions/rollout.py", "Cls")),
        ("  top.Cls\n", ("top.py", "Cls")),
        (" top.py : Cls ", ("top.py", "Cls")),
        ("functions.rollout.rollout:Cls", ("functions.rollout.rollout.py", "Cls")),
        ("functions/rollout.py.Cls", ("functions/rollout/py.py", "Cls")),
        ("./functions.rollout.Cls", ("//functions/rollout.py", "Cls")),
        ("a..Cls", ("a/.py", "Cls")),
        (".a.Cls", ("/a.py", "Cls")),
        ("a.PY:Cls", ("a.PY.py", "Cls")),
        ("a.b.", ("a/b.py", "")),
        ("a.py:B.C", ("a.py", "B.C")),
    ],
)
def test_forms(text: str, expected: Tuple[str, str]) -> None:
    assert parse_classpath(text) == Classpath(*expected)


@pytest.mark.parametrize(
    "text", ["", " ", "Cls", "top", ":Cls", "top.py:", "a:b:C", "C:\\ws\\top.py:Cls", " : "]
)
def test_forms_that_the_sdk_refuses(text: str) -> None:
    assert parse_classpath(text) is None


@given_by(some.text(some.sampled_from("aB.:/\\ \n"), max_size=12))
def test_any_text_is_taken_apart_or_refused(text: str) -> None:
    found = parse_classpath(text)
    assert found is None or found.file.endswith(".py")


@pytest.mark.parametrize(
    ("classpath", "zipdir", "module"),
    [
        ("functions.rollout.Rollout", None, "functions/rollout.py"),
        ("functions.rollout.Rollout", "./", "functions/rollout.py"),
        ("functions.rollout.Rollout", "", "functions/rollout.py"),
        ("functions.rollout.Rollout", ".", "functions/rollout.py"),
        ("./functions/rollout.py:Rollout", "./src/../", "functions/rollout.py"),
        ("functions/pkg/__init__.py:Cls", None, "functions/pkg/__init__.py"),
        ("functions/pkg/../rollout.py:Rollout", None, "functions/rollout.py"),
        ("my-mod/1mod.py:Cls", None, "my-mod/1mod.py"),
        ("top.Top", None, "top.py"),
        ("functions.reward.Reward", "src", "src/functions/reward.py"),
        ("functions.reward.Reward", "./src/", "src/functions/reward.py"),
        ("rollout.Rollout", "functions", "functions/rollout.py"),
    ],
)
def test_modules_are_found(tmp_path: Path, classpath: str, zipdir: Optional[str], module: str) -> None:
    target = target_of(tmp_path, classpath, zipdir)
    assert target is not None and target.module is not None
    assert (target.module.relative, target.file, target.problem) == (module, module, None)
    assert target.excluded is None


@pytest.mark.parametrize(
    ("classpath", "problem"),
    [
        ("Rollout", "form"),
        ("a.py:B:C", "form"),
        ("", "form"),
        ("functions.missing.Rollout", "missing"),
        ("functions.Rollout.Rollout", "missing"),
        ("functions/:Rollout", "package"),
        ("functions.pkg.Cls", "package"),
        ("functions.Cls", "package"),
        ("functions.rollout:Rollout", "missing"),
        ("a.b/c.py:Cls", "dotted"),
        ("functions/rollout.py:Rollout()", "nested"),
        ("functions/rollout.py:Outer.Inner", "nested"),
        ("functions.rollout.", "nested"),
        ("../other/top.py:Top", "outside"),
        ("/top.py:Top", "outside"),
        ("./functions.rollout.Rollout", "outside"),
    ],
)
def test_what_leads_nowhere(tmp_path: Path, classpath: str, problem: str) -> None:
    target = target_of(tmp_path, classpath)
    assert target is not None
    assert (target.problem, target.module) == (problem, None)


@pytest.mark.parametrize(
    ("classpath", "zipdir"),
    [
        ("${MODULE}.Cls", None),
        ("...", None),
        ("functions.missing.Cls", "${DIR}"),
        ("functions.missing.Cls", "../other"),
        ("functions.missing.Cls", "/elsewhere"),
    ],
)
def test_what_cannot_be_told(tmp_path: Path, classpath: str, zipdir: Optional[str]) -> None:
    assert target_of(tmp_path, classpath, zipdir) is None


def test_a_file_that_was_not_read_is_not_missing(tmp_path: Path) -> None:
    assert target_of(tmp_path, "functions.missing.Cls") is not None
    (tmp_path / "functions/missing.py").write_text("class Cls: pass\n")
    assert target_of(tmp_path, "functions.missing.Cls") is None


@pytest.mark.parametrize("zipdir", [None, "./", "tests/.."])
@pytest.mark.parametrize("name", ["functions.data.reward.Reward", "functions/data/gone.py:Reward"])
def test_what_the_upload_leaves_out(tmp_path: Path, zipdir: Optional[str], name: str) -> None:
    target = target_of(tmp_path, name, zipdir)
    assert target is not None and target.excluded == "data"


def test_the_upload_counts_from_its_own_folder(tmp_path: Path) -> None:
    target = target_of(tmp_path, "src.reward.Reward", "tests")
    assert target is not None and target.excluded is None and target.module is not None


@pytest.mark.parametrize(
    ("relative", "part"),
    [
        ("functions/data/a.py", "data"),
        ("tests/a.py", "tests"),
        ("a/.venv/b.py", ".venv"),
        ("a/build/tmp/b.py", "build"),
        ("functions/Data/a.py", None),
        ("functions/testing/a.py", None),
        ("data.py", None),
        ("test.py", None),
        ("dist/logs/a.py", None),
    ],
)
def test_excluded_parts(relative: str, part: Optional[str]) -> None:
    assert excluded_part(relative) == part


def test_a_component_without_a_folder_uploads_the_workspace() -> None:
    workspace = Workspace("/w", Settings("/w"), {})
    component = Component("/w/job.yaml", ((1, 1), (1, 2)), "reward")  # type: ignore[arg-type]
    assert upload_folder(workspace, component) == "/w"
    assert resolve_classpath(workspace, component) is None


def test_a_null_classpath_is_an_empty_one(tmp_path: Path) -> None:
    job = "functions:\n- {type: reward, fcmodel: {classpath: null}}\n"
    target = resolve_classpath(*only_component(build(tmp_path, {"job.yaml": job})))
    assert target is not None and target.problem == "form"
