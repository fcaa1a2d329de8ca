"""The linter over the SDK's own code: what it finds there, and that it is true."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Dict

import pytest

from rlobs_lint.cli import commands
from tests.linting import REQUIREMENTS, Project, read_files
from tests.sdk.harness import Harness, Run
from tests.sdk.outcome import text
from tests.sdk.package import DEMOS, DEMOS_FOLDER, FINDINGS, PART, Demo

BY_DEMO = pytest.mark.parametrize("demo", DEMOS, ids=lambda demo: demo.name)


def _installed(folder: str) -> Dict[str, bytes]:
    """Returns the files of a folder of the installed SDK: copies, which have no workspace around them."""
    spec = find_spec("dashscope")
    assert spec is not None and spec.submodule_search_locations
    return read_files(Path(spec.submodule_search_locations[0]) / folder)


def test_the_findings_in_the_part_about_function_projects(harness: Harness, tmp_path: Path) -> None:
    files = {f"{PART}/{name}": content for name, content in _installed(PART).items()}
    places = Project(tmp_path).write(files).lint().places
    assert sorted((name, code) for name, _, code in places.elements()) == sorted(FINDINGS)


@BY_DEMO
def test_a_demo_processor_has_no_span_of_its_own(demo: Demo, harness: Harness, tmp_path: Path) -> None:
    module = f"dashscope.{DEMOS_FOLDER.replace('/', '.')}.{demo.module}"
    outcome = harness.run(tmp_path, Run(f"{module}.{demo.name}", demo.kind))
    assert text(outcome) == demo.broken


@pytest.fixture(scope="module")
def fixed_demos(harness: Harness, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of the demo processors, fixed."""
    files = {f"functions/{name}": content for name, content in _installed(DEMOS_FOLDER).items()}
    project = Project(tmp_path_factory.mktemp("demos")).write({**files, "requirements.txt": REQUIREMENTS})
    assert commands.run(["check", "--isolated", "--no-cache", "--quiet", "--fix", str(project.root)]) == 0
    return project.root


@BY_DEMO
def test_a_fixed_demo_processor_has_one(demo: Demo, harness: Harness, fixed_demos: Path) -> None:
    outcome = harness.run(fixed_demos, Run(f"functions.{demo.module}.{demo.name}", demo.kind))
    assert text(outcome) == demo.fixed
