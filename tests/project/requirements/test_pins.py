"""How lines stand to the documented versions."""

from __future__ import annotations

from pathlib import Path
from typing import List, Tuple

import pytest

from rlobs_lint.project.requirements import pins as pins_module
from rlobs_lint.project.requirements.pins import (
    CLOSED,
    ENVIRONMENTS,
    OPEN,
    OTHER,
    RIGHT,
    UNTOLD,
    Pin,
    documented_pins,
    missing_pins,
    standing,
    wrong_pins,
)
from rlobs_lint.project.requirements.tree import RequirementsTree
from tests.project.requirements.building import line_of, workspace_of

PINS = (Pin("api", "1.41.1"), Pin("baggage", "0.62b1"))


def tree_of(root: Path, requirements: str, constraints: str = "", include: str = "") -> RequirementsTree:
    files = {"requirements.txt": requirements, "constraints.txt": constraints, "include.txt": include}
    (tree,) = workspace_of(root, files).requirements.trees
    return tree


def missing(tree: RequirementsTree) -> List[Tuple[str, bool]]:
    return [(found.pin.name, found.is_excluded) for found in missing_pins(tree, PINS)]


def wrong(tree: RequirementsTree) -> List[Tuple[str, int, str, bool]]:
    return [
        (Path(entry.file.path).stem, entry.file.place(entry.line).start.row, kind, is_excluded)
        for _, entry, kind, is_excluded in wrong_pins(tree, PINS)
    ]


@pytest.mark.parametrize(
    ("specifier", "version", "wanted"),
    [
        ("", "1.41.1", OPEN),
        ("==1.41.1", "1.41.1", RIGHT),
        (" == 1.41.1 ", "1.41.1", RIGHT),
        ("==1.41.1.0", "1.41.1", RIGHT),
        ("==v1.41.1", "1.41.1", RIGHT),
        ("==01.41.1", "1.41.1", RIGHT),
        ("==1.41.1+company", "1.41.1", RIGHT),
        ("==1.41.1,>=1", "1.41.1", RIGHT),
        ("==1.41.1,==1.41.1", "1.41.1", RIGHT),
        ("===1.41.1", "1.41.1", RIGHT),
        ("===1.41.1.0", "1.41.1", OTHER),
        ("==1.41.1,<1.41", "1.41.1", OTHER),
        ("==1.41.1,==1.40.0", "1.41.1", OTHER),
        ("==1.41.1,!=1.41.1", "1.41.1", OTHER),
        ("==1.41.2", "1.41.1", OTHER),
        ("==1.41", "1.41.1", OTHER),
        ("==1.41.1rc1", "1.41.1", OTHER),
        ("==1.41.1.post1", "1.41.1", OTHER),
        ("===nonsense", "1.41.1", OTHER),
        ("==1.41.*", "1.41.1", OPEN),
        ("==1.*", "1.41.1", OPEN),
        ("~=1.41", "1.41.1", OPEN),
        ("~=1.41.1", "1.41.1", OPEN),
        (">=1.30", "1.41.1", OPEN),
        (">=1.41.1,<=1.41.1", "1.41.1", OPEN),
        ("!=1.41.0", "1.41.1", OPEN),
        ("==1.40.*", "1.41.1", CLOSED),
        ("~=1.40.0", "1.41.1", CLOSED),
        ("<1.41.1", "1.41.1", CLOSED),
        ("!=1.41.1", "1.41.1", CLOSED),
        (">=2", "1.41.1", CLOSED),
        ("==0.62b1", "0.62b1", RIGHT),
        ("==0.62.beta1", "0.62b1", RIGHT),
        ("===0.62b1", "0.62b1", RIGHT),
        ("==0.62b2", "0.62b1", OTHER),
        ("==0.62", "0.62b1", OTHER),
        (">=0.50b0", "0.62b1", OPEN),
        (">0.50", "0.62b1", OPEN),
        ("~=0.62b0", "0.62b1", OPEN),
        (">=0.62", "0.62b1", CLOSED),
        ("==1.41.1+build", "1.41.1+build", RIGHT),
        ("==1.41.1", "1.41.1+build", OTHER),
        ("==1", "no version", UNTOLD),
        ("==" + "9" * 5000, "1.41.1", UNTOLD),
    ],
)
def test_standing(specifier: str, version: str, wanted: str) -> None:
    assert standing(line_of("api")._replace(specifier=specifier), version) == wanted


def test_names_of_the_settings_are_normalised() -> None:
    assert documented_pins({"OpenTelemetry_API": "1", "b": "2"}) == (
        Pin("opentelemetry-api", "1"),
        Pin("b", "2"),
    )
    assert str(Pin("a", "1")) == "a==1"


# --- missing --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("requirements", "wanted"),
    [
        ("", ["api", "baggage"]),
        ("api\n", ["baggage"]),
        ("api==9\nbaggage<1\n", []),
        ("# api\nbaggage\n", ["api"]),
        ("-c constraints.txt\nbaggage\n", ["api"]),
        ("-r include.txt\n", ["baggage"]),
        ("-r none.txt\n", []),
        ("-r https://host/a.txt\n", []),
        ("-c https://host/a.txt\n", ["api", "baggage"]),
        ("api @ https://host/a.whl\nbaggage=1\n", []),
        ("api==${VERSION}\n-e ./baggage\n", []),
        ("api ; sys_platform == 'win32'\nbaggage ; sys_platform != 'win32'\n", ["api"]),
        ("api ; python_version < '3.9'\nbaggage ; python_version >= '3.14'\n", ["api"]),
        ("api @ https://host/a.whl ; os_name == 'nt'\nbaggage>=1, ; os_name == 'posix'\n", ["api"]),
        ("https://host/api-1.whl;os_name=='nt'\n./baggage ; python_version < '3'\n", ["baggage"]),
        ("api=1 ; os_name == 'nt'\nbaggage==${X} ; os_name == 'nt'\n", ["baggage"]),
        ("api ; platform_machine == 'aarch64'\nbaggage ; platform_machine == 's390x'\n", ["baggage"]),
        ("api ; extra == 'x'\nbaggage ; extra != 'x'\n", ["api"]),
        ("api ; implementation_name == 'pypy'\nbaggage ; os_name == 'posix'\n", ["api"]),
        ("api ; python_full_version == '3.11.7'\nbaggage ; platform_release >= '5'\n", []),
    ],
)
def test_missing_pins(tmp_path: Path, requirements: str, wanted: List[str]) -> None:
    tree = tree_of(tmp_path, requirements, constraints="api==1.41.1\n", include="api\n")
    assert missing(tree) == [(name, False) for name in wanted]


@pytest.mark.parametrize(
    ("constraint", "excluded"), [("api==1.40", True), ("api<1.41", True), ("api>=1", False)]
)
def test_a_constraint_may_stand_in_the_way_of_a_missing_pin(
    tmp_path: Path, constraint: str, excluded: bool
) -> None:
    assert missing(tree_of(tmp_path, "-c constraints.txt\nbaggage", constraint)) == [("api", excluded)]


# --- wrong ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("requirements", "wanted"),
    [
        ("api==1.41.1\nbaggage==0.62b1\n", []),
        ("api\nbaggage>=0.50b0\n", [(1, OPEN), (2, OPEN)]),
        ("api==1.40\nbaggage<0.60\n", [(1, OTHER), (2, CLOSED)]),
        ("api==1.40 ; sys_platform == 'win32'\napi==1.41.1 ; sys_platform == 'linux'\n", []),
        ("api ; python_version < '3.9'\napi==1.41.1\n", []),
        ("api ; python_version < '3.12'\napi==1.41.1 ; python_version >= '3.12'\n", [(1, OPEN)]),
        ("api ; python_version < '3.12'\napi==1.41.1 ; python_version < '3.13'\n", []),
        ("api\napi==1.41.1\n", []),
        ("api\napi==1.40\n", [(2, OTHER)]),
        ("api<1.41\napi==1.41.1\n", [(1, CLOSED)]),
        ("api\napi @ https://host/a.whl\n", []),
        ("api==1.40 ; python_full_version == '3.11.7'\n", []),
        ("api=1.40\napi==${X}\n", []),
        ("api ; platform_machine == 'x86_64'\napi==1.41.1 ; platform_machine == 'aarch64'\n", [(1, OPEN)]),
    ],
)
def test_wrong_pins(tmp_path: Path, requirements: str, wanted: List[Tuple[int, str]]) -> None:
    assert wrong(tree_of(tmp_path, requirements)) == [
        ("requirements", row, kind, False) for row, kind in wanted
    ]


@pytest.mark.parametrize(
    ("requirement", "constraint", "wanted"),
    [
        ("api", "api==1.41.1", []),
        ("api>=1", "api===1.41.1", []),
        ("api", "api @ https://host/a.whl", []),
        ("api", "api>=1", [("requirements", 2, OPEN, False)]),
        ("api", "api==1.41.1 ; python_version > '3.11'", [("requirements", 2, OPEN, False)]),
        ("api", "api==1.40", [("constraints", 1, OTHER, False)]),
        ("api==1.41.1", "api==1.40", [("constraints", 1, OTHER, False)]),
        ("api==1.41.1", "api<1.41", [("constraints", 1, CLOSED, False)]),
        ("api==1.41.1", "api>1", []),
        ("api", "api<1.41", [("requirements", 2, OPEN, True)]),
        ("api<1.41", "api<1.41", [("requirements", 2, CLOSED, True)]),
        ("api<1.41", "api==1.41.1", [("requirements", 2, CLOSED, False)]),
        ("api==1.40", "api==1.41.1", [("requirements", 2, OTHER, False)]),
        ("api==1.40", "api==1.40", [("requirements", 2, OTHER, True), ("constraints", 1, OTHER, False)]),
        ("", "api==1.40", [("constraints", 1, OTHER, False)]),
        ("", "api<1.41", []),
        ("", "api", []),
        ("", "api==1.40 ; sys_platform == 'win32'", []),
    ],
)
def test_constraints(
    tmp_path: Path, requirement: str, constraint: str, wanted: List[Tuple[str, int, str, bool]]
) -> None:
    tree = tree_of(tmp_path, f"-c constraints.txt\n{requirement}\n", constraint)
    assert sorted(wrong(tree)) == sorted(wanted)


@pytest.mark.parametrize("line", ["-r none.txt", "-c none.txt", "-r https://host/a.txt", "-c ${FILE}"])
def test_what_was_not_read_may_settle_an_open_version_but_no_other(tmp_path: Path, line: str) -> None:
    tree = tree_of(tmp_path, f"{line}\napi\nbaggage==0.61b0\n")
    assert wrong(tree) == [("requirements", 3, OTHER, False)]


def test_environments_are_linux_on_every_python_that_is_supported() -> None:
    assert {values["sys_platform"] for values in ENVIRONMENTS} == {"linux"}
    assert {values["python_version"] for values in ENVIRONMENTS} >= {f"3.{minor}" for minor in range(9, 15)}


@pytest.mark.parametrize(
    "marker", ["nonsense", "(" * 3000, "python_version ~= 'x'", "platform.version == 'x'"]
)
def test_a_marker_that_cannot_be_evaluated_is_not_told(marker: str) -> None:
    assert pins_module._environments(marker) is None


@pytest.mark.parametrize(
    ("marker", "count"),
    [("", len(ENVIRONMENTS)), ("os_name == 'nt'", 0), ("python_version == '3.9'", 2)],
)
def test_markers_hold_in_some_environments(marker: str, count: int) -> None:
    found = pins_module._environments(marker)
    assert found is not None and len(found) == count
