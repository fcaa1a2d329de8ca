"""From named paths to workspaces and files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable, Iterable, List, Mapping, Optional, Set, Tuple

import pytest

from rlobs_lint.files.finding_files import Discovery, Finder
from rlobs_lint.files.settings import Overrides, SettingsReader
from tests.linting import Project

Write = Callable[[Mapping[str, str]], Project]

FILE = "x = 1\n"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def build(files: Mapping[str, str]) -> Project:
        return Project(tmp_path / "repo").write(files)

    return build


def _discover(
    project: Project, *paths: str, force_exclude: bool = False, overrides: Optional[Overrides] = None
) -> Discovery:
    finder = Finder(SettingsReader(overrides or Overrides()), force_exclude)
    return finder.discover([str(project.root / path) for path in paths])


def _relative(project: Project, paths: Iterable[str]) -> List[str]:
    return [Path(path).relative_to(project.root).as_posix() for path in paths]


def _python(project: Project, *paths: str, **options: bool) -> List[str]:
    """Returns all Python files that are found, by path relative to the repository."""
    found = _discover(project, *paths, **options)
    return _relative(project, (path for files in found.workspaces for path in files.python))


def _roots(project: Project, *paths: str) -> List[str]:
    return _relative(project, (files.root for files in _discover(project, *paths).workspaces))


# --- workspaces -----------------------------------------------------------------------------------


def test_a_workspace_is_the_nearest_folder_upward_with_functions(write: Write) -> None:
    project = write({"a/functions/deep/er/p.py": FILE, "a/requirements.txt": "", "pyproject.toml": ""})
    for named in ("a/functions/deep/er/p.py", "a/functions/deep/er", "a/functions", "a"):
        assert _roots(project, named) == ["a"]


def test_functions_goes_before_a_nearer_project_file(write: Write) -> None:
    project = write({"functions/p.py": FILE, "tools/requirements.txt": "", "tools/t.py": FILE})
    assert _roots(project, "tools/t.py") == ["."]


def test_without_functions_the_nearest_other_mark_decides(write: Write) -> None:
    project = write(
        {"a/requirements.txt": "", "a/b/x.py": FILE, "c/pyproject.toml": "", "c/y.py": FILE, "z.py": FILE}
    )
    assert _roots(project, "a/b/x.py") == ["a"]
    assert _roots(project, "c/y.py") == ["c"]
    assert _roots(project, "z.py") == ["."]


def test_a_job_file_makes_no_workspace(write: Write) -> None:
    project = write({"a/job.yaml": "functions: []\n", "a/x.py": FILE})
    assert _roots(project, "a") == ["."]


def test_nothing_above_a_git_folder_counts(write: Write) -> None:
    project = write({"functions/p.py": FILE, "vendored/.git/HEAD": "", "vendored/x.py": FILE})
    assert _roots(project, "vendored/x.py") == ["vendored"]
    assert _roots(project, ".") == [".", "vendored"]


def test_a_git_file_of_a_worktree_is_a_limit_too(write: Write) -> None:
    project = write({"functions/p.py": FILE, "tree/.git": "gitdir: elsewhere\n", "tree/x.py": FILE})
    assert _roots(project, "tree") == ["tree"]


def test_without_any_mark_the_folder_itself_is_the_workspace(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "x.py").write_text(FILE)
    (files,) = Finder(SettingsReader(Overrides(isolated=True))).discover([str(folder / "x.py")]).workspaces
    # Whoever runs this may have marks in a folder above the temporary one.
    assert files.root == str(folder) or str(folder).startswith(files.root)


def test_several_workspaces_below_one_path_own_their_files(write: Write) -> None:
    project = write(
        {"a/functions/p.py": FILE, "b/functions/q.py": FILE, "tools/t.py": FILE, "b/job.yaml": ""}
    )
    found = _discover(project, ".")
    owned = {
        _relative(project, [files.root])[0]: _relative(project, (*files.python, *files.yaml))
        for files in found.workspaces
    }
    assert owned == {".": ["tools/t.py"], "a": ["a/functions/p.py"], "b": ["b/functions/q.py", "b/job.yaml"]}


def test_a_folder_between_workspaces_and_repository_brings_in_no_other_files(write: Write) -> None:
    project = write({"all/a/functions/p.py": FILE, "all/b/functions/q.py": FILE, "script.py": FILE})
    assert _roots(project, "all") == ["all/a", "all/b"]


def test_a_workspace_inside_another_is_its_own(write: Write) -> None:
    project = write({"functions/p.py": FILE, "examples/demo/functions/q.py": FILE})
    assert _roots(project, ".") == [".", "examples/demo"]
    assert _python(project, "functions") == ["functions/p.py"]


def test_a_workspace_behind_a_link_is_found_once(write: Write) -> None:
    project = write({"releases/1/functions/p.py": FILE})
    (project.root / "current").symlink_to(project.root / "releases" / "1")
    assert _roots(project, ".") == [".", "releases/1"]
    assert _python(project, ".") == ["releases/1/functions/p.py"]


def test_without_any_mark_only_neighbours_are_read(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for name in ("x.py", "y.py", "projects/z.py"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(FILE)
    finder = Finder(SettingsReader(Overrides(isolated=True)))
    (files,) = finder.discover([str(home / "x.py")]).workspaces
    assert files.root != str(home) or [Path(path).name for path in files.python] == ["x.py", "y.py"]
    (files,) = finder.discover([str(home)]).workspaces
    assert len(files.python) == 3


# --- scope ----------------------------------------------------------------------------------------


def test_the_whole_workspace_is_read_for_context_and_what_was_named_is_in_scope(write: Write) -> None:
    project = write({"functions/a/p.py": FILE, "functions/b/q.py": FILE, "run.py": FILE})
    (files,) = _discover(project, "functions/a").workspaces
    assert _relative(project, files.python) == ["functions/a/p.py", "functions/b/q.py", "run.py"]
    assert files.scope.covers(str(project.root / "functions/a/p.py"))
    assert not files.scope.covers(str(project.root / "functions/b/q.py"))
    assert not files.scope.covers(str(project.root / "functions/a.py"))
    assert files.scope.covers_requirements and files.scope.covers_jobs


@pytest.mark.parametrize(
    ("named", "requirements"), [("functions/p.py", True), ("job.yaml", False), ("data.jsonl", False)]
)
def test_single_files_cover_the_requirements_only_with_python(
    write: Write, named: str, requirements: bool
) -> None:
    project = write({"functions/p.py": FILE, "job.yaml": "", "data.jsonl": ""})
    (files,) = _discover(project, named).workspaces
    assert files.scope.covers(str(project.root / named))
    assert files.scope.covers_requirements is requirements
    assert not files.scope.covers_jobs


def test_named_files_of_each_kind_are_kept(write: Write) -> None:
    project = write(
        {"functions/p.py": FILE, "data.jsonl": "", "requirements-dev.txt": "", "job.yml": "", "x.md": ""}
    )
    found = _discover(project, "data.jsonl", "requirements-dev.txt", "job.yml", "x.md")
    (files,) = found.workspaces
    assert _relative(project, files.datasets) == ["data.jsonl"]
    assert _relative(project, files.requirements) == ["requirements-dev.txt"]
    assert _relative(project, files.yaml) == ["job.yml"]
    assert _relative(project, found.unsupported) == ["x.md"]


def test_a_missing_path_is_named_and_the_others_are_found(write: Write) -> None:
    project = write({"functions/p.py": FILE})
    found = _discover(project, "functions/p.py", "gone.py")
    assert found.missing == (str(project.root / "gone.py"),)
    assert len(found.workspaces) == 1
    assert Finder(SettingsReader()).discover([""]).missing == ("",)


@pytest.mark.parametrize("name", ["types.pyi", "notes.ipynb", "README"])
def test_files_of_other_kinds_are_not_linted(write: Write, name: str) -> None:
    project = write({"functions/p.py": FILE, f"functions/{name}": ""})
    assert _python(project, "functions") == ["functions/p.py"]
    assert _relative(project, _discover(project, f"functions/{name}").unsupported) == [f"functions/{name}"]


# --- what a walk leaves out -----------------------------------------------------------------------


def test_environments_hidden_folders_and_the_usual_names_are_left_out(write: Write) -> None:
    project = write(
        {
            "functions/p.py": FILE,
            "functions/.hidden.py": FILE,
            "env39/pyvenv.cfg": "",
            "env39/lib/x.py": FILE,
            "venv/x.py": FILE,
            "node_modules/x.py": FILE,
            ".github/x.py": FILE,
            "pkg.egg-info/x.py": FILE,
            "build/x.py": FILE,
            "dist/x.py": FILE,
        }
    )
    assert _python(project, ".") == ["build/x.py", "dist/x.py", "functions/.hidden.py", "functions/p.py"]
    assert _discover(project, ".").left_out == {"environment": 1, "exclude": 3, "hidden": 1}


def test_a_named_folder_is_walked_whatever_it_is_called(write: Write) -> None:
    project = write({"functions/p.py": FILE, ".hidden/x.py": FILE, "venv/y.py": FILE})
    assert ".hidden/x.py" in _python(project, ".hidden")
    assert "venv/y.py" in _python(project, "venv")


def test_an_excluded_name_above_the_workspace_excludes_nothing(tmp_path: Path) -> None:
    project = Project(tmp_path / "venv" / "node_modules" / "repo").write({"functions/p.py": FILE})
    assert _python(project, ".") == ["functions/p.py"]


def test_exclude_replaces_the_defaults_and_extend_exclude_adds(write: Write) -> None:
    files = {"functions/p.py": FILE, "venv/x.py": FILE, "old/x.py": FILE}
    project = write({**files, "rlobs-lint.toml": 'exclude = ["old"]\n'})
    assert _python(project, ".") == ["functions/p.py", "venv/x.py"]
    project = write({"rlobs-lint.toml": 'extend-exclude = ["old"]\n'})
    assert _python(project, ".") == ["functions/p.py"]


def test_patterns_are_relative_to_the_settings_file_and_in_gitignore_style(write: Write) -> None:
    project = write(
        {
            "pyproject.toml": "[tool.rlobs-lint]\n"
            'extend-exclude = ["/a/functions/old", "*_pb2.py", "!keep_pb2.py"]\n',
            "a/functions/old/x.py": FILE,
            "a/functions/new/old/x.py": FILE,
            "a/functions/m_pb2.py": FILE,
            "a/functions/keep_pb2.py": FILE,
        }
    )
    assert _python(project, "a") == ["a/functions/keep_pb2.py", "a/functions/new/old/x.py"]
    assert _python(project, ".") == ["a/functions/keep_pb2.py", "a/functions/new/old/x.py"]


def test_a_named_file_is_linted_though_excluded_unless_that_is_enforced(write: Write) -> None:
    project = write({"rlobs-lint.toml": 'extend-exclude = ["old"]\n', "functions/old/x.py": FILE})
    assert _python(project, "functions/old/x.py") == ["functions/old/x.py"]
    assert _python(project, "functions/old/x.py", force_exclude=True) == []
    assert _discover(project, "functions/old/x.py", force_exclude=True).left_out == {"exclude": 1}


def test_an_excluded_folder_can_be_left_out_though_named(write: Write) -> None:
    project = write(
        {"rlobs-lint.toml": 'extend-exclude = ["old/"]\n', "old/x.py": FILE, "functions/p.py": FILE}
    )
    assert "old/x.py" in _python(project, "old")
    assert _python(project, "old", force_exclude=True) == []
    assert _python(project, "functions", force_exclude=True) == ["functions/p.py"]


def test_a_pattern_that_covers_a_named_folder_does_not_empty_it(write: Write) -> None:
    project = write(
        {"rlobs-lint.toml": 'extend-exclude = ["old"]\n', "functions/old/x.py": FILE, ".gitignore": "old\n"}
    )
    assert _python(project, "functions/old") == ["functions/old/x.py"]


# --- git ------------------------------------------------------------------------------------------


def test_what_git_ignores_is_left_out_unless_the_settings_say_otherwise(write: Write) -> None:
    project = write(
        {
            ".gitignore": "# comment\n\ngen/\n*.tmp.py\n",
            "functions/gen/x.py": FILE,
            "functions/a.tmp.py": FILE,
        }
    )
    project.write({"functions/p.py": FILE})
    assert _python(project, ".") == ["functions/p.py"]
    assert _discover(project, ".").left_out == {"gitignore": 2}
    project.write({"rlobs-lint.toml": "respect-gitignore = false\n"})
    assert len(_python(project, ".")) == 3
    assert _python(project, "functions/a.tmp.py") == [
        "functions/a.tmp.py",
        "functions/gen/x.py",
        "functions/p.py",
    ]


def test_the_nearest_ignore_file_decides(write: Write) -> None:
    project = write(
        {
            ".gitignore": "*.gen.py\n/functions/x/only.py\n",
            "functions/.gitignore": "!keep.gen.py\nlocal.py\n",
            "functions/keep.gen.py": FILE,
            "functions/drop.gen.py": FILE,
            "functions/local.py": FILE,
            "local.py": FILE,
            "functions/x/only.py": FILE,
            "x/only.py": FILE,
        }
    )
    assert _python(project, ".") == ["functions/keep.gen.py", "local.py", "x/only.py"]


def test_ignore_files_above_the_named_folder_hold_too(write: Write) -> None:
    project = write(
        {".gitignore": "secret.py\n", ".git/info/exclude": "mine.py\n", "a/functions/secret.py": FILE}
    )
    project.write({"a/functions/mine.py": FILE, "a/functions/p.py": FILE})
    assert _python(project, "a/functions") == ["a/functions/p.py"]


def test_a_pattern_that_git_cannot_read_is_skipped(write: Write) -> None:
    project = write({".gitignore": "!\n[\nx.py\n", "functions/x.py": FILE, "functions/p.py": FILE})
    assert _python(project, ".") == ["functions/p.py"]


# --- links and other trouble ----------------------------------------------------------------------


def test_links_that_lead_out_of_the_workspace_are_not_followed(write: Write, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x.py").write_text(FILE)
    project = write({"functions/p.py": FILE})
    (project.root / "functions" / "out").symlink_to(tmp_path / "outside")
    (project.root / "functions" / "out.py").symlink_to(tmp_path / "outside" / "x.py")
    assert _python(project, ".") == ["functions/p.py"]
    assert _discover(project, ".").left_out == {"link": 2}
    assert "functions/out.py" in _python(project, "functions/out.py"), "a named file is never dropped"


def test_links_in_circles_end(write: Write) -> None:
    project = write({"functions/a/p.py": FILE, "functions/b/q.py": FILE})
    (project.root / "functions" / "a" / "up").symlink_to(project.root)
    (project.root / "functions" / "a" / "b").symlink_to(project.root / "functions" / "b")
    (project.root / "functions" / "b" / "a").symlink_to(project.root / "functions" / "a")
    (project.root / "functions" / "self").symlink_to("self")
    (project.root / "functions" / "self.py").symlink_to("self.py")
    found = set(_python(project, "."))
    assert {"functions/a/p.py", "functions/b/q.py", "functions/a/b/q.py", "functions/b/a/p.py"} <= found
    assert len(found) <= 5


def test_a_link_inside_the_workspace_knows_its_target(write: Write) -> None:
    project = write({"common/x.py": FILE, "functions/p.py": FILE})
    (project.root / "functions" / "common").symlink_to(project.root / "common")
    (files,) = _discover(project, ".").workspaces
    root = project.root
    assert files.aliases == {str(root / "functions/common/x.py"): str(root / "common/x.py")}


def test_folders_called_like_files_and_odd_names_are_no_trouble(write: Write) -> None:
    project = write(
        {"functions/x.py/y.py": FILE, "functions/new\nline.py": FILE, "functions/\x1b[31m.py": FILE}
    )
    assert len(_python(project, ".")) == 3


def test_a_name_that_is_no_text_is_found(write: Write) -> None:
    project = write({"functions/p.py": FILE})
    name = os.fsencode(str(project.root / "functions")) + b"/\xff.py"
    try:
        Path(os.fsdecode(name)).write_text(FILE)
    except OSError:
        pytest.skip("the file system wants text")
    assert len(_python(project, ".")) == 2


def test_a_folder_that_cannot_be_listed_is_reported(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    project = write({"functions/p.py": FILE, "functions/closed/q.py": FILE})
    closed = str(project.root / "functions" / "closed")
    scan = os.scandir

    def refuse(path: str) -> Any:
        if path == closed:
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    (finding,) = project.lint().findings
    assert (finding.code, finding.path) == ("RLO902", closed)


def test_order_does_not_depend_on_how_paths_are_named(write: Write) -> None:
    project = write({"functions/b.py": FILE, "functions/a.py": FILE, "functions/a/z.py": FILE})
    orders: Set[Tuple[str, ...]] = {
        tuple(_python(project, *names))
        for names in (
            ["."],
            ["functions"],
            ["functions/b.py", "functions/a.py"],
            ["functions/a", "functions"],
        )
    }
    assert len(orders) == 1
