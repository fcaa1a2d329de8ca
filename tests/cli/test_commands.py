"""The command line: what it prints where, in which language, and what it exits with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Dict, FrozenSet, Iterable, List, Optional, Sequence

import pytest

from rlobs_lint.checking.checked import Checked
from rlobs_lint.checking.engine import Engine
from rlobs_lint.cli.options import CHECK
from rlobs_lint.fixes import fix, write
from rlobs_lint.rulebook import registry
from rlobs_lint.version import __version__
from tests.command_line import Result, Tool
from tests.linting import PROCESSOR, REQUIREMENTS, Project

BROKEN = "def\n"
UNDECORATED = PROCESSOR.replace("    @observe_processor\n", "")
IDLE = "x = 1  # rlobs: ignore[RLO101]\n"


def _plain_environment() -> Dict[str, str]:
    """Returns this process's environment without the tool's own variables, in a plain locale."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RLOBS_")}
    return {**kept, "LC_ALL": "C.UTF-8"}


def run(
    *arguments: str, cwd: Path, stdin: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Runs the tool as users do, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "rlobs_lint", *arguments],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        timeout=120,
        env={**_plain_environment(), **environment},
    )


# --- exit status ----------------------------------------------------------------------------------


def test_nothing_found_is_0(tool: Tool) -> None:
    tool.project.write({"functions/p.py": PROCESSOR, "requirements.txt": REQUIREMENTS})
    assert tool("check") == Result(0, "Nothing found in 2 files.\n", "")


def test_findings_are_1_and_0_on_demand(tool: Tool) -> None:
    tool.project.write({"functions/x.py": BROKEN})
    assert tool().status == 1
    assert tool("--exit-zero").status == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["gone"],
        ["gone", "--output-format", "concise"],
        ["gone", "--fix"],
        ["gone", "--diff"],
        ["gone", "--statistics"],
        ["gone", "--show-files"],
        ["gone", "--show-settings"],
        ["gone", "--write-baseline", "base.json"],
        ["clean", "gone"],
    ],
    ids=str,
)
def test_where_no_path_is_there_nothing_else_is_said(tool: Tool, arguments: List[str]) -> None:
    assert tool(*arguments) == Result(2, "", "rlobs-lint: gone: there is no such file or folder\n")
    assert not Path("base.json").exists()


def test_a_missing_path_is_2_and_the_others_are_linted(tool: Tool) -> None:
    tool.project.write({"functions/x.py": BROKEN})
    result = tool("gone.py", "functions", "--exit-zero")
    assert result.status == 2
    assert result.err == "rlobs-lint: gone.py: there is no such file or folder\n"
    assert "RLO901" in result.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--foo"], "there is no option `--foo`"),
        (["--sellect", "RLO1"], "there is no option `--sellect`; did you mean `--select`?"),
        (["--select"], "`--select` needs a value"),
        (["--jobs", "many"], "--jobs: `many` is no whole number from 0"),
        (["--jobs", "-1"], "--jobs: `-1` is no whole number from 0"),
        (["--output-format", "xml"], "--output-format: `xml` is none of text, concise, json"),
        (["--select", "RLO999"], "--select: unknown rule `RLO999`; the nearest known one is `RLO"),
        (
            ["--ignore", "syntax-eror"],
            "--ignore: unknown rule `syntax-eror`; the nearest known one is `syntax-error`",
        ),
        (["--config", "gone.toml"], "--config: there is no file `gone.toml`"),
        (
            ["--config", "max-metric = 3"],
            "--config: unknown key `max-metric`; the nearest known one is `max-metrics`",
        ),
        (["--config", "max-metrics ="], "--config: it is not valid TOML"),
        (["-", "x.py"], "`-` cannot be combined with other paths"),
        (["--stdin-filename", "x.py"], "`--stdin-filename` needs the path `-`"),
        (["explain", "RLO9O1"], "there is no rule `RLO9O1`; the nearest is `RLO901`"),
        (["explain", "RLO901", "RLO902"], "there is an argument too many"),
        (["completion"], "an argument is missing: SHELL"),
        (["completion", "tcsh"], "`tcsh` is none of bash, zsh, fish"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_is_2_and_one_line_in_each_language(tool: Tool, arguments: List[str], says: str) -> None:
    tool.project.write({"functions/x.py": ""})
    result = tool(*arguments)
    assert (result.status, result.out) == (2, "")
    assert says in result.err
    assert result.err.startswith("rlobs-lint: ") and result.err.count("\n") == 1
    translated = tool(*arguments[:1], "--lang", "zh", *arguments[1:]) if arguments[0] == "explain" else None
    if translated is not None:
        assert translated.status == 2 and translated.err != result.err


def test_usage_errors_are_translated(tool: Tool) -> None:
    assert tool("--lang", "zh", "--foo").err == "rlobs-lint: 没有选项 `--foo`；是否想写 `--color`？\n"


def test_broken_settings_are_2_and_name_the_file(tool: Tool) -> None:
    tool.project.write({"functions/x.py": "", "pyproject.toml": "[tool.rlobs-lint]\nselct = []\n"})
    result = tool()
    assert (result.status, result.out) == (2, "")
    assert (
        result.err == "rlobs-lint: pyproject.toml: unknown key `selct`; the nearest known one is `select`\n"
    )


def test_a_mistake_in_a_rule_is_2_and_the_findings_are_printed(
    tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool.project.write({"functions/x.py": BROKEN})
    rule = registry.rule_of("RLO902")
    assert rule is not None

    def fail(*_: object) -> None:
        raise ZeroDivisionError("x")

    monkeypatch.setattr(type(rule), "check", fail)
    result = tool("--exit-zero", "--output-format", "json")
    assert result.status == 2
    assert (
        "RLO902 failed, which is a mistake of rlobs-lint; please report it: ZeroDivisionError: x"
        in result.err
    )
    assert [finding["code"] for finding in result.document["findings"]] == ["RLO901"]
    assert len(result.document["errors"]) == 1


def test_any_other_mistake_is_2_and_one_line(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("x")

    monkeypatch.setattr("rlobs_lint.cli.check.Check.run", fail)
    result = tool("functions")
    assert result == Result(
        2, "", "rlobs-lint: a mistake of rlobs-lint, please report it: ZeroDivisionError: x\n"
    )


@pytest.mark.parametrize(
    ("files", "arguments", "says"),
    [
        ({}, [], "there is nothing to lint here"),
        ({"README.md": ""}, ["README.md"], "README.md: not linted"),
        ({".gitignore": "*.py\n", "x.py": ""}, [], "there is nothing to lint here (1 ignored by git)"),
        ({"venv/x.py": ""}, [], "there is nothing to lint here (1 left out by `exclude`)"),
        ({".x/x.py": ""}, [], "there is nothing to lint here (1 hidden)"),
        ({"e/pyvenv.cfg": "", "e/x.py": ""}, [], "(1 a virtual environment)"),
        ({"venv/x.py": ""}, ["--force-exclude", "venv/x.py"], "(1 left out by `exclude`)"),
    ],
    ids=str,
)
def test_no_file_to_lint_is_0_with_a_reason(
    tool: Tool, files: Dict[str, str], arguments: List[str], says: str
) -> None:
    tool.project.write(files)
    result = tool(*arguments)
    assert (result.status, result.out) == (0, "Nothing found in 0 files.\n")
    assert says in result.err


# --- paths and input ------------------------------------------------------------------------------


def test_without_a_path_functions_is_checked_else_the_working_directory(tool: Tool) -> None:
    tool.project.write({"x.py": BROKEN})
    assert "x.py:1:" in tool("--output-format", "concise").out
    tool.project.write({"functions/y.py": BROKEN})
    assert "functions/y.py:1:" in tool("--output-format", "concise").out
    assert "x.py" not in tool("--output-format", "concise").out


def test_file_names_are_relative_to_the_working_directory(
    tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool.project.write({"a/functions/x.py": BROKEN, "b/c/d": ""})
    monkeypatch.chdir(tool.project.root / "b" / "c")
    assert (
        tool("../../a", "--output-format", "json").document["findings"][0]["filename"]
        == "../../a/functions/x.py"
    )


def test_a_command_before_a_path_of_its_name(tool: Tool) -> None:
    tool.project.write({"rules/x.py": BROKEN})
    assert tool("./rules").status == 1
    assert tool("check", "rules").status == 1
    assert tool("rules").status == 0


def test_options_of_check_may_stand_before_a_command_that_has_them(tool: Tool) -> None:
    tool.project.write({"functions/x.py": BROKEN, "explain/x.py": BROKEN})
    for front in (["--lang", "zh"], ["--lang=zh"]):
        assert "## 作用" in tool(*front, "explain", "RLO101").out
        assert tool(*front, "rules").out == tool("rules", "--lang", "zh").out
        assert "无法解析该文件" in tool(*front, "check").out
        assert "无法解析该文件" in tool(*front, "functions").out
        assert tool(*front, "-V").out == f"rlobs-lint {__version__}\n"
        assert "退出状态" in tool(*front, "--help").out
        assert tool(*front, "clean").status == tool(*front, "completion", "bash").status == 0
        assert tool(*front, "--exit-zero", "check").status == 0
    assert tool("--output-format", "json", "rules").document
    assert tool("--select", "rules").status == 2, "what an option needs is no command"
    assert tool("--exit-zero", "--", "explain").status == 0
    for front in (["--fix"], ["--lang", "en", "--select", "RLO1"], ["--no-respect-gitignore"]):
        result = tool(*front, "explain", "RLO101")
        option = front[-2] if "RLO1" in front else front[0]
        assert result == Result(
            2,
            "",
            f"rlobs-lint: `explain` has no option `{option}`; a path of that name is checked with "
            "`rlobs-lint check explain`\n",
        )


@pytest.mark.parametrize(
    ("arguments", "stdin", "status", "out"),
    [
        ([], b"def\n", 1, b"x.py:1:4: RLO901"),
        ([], b"x = 1\n", 0, b"Nothing found"),
        (["--fix"], b"def\r\n", 1, b"def\r\n"),
        (["--fix"], b"\xef\xbb\xbfx = 1", 0, b"\xef\xbb\xbfx = 1"),
        (["--fix"], b"x = 1  # rlobs: ignore[RLO101]\r\n", 0, b"x = 1\r\n"),
        (["--diff"], b"x = 1  # rlobs: ignore[RLO101]\n", 1, b"--- functions/x.py"),
        (["--diff"], b"x = 1\n", 0, b""),
    ],
)
def test_standard_input(tmp_path: Path, arguments: List[str], stdin: bytes, status: int, out: bytes) -> None:
    project = Project(tmp_path).write({"functions/x.py": "y = 2\n"})
    given = [*arguments, "-", "--stdin-filename", "functions/x.py", "--output-format", "concise"]
    result = run(*given, cwd=project.root, stdin=stdin)
    assert result.returncode == status, result.stderr
    if "--fix" in arguments:
        assert result.stdout == out
        assert (b"RLO901" in result.stderr) == (status == 1)
    else:
        assert out in result.stdout and bool(out) == bool(result.stdout)
    assert (project.root / "functions" / "x.py").read_text() == "y = 2\n"


def test_standard_input_stands_in_for_its_file_in_the_workspace(tmp_path: Path) -> None:
    project = Project(tmp_path).write({"functions/base.py": PROCESSOR, "requirements.txt": REQUIREMENTS})
    derived = (
        "from functions.base import Processor\n\n\n"
        "class P(Processor):\n    async def process(self, input):\n        return 1\n"
    )
    result = run(
        "-",
        "--stdin-filename",
        "functions/new.py",
        "--output-format",
        "concise",
        cwd=project.root,
        stdin=derived.encode(),
    )
    assert b"functions/new.py:5:" in result.stdout and b"RLO101" in result.stdout


# --- fixes ----------------------------------------------------------------------------------------


def test_fixes_are_written_and_what_remains_is_printed(tool: Tool) -> None:
    tool.project.write({"functions/x.py": IDLE, "functions/y.py": BROKEN})
    result = tool("--fix", "--show-fixes", "--output-format", "concise")
    assert (tool.project.root / "functions" / "x.py").read_text() == "x = 1\n"
    assert result.status == 1
    assert result.out.splitlines() == [
        "functions/y.py:1:4: RLO901 This file cannot be parsed: invalid syntax",
        "Fixed 1 finding.",
        "- functions/x.py:",
        "    1 × RLO903 (unused-suppression)",
        "Found 1 error and 0 warnings in 2 files.",
    ]


def test_what_was_fixed_is_0_unless_it_should_be_1(tool: Tool) -> None:
    tool.project.write({"functions/x.py": IDLE})
    assert tool("--fix", "--exit-non-zero-on-fix").status == 1
    assert tool("--fix", "--exit-non-zero-on-fix").status == 0
    tool.project.write({"functions/x.py": IDLE})
    assert tool("--fix").status == 0


def test_a_diff_writes_nothing(tool: Tool) -> None:
    tool.project.write({"functions/x.py": IDLE, "functions/y.py": BROKEN})
    result = tool("--diff")
    assert result.status == 1
    assert result.out == (
        "--- functions/x.py\n+++ functions/x.py\n@@ -1 +1 @@\n-x = 1  # rlobs: ignore[RLO101]\n+x = 1\n"
    )
    assert (tool.project.root / "functions" / "x.py").read_text() == IDLE
    tool.project.write({"functions/x.py": "x = 1\n"})
    assert tool("--diff").status == 0


def test_a_file_that_changed_meanwhile_is_left_alone_and_told(
    tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool.project.write({"functions/x.py": IDLE})
    original = write.write

    def write_late(
        files: Sequence[fix.ChangedFile], root: str, together: Iterable[FrozenSet[str]]
    ) -> write.Written:
        tool.project.write({"functions/x.py": IDLE + "y = 2\n"})
        return original(files, root)

    monkeypatch.setattr(write, "write", write_late)
    result = tool("--fix", "--output-format", "concise")
    assert result.status == 2
    assert result.err == "rlobs-lint: functions/x.py: left as it was: it has changed since it was read\n"
    assert (tool.project.root / "functions/x.py").read_text() == IDLE + "y = 2\n"
    assert "functions/x.py:1:8: RLO903" in result.out, "what could not be mended is still there"
    assert "Fixed" not in result.out


def test_a_fix_that_is_kept_back_is_2_and_names_the_rules(
    tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool.project.write({"functions/x.py": IDLE})
    path = str(tool.project.root / "functions/x.py")

    def keep_back(engine: Engine, checked: Checked, *, unsafe: bool) -> fix.Fixed:
        return fix.Fixed(checked, (), (), (fix.KeptBack(path, ("RLO101", "RLO903"), "it does not parse"),))

    monkeypatch.setattr(fix, "fix", keep_back)
    for option in ("--fix", "--diff"):
        result = tool(option, "--exit-zero")
        assert result.status == 2
        assert result.err == (
            "rlobs-lint: functions/x.py: left as it was, since the fixes of RLO101, RLO903 "
            "did not pass the check before writing: it does not parse\n"
        )


# --- output ---------------------------------------------------------------------------------------


def test_output_goes_to_files(tool: Tool) -> None:
    tool.project.write({"functions/x.py": BROKEN})
    result = tool("--output-file", "a.txt", "--output-file", "json:b.json", "--output-format", "concise")
    assert result.out == ""
    assert "RLO901" in Path("a.txt").read_text()
    assert json.loads(Path("b.json").read_text())["findings"][0]["code"] == "RLO901"
    result = tool("--output-file", "json:b.json", "--output-format", "concise")
    assert "RLO901" in result.out, "another format leaves standard output its own"


def test_an_output_file_that_cannot_be_written_is_2(tool: Tool) -> None:
    tool.project.write({"functions/x.py": ""})
    result = tool("--output-file", "no/such/folder.txt")
    assert result.status == 2
    assert "no/such/folder.txt: it cannot be written" in result.err


def test_quiet_prints_findings_only(tool: Tool) -> None:
    tool.project.write({"functions/x.py": BROKEN})
    result = tool("-q", "--output-format", "concise", "functions", "functions/x.md")
    assert result.out.count("\n") == 1
    assert tool("-q", "--select", "RLO902").out == ""


@pytest.mark.parametrize("arguments", [["--foo"], ["--select", "RLO999"], ["--config", "x"]])
def test_json_stays_a_document_on_wrong_usage(tool: Tool, arguments: Sequence[str]) -> None:
    result = tool("--output-format", "json", *arguments)
    assert result.status == 2
    assert (result.document["version"], result.document["findings"]) == (1, [])
    assert result.document["errors"][0] in result.err


def test_the_list_of_files_is_what_is_reported_on(tool: Tool) -> None:
    tool.project.write({"functions/a/x.py": "", "functions/y.py": "", "run.py": "", "requirements.txt": ""})
    assert tool("--show-files", "functions/a").out.splitlines() == ["functions/a/x.py", "requirements.txt"]


def test_the_settings_that_hold_are_toml(tool: Tool) -> None:
    tool.project.write(
        {"functions/x.py": "", "rlobs-lint.toml": "max-metrics = 3\nper-file-ignores = {'x' = ['RLO9']}\n"}
    )
    out = tool("--show-settings", "--config", "lang = 'zh'").out
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    values = tomllib.loads(out)
    assert (values["max-metrics"], values["per-file-ignores"], values["lang"]) == (3, {"x": ["RLO9"]}, "zh")


def test_statistics(tool: Tool) -> None:
    tool.project.write({"functions/x.py": BROKEN, "functions/y.py": IDLE + IDLE})
    result = tool("--statistics")
    assert result.status == 1
    assert result.out == "2  RLO903  [*]  unused-suppression\n1  RLO901  [ ]  syntax-error\n"
    assert tool("--statistics", "--output-format", "json").document[0] == {
        "code": "RLO903", "name": "unused-suppression", "count": 2, "fixable": True, "fixable_count": 2,
    }  # fmt: skip


# --- language, environment, colours ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("environment", "arguments", "chinese"),
    [
        ({}, [], False),
        ({"LANG": "zh_CN.UTF-8"}, [], True),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, [], False),
        ({"LC_ALL": "", "LC_MESSAGES": "zh_TW"}, [], True),
        ({"LANG": "zh_CN", "RLOBS_LANG": "en"}, [], False),
        ({"RLOBS_LANG": "zh"}, [], True),
        ({"RLOBS_LANG": "zh"}, ["--lang", "en"], False),
        ({"RLOBS_LANG": "zh"}, ["--output-format", "json"], False),
        ({}, ["--lang", "zh", "--output-format", "json"], True),
        ({}, ["--config", "lang = 'zh'"], True),
        ({"RLOBS_LANG": "en"}, ["--config", "lang = 'zh'"], False),
        ({"RLOBS_LANG": ""}, ["--config", "lang = 'zh'"], True),
    ],
    ids=str,
)
def test_the_language_of_findings(
    tool: Tool,
    monkeypatch: pytest.MonkeyPatch,
    environment: Dict[str, str],
    arguments: List[str],
    chinese: bool,
) -> None:
    tool.project.write({"functions/x.py": BROKEN})
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    out = tool(*arguments).out
    message = json.loads(out)["findings"][0]["message"] if "json" in arguments else out
    assert ("无法解析该文件" in message) == chinese


def test_the_language_of_what_is_said_about_rules(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    tool.project.write({"pyproject.toml": "[tool.rlobs-lint]\nlang = 'zh'\n", "functions/x.py": ""})
    english, chinese = (tool("rules", "--lang", language).out for language in ("en", "zh"))
    assert tool("rules").out == tool("explain").out == chinese
    assert "## 作用" in tool("explain", "RLO101").out
    assert tool("rules", "--output-format", "json").document[0]["explanation"].startswith("## What")
    monkeypatch.chdir(tool.project.root / "functions")
    assert tool("rules").out == chinese
    monkeypatch.setenv("RLOBS_LANG", "en")
    assert tool("rules").out == english
    monkeypatch.delenv("RLOBS_LANG")
    monkeypatch.setenv("RLOBS_CONFIG", "lang = 'en'")
    assert tool("rules").out == english
    monkeypatch.delenv("RLOBS_CONFIG")
    tool.project.write({"pyproject.toml": "[tool.rlobs-lint]\nlang = 'fr'\n"})
    assert tool("rules").out == english, "broken settings are no reason to say nothing"


def test_variables_stand_in_for_options(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    tool.project.write({"functions/x.py": BROKEN, "strict.toml": "select = ['RLO902']\n"})
    monkeypatch.setenv("RLOBS_OUTPUT_FORMAT", "json")
    assert tool().document["findings"]
    assert "version" not in tool("--output-format", "concise").out
    monkeypatch.setenv("RLOBS_CONFIG", "strict.toml")
    assert tool().document["findings"] == []
    assert tool("--isolated").document["findings"]
    monkeypatch.setenv("RLOBS_OUTPUT_FILE", "out file.json")
    assert tool().out == "" and json.loads(Path("out file.json").read_text())["version"] == 1
    monkeypatch.setenv("RLOBS_OUTPUT_FORMAT", "")
    monkeypatch.setenv("RLOBS_OUTPUT_FILE", "")
    monkeypatch.setenv("RLOBS_CONFIG", "")
    assert "RLO901" in tool().out


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("RLOBS_OUTPUT_FORMAT", "xml", "RLOBS_OUTPUT_FORMAT: `xml` is none of"),
        ("RLOBS_NO_CACHE", "maybe", "RLOBS_NO_CACHE: `maybe` is neither true nor false"),
    ],
)
def test_wrong_variables_are_named(
    tool: Tool, monkeypatch: pytest.MonkeyPatch, name: str, value: str, says: str
) -> None:
    monkeypatch.setenv(name, value)
    result = tool()
    assert result.status == 2 and says in result.err


@pytest.mark.parametrize(
    ("environment", "option", "coloured"),
    [
        ({}, None, False),
        ({"FORCE_COLOR": "1"}, None, True),
        ({"CLICOLOR_FORCE": "1"}, None, True),
        ({"FORCE_COLOR": "0"}, None, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, None, False),
        ({"NO_COLOR": "1"}, "always", True),
        ({"FORCE_COLOR": "1"}, "never", False),
        ({}, "auto", False),
    ],
    ids=str,
)
def test_colours(
    tool: Tool,
    monkeypatch: pytest.MonkeyPatch,
    environment: Dict[str, str],
    option: Optional[str],
    coloured: bool,
) -> None:
    tool.project.write({"functions/x.py": BROKEN})
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[" in tool(*(["--color", option] if option else [])).out) == coloured


# --- other commands -------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [["--version"], ["-V"]])
def test_version(tool: Tool, arguments: List[str]) -> None:
    assert tool(*arguments) == Result(0, f"rlobs-lint {__version__}\n", "")


@pytest.mark.parametrize(("language", "says"), [("en", "Exit status"), ("zh", "退出状态")])
def test_help_has_the_exit_statuses_and_every_option(tool: Tool, language: str, says: str) -> None:
    result = tool("check", "--lang", language, "--help")
    assert result.status == 0
    assert says in result.out
    for option in CHECK:
        assert option.param_type_name == "argument" or option.opts[-1] in result.out
    whole = tool("--lang", language, "--help").out
    assert "130" in whole
    for option in CHECK:
        assert option.param_type_name == "argument" or option.opts[-1] in whole


def test_every_option_is_explained_in_both_languages() -> None:
    for option in CHECK:
        text = getattr(option, "text", None)
        assert option.param_type_name == "argument" or (text.en and text.zh and text.en != text.zh)


@pytest.mark.parametrize("command", ["explain", "rule"])
def test_a_rule_is_explained_by_code_and_by_name(tool: Tool, command: str) -> None:
    by_code, by_name = tool(command, "rlo901"), tool(command, "syntax-error")
    assert by_code == by_name
    assert by_code.status == 0
    for words in (
        "# syntax-error (RLO901)",
        "## What it does",
        "## Example",
        "## Use instead",
        "## Source",
        "docs/rules/",
    ):
        assert words in by_code.out
    assert "## 作用" in tool(command, "RLO901", "--lang", "zh").out


def test_rules_are_listed_as_table_and_as_json(tool: Tool) -> None:
    rules = registry.all_rules()
    lines = tool("rules").out.splitlines()
    assert [line.split()[0] for line in lines] == [rule.code for rule in rules]
    assert tool("explain").out.splitlines() == lines
    records = tool("rules", "--output-format", "json").document
    assert [record["name"] for record in records] == [rule.name for rule in rules]
    for record in records:
        assert set(record) >= {"code", "name", "severity", "fix", "summary", "explanation", "source", "url"}
        assert all(record.values())
    assert tool("explain", "RLO903", "--output-format", "json").document["fix"] == "safe"


def test_the_cache_is_kept_and_cleaned(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RLOBS_NO_CACHE")
    tool.project.write({"a/functions/x.py": "x = 1\n", "b/functions/x.py": "x = 1\n"})
    tool("a", "b")
    assert Path("a/.rlobs_cache").is_dir() and Path("b/.rlobs_cache").is_dir()
    assert tool("clean").status == 0
    assert not Path("a/.rlobs_cache").exists() and not Path("b/.rlobs_cache").exists()
    tool("a", "--cache-dir", "elsewhere")
    assert Path("elsewhere/tmp").is_dir() and not Path("a/.rlobs_cache").exists()
    monkeypatch.setenv("RLOBS_CACHE_DIR", "elsewhere")
    assert tool("clean").status == 0
    assert not Path("elsewhere").exists()
    tool("a", "--no-cache")
    assert not Path("elsewhere").exists()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(tool: Tool, shell: str) -> None:
    result = tool("completion", shell)
    assert result.status == 0
    assert "_RLOBS_LINT_COMPLETE" in result.out


def test_completion_offers_commands_and_options_of_the_implied_one(tmp_path: Path) -> None:
    def complete(words: str, number: int) -> List[str]:
        result = run(
            cwd=tmp_path, _RLOBS_LINT_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=str(number)
        )
        return [line.split(",")[1] for line in result.stdout.decode().splitlines()]

    assert "explain" in complete("rlobs-lint e", 1)
    assert complete("rlobs-lint --sel", 1) == ["--select"]
    assert complete("rlobs-lint --output-format j", 2) == ["json"]


# --- as a process ---------------------------------------------------------------------------------


LIBRARIES = ("codemods", "click", "yaml", "libcst", "pathspec", "packaging", "tomli", "typing_extensions")
STANDARD = ("json", "typing", "tomllib", "hashlib", "subprocess", "tokenize", "difflib", "sitecustomize")


@pytest.mark.parametrize(
    ("names", "environment"),
    [
        ((*LIBRARIES, *STANDARD), {}),
        (LIBRARIES, {"PYTHONPATH": "."}),
        (LIBRARIES, {"PYTHONPATH": "functions:"}),
    ],
    ids=["plain", "on the path", "on the path by mistake"],
)
def test_nothing_of_the_linted_folder_is_imported(
    tmp_path: Path, names: Sequence[str], environment: Dict[str, str]
) -> None:
    trap = "raise SystemExit('imported from the linted folder')\n"
    files = {
        **{f"{folder}{name}/__init__.py": trap for name in names for folder in ("", "functions/")},
        "functions/__init__.py": trap,
        "functions/p.py": UNDECORATED + trap,
        "functions/long.py": "x = " + " + ".join(["a"] * 1100) + "\n",
        "pyproject.toml": "[tool.rlobs-lint]\nextend-exclude = ['x']\n",
        "job.yaml": "functions:\n- type: rollout\n  fcmodel: {classpath: functions.p.Processor}\n",
        "requirements.txt": REQUIREMENTS + "odd >= 1, < 2 ; extra == 'x'\n",
    }
    project = Project(tmp_path).write(files)
    # `long.py` is scanned by another process.
    for arguments in (["--output-format", "json", "--jobs", "2"], ["--diff"]):
        result = run(*arguments, "--no-cache", "functions", cwd=project.root, **environment)
        assert b"linted folder" not in result.stderr + result.stdout[:100]
        assert result.returncode == 1, result.stderr


def test_an_unchanged_workspace_is_checked_without_the_parser(tmp_path: Path) -> None:
    project = Project(tmp_path).write({"functions/p.py": UNDECORATED, "requirements.txt": REQUIREMENTS})
    code = (
        "import sys\n"
        "from rlobs_lint.cli import commands\n"
        "for name in ('text', 'concise', 'json'):\n"
        "    status = commands.run(['--output-format', name, 'functions'])\n"
        "    print(status, 'libcst' in sys.modules, 'yaml' in sys.modules, 'packaging' in sys.modules)\n"
    )

    def run_once() -> List[bytes]:
        command = [sys.executable, "-c", code]
        return subprocess.run(command, cwd=project.root, capture_output=True, timeout=60).stdout.splitlines()

    first = run_once()
    assert [line for line in first if line.startswith(b"1 ")] == [b"1 True False False"] * 3
    assert run_once() == [line.replace(b"1 True", b"1 False") for line in first]
    project.write({"functions/p.py": UNDECORATED + "\n"})
    assert run_once()[-1] == b"1 True False False"


def test_nothing_heavy_is_imported_for_the_version(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from rlobs_lint.cli import commands\n"
        "commands.run(['--version'])\n"
        "heavy = {'libcst', 'yaml', 'packaging', 'pathspec', 'rlobs_lint.checking', 'rlobs_lint.facts'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, timeout=60)
    assert result.stdout.splitlines()[-1] == b"[]"


def test_a_closed_pipe_is_quiet(tmp_path: Path) -> None:
    project = Project(tmp_path).write({f"functions/x{index}.py": BROKEN for index in range(200)})
    process = subprocess.Popen(
        [sys.executable, "-m", "rlobs_lint", "--no-cache"],
        cwd=project.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize(
    "arguments",
    [
        ["functions"],
        ["--output-format", "json", "functions"],
        ["--diff", "functions"],
        ["rules"],
        ["explain", "RLO101"],
        ["--help"],
        ["--version"],
        ["completion", "bash"],
    ],
)
def test_output_that_cannot_be_written_is_2_and_one_line(tmp_path: Path, arguments: List[str]) -> None:
    Project(tmp_path).write({"requirements.txt": REQUIREMENTS, "functions/a.py": UNDECORATED})
    command = [sys.executable, "-m", "rlobs_lint", *arguments]
    environment = {**_plain_environment(), "RLOBS_NO_CACHE": "1"}
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, check=False, env=environment
        )
    said = done.stderr.decode()
    assert done.returncode == 2
    assert said.startswith("rlobs-lint: the output cannot be written: ") and said.count("\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_what_cannot_be_told_is_still_in_the_status(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "rlobs_lint", "missing"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=full, check=False)
    assert done.returncode == 2


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
@pytest.mark.parametrize(
    ("rest", "status", "says"),
    [
        ("functions >&-", 1, b""),
        ("functions >&- 2>&-", 1, b""),
        ("--version >&-", 0, b""),
        ("- <&-", 2, b"rlobs-lint: standard input is closed\n"),
    ],
)
def test_streams_may_be_closed(tmp_path: Path, rest: str, status: int, says: bytes) -> None:
    Project(tmp_path).write({"requirements.txt": REQUIREMENTS, "functions/a.py": UNDECORATED})
    command = f'"{sys.executable}" -m rlobs_lint {rest}'
    environment = {**_plain_environment(), "RLOBS_NO_CACHE": "1"}
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd=tmp_path, capture_output=True, check=False, env=environment
    )
    assert (done.returncode, done.stderr) == (status, says)


def test_an_interrupt_is_130_and_ends_the_other_processes(tmp_path: Path) -> None:
    slow = "x = " + "lambda: " * 20_000 + "1\n"
    project = Project(tmp_path).write({"functions/x.py": slow})
    run = (
        "import runpy, signal\n"
        # Whoever starts the tests in the background has them ignore it.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "runpy.run_module('rlobs_lint', run_name='__main__', alter_sys=True)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", run, "--no-cache"],
        cwd=project.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not children.exists():
        pytest.skip("the system does not tell about children")
    deadline = time.monotonic() + 60
    running: List[int] = []
    while not running and time.monotonic() < deadline:
        tasks = Path(f"/proc/{process.pid}/task").glob("*/children")
        running = [int(child) for task in tasks for child in task.read_text().split()]
        time.sleep(0.05)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, b"", b"")
    # Left to itself, the other process would compute for another 20 seconds.
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{child}").exists() for child in running) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert running and not any(Path(f"/proc/{child}").exists() for child in running)


def test_odd_names_and_lines_are_printed_harmlessly(tool: Tool) -> None:
    tool.project.write({"functions/\x1b[31m\n.py": "x = '\x1b[2J' +\n"})
    for name in ("text", "concise"):
        out = tool("--output-format", name).out
        assert "\x1b" not in out
        assert "functions/\\x1b[31m\\n.py:1:" in out
    assert tool("--output-format", "json").document["findings"][0]["filename"] == "functions/\x1b[31m\n.py"


def test_output_that_the_locale_cannot_express_is_printed_all_the_same(tmp_path: Path) -> None:
    project = Project(tmp_path).write({"functions/观测.py": BROKEN})
    result = run("--lang", "zh", cwd=project.root, LC_ALL="C", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert "无法解析该文件".encode() in result.stdout
