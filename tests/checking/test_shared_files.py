"""Files that several workspaces read: what is found in them is told once, and mended once."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from typing import Dict

import pytest

from tests.command_line import Tool
from tests.linting import PROCESSOR, REQUIREMENTS

#: A workspace that uploads another one, which is inside it.
NESTED: Dict[str, str] = {
    "job.yaml": (
        "functions:\n- type: rollout\n  name: r\n"
        "  fcmodel: {zipdir: app, classpath: functions.rollout.Processor}\n"
    ),
    "functions/rollout.py": PROCESSOR,
    "app/functions/rollout.py": PROCESSOR,
}
LOOSE = "dashscope>=2\nopentelemetry-api>=1\n"
INCLUDING = {**NESTED, "app/requirements.txt": LOOSE, "requirements.txt": "-r app/requirements.txt\n"}
FIXED = "dashscope>=2\n" + REQUIREMENTS


def _places(tool: Tool, *arguments: str) -> Dict[str, int]:
    findings = tool("--output-format", "json", *arguments).document["findings"]
    return Counter(f"{one['filename']}:{one['location']['row']} {one['code']}" for one in findings)


def test_a_finding_of_two_workspaces_is_told_once(tool: Tool) -> None:
    tool.project.write(INCLUDING)
    result = tool(".", "--output-format", "json").document
    assert Counter((one["filename"], one["code"]) for one in result["findings"]) == {
        ("app/requirements.txt", "RLO501"): 4,
        ("app/requirements.txt", "RLO502"): 1,
    }
    assert result["summary"] == {"files": 4, "findings": 5, "fixable": 5, "fixed": 0}
    assert tool(".", "--statistics").out.split() == [
        "4", "RLO501", "[*]", "missing-otel-pin", "1", "RLO502", "[*]", "wrong-otel-pin",
    ]  # fmt: skip
    assert len(tool(".", "--show-files").out.splitlines()) == 4


def test_it_is_mended_once(tool: Tool) -> None:
    tool.project.write(INCLUDING)
    result = tool("--fix", ".", "--output-format", "json")
    assert (result.status, result.err) == (0, "")
    assert result.document["summary"] == {"files": 4, "findings": 0, "fixable": 0, "fixed": 5}
    assert (tool.project.root / "app/requirements.txt").read_text() == FIXED
    assert tool("--diff", ".").out == ""


def test_a_missing_file_is_made_once(tool: Tool) -> None:
    tool.project.write(NESTED)
    assert _places(tool, ".") == {"app/requirements.txt:1 RLO503": 1}
    assert tool("--diff", ".").out.count("+++ app/requirements.txt") == 1
    assert tool("--fix", ".").out.startswith("Fixed 1 finding.\nNothing found")
    assert (tool.project.root / "app/requirements.txt").read_text() == REQUIREMENTS


@pytest.mark.skipif(shutil.which("patch") is None, reason="there is no patch")
def test_the_difference_can_be_applied(tool: Tool) -> None:
    tool.project.write(INCLUDING)
    change = tool("--diff", ".").out
    subprocess.run(["patch", "-p0"], input=change.encode(), check=True, capture_output=True)
    assert (tool.project.root / "app/requirements.txt").read_text() == FIXED
    assert tool(".").status == 0


def test_each_workspace_goes_on_where_the_other_ended(tool: Tool) -> None:
    # The inner one includes a file of the outer one, which asks for more than the inner one.
    tool.project.write(
        {
            **NESTED,
            "app/requirements.txt": "-r ../base.txt\n",
            "requirements.txt": "-r base.txt\nopentelemetry-api==1.41.1\n",
            "base.txt": "opentelemetry-sdk\nloongsuite-util-genai\n",
            "rlobs-lint.toml": "select = ['RLO502']\n",
        }
    )
    assert _places(tool, ".") == {"base.txt:1 RLO502": 1, "base.txt:2 RLO502": 1}
    assert tool("--fix", ".").status == 0
    assert (tool.project.root / "base.txt").read_text() == (
        "opentelemetry-sdk==1.41.1\nloongsuite-util-genai==0.4.0\n"
    )


def test_a_dataset_that_two_jobs_name_is_told_of_once(tool: Tool) -> None:
    datasets = "functions: []\ndatasets:\n- {{file_name: {path}}}\n"
    tool.project.write(
        {
            "functions/a.py": "",
            "app/functions/a.py": "",
            "job.yaml": datasets.format(path="app/train.jsonl"),
            "app/job.yaml": datasets.format(path="train.jsonl"),
            "app/train.jsonl": "nonsense\n",
        }
    )
    assert _places(tool, ".") == {"app/train.jsonl:1 RLO801": 1}


def test_a_comment_that_one_workspace_needs_is_left(tool: Tool) -> None:
    # Only the outer workspace demands that the package is pinned: the inner one has a setting of its own.
    tool.project.write(
        {
            **INCLUDING,
            "app/rlobs-lint.toml": "[pins]\ndashscope = '2.0.2'\n",
            "app/requirements.txt": (
                "dashscope==2.0.2\nopentelemetry-api>=1  # rlobs: ignore[RLO502]\n"
                "x # rlobs: ignore[RLO502]\n" + "".join(REQUIREMENTS.splitlines(keepends=True)[1:])
            ),
        }
    )
    assert _places(tool, ".") == {"app/requirements.txt:3 RLO903": 1}
    assert tool("--fix", ".").status == 0
    assert (tool.project.root / "app/requirements.txt").read_text().splitlines()[1:3] == [
        "opentelemetry-api>=1  # rlobs: ignore[RLO502]",
        "x",
    ]
    assert tool(".").status == 0


def test_a_baseline_knows_what_two_workspaces_find(tool: Tool) -> None:
    tool.project.write(INCLUDING)
    assert tool("--write-baseline", "base.json", ".").out == "Findings written to base.json: 5.\n"
    result = tool("--baseline", "base.json", ".")
    assert (result.status, result.err) == (0, "")


def test_a_file_that_cannot_be_written_is_told_of_once(tool: Tool) -> None:
    tool.project.write(INCLUDING)
    (tool.project.root / "app/requirements.txt").rename(tool.project.root.parent / "elsewhere.txt")
    (tool.project.root / "app/requirements.txt").symlink_to(tool.project.root.parent / "elsewhere.txt")
    result = tool("--fix", ".", "--output-format", "concise")
    assert result.status == 2
    assert result.err == (
        "rlobs-lint: app/requirements.txt: left as it was: it is a link that leads out of the workspace\n"
    )
    assert result.out.count("RLO502") == 1
