from __future__ import annotations

from pathlib import Path
from typing import Dict, Optional

import pytest

from rlobs_lint import sdk
from rlobs_lint.facts import ir
from rlobs_lint.fixes.surroundings import Surroundings
from rlobs_lint.model import Span
from tests.linting import Project

TRACING = sdk.OBSERVABILITY
FILES: Dict[str, str] = {
    "functions/common/__init__.py": "from .tracing import trace, trace_tool as tool\nfrom .stars import *\n",
    "functions/common/tracing.py": f"from {TRACING} import trace_client as trace, trace_tool\n",
    "functions/common/stars.py": f"from {TRACING} import *\n",
    "functions/common/optional.py": (
        f"try:\n    from {TRACING} import trace_client\nexcept ImportError:\n    trace_client = None\n"
    ),
    "functions/common/patched.py": (
        f"from {TRACING} import trace_client\ntrace_client = patch(trace_client)\n"
    ),
    "functions/common/own.py": "def trace_client(x): pass\n",
    "functions/common/loop.py": "from .pool import trace_client\n",
    "functions/common/pool.py": "from .loop import trace_client\n",
    "functions/rollout/rollout.py": "",
}


def _surroundings(root: Path, files: Dict[str, str]) -> Surroundings:
    (checked,) = Project(root).write(dict(files)).lint().checked
    return Surroundings(checked.workspace)


@pytest.mark.parametrize(
    ("module", "level", "name", "found"),
    [
        ("common", 2, "trace", "trace_client"),
        ("common", 2, "tool", "trace_tool"),
        ("common", 2, "observe_llm", "observe_llm"),
        ("functions.common.tracing", 0, "trace", "trace_client"),
        ("common.stars", 2, "trace_tool", "trace_tool"),
        ("common.optional", 2, "trace_client", "trace_client"),
        ("common.patched", 2, "trace_client", None),
        ("common.own", 2, "trace_client", None),
        ("common.loop", 2, "trace_client", None),
        ("common.missing", 2, "trace_client", None),
        ("functions.rollout", 0, "trace_client", None),
    ],
)
def test_an_import_is_followed_to_the_sdk(
    module: str, level: int, name: str, found: Optional[str], tmp_path: Path
) -> None:
    surroundings = _surroundings(tmp_path, FILES)
    path = str(tmp_path / "functions" / "rollout" / "rollout.py")
    assert surroundings.canonical(path, module, level, name) == (found and f"{TRACING}.{found}")


def test_what_no_module_of_the_workspace_has_is_named_as_written(tmp_path: Path) -> None:
    surroundings = _surroundings(tmp_path, FILES)
    path = str(tmp_path / "functions" / "rollout" / "rollout.py")
    assert surroundings.canonical(path, "elsewhere.tracing", 0, "trace") == "elsewhere.tracing.trace"
    assert surroundings.canonical(str(tmp_path / "missing.py"), "common", 1, "trace") is None


@pytest.mark.parametrize(
    ("code", "is_imported"),
    [
        ("from .rollout import trace_client\n", True),
        ("from functions.rollout.rollout import other, trace_client as tc\n", True),
        ("from .rollout import *\n", True),
        ("def f():\n    from .rollout import trace_client\n", True),
        ("from . import rollout\n\nrollout.trace_client(1)\n", True),
        ("import functions.rollout.rollout as r\n\nr.trace_client(1)\n", True),
        ("from .rollout import other\n", False),
        (f"from {TRACING} import trace_client\nfrom . import rollout\n", False),
        ("from .rollout2 import trace_client\n", False),
        ("", False),
    ],
)
def test_it_is_known_what_other_files_take_from_one(code: str, is_imported: bool, tmp_path: Path) -> None:
    surroundings = _surroundings(tmp_path, {**FILES, "functions/rollout/other.py": code})
    path = str(tmp_path / "functions" / "rollout" / "rollout.py")
    assert surroundings.is_imported_elsewhere(path, "trace_client") == is_imported


@pytest.mark.parametrize(
    ("module", "level", "name", "is_bound"),
    [
        ("common.own", 2, "trace_client", True),
        ("common.own", 2, "trace_tool", False),
        ("common.tracing", 2, "trace", True),
        ("common", 2, "tool", True),
        ("common", 2, "trace_client", True),
        ("common", 2, "_hidden", False),
        ("common", 2, "client", False),
        ("common.wide", 2, "trace_client", True),
        ("common.wide", 2, "client", None),
        ("common.round", 2, "client", False),
        ("common.missing", 2, "trace_client", None),
        ("elsewhere", 0, "trace_client", None),
        ("functions", 0, "trace_client", False),
    ],
)
def test_it_is_known_what_a_star_import_binds(
    module: str, level: int, name: str, is_bound: Optional[bool], tmp_path: Path
) -> None:
    stars = {
        "functions/common/wide.py": "from .own import *\nfrom elsewhere import *\n",
        "functions/common/round.py": "from .around import *\n",
        "functions/common/around.py": "from .round import *\n",
    }
    surroundings = _surroundings(tmp_path, {**FILES, **stars})
    path = str(tmp_path / "functions" / "rollout" / "rollout.py")
    star = ir.ImportFrom(Span(0, 0), module, level, (), True)
    assert surroundings.star_binds(path, star, name) is is_bound
