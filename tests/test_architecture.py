"""The rooms of the package, and which may import which: in one direction only, and never in a circle."""

from __future__ import annotations

import ast
from functools import cache
from typing import Container, Dict, FrozenSet, Iterator, List, Mapping, Set, Tuple

import pytest

from tests.checkout import ROOT

#: Every room, from the ground up, with the rooms that it may import from. All imports count, those in
#: functions and those for types alone, too. `rlobs_lint.rules` is imported by nobody: rules are found by
#: the names of their files.
ROOMS: Mapping[str, str] = {
    "version": "",
    "model": "",
    "sdk": "",
    "texts": "model",
    "files": "model sdk texts",
    "facts": "version model files",
    "project": "model sdk files facts",
    "flow.domain": "model facts",
    "flow.interpreter": "model sdk facts project flow.domain",
    "flow.library": "flow.domain flow.interpreter",
    "flow.outside": "sdk facts flow.domain flow.interpreter",
    "flow.run": "model sdk facts project flow.domain flow.library flow.interpreter flow.outside",
    "flow.questions": "model sdk facts project flow.domain flow.interpreter flow.outside flow.run",
    "flow.analysis": "flow.run flow.questions",
    "rulebook": "model texts files project flow.analysis",
    "comments": "model files facts project rulebook",
    "rules": "model sdk files facts project flow.domain flow.questions rulebook comments",
    "checking": "model texts files facts project rulebook comments",
    "report": "version model texts files project rulebook checking",
    "codemods": "model sdk files facts",
    "fixes": "model sdk files facts project rulebook checking codemods",
    "cli": "version model texts files facts rulebook checking report fixes",
    "__main__": "cli",
}


_FOLDERS = (("rlobs_lint", "rlobs_lint"), ("codemods", "rlobs_lint.codemods"))


def _modules() -> Dict[str, Tuple[ast.Module, str]]:
    """Returns the syntax trees of all modules by name, each with the package that it is in or is."""
    found = {}
    for folder, package in _FOLDERS:
        for path in (ROOT / folder).rglob("*.py"):
            *parents, last = (package, *path.relative_to(ROOT / folder).with_suffix("").parts)
            name = ".".join(parents) if last == "__init__" else ".".join((*parents, last))
            found[name] = (ast.parse(path.read_bytes()), ".".join(parents))
    return found


def _named(node: ast.AST, package: str, modules: Container[str]) -> Iterator[str]:
    """Yields the modules that an import names: of `from a import b` that is `a.b`, or else `a`."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        parents = package.split(".")
        above = parents[: len(parents) - node.level + 1] if node.level else []
        origin = ".".join((*above, *([node.module] if node.module else [])))
        for alias in node.names:
            inner = f"{origin}.{alias.name}"
            yield inner if inner in modules else origin


@cache
def _imports() -> Mapping[str, FrozenSet[str]]:
    """Returns the modules of the package that each of them imports, anywhere in its text."""
    modules = _modules()
    return {
        name: frozenset(
            imported
            for node in ast.walk(tree)
            for imported in _named(node, package, modules)
            if imported in modules and imported != name
        )
        for name, (tree, package) in modules.items()
    }


def _circles(imports: Mapping[str, FrozenSet[str]]) -> List[List[str]]:
    """Returns the groups of modules that import each other, directly or not."""
    reached: Dict[str, Set[str]] = {}
    for name in imports:
        seen: Set[str] = set()
        waiting = [name]
        while waiting:
            new = imports.get(waiting.pop(), frozenset()) - seen
            seen |= new
            waiting.extend(new)
        reached[name] = seen
    groups = {
        frozenset(other for other in reached[name] if name in reached[other])
        for name in imports
        if name in reached[name]
    }
    return sorted(map(sorted, groups))


def _room(module: str) -> str:
    """Returns the room of a module; of the package's face, nothing."""
    _, *parts = module.split(".")
    return ".".join(parts[: 2 if parts[:1] == ["flow"] else 1])


def test_nothing_is_imported_in_a_circle() -> None:
    assert _circles(_imports()) == []


def test_rooms_import_only_what_the_table_allows() -> None:
    allowed = {room: {room, *names.split()} for room, names in ROOMS.items()}
    wrong = {
        f"{name} imports {imported}"
        for name, others in _imports().items()
        for imported in others
        if _room(name) and _room(imported) not in allowed[_room(name)]
    }
    assert sorted(wrong) == []


def test_the_table_goes_one_way_and_allows_nothing_that_nobody_does() -> None:
    order = list(ROOMS)
    used = {(_room(name), _room(other)) for name, others in _imports().items() for other in others}
    for room, names in ROOMS.items():
        assert all(order.index(name) < order.index(room) for name in names.split()), room
        assert [name for name in names.split() if (room, name) not in used] == [], room


def test_the_table_has_every_room() -> None:
    assert {_room(name) for name in _imports()} - {"", "flow"} == set(ROOMS)


def test_the_face_of_the_package_is_free() -> None:
    """Nothing inside needs it, so that it can offer the Python interface without a circle."""
    assert [name for name, others in _imports().items() if "rlobs_lint" in others] == []


def test_packages_are_empty_but_for_what_they_say() -> None:
    """A package's `__init__` runs before any of its modules: what it imports, all of them pay for."""
    spoken = {"rlobs_lint", "rlobs_lint.report"}
    packages = {name: tree for name, (tree, package) in _modules().items() if name == package}
    assert [name for name, tree in packages.items() if name not in spoken and len(tree.body) != 1] == []


@pytest.mark.parametrize(
    ("imports", "circles"),
    [
        ({"a": "b", "b": "c", "c": ""}, []),
        ({"a": "b", "b": "a", "c": "a"}, [["a", "b"]]),
        ({"a": "b", "b": "c", "c": "a", "d": "e", "e": "d"}, [["a", "b", "c"], ["d", "e"]]),
    ],
)
def test_what_a_circle_is(imports: Dict[str, str], circles: List[List[str]]) -> None:
    assert _circles({name: frozenset(others.split()) for name, others in imports.items()}) == circles
