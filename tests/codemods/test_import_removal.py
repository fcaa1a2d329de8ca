"""Several imports that go at once: whichever names go, the rest is a valid import of the others."""

from __future__ import annotations

import ast
from itertools import combinations
from typing import Dict, List, Optional, Sequence, Set, Tuple

import libcst as cst
import pytest
from rlobs_lint.codemods._changes import Change, apply
from rlobs_lint.codemods._file import PythonFile
from rlobs_lint.codemods._merging import put_together

from rlobs_lint import sdk
from rlobs_lint.files.source import SourceFile, decode_python

NAMES = ("observe_llm", "observe_processor", "trace_client", "trace_tool")
SUBSETS = [subset for size in range(1, 5) for subset in combinations(NAMES, size)]
LAYOUTS = {
    "a line": "from {} import observe_llm, observe_processor, trace_client, trace_tool\n",
    "brackets": "from {} import (observe_llm, observe_processor, trace_client, trace_tool,)\n",
    "a line each": (
        "from {} import (\n    observe_llm,\n    observe_processor,\n    trace_client,\n    trace_tool\n)\n"
    ),
    "two a line": (
        "from {} import (\n    observe_llm, observe_processor,\n    trace_client, trace_tool,\n)\n"
    ),
    "a last bracket": (
        "from {} import (observe_llm,\n    observe_processor,\n    trace_client,\n    trace_tool)\n"
    ),
    "comments": (
        "from {} import (  # all\n    observe_llm,  # one\n    # two\n"
        "    observe_processor, trace_client,  # both\n    trace_tool,  # four\n)\n"
    ),
    "a backslash": (
        "from {} import observe_llm, \\\n    observe_processor, trace_client, \\\n    trace_tool\n"
    ),
}
EACH = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)


class _Workspace:
    """A workspace of one file."""

    def canonical(self, path: str, module: str, level: int, name: str) -> Optional[str]:
        return None

    def is_imported_elsewhere(self, path: str, name: str) -> bool:
        return False


def _file(text: str) -> PythonFile:
    source = decode_python("/workspace/functions/processor.py", text.encode("utf-8"))
    assert isinstance(source, SourceFile)
    return PythonFile(source, _Workspace())


def _changed(file: PythonFile, changes: Sequence[Change]) -> str:
    edits = put_together(file, changes)
    assert edits is not None
    return apply(file.source.text, edits)


def _imported(text: str) -> Dict[str, List[str]]:
    found: Dict[str, List[str]] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            found.setdefault(str(node.module), []).extend(alias.name for alias in node.names)
    return {module: sorted(names) for module, names in found.items()}


def _wanted(**modules: Sequence[str]) -> Dict[str, List[str]]:
    named = {"root": sdk.ROOT, "tracing": sdk.OBSERVABILITY, "typing": "typing"}
    return {named[module]: sorted(names) for module, names in modules.items() if names}


def _others(subset: Sequence[str]) -> Set[str]:
    return set(NAMES) - set(subset)


@EACH
@pytest.mark.parametrize("subset", SUBSETS, ids=" ".join)
@pytest.mark.parametrize("existing", ["", f"from {sdk.OBSERVABILITY} import observe_tool\n"])
def test_names_move_together(existing: str, subset: Tuple[str, ...], layout: str) -> None:
    file = _file(existing + layout.format(sdk.ROOT) + "\n\nLIMIT = 3\n")
    aliases = file.nodes.of_kind((cst.ImportAlias,))
    moved = [file.nodes.span(alias) for alias in aliases if file.nodes.text(alias.name) in subset]
    text = _changed(file, [Change((), moved=(span,)) for span in moved])
    tracing = [*subset, "observe_tool"] if existing else subset
    assert _imported(text) == _wanted(root=sorted(_others(subset)), tracing=tracing)
    if _others(subset):
        assert text.count("#") == layout.count("#")


@EACH
@pytest.mark.parametrize("subset", SUBSETS, ids=" ".join)
def test_unused_names_go_together(subset: Tuple[str, ...], layout: str) -> None:
    file = _file(layout.format(sdk.OBSERVABILITY) + "\n\nLIMIT = 3\n")
    text = _changed(file, [Change((), orphans=(name,)) for name in subset])
    gone = () if len(subset) == 4 and "#" in layout else subset
    assert _imported(text) == _wanted(tracing=sorted(_others(gone)))
    assert text.endswith("LIMIT = 3\n")


@EACH
@pytest.mark.parametrize("subset", SUBSETS, ids=" ".join)
@pytest.mark.parametrize("others", ["", "    from typing import List\n"])
def test_names_for_type_checkers_go_together(others: str, subset: Tuple[str, ...], layout: str) -> None:
    statement = layout.format(sdk.OBSERVABILITY).replace("\n", "\n    ").rstrip(" ")
    file = _file(
        f"from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n{others}    {statement}\n\nLIMIT = 3\n"
    )
    aliases = file.nodes.of_kind((cst.ImportAlias,))
    dropped = [file.nodes.span(alias) for alias in aliases if file.nodes.text(alias.name) in subset]
    text = _changed(file, [Change((), dropped=(span,)) for span in dropped])
    has_guard = bool(others or _others(subset) or "#" in layout)
    typing = ["TYPE_CHECKING"] * has_guard + ["List"] * bool(others)
    kept = NAMES if len(subset) == 4 and "#" in layout and not others else _others(subset)
    assert _imported(text) == _wanted(tracing=sorted(kept), typing=typing)
    assert ("if TYPE_CHECKING:" in text) is has_guard
