"""The linter over the SDK's own package: what it finds there, and that it is true."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.linting import REQUIREMENTS, Project, read_files
from tests.sdk.harness import Harness, Run
from tests.sdk.outcome import text
from tests.sdk.package import DEMOS, DEMOS_FOLDER, FINDINGS, Demo

BY_DEMO = pytest.mark.parametrize("demo", DEMOS, ids=lambda demo: demo.name)


@pytest.fixture
def package(harness: Harness) -> Path:
    """The folder of the installed SDK."""
    spec = find_spec("dashscope")
    assert spec is not None and spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0])


def test_the_findings_in_the_whole_package(package: Path) -> None:
    command = [sys.executable, "-m", "rlobs_lint", "check", "--isolated", "--no-cache"]
    done = subprocess.run(
        [*command, "--output-format", "json", str(package)], stdout=subprocess.PIPE, check=False, cwd=ROOT
    )
    assert done.returncode == 1
    found = json.loads(done.stdout)["findings"]
    places = {((ROOT / one["filename"]).resolve(), one["code"]) for one in found}
    assert len(found) == len(places)
    assert places == {((package / file).resolve(), code) for file, code in FINDINGS}


@BY_DEMO
def test_a_demo_processor_has_no_span_of_its_own(demo: Demo, harness: Harness, tmp_path: Path) -> None:
    module = f"dashscope.{DEMOS_FOLDER.replace('/', '.')}.{demo.module}"
    outcome = harness.run(tmp_path, Run(f"{module}.{demo.name}", demo.kind))
    assert text(outcome) == demo.broken


@BY_DEMO
def test_a_fixed_demo_processor_has_one(demo: Demo, harness: Harness, package: Path, tmp_path: Path) -> None:
    files = {f"functions/{name}": content for name, content in read_files(package / DEMOS_FOLDER).items()}
    project = Project(tmp_path).write({**files, "requirements.txt": REQUIREMENTS})
    command = [sys.executable, "-m", "rlobs_lint", "check", "--isolated", "--no-cache", "--fix"]
    subprocess.run([*command, str(project.root)], stdout=subprocess.DEVNULL, check=True, cwd=ROOT)
    outcome = harness.run(project.root, Run(f"functions.{demo.module}.{demo.name}", demo.kind))
    assert text(outcome) == demo.fixed
