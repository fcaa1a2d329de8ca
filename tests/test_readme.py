"""The READMEs: what they show is what the tool prints, and what they name is there.

`--update-fixtures` rewrites the outputs that they show.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Tuple

import pytest
import yaml

from rlobs_lint.cli.options import CHECK
from rlobs_lint.files.settings_file import FIELDS, check_table, parse
from rlobs_lint.report import FORMATS
from rlobs_lint.rulebook import registry
from rlobs_lint.rulebook.pages import FAMILIES
from tests.checkout import ROOT
from tests.conftest import BuildProject
from tests.linting import REQUIREMENTS, read_files

#: The READMEs by language.
FILES = {"en": "README.md", "zh": "README.zh-CN.md"}
LOCALES = {"en": "en_US.UTF-8", "zh": "zh_CN.UTF-8"}
EACH = pytest.mark.parametrize("language", FILES)
EXAMPLE = "fixtures/example/calculator_agent"
REPAIRED = "fixtures/example/clean_calculator_agent"
#: What is left to the author of the example after `--fix`.
BY_HAND = {
    'messages[-1].get("content") or ""': 'messages[-1].get("content") or "" if messages else ""',
    '"length": {"characters": len(content)}': '"answer_length": len(content)',
}
#: A rollout that calls a model.
CHAT = """\
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor
from openai import OpenAI


class Rollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        {line}
        answer = llm.chat.completions.create(model="m", messages=input.messages)
        return RolloutOutput(agent_output={{"messages": [answer.choices[0].message.model_dump()]}})
"""
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
#: Commands other than the tool's.
_OF_OTHERS = re.compile(r"`python [^`]+`")
_LINK = re.compile(r"\]\(([^)#:]+)\)")


class Session(NamedTuple):
    """A command that is shown, and what it is shown to print."""

    command: str
    output: str


def _text(language: str) -> str:
    return (ROOT / FILES[language]).read_text(encoding="utf-8")


def _blocks(text: str, kind: str) -> List[str]:
    return [match.group(2) for match in _BLOCK.finditer(text) if match.group(1) == kind]


def _sessions(text: str) -> Iterator[Session]:
    for block in _blocks(text, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            yield Session(*part.split("\n", 1))


def _copy_of_examples(folder: Path) -> Path:
    ignored = shutil.ignore_patterns(".rlobs_cache", "__pycache__")
    shutil.copytree(ROOT / "fixtures" / "example", folder / "fixtures" / "example", ignore=ignored)
    (folder / ".git").mkdir()
    return folder


def _run(command: str, folder: Path, language: str) -> str:
    """Runs a command as it is shown, and returns what it prints."""
    program, *arguments = shlex.split(command)
    assert program == "rlobs-lint"
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RLOBS_", "L"))}
    finished = subprocess.run(
        [sys.executable, "-m", "rlobs_lint", *arguments],
        cwd=folder,
        env={**kept, "LC_ALL": LOCALES[language]},
        capture_output=True,
        timeout=120,
    )
    assert not finished.stderr
    return finished.stdout.decode("utf-8")


class Shown(NamedTuple):
    """A README after its commands were run, one after the other.

    Attributes:
        text: What it says.
        folder: A copy of the examples, as the commands left it.
        runs: Each command, and what it printed.
    """

    text: str
    folder: Path
    runs: List[Tuple[Session, str]]


@pytest.fixture(params=FILES, scope="module")
def shown(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Shown:
    text = _text(request.param)
    folder = _copy_of_examples(tmp_path_factory.mktemp("readme"))
    runs = [(session, _run(session.command, folder, request.param)) for session in _sessions(text)]
    if request.config.getoption("--update-fixtures"):
        for session, output in runs:
            old = f"$ {session.command}\n{session.output}"
            text = text.replace(old, f"$ {session.command}\n{output}")
            (ROOT / FILES[request.param]).write_bytes(text.encode("utf-8"))
    return Shown(text, folder, runs)


def test_the_outputs_are_what_the_tool_prints(shown: Shown) -> None:
    assert len(shown.runs) >= 2
    for session, output in shown.runs:
        assert session.output == output, "python -m pytest tests/test_readme.py --update-fixtures"


def test_the_code_is_that_of_the_example_before_and_after(shown: Shown) -> None:
    before, after = _blocks(shown.text, "python")[:2]
    path = f"{EXAMPLE}/functions/rollout/rollout.py"
    assert before in (ROOT / path).read_text(encoding="utf-8")
    assert after in (shown.folder / path).read_text(encoding="utf-8")


def test_the_fixed_example_lacks_only_what_its_author_decides(shown: Shown) -> None:
    fixed = {
        name: content.decode("utf-8")
        for name, content in read_files(shown.folder / EXAMPLE).items()
        if name != "EXPECT" and not name.startswith(".rlobs_cache/")
    }
    reward = fixed["functions/reward/reward.py"]
    for old, new in BY_HAND.items():
        assert old in reward
        reward = reward.replace(old, new)
    fixed["functions/reward/reward.py"] = reward
    wanted: Dict[str, str] = {
        name: content.decode("utf-8")
        for name, content in read_files(ROOT / REPAIRED).items()
        if not name.startswith(".rlobs_cache/")
    }
    assert fixed == wanted


@EACH
def test_the_two_commands_are_those_that_the_checks_run(language: str) -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    commands = [part.strip() for block in _blocks(_text(language), "bash") for part in block.split("&&")]
    assert len(commands) == 4
    assert not [command for command in commands if command not in script]


@EACH
def test_the_table_has_every_family_with_its_codes(language: str) -> None:
    text = _text(language)
    for family, name in FAMILIES.items():
        codes = sorted(rule.code for rule in registry.all_rules() if rule.code.startswith(family))
        heading = name.zh if language == "zh" else name.en
        assert f"| {codes[0]}–{codes[-1]} | {heading} |" in text
        assert codes == [f"{family}{number:02}" for number in range(1, len(codes) + 1)]


@EACH
def test_the_settings_are_all_that_there_are(language: str) -> None:
    (block,) = _blocks(_text(language), "toml")
    table = parse(block, "README")["tool"]["rlobs-lint"]
    assert set(table) == set(FIELDS)
    assert set(check_table(table, "README")) == set(FIELDS.values())


@EACH
def test_the_suppressions_hide_what_they_are_said_to_hide(language: str, workspace: BuildProject) -> None:
    lines = _blocks(_text(language), "python")[2].splitlines()
    for line in [*lines, "llm = OpenAI()"]:
        code = CHAT.format(line=line if line.startswith("llm") else f"llm = OpenAI()\n        {line}")
        skipping = line == "# rlobs: skip-file"
        files = {"functions/p.py": f"{line}\n{code}" if skipping else code, "requirements.txt": REQUIREMENTS}
        assert workspace(files).lint().codes == (() if "#" in line else ("RLO201",))


@EACH
def test_the_variables_are_all_that_there_are(language: str) -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "rlobs_lint").rglob("*.py")]
    read = {name for source in sources for name in re.findall(r'"(RLOBS_[A-Z_]+)"', source)}
    assert set(re.findall(r"RLOBS_[A-Z_]+", _text(language))) == read


@EACH
def test_every_format_is_named_and_every_option_exists(language: str) -> None:
    text = _text(language)
    assert not [name for name in FORMATS if f"`{name}`" not in text]
    known = {name for parameter in CHECK for name in (*parameter.opts, *parameter.secondary_opts)}
    assert set(_OPTION.findall(_OF_OTHERS.sub("", text))) <= known


@EACH
def test_every_link_leads_to_a_file(language: str) -> None:
    targets = _LINK.findall(_text(language))
    assert targets
    assert not [target for target in targets if not (ROOT / target).exists()]


@EACH
def test_the_hook_is_the_one_that_is_offered(language: str) -> None:
    (block,) = _blocks(_text(language), "yaml")
    (hook,) = yaml.safe_load(block)["repos"][0]["hooks"]
    offered = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))[0]
    for key in ("id", "name", "entry", "files", "require_serial"):
        assert hook[key] == offered[key]


def test_both_say_the_same_with_code() -> None:
    kinds = ("bash", "yaml")
    assert [_blocks(_text("en"), kind) for kind in kinds] == [_blocks(_text("zh"), kind) for kind in kinds]
    headings = [re.findall(r"^#+ ", _text(language), re.MULTILINE) for language in FILES]
    assert headings[0] == headings[1]
    commands = [[session.command for session in _sessions(_text(language))] for language in FILES]
    assert commands[0] == commands[1]
