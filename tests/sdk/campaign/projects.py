"""The projects: each is a text file in `projects/`, which holds a head and the files of a workspace.

    run: functions.rollout.agent.ChatRollout
    tools: lookup, Search._arun
    metrics: accuracy, format

    === functions/rollout/agent.py
    import ...

The head says what no run can: the processor's `kind` if it is no rollout, which functions are `tools` for
a model (those of the MCP server are known), and which `metrics` the processor means to report. `inputs` are
a JSON list in place of the two usual requests.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Tuple, Union

from tests.linting import REQUIREMENTS

FOLDER = Path(__file__).parent / "projects"
#: The variable that names the file in which tools tell of their calls.
CALLS = "CAMPAIGN_CALLS"
_FILE = "=== "
_SECOND = {"job_id": "job-1", "sample_id": "sample-2", "rollout_id": "rollout-2", "attempt_id": "attempt-1"}
#: Two requests, of two samples.
_USUAL: Tuple[Mapping[str, Any], ...] = ({}, {"request_metadata": _SECOND})
_TELL = f"with open(__import__('os').environ['{CALLS}'], 'a') as told: told.write({{name!r}} + chr(10))"


class CampaignProject(NamedTuple):
    """A project.

    Attributes:
        name: Its name.
        processor: The class that is run, with its module.
        kind: `rollout`, `reward` or `group_reward`.
        tools: The functions of the project that are tools for a model.
        metrics: The metrics that the processor means to report.
        inputs: What each request has beside or in place of the usual input.
        files: The workspace.
    """

    name: str
    processor: str
    kind: str
    tools: Tuple[str, ...]
    metrics: Tuple[str, ...]
    inputs: Tuple[Mapping[str, Any], ...]
    files: Mapping[str, str]


def names() -> List[str]:
    """Returns the names of all projects."""
    return sorted(path.stem for path in FOLDER.glob("*.txt"))


def load(name: str) -> CampaignProject:
    """Reads a project."""
    head, *parts = f"\n{(FOLDER / f'{name}.txt').read_text(encoding='utf-8')}".split(f"\n{_FILE}")
    told = dict(line.split(": ", 1) for line in head.splitlines() if line)
    files = {"requirements.txt": REQUIREMENTS}
    for part in parts:
        path, _, text = part.partition("\n")
        files[path] = f"{text.rstrip()}\n"
    return CampaignProject(
        name,
        told["run"],
        told.get("kind", "rollout"),
        _words(told.get("tools", "")),
        _words(told.get("metrics", "")),
        tuple(json.loads(told["inputs"])) if "inputs" in told else _USUAL,
        files,
    )


def _words(text: str) -> Tuple[str, ...]:
    return tuple(text.replace(",", " ").split())


def telling(files: Mapping[str, bytes], tools: Tuple[str, ...]) -> Dict[str, bytes]:
    """Returns a workspace whose tools tell of their calls, otherwise the same."""
    return {
        name: _telling(content, tools) if name.endswith(".py") and tools else content
        for name, content in files.items()
    }


def _telling(content: bytes, tools: Tuple[str, ...]) -> bytes:
    lines = content.decode("utf-8").split("\n")
    functions = sorted(_functions(ast.parse(content), ""), key=lambda found: -found[1].lineno)
    for name, function in functions:
        if name in tools:
            place = function.body[1] if ast.get_docstring(function) is not None else function.body[0]
            decorated = getattr(place, "decorator_list", ())
            row = min([place.lineno, *(decorator.lineno for decorator in decorated)]) - 1
            lines.insert(row, " " * place.col_offset + _TELL.format(name=name))
    return "\n".join(lines).encode("utf-8")


def _functions(tree: ast.AST, within: str) -> List[Tuple[str, Union[ast.FunctionDef, ast.AsyncFunctionDef]]]:
    """Returns the functions of a tree: by their names, methods by those of their classes too."""
    found: List[Tuple[str, Union[ast.FunctionDef, ast.AsyncFunctionDef]]] = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.append((f"{within}{node.name}", node))
        below = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
        found.extend(_functions(node, below))
    return found
