"""The documented pins: they fit together, and install into an environment of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import List

from packaging.requirements import Requirement

from rlobs_lint import sdk
from tests.checkout import skip_when_offline
from tests.linting import REQUIREMENTS
from tests.sdk.harness import Harness


def test_no_pin_contradicts_another(harness: Harness) -> None:
    contradictions: List[str] = []
    for name in sdk.PINS:
        for line in metadata.requires(name) or ():
            requirement = Requirement(line)
            pinned = sdk.PINS.get(requirement.name)
            if pinned is not None and not requirement.specifier.contains(pinned, prereleases=True):
                contradictions.append(f"{name} needs {line}")
    assert contradictions == []


def test_the_pins_install_together_into_a_fresh_environment(tmp_path: Path) -> None:
    skip_when_offline()
    requirements = tmp_path / "requirements.txt"
    requirements.write_text(REQUIREMENTS, encoding="utf-8")
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "fresh")], check=True)
    folder = "Scripts" if os.name == "nt" else "bin"
    python = str(tmp_path / "fresh" / folder / "python")
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, "-r", str(requirements)], check=True)
    subprocess.run([python, "-m", "pip", "check"], check=True, stdout=subprocess.DEVNULL)
    # Not `pip list`, which prints nothing where PIP_QUIET is set.
    script = "import sys; from importlib.metadata import version; print(*map(version, sys.argv[1:]))"
    installed = subprocess.run([python, "-c", script, *sdk.PINS], check=True, stdout=subprocess.PIPE)
    assert installed.stdout.decode().split() == list(sdk.PINS.values())
