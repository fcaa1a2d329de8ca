"""Codemods as commands of `python -m libcst.tool`, and what every codemod must have."""

from __future__ import annotations

import ast
import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import List

import pytest
from rlobs_lint.codemods._base import Codemod, codemod

from rlobs_lint import codemods, sdk
from tests.checkout import ROOT

FOLDER = Path(codemods.__path__[0])
NAMES = sorted(path.stem for path in FOLDER.glob("[a-z]*.py"))
EACH_NAME = pytest.mark.parametrize("name", NAMES)

BEFORE = (
    "from dashscope.finetune.reinforcement import AbstractRolloutProcessor\r\n\r\n\r\n"
    "class Rollout(AbstractRolloutProcessor):\r\n    def process(self, input):\r\n        return OpenAI()"
)
IMPORT = f"from {sdk.OBSERVABILITY} import observe_processor\r\n"
AFTER = BEFORE.replace("Processor\r\n", f"Processor\r\n{IMPORT}", 1).replace(
    "    def", "    @observe_processor\r\n    def"
)


def _tool(folder: Path, *arguments: str, text: str = "") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "libcst.tool", *arguments],
        cwd=folder,
        input=text.encode(),
        capture_output=True,
        timeout=120,
        check=True,
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "functions").mkdir()
    (tmp_path / "functions" / "rollout.py").write_bytes(BEFORE.encode())
    return tmp_path


def test_a_codemod_runs_in_any_project(project: Path) -> None:
    command = "rlobs_lint.codemods.add_observe_processor.AddObserveProcessor"
    _tool(project, "codemod", "-x", "--no-format", command, "functions")
    assert (project / "functions" / "rollout.py").read_bytes() == AFTER.encode()


def test_a_codemod_runs_with_the_settings_that_are_shipped(project: Path) -> None:
    shutil.copy(ROOT / ".libcst.codemod.yaml", project)
    generated = f"# @gen{''}erated\r\n"
    (project / "functions" / "rollout.py").write_bytes((generated + BEFORE).encode())
    _tool(project, "codemod", "add_observe_processor.AddObserveProcessor", "functions")
    assert (project / "functions" / "rollout.py").read_bytes() == (generated + AFTER).encode()


def test_a_codemod_reads_standard_input(project: Path) -> None:
    command = "rlobs_lint.codemods.add_observe_processor.AddObserveProcessor"
    unix = BEFORE.replace("\r", "")
    output = _tool(project, "codemod", "-x", "--no-format", command, "-", text=unix).stdout
    assert output.decode().rstrip("\n") == AFTER.replace("\r", "")


def test_the_tool_lists_every_codemod_with_its_description(project: Path) -> None:
    shutil.copy(ROOT / ".libcst.codemod.yaml", project)
    lines = _tool(project, "list").stdout.decode().splitlines()
    commands = [codemod(name) for name in NAMES]
    assert sorted(lines) == sorted(
        f"{name}.{command.__name__} - {command.DESCRIPTION}" for name, command in zip(NAMES, commands)
    )


@EACH_NAME
def test_a_file_holds_one_command_named_after_it(name: str) -> None:
    command = codemod(name)
    assert command.__name__ == "".join(word.title() for word in name.split("_"))
    assert command.kinds
    assert set(command.needs) <= set(sdk.EXPORTS)


@EACH_NAME
def test_a_description_is_one_sentence(name: str) -> None:
    description = codemod(name).DESCRIPTION
    assert description.endswith(".") and description.count(". ") == 0 and description[0].isupper()


@EACH_NAME
def test_a_file_says_what_its_targets_are(name: str) -> None:
    source = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    text = ast.get_docstring(ast.parse(source)) or ""
    assert text.splitlines()[0].endswith(".")
    assert "\nTarget: the span" in text
    asked = set(re.findall(r'parameter\("(\w+)"\)', source))
    asked |= {
        f"{place}_{end}"
        for place in re.findall(r'find\(editing, "(\w+)"', source)
        for end in ("start", "end")
    }
    documented = set(re.findall(r"`(\w+)`", text[text.index("Target:") :]))
    assert asked <= documented
    assert bool(asked) == ("No parameters" not in text)


def test_no_command_reaches_for_slow_conveniences() -> None:
    used: List[str] = []
    for path in FOLDER.glob("*.py"):
        source = path.read_text(encoding="utf-8")
        used += re.findall(
            r"AddImportsVisitor|RemoveImportsVisitor|MetadataWrapper|METADATA_DEPENDENCIES|matchers", source
        )
    assert used == []


def test_a_run_that_shows_fixes_imports_no_conveniences(project: Path) -> None:
    code = "import sys; from rlobs_lint.__main__ import main\ntry: main()\nexcept SystemExit: pass\n"
    code += "assert 'rlobs_lint.codemods._base' in sys.modules and 'libcst.codemod' not in sys.modules"
    options = ("--no-cache", "--isolated", "--output-format", "json", "functions")
    subprocess.run([sys.executable, "-c", code, *options], cwd=project, check=True, capture_output=True)


def test_the_base_is_no_command_by_itself() -> None:
    assert inspect.isabstract(Codemod)


def test_the_page_about_codemods_names_them_all() -> None:
    page = (ROOT / "docs" / "codemods.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `(\w+)\.(\w+)` \|", page, re.MULTILINE)
    assert sorted(named) == [(name, codemod(name).__name__) for name in NAMES]
