from __future__ import annotations

from pathlib import Path
from typing import List, Tuple

import pytest

from rlobs_lint.project.jobs.uploads import excluded_imports, upload_folders
from tests.project.building import build

FILES = {
    "functions/__init__.py": "",
    "functions/data/loader.py": "import tests.helpers\n",
    "functions/data/__init__.py": "",
    "functions/kept.py": "",
    "tests/helpers.py": "",
    "build/space/made.py": "",
    "Data/kept.py": "",
    "data.py": "",
}


def judged(
    root: Path, code: str, job: str = "", path: str = "functions/reward.py"
) -> List[Tuple[int, str, str]]:
    files = {**FILES, path: code}
    if job:
        files["job.yaml"] = job
    workspace = build(root, files)
    found = excluded_imports(workspace, workspace.components, workspace.modules.values())
    return sorted((it.module.range(it.at).start.row, it.name, it.part) for it in found)


@pytest.mark.parametrize(
    ("code", "name", "part"),
    [
        ("import tests.helpers", "tests.helpers", "tests"),
        ("import functions.kept, tests.helpers as h", "tests.helpers", "tests"),
        ("from tests.helpers import a, b", "tests.helpers", "tests"),
        ("from tests import helpers", "tests", "tests"),
        ("from functions.data.loader import load", "functions.data.loader", "data"),
        ("from functions import data", "functions.data", "data"),
        ("from . import kept, data", ".data", "data"),
        ("from .data import loader", ".data", "data"),
        ("from .data.loader import load as load_data", ".data.loader", "data"),
        ("from ..tests.helpers import *", "..tests.helpers", "tests"),
        ("from build.space import made", "build.space", "build"),
        ("import build.space.made", "build.space.made", "build"),
        ("def f():\n    import tests.helpers", "tests.helpers", "tests"),
        ("class A:\n  def f(self):\n    with x:\n      import tests.helpers", "tests.helpers", "tests"),
        ("try:\n    import tests.helpers\nexcept ValueError:\n    pass", "tests.helpers", "tests"),
        ("try:\n    import tests.helpers\nfinally:\n    pass", "tests.helpers", "tests"),
        ("if x:\n    pass\nelse:\n    import tests.helpers", "tests.helpers", "tests"),
    ],
)
def test_imports_that_lead_out_of_the_upload(tmp_path: Path, code: str, name: str, part: str) -> None:
    row = 1 + code[: code.index("import")].count("\n") if "\n" in code else 1
    assert judged(tmp_path, code) == [(row, name, part)]


@pytest.mark.parametrize(
    "code",
    [
        "import functions.kept",
        "import data",
        "import Data.kept",
        "import temp.thing",
        "import tmp, build_tools, datasets.data",
        "from os import path",
        "from ....far import away",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import tests.helpers",
        "if __name__ == '__main__':\n    import tests.helpers",
        "try:\n    import tests.helpers\nexcept ImportError:\n    import tests.helpers",
        "try:\n    from tests import helpers\nexcept (KeyError, ModuleNotFoundError):\n    helpers = None",
        "try:\n    import tests.helpers\nexcept:\n    pass",
    ],
)
def test_imports_that_do_no_harm(tmp_path: Path, code: str) -> None:
    assert judged(tmp_path, code) == []


def test_each_name_of_an_import_is_its_own_mistake(tmp_path: Path) -> None:
    code = "import functions.data.loader, tests.helpers\nfrom functions import (\n    kept,\n    data,\n)\n"
    assert judged(tmp_path, code) == [
        (1, "functions.data.loader", "data"),
        (1, "tests.helpers", "tests"),
        (4, "functions.data", "data"),
    ]


def test_what_an_excluded_module_imports_is_not_the_mistake(tmp_path: Path) -> None:
    assert judged(tmp_path, "import tests.helpers", path="tests/other.py") == []


def test_folders_count_from_what_is_uploaded(tmp_path: Path) -> None:
    job = "functions:\n- {type: reward, fcmodel: {classpath: a.B, zipdir: tests}}\n"
    workspace = build(tmp_path, {"job.yaml": job})
    assert upload_folders(workspace, workspace.components) == (str(tmp_path / "tests"),)
    assert judged(tmp_path, "import helpers", job, "tests/reward.py") == []


def test_without_components_the_workspace_is_uploaded(tmp_path: Path) -> None:
    assert upload_folders(build(tmp_path, {}), ()) == (str(tmp_path),)
