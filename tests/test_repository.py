"""What newcomers and installers rely on: a whole package, documents that know all of it, neutral texts."""

from __future__ import annotations

import re
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Dict, FrozenSet, Iterator, List, Tuple

import pytest

from rlobs_lint.files.settings_file import parse
from rlobs_lint.rulebook import registry
from rlobs_lint.version import __version__
from tests.checkout import ROOT

PROJECT = parse((ROOT / "pyproject.toml").read_text(encoding="utf-8"), "pyproject.toml")
PACKAGE = ROOT / "rlobs_lint"
#: Hosts that lead nowhere (RFC 2606, RFC 6761), names without a dot, loopback, and what code compares with.
_HARMLESS_HOST = re.compile(
    r"(?:[\w.-]+\.)?example(?:\.(?:com|org|net))?|[\w.-]+\.(?:internal|invalid|test|local)|[\w-]+"
    r"|127\.0\.0\.1|dashscope(?:-intl)?\.aliyuncs\.com"
)
_ADDRESS = re.compile(r"\bhttps?://(?:[^\s/@\"'`<>]*@)?([A-Za-z0-9][\w.-]*)")
#: Folders of one machine or one user.
_MACHINE_PATH = re.compile(r"(?<![\w.~/:}>*-])/(?:home|Users|root|work)/[\w.-]+|(?<![\w.])[A-Z]:\\Users\\")
_MAIL = re.compile(
    r"(?<![\w.+:/-])[\w.+-]+@(?!(?:[\w-]+\.)*example\.)(?:[\w-]+\.)+(?:com|org|net|io|cn|dev|ai)\b"
)
_UNFINISHED = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")


def _listed(*arguments: str) -> List[str]:
    """Returns the names that `git ls-files` lists, none where this is no repository."""
    command = ["git", "ls-files", "-z", "--exclude-standard", *arguments]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True)
    return [name for name in listed.stdout.decode("utf-8").split("\0") if name]


def _files() -> Iterator[Path]:
    """Yields what belongs to the repository, or all that is there where it is none."""
    paths = [ROOT / name for name in _listed("--cached", "--others")]
    if not paths:
        ignored = {"build", "dist", "venv", "__pycache__"}
        paths = [
            path
            for path in ROOT.rglob("*")
            if not any(
                part in ignored or part.endswith(".egg-info") or (part.startswith(".") and part != ".ci")
                for part in path.relative_to(ROOT).parts
            )
        ]
    yield from (path for path in paths if path.is_file())


def _lines() -> Iterator[Tuple[str, str]]:
    """Yields the lines of all texts, each behind its place."""
    for path in _files():
        if path == Path(__file__):
            continue  # it holds what it looks for
        for row, line in enumerate(path.read_bytes().decode("utf-8", "replace").split("\n"), 1):
            yield f"{path.relative_to(ROOT).as_posix()}:{row}", line


# --- the package ----------------------------------------------------------------------------------


def test_every_package_is_installed() -> None:
    """A folder that `pyproject.toml` does not list would be missing from the wheel alone."""
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    packages = {folder.relative_to(ROOT).as_posix().replace("/", ".") for folder in folders}
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == packages | {"rlobs_lint.codemods"}


def test_the_installed_package_is_this_one() -> None:
    assert metadata.version("rlobs-lint") == __version__
    (entry,) = (
        entry
        for entry in metadata.distribution("rlobs-lint").entry_points
        if entry.group == "console_scripts"
    )
    assert entry.name == "rlobs-lint"
    assert callable(entry.load())
    assert metadata.metadata("rlobs-lint")["Requires-Python"] == ">=3.9"


def test_no_case_is_ignored_by_git() -> None:
    """A folder `build/` of a case would be missing from every other copy of the repository."""
    caches = re.compile(r"(?:^|/)(?:__pycache__|\.\w+_cache|\.hypothesis)/")
    ignored = _listed("--others", "--ignored", "codemods", "docs", "fixtures", "rlobs_lint", "tests")
    assert not [name for name in ignored if not caches.search(name)]


def test_types_are_offered() -> None:
    assert (PACKAGE / "py.typed").exists()


# --- documents ------------------------------------------------------------------------------------


def test_the_tour_passes_every_room() -> None:
    tour = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w/]+)/`", tour))
    rooms = {path.parent.relative_to(PACKAGE).as_posix() for path in PACKAGE.glob("*/__init__.py")}
    rooms |= {path.parent.relative_to(PACKAGE).as_posix() for path in PACKAGE.glob("flow/*/__init__.py")}
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and path in _top_folders()}
    assert not (rooms | folders) - named


def test_the_tour_names_no_file_that_is_gone() -> None:
    tour = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    files = [path.relative_to(ROOT).as_posix() for path in _files()]
    named = re.findall(r"`([\w/]+\.py)`", tour)
    assert named
    patterns = {name for name in named if "NNN" in name}
    gone = [name for name in named if not any(f"/{file}".endswith(f"/{name}") for file in files)]
    assert set(gone) <= patterns


def _top_folders() -> FrozenSet[Path]:
    parts = (path.relative_to(ROOT).parts for path in _files())
    return frozenset(ROOT / first for first, *rest in parts if rest and not first.startswith("."))


def test_the_changelog_knows_the_version_and_every_rule() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## {re.escape(__version__)}\b", text, re.MULTILINE)
    known = set(re.findall(r"RLO\d{3}", text))
    for first, last in re.findall(r"RLO(\d{3})–RLO(\d{3})", text):
        known.update(f"RLO{number}" for number in range(int(first), int(last) + 1))
    assert known == {rule.code for rule in registry.all_rules()}


# --- texts ----------------------------------------------------------------------------------------


def test_texts_name_no_folder_of_a_machine_and_no_mail_address() -> None:
    found = [
        f"{place}: {match.group()}"
        for place, line in _lines()
        for pattern in (_MACHINE_PATH, _MAIL)
        for match in pattern.finditer(line)
    ]
    assert not found


def test_no_text_says_that_something_is_unfinished() -> None:
    own = Path(__file__).relative_to(ROOT).as_posix()
    found = [
        place for place, line in _lines() if _UNFINISHED.search(line) and not place.startswith(f"{own}:")
    ]
    assert not found


def test_addresses_lead_to_the_rules_pages_or_nowhere() -> None:
    home = "github.com"
    foreign: Dict[str, str] = {
        place: host
        for place, line in _lines()
        for host in _ADDRESS.findall(line)
        if not _HARMLESS_HOST.fullmatch(host) and not (host == home and "/docs/rules/" in line)
    }
    assert not foreign


@pytest.mark.parametrize(
    ("line", "pattern"),
    [
        ("see /home/me/project for it", _MACHINE_PATH),
        ('path = "/root/.cache"', _MACHINE_PATH),
        ("C:\\Users\\me", _MACHINE_PATH),
        ("write to somebody@company.com", _MAIL),
        ("# TODO later", _UNFINISHED),
    ],
)
def test_what_the_patterns_are_for(line: str, pattern: re.Pattern[str]) -> None:
    assert pattern.search(line)
