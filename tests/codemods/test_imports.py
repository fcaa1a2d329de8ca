"""The import editor, run for real: the changed module is executed beside a stand-in for the SDK."""

from __future__ import annotations

import re
import sys
import types
from typing import Any, Dict, List, Optional

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from rlobs_lint.codemods._base import carry_out
from rlobs_lint.codemods._changes import Change, apply
from rlobs_lint.codemods._editing import Editing
from rlobs_lint.codemods._file import PythonFile
from rlobs_lint.codemods._merging import put_together

from rlobs_lint import sdk
from rlobs_lint.facts import ir
from rlobs_lint.facts.scan_file import scan
from rlobs_lint.files.source import SourceFile, decode_python
from rlobs_lint.fixes.verify import complaint
from rlobs_lint.model import Span, Target

TRACING, COMPONENT, ROOT = sdk.OBSERVABILITY, sdk.COMPONENT, sdk.ROOT

BEGINNINGS = [
    "",
    "#!/usr/bin/env python\n",
    "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n",
    "# Copyright of someone\n# All rights reserved.\n\n",
    "# a comment\n\n",
]
DOCSTRINGS = [
    "",
    '"""What it does."""\n',
    '"""What it does."""; import os\n',
    '"""What it does.""" \\\n\n',
    "'d' 'e'\n\n",
]
FUTURES = ["", "from __future__ import annotations\n", "from __future__ import annotations; import os\n"]
IMPORTS = [
    "import os\n",
    "import sys\n\nsys.path.insert(0, 'vendor')\n",
    "import json; x = 1\n",
    f"from {ROOT} import AbstractRolloutProcessor\n",
    f"from {ROOT} import AbstractRolloutProcessor as Base  # the base\n",
    f"from {TRACING} import trace_tool\n",
    f"from {TRACING} import trace_tool, trace_client  # noqa: F401\n",
    f"from {TRACING} import trace_tool, \\\n    trace_client\n",
    f"from {TRACING} import (\n    # tools\n    observe_tool,  # of ours\n    trace_client  # the model\n)\n",
    f"from {TRACING} import (trace_tool, trace_client,)\n",
    f"from {TRACING} import (\n    trace_tool, observe_llm,  # both\n    trace_client,\n)\n",
    f"from {TRACING} import observe_llm, trace_tool; import json\n",
    f"from {TRACING} import observe_processor\n",
    f"from {TRACING} import observe_processor as entry\n",
    f"from {COMPONENT} import observe_processor\n",
    f"from {COMPONENT} import func_manager\n",
    f"import {TRACING} as tracing\n",
    f"import {TRACING}\n",
    f"from {ROOT} import component as c\n",
    f"from {COMPONENT} import observability\n",
    f"from {TRACING} import *\n",
    f"try:\n    from {TRACING} import observe_processor\nexcept ImportError:\n    observe_processor = None\n",
    f"if True:\n    from {TRACING} import observe_processor\nelse:\n    observe_processor = None\n",
    f"from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from {TRACING} import observe_processor\n",
    f"def setup():\n    from {TRACING} import observe_processor\n    return observe_processor\n\n\n",
    "def observe_processor(function):\n    return function\n\n\n",
    "observe_processor = None\n",
    "class Other:\n    observe_processor = 1\n\n\n",
    "def change():\n    global observe_processor\n    observe_processor = None\n\n\n",
    'if __name__ == "__main__":\n    observe_processor = 1\n',
    "LIMIT = 3  # a number\n",
    '"a string that is no docstring"\n',
]
CLASSES = [
    "class Rollout:\n    def process(self, input):\n        return input\n",
    "\n\n# glued to the class\nclass Rollout:\n    x = 1\n\n"
    "    # glued to the method\n    def process(self, input): return input\n",
    "\nclass Rollout:\n    observe_processor = 2\n\n    def process(self, input):\n        return input\n",
    "def make():\n    class Rollout:\n        def process(self, input):\n            return input\n"
    "    return Rollout\n\nRollout = make()\n",
]


def _observe(function: Any) -> Any:
    function.is_observed = True
    return function


def _stand_in() -> Dict[str, types.ModuleType]:
    """Returns modules in the place of the SDK's, each with the names that the SDK has there."""
    modules: Dict[str, types.ModuleType] = {}
    names = {module for exported in sdk.EXPORTS.values() for module in exported} | {
        ROOT,
        f"{COMPONENT}.func_manager",
    }
    for dotted in sorted(names):
        parts = dotted.split(".")
        for end in range(1, len(parts) + 1):
            name = ".".join(parts[:end])
            module = modules.setdefault(name, types.ModuleType(name))
            if end > 1:
                setattr(modules[".".join(parts[: end - 1])], parts[end - 1], module)
    for name, exported in sdk.EXPORTS.items():
        for module_name in exported:
            setattr(modules[module_name], name, _observe if name == "observe_processor" else object())
    for module in modules.values():
        # A star takes names, not the modules inside.
        module.__all__ = [name for name in sdk.EXPORTS if hasattr(module, name)]  # type: ignore[attr-defined]
    modules[ROOT].AbstractRolloutProcessor = object  # type: ignore[attr-defined]
    return modules


def _execute(text: str) -> Dict[str, Any]:
    names: Dict[str, Any] = {"__name__": "processor"}
    with pytest.MonkeyPatch.context() as patch:
        for name, module in _stand_in().items():
            patch.setitem(sys.modules, name, module)
        patch.setattr(sys, "path", list(sys.path))
        exec(compile(text, "processor.py", "exec", dont_inherit=True), names)
    return names


def _decorate(text: str) -> str:
    source = decode_python("/workspace/processor.py", text.encode("utf-8"))
    assert isinstance(source, SourceFile)
    file = PythonFile(source)
    import libcst as cst

    (node,) = (one for one in file.nodes.of_kind((cst.FunctionDef,)) if one.name.value == "process")
    change = carry_out(file, (Target("add_observe_processor", file.nodes.span(node)),))
    edits = put_together(file, (change,))
    assert edits is not None
    changed = apply(text, edits)
    after = decode_python(source.path, changed.encode("utf-8"))
    assert isinstance(after, SourceFile)
    assert complaint(source, scan(source), after, edits) is None
    # What is imported now is found the next time.
    again = PythonFile(after)
    (node,) = (one for one in again.nodes.of_kind((cst.FunctionDef,)) if one.name.value == "process")
    second = Editing(again)
    second.sdk_name("observe_processor", node)
    assert second.change() == Change(())
    return changed


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(BEGINNINGS),
    st.sampled_from(DOCSTRINGS),
    st.sampled_from(FUTURES),
    st.lists(st.sampled_from(IMPORTS), max_size=4),
    st.sampled_from(CLASSES),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
@example("", "", "", [], CLASSES[0], "\n", True)
@example("", "", "", [IMPORTS[12], IMPORTS[26]], CLASSES[2], "\n", False)
def test_the_decorator_is_there_when_the_module_runs(
    beginning: str, docstring: str, future: str, imports: List[str], code: str, newline: str, ends: bool
) -> None:
    assume(not (future and ";" in docstring))
    text = "".join((beginning, docstring, future, *imports, code)).replace("\n", newline)
    text = text if ends else text[: -len(newline)]
    changed = _decorate(text)
    before, after = _execute(text), _execute(changed)
    assert not hasattr(before["Rollout"].process, "is_observed")
    assert after["Rollout"].process.is_observed
    assert after.get("__doc__") == before.get("__doc__")
    assert {name for name, value in before.items() if value is None} <= {
        name for name, value in after.items() if value is None
    }
    comments = re.findall(r"#[^\r\n]*", text)
    assert re.findall(r"#[^\r\n]*", changed) == comments
    assert (text.count("\r"), text.endswith("\n")) == (0, ends) or changed.count("\r") == changed.count("\n")
    assert changed.endswith(newline) == ends
    lost = set(text.splitlines()) - set(changed.splitlines())
    assert all(re.match(r"from dashscope\S* import |    (trace_|observe_)", line) for line in lost)


@pytest.mark.parametrize("name", sorted(sdk.OBSERVABILITY_NAMES))
@pytest.mark.parametrize("module", sorted({module for modules in sdk.EXPORTS.values() for module in modules}))
def test_a_name_is_used_from_every_module_that_has_it(name: str, module: str) -> None:
    text = f"import {module} as m\n\ndef f():\n    pass\n"
    file = PythonFile(_source(text))
    way = file.bindings.way_to(name, text.index("pass"), False)
    has_it = module in sdk.EXPORTS[name] or module == sdk.COMPONENT
    assert way.is_missing != has_it
    assert way.expression == (
        name if not has_it else f"m.{name}" if module in sdk.EXPORTS[name] else f"m.observability.{name}"
    )


class _Workspace:
    """A workspace in which `common.py` re-exports a name of the SDK."""

    def canonical(self, path: str, module: str, level: int, name: str) -> Optional[str]:
        return f"{TRACING}.trace_client" if (module, level, name) == ("common", 1, "trace") else None

    def star_binds(self, path: str, star: ir.ImportFrom, name: str) -> Optional[bool]:
        return {"mine": name == "trace_client", "common": name == "trace"}.get(star.module)

    def is_imported_elsewhere(self, path: str, name: str) -> bool:
        return name == "trace_tool"


def test_a_name_that_the_project_re_exports_is_used() -> None:
    text = "from .common import trace\nfrom .other import trace_client\n"
    assert (
        PythonFile(_source(text), _Workspace()).bindings.way_to("trace_client", len(text), True).expression
        == "trace"
    )
    way = PythonFile(_source(text)).bindings.way_to("trace_client", len(text), True)
    assert (way.expression, way.alias) == ("sdk_trace_client", "sdk_trace_client")


@pytest.mark.parametrize(
    ("text", "expression", "is_missing"),
    [
        # What a star import may bind further down is taken; further up it is bound anew.
        (f"from {ROOT} import A\nfrom .mine import *\n", "sdk_trace_client", True),
        (
            f"from {ROOT} import A\ntry:\n    from .mine import *\nexcept ImportError: pass\n",
            "sdk_trace_client",
            True,
        ),
        (
            f"from {TRACING} import trace_tool\nfrom .mine import *\nfrom {ROOT} import A\n",
            "sdk_trace_client",
            True,
        ),
        (f"from .mine import *\nfrom {ROOT} import A\n", "trace_client", True),
        (f"from {ROOT} import A\nfrom .common import *\n", "trace_client", True),
        (f"from {ROOT} import A\nfrom {ROOT} import *\n", "trace_client", True),
        (f"from {ROOT} import A\nif TYPE_CHECKING:\n    from .mine import *\n", "trace_client", True),
        # Nobody knows what these bind.
        (f"from {ROOT} import A\nfrom tools import *\n", "sdk_trace_client", True),
        (f"from {ROOT} import A\nfrom .missing import *\n", "sdk_trace_client", True),
        (f"from tools import *\nfrom {ROOT} import A\n", "trace_client", True),
        # A name that is imported already.
        (f"from {TRACING} import trace_client\nfrom .mine import *\n", "sdk_trace_client", True),
        (f"from {TRACING} import trace_client as tc\nfrom .mine import *\n", "tc", False),
        (f"from .mine import *\nfrom {TRACING} import trace_client\n", "trace_client", False),
        (f"from {TRACING} import trace_client\nfrom tools import *\n", "trace_client", False),
    ],
)
def test_what_a_later_star_import_binds_is_taken(text: str, expression: str, is_missing: bool) -> None:
    text += "\ndef f():\n    pass\n"
    way = PythonFile(_source(text), _Workspace()).bindings.way_to(
        "trace_client", text.index("    pass") + 4, False
    )
    assert (way.expression, way.is_missing) == (expression, is_missing)


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (f"import os\nfrom {TRACING} import trace_client\n", "import os\n"),
        (
            f"from {TRACING} import observe_llm, trace_client  # x\n",
            f"from {TRACING} import observe_llm  # x\n",
        ),
        (
            f"from {TRACING} import (\n    trace_client,\n    trace_tool,\n)\n",
            f"from {TRACING} import (\n    trace_tool,\n)\n",
        ),
        (f"from {TRACING} import observe_llm as trace_client\n", ""),
    ],
)
def test_an_orphaned_import_goes(text: str, after: str) -> None:
    file = PythonFile(_source(text), _Workspace())
    edits = put_together(file, (Change((), orphans=("trace_client",)),))
    assert edits is not None
    assert apply(text, edits) == after


@pytest.mark.parametrize(
    "text",
    [
        f"from {TRACING} import trace_client as trace_client\n",
        f"from {TRACING} import trace_client  # ours\n",
        f"from {TRACING} import trace_client, observe_llm  # noqa: F401\n",
        f"from {TRACING} import trace_client; import os\n",
        f"try:\n    from {TRACING} import trace_client\nexcept ImportError:\n    pass\n",
        f"from {TRACING} import trace_client\n__all__ = ['trace_client']\n",
        f"from {TRACING} import trace_client\n__all__ += ['trace_client']\n",
        f"from {TRACING} import trace_client\n\ndef f(x: 'trace_client'): pass\n",
        f"from {TRACING} import trace_client\nx = None  # type: trace_client\n",
        f'from {TRACING} import trace_client\n\ndef f():\n    """\n    >>> trace_client(1)\n    """\n',
        f"from {TRACING} import trace_client\nglobals()['trace_' + 'client']\n",
        f"from {TRACING} import trace_client\ntrace_client(1)\n",
    ],
)
def test_an_import_that_may_still_be_used_stays(text: str) -> None:
    file = PythonFile(_source(text), _Workspace())
    assert put_together(file, (Change((), orphans=("trace_client",)),)) == ()


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ('import math\n\nm = {"reward_score": math.sqrt(4), "n": 1}\n', 'm = {"n": 1}\n'),
        ('from math import sqrt\n\nm = {"reward_score": sqrt(4), "n": 1}\n', 'm = {"n": 1}\n'),
        ('import math\n\nm = {"reward_score": math.sqrt(4), "n": math.e}\n', None),
        ('import torch\n\nm = {"reward_score": torch.e, "n": 1}\n', 'import torch\n\nm = {"n": 1}\n'),
    ],
)
def test_a_metric_takes_along_what_computed_it(text: str, after: Optional[str]) -> None:
    file = PythonFile(_source(text), _Workspace())
    start = text.index('"reward_score"')
    target = Target("remove_metric", Span(start, start + len('"reward_score"')))
    edits = put_together(file, (carry_out(file, [target]),))
    assert edits is not None
    assert apply(text, edits) == (
        text.replace('"reward_score": math.sqrt(4), ', "") if after is None else after
    )


def test_an_import_that_another_file_takes_is_kept() -> None:
    file = PythonFile(_source(f"from {TRACING} import trace_tool\n"), _Workspace())
    assert put_together(file, (Change((), orphans=("trace_tool",)),)) == ()


def test_nothing_is_dropped_without_knowing_the_workspace() -> None:
    file = PythonFile(_source(f"from {TRACING} import trace_client\n"))
    assert put_together(file, (Change((), orphans=("trace_client",)),)) == ()


def _source(text: str) -> SourceFile:
    source = decode_python("/workspace/functions/processor.py", text.encode("utf-8"))
    assert isinstance(source, SourceFile)
    return source
