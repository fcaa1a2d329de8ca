"""The baseline: what is known stays quiet and unfixed, what is new is reported, what has gone is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rlobs_lint.checking.baseline import Entry, read_baseline, write_baseline
from rlobs_lint.texts import UserError
from tests.command_line import Tool
from tests.linting import PROCESSOR, REQUIREMENTS

IDLE = "x = 1  # rlobs: ignore[RLO101]\n"
NEW = "y = 2  # rlobs: ignore[RLO101]\n"


def test_known_findings_are_left_out_and_new_ones_reported(tool: Tool) -> None:
    tool.project.write({"functions/x.py": IDLE})
    assert tool("--write-baseline", "base.json").out == "Findings written to base.json: 1.\n"
    assert tool("--baseline", "base.json").status == 0
    tool.project.write({"functions/x.py": f"import os\n\n{IDLE}{NEW}"})
    result = tool("--baseline", "base.json", "--output-format", "concise")
    assert (result.status, result.err) == (1, "")
    assert "functions/x.py:4:8: RLO903" in result.out and "x.py:3:" not in result.out


def test_fixes_leave_known_findings_alone(tool: Tool) -> None:
    tool.project.write({"functions/x.py": IDLE})
    tool("--write-baseline", "base.json")
    tool.project.write({"functions/x.py": IDLE + NEW, "rlobs-lint.toml": "baseline = 'base.json'\n"})
    assert tool("--fix").status == 0
    assert (tool.project.root / "functions/x.py").read_text() == IDLE + "y = 2\n"


def test_what_has_gone_is_told_and_dropped_when_it_is_renewed(tool: Tool) -> None:
    tool.project.write({"functions/x.py": IDLE, "functions/y.py": IDLE, "functions/z.py": IDLE})
    tool("--write-baseline", "base.json")
    tool.project.write({"functions/x.py": "x = 1\n"})
    (tool.project.root / "functions/z.py").unlink()
    result = tool("--baseline", "base.json")
    assert result.status == 0
    assert result.err == (
        "rlobs-lint: base.json: entries that match nothing any more: 2; renew it with `--write-baseline`\n"
    )
    assert tool("--baseline", "base.json", "functions/y.py").err.count("any more: 1;") == 1, (
        "z.py is gone for all"
    )
    assert tool("--write-baseline", "base.json", "functions/x.py").status == 0
    assert [entry.path for entry in read_baseline(str(Path("base.json").resolve()))] == [
        str(tool.project.root / "functions/y.py")
    ]


def test_a_run_of_a_part_judges_no_other_part(tool: Tool) -> None:
    # In one workspace a file is missing, which is what is found there.
    undecorated = PROCESSOR.replace("    @observe_processor\n", "")
    tool.project.write(
        {
            "a/functions/p.py": undecorated + IDLE,
            "a/job.yaml": (
                "functions:\n- {type: rollout, name: r, fcmodel: {classpath: functions.p.Processor}}\n"
            ),
            "b/functions/p.py": undecorated,
            "b/requirements.txt": REQUIREMENTS,
        }
    )
    tool("--write-baseline", "base.json", ".")
    before = Path("base.json").read_text()
    assert [json.loads(line.rstrip(","))["code"] for line in before.splitlines()[1:-1]] == [
        "RLO101", "RLO903", "RLO503", "RLO101",
    ]  # fmt: skip
    for part in (["a/job.yaml"], ["b"], ["b/functions/p.py"], ["--select", "RLO103", "."]):
        assert tool("--baseline", "base.json", *part).err == "", part
        tool("--write-baseline", "base.json", *part)
        assert Path("base.json").read_text() == before, part
    tool.project.write({"a/requirements.txt": REQUIREMENTS})
    assert tool("--baseline", "base.json", "b").err == ""
    assert tool("--baseline", "base.json", "a/job.yaml").err == ""
    assert "any more: 1;" in tool("--baseline", "base.json", "a").err


def test_it_is_made_for_merging(tool: Tool) -> None:
    tool.project.write({"functions/b.py": IDLE + NEW, "functions/a.py": IDLE, "ci/x": ""})
    tool("--write-baseline", "ci/base.json")
    text = (tool.project.root / "ci/base.json").read_text()
    assert [json.loads(line.rstrip(","))["path"] for line in text.splitlines()[1:-1]] == [
        "../functions/a.py",
        "../functions/b.py",
        "../functions/b.py",
    ]
    tool("--write-baseline", "ci/base.json")
    assert (tool.project.root / "ci/base.json").read_text() == text
    assert tool("--baseline", "ci/base.json").status == 0


@pytest.mark.parametrize(
    "content",
    [
        "",
        "nonsense",
        "[]",
        "{}",
        '{"version": 2, "findings": []}',
        '{"version": 1, "findings": [1]}',
        "[" * 9999,
    ],
)
def test_something_else_is_refused(tool: Tool, content: str) -> None:
    tool.project.write({"functions/x.py": "", "base.json": content})
    result = tool("--baseline", "base.json")
    assert (result.status, result.out) == (2, "")
    assert result.err == "rlobs-lint: base.json: this is no baseline; make one with `--write-baseline`\n"
    assert tool("--write-baseline", "base.json").status == 2, "it may be a file of another kind"


def test_a_missing_one_is_refused(tool: Tool) -> None:
    tool.project.write({"functions/x.py": ""})
    result = tool("--baseline", "gone.json")
    assert result.status == 2
    assert result.err.startswith("rlobs-lint: gone.json: the baseline cannot be read: ")


def test_one_that_cannot_be_written_is_named(tool: Tool) -> None:
    tool.project.write({"functions/x.py": ""})
    assert "no/base.json: it cannot be written" in tool("--write-baseline", "no/base.json").err


def test_entries_come_back(tmp_path: Path) -> None:
    entries = [
        Entry(str(tmp_path / "观测" / "b.py"), "RLO101", "f" * 16),
        Entry(str(tmp_path / "a.py"), "RLO102", "0"),
    ]
    file = str(tmp_path / "base.json")
    write_baseline(file, [*entries, entries[0]])
    assert sorted(read_baseline(file)) == sorted(entries)
    with pytest.raises(UserError):
        read_baseline(str(tmp_path))
