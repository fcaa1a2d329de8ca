"""Correct projects, broken at a random place: the fault is found, and its fix brings the project back."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Dict, List, Mapping, Sequence

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rlobs_lint.checking.checked import Checked
from rlobs_lint.checking.engine import Engine
from rlobs_lint.fixes.fix import fix
from tests.fixes.correct_projects import CorrectProject, Element, projects
from tests.linting import Project

UNHURRIED = settings(
    max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def _check(folder: str, files: Mapping[str, bytes]) -> List[Checked]:
    return list(Project(Path(folder) / "project").write(dict(files)).lint().checked)


def _codes(checked: Sequence[Checked]) -> List[str]:
    return [finding.code for workspace in checked for finding in workspace.findings]


def _mended(project: CorrectProject, broken: Sequence[Element]) -> Dict[str, bytes]:
    """Returns all files of a project with some elements broken, after the faults were found and fixed."""
    files = project.build(broken)
    with tempfile.TemporaryDirectory() as folder:
        checked = _check(folder, files)
        assert set(_codes(checked)) == {element.code for element in broken}
        root = Path(folder) / "project"
        for workspace in checked:
            outcome = fix(Engine(use_cache=False), workspace)
            assert not outcome.kept_back
            for file in outcome.files:
                files[Path(file.path).relative_to(root).as_posix()] = file.data
    return files


@UNHURRIED
@given(projects())
def test_a_correct_project_is_clean(project: CorrectProject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert _codes(_check(folder, project.build())) == []


@UNHURRIED
@given(projects(), st.data())
def test_one_broken_element_is_mended(project: CorrectProject, data: st.DataObject) -> None:
    code = data.draw(st.sampled_from(sorted({element.code for element in project.elements})))
    element = data.draw(st.sampled_from([element for element in project.elements if element.code == code]))
    assert _mended(project, [element]) == project.build()
