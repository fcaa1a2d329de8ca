"""Fixes of files that are written in unusual ways: what is not edited stays, byte for byte."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, List, Optional

import pytest

from rlobs_lint import sdk
from rlobs_lint.checking.engine import Engine
from rlobs_lint.cli import commands
from rlobs_lint.fixes.fix import fix, with_edits
from tests.linting import REQUIREMENTS, Project, read_files

IMPORTS = "from dashscope.finetune.reinforcement import AbstractRolloutProcessor\n"
ADDED = f"from {sdk.OBSERVABILITY} import observe_processor\n"


def _fixed(folder: Path, code: bytes) -> Optional[bytes]:
    """Returns what the fixes make of a processor's file; `None` where they leave it alone."""
    project = Project(folder).write({"functions/rollout.py": code, "requirements.txt": REQUIREMENTS})
    (checked,) = project.lint().checked
    outcome = fix(Engine(use_cache=False), checked)
    assert not outcome.kept_back
    changed = [file.data for file in outcome.files]
    assert len(changed) < 2
    return changed[0] if changed else None


def _class(body: str, name: str = "Rollout") -> str:
    return f"class {name}(AbstractRolloutProcessor):\n{body}"


PROCESS = "    async def process(self, input):\n        return input\n"
DECORATED = f"    @observe_processor\n{PROCESS}"


@pytest.mark.parametrize("encoding", ["gbk", "latin-1", "cp1252", "utf-8"])
@pytest.mark.parametrize("shebang", ["", "#!/usr/bin/env python\n"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_encoding_of_the_cookie_is_kept(
    encoding: str, shebang: str, newline: str, tmp_path: Path
) -> None:
    words = "# 处理器\n" if encoding in ("gbk", "utf-8") else "# Gr\u00fc\u00dfe\n"
    cookie = f"{shebang}# -*- coding: {encoding} -*-\n"
    before = f"{cookie}{IMPORTS}\n\n{words}{_class(PROCESS)}".replace("\n", newline)
    after = f"{cookie}{IMPORTS}{ADDED}\n\n{words}{_class(DECORATED)}".replace("\n", newline)
    assert _fixed(tmp_path, before.encode(encoding)) == after.encode(encoding)


def test_a_cookie_in_the_third_line_is_none(tmp_path: Path) -> None:
    before = f"\n\n# coding: latin-1\n{IMPORTS}\n\n# 处理器\n{_class(PROCESS)}"
    after = f"\n\n# coding: latin-1\n{IMPORTS}{ADDED}\n\n# 处理器\n{_class(DECORATED)}"
    assert _fixed(tmp_path, before.encode()) == after.encode()


def test_a_mark_a_cookie_and_windows_line_ends_together(tmp_path: Path) -> None:
    before = f"# coding: utf-8\n{IMPORTS}\n\n{_class(PROCESS)}".replace("\n", "\r\n")[:-2]
    after = f"# coding: utf-8\n{IMPORTS}{ADDED}\n\n{_class(DECORATED)}".replace("\n", "\r\n")[:-2]
    assert _fixed(tmp_path, b"\xef\xbb\xbf" + before.encode()) == b"\xef\xbb\xbf" + after.encode()


def test_a_new_line_ends_as_its_neighbour_does(tmp_path: Path) -> None:
    before = f"{IMPORTS}\n\n".replace("\n", "\r\n") + _class(PROCESS)
    after = f"{IMPORTS}{ADDED}\n\n".replace("\n", "\r\n") + _class(DECORATED)
    assert _fixed(tmp_path, before.encode()) == after.encode()
    mirrored = f"{IMPORTS}\n\n" + _class(PROCESS).replace("\n", "\r\n")
    wanted = f"{IMPORTS}{ADDED}\n\n" + _class(DECORATED).replace("\n", "\r\n")
    assert _fixed(tmp_path, mirrored.encode()) == wanted.encode()


def test_lone_carriage_returns_are_not_touched(tmp_path: Path) -> None:
    code = f"{IMPORTS}\n\n{_class(PROCESS)}".replace("\n", "\r")
    assert _fixed(tmp_path, code.encode()) is None
    (checked,) = Project(tmp_path).lint().checked
    reasons = [finding.unfixable.en for finding in with_edits(checked).findings if finding.unfixable]
    assert reasons == ["the file has lone carriage returns as line ends"]


@pytest.mark.parametrize("odd", ["\u2028", "\u2029", "\x0b", "\x0c", "\x1c", "\x85"])
def test_characters_that_are_no_line_ends_count_as_none(odd: str, tmp_path: Path) -> None:
    string = f"TEXT = '{odd}'  # {odd}\n"
    before = f"{IMPORTS}{string}\n\n{_class(PROCESS)}"
    after = f"{IMPORTS}{ADDED}{string}\n\n{_class(DECORATED)}"
    assert _fixed(tmp_path, before.encode()) == after.encode()


FORM_FEEDS = {
    "between classes": (f"\f\n{_class(PROCESS)}", f"\f\n{_class(DECORATED)}"),
    "at the class": (f"\f{_class(PROCESS)}", f"\f{_class(DECORATED)}"),
    "in front of the method": (_class(f"\f{PROCESS}"), _class(f"    @observe_processor\n\f{PROCESS}")),
    "in front of a semicolon": (f"x = 1\f; y = 2\n{_class(PROCESS)}", f"x = 1\f; y = 2\n{_class(DECORATED)}"),
    "in an empty line of the body": (
        _class(f"    x = 1\n\f\n{PROCESS}"),
        _class(f"    x = 1\n\f\n{DECORATED}"),
    ),
}


@pytest.mark.parametrize("place", FORM_FEEDS)
def test_form_feeds_stay(place: str, tmp_path: Path) -> None:
    before, after = FORM_FEEDS[place]
    assert _fixed(tmp_path, f"{IMPORTS}\n{before}".encode()) == f"{IMPORTS}{ADDED}\n{after}".encode()


@pytest.mark.parametrize(
    "syntax",
    [
        "type Number = int\n",
        "TEXT = f'{f'{1}'}'\n",
        "try:\n    pass\nexcept A, B:\n    pass\n",
        "TEXT = t'{1}'\n",
        "def first[T](items: list[T]) -> T:\n    return items[0]\n",
    ],
)
def test_syntax_newer_than_the_interpreter_is_no_hindrance(syntax: str, tmp_path: Path) -> None:
    before = f"{IMPORTS}\n{syntax}\n\n{_class(PROCESS)}"
    after = f"{IMPORTS}{ADDED}\n{syntax}\n\n{_class(DECORATED)}"
    assert _fixed(tmp_path, before.encode()) == after.encode()


@pytest.mark.parametrize("indent", ["\t", "  ", "   ", "        "])
def test_the_indentation_of_the_file_is_used(indent: str, tmp_path: Path) -> None:
    client = (
        "from openai import OpenAI\n\n\nclass R(AbstractRolloutProcessor):\n"
        "    @observe_processor\n    def process(self, input):\n"
    )
    used = "        return client.chat.completions.create(model='m', messages=[])\n"
    before = f"{IMPORTS}{ADDED}{client}        if input: client = OpenAI()\n        else: return None\n{used}"
    after = (
        f"{IMPORTS}{ADDED[:-1]}, trace_client\n{client}        if input:\n            client = OpenAI()\n"
        f"            trace_client(client)\n        else: return None\n{used}"
    )
    assert _fixed(tmp_path, before.replace("    ", indent).encode()) == after.replace("    ", indent).encode()


def test_a_file_with_nothing_to_fix_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = Project(tmp_path).write(
        {
            "functions/clean.py": b"\xef\xbb\xbfx = 1\r\n",
            "functions/rollout.py": f"{IMPORTS}\n\n{_class(PROCESS)}",
            "requirements.txt": REQUIREMENTS,
        }
    )
    clean = project.root / "functions" / "clean.py"
    before = clean.stat()
    monkeypatch.chdir(project.root)
    assert commands.run(["--no-cache", "--fix", "."]) == 0
    after = clean.stat()
    assert (before.st_ino, before.st_mtime_ns, clean.read_bytes()) == (
        after.st_ino,
        after.st_mtime_ns,
        b"\xef\xbb\xbfx = 1\r\n",
    )
    assert b"@observe_processor" in (project.root / "functions" / "rollout.py").read_bytes()
    assert commands.run(["--no-cache", "--diff", "."]) == 0


CODES = [
    f"{IMPORTS}\n\nTEXT = '中文🙂'; X = 1\n\n\n{_class(PROCESS)}\n\n{_class(PROCESS, 'Second')}",
    f"{IMPORTS}from openai import OpenAI\n\n\nclass R(AbstractRolloutProcessor):\n"
    "\t@other('🙂')\n\tdef process(self, input):\n\t\t'中🙂'; client = OpenAI(); return client.chat('🙂')\n",
]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("code", CODES)
def test_the_edits_in_json_make_the_change(
    code: str, newline: str, mark: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    data = mark + code.replace("\n", newline).encode()
    Project(tmp_path).write({"functions/rollout.py": data, "requirements.txt": REQUIREMENTS})
    monkeypatch.chdir(tmp_path)
    assert commands.run(["--no-cache", "--output-format", "json", "."]) == 1
    findings = json.loads(capsys.readouterr().out)["findings"]
    fixes = [finding["fix"] for finding in findings if finding["fix"]]
    assert fixes
    (checked,) = Project(tmp_path).lint().checked
    planned = [finding for finding in with_edits(checked).findings if finding.fix is not None]
    for given, finding in zip(fixes, planned):
        assert finding.fix is not None
        source = checked.workspace.modules[finding.path].source
        wanted = source.text
        for edit in reversed(finding.fix.edits):
            wanted = wanted[: edit.span.start] + edit.content + wanted[edit.span.end :]
        assert _by_rows(data[len(mark) :].decode(), given["edits"]) == wanted


def _by_rows(text: str, edits: List[Dict[str, Any]]) -> str:
    """Makes edits by rows and columns, as an editor does that counts characters."""
    lines = re.split(r"(?<=\n)", text)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))

    def offset(place: Dict[str, int]) -> int:
        return starts[place["row"] - 1] + place["column"] - 1

    for edit in sorted(edits, key=lambda edit: offset(edit["location"]), reverse=True):
        text = text[: offset(edit["location"])] + edit["content"] + text[offset(edit["end_location"]) :]
    return text


PROJECTS: Dict[str, Dict[str, bytes]] = {
    "two files": {
        "functions/rollout.py": f"{IMPORTS}\n\n{_class(PROCESS)}".encode(),
        "functions/评分/reward one.py": f"{IMPORTS}\n{_class(PROCESS)}".encode().replace(b"\n", b"\r\n")[:-2],
        "requirements.txt": b"dashscope",
    },
    "a new file": {"functions/rollout.py": f"{IMPORTS}\n\n{_class(DECORATED)}".encode()},
    "another encoding": {
        "functions/rollout.py": f"# coding: gbk\n{IMPORTS}# 中文\n\n{_class(PROCESS)}".encode("gbk"),
        "requirements.txt": REQUIREMENTS.encode(),
    },
}


@pytest.mark.skipif(shutil.which("patch") is None, reason="there is no patch")
@pytest.mark.parametrize("name", PROJECTS)
def test_the_difference_makes_the_change(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    for folder in ("fixed", "patched"):
        Project(tmp_path / folder).write(dict(PROJECTS[name]))
    monkeypatch.chdir(tmp_path / "patched")
    assert commands.run(["--no-cache", "--diff", "."]) == 1
    difference = capsysbinary.readouterr().out
    assert read_files(tmp_path / "patched") == {**PROJECTS[name]}
    subprocess.run(["patch", "-p0"], input=difference, capture_output=True, check=True)
    monkeypatch.chdir(tmp_path / "fixed")
    assert commands.run(["--no-cache", "--fix", "."]) == 0
    assert read_files(tmp_path / "fixed") == read_files(tmp_path / "patched") != PROJECTS[name]
