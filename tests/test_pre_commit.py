"""Commits under the real `pre-commit`, which installs the hooks from this checkout and the package index."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import List, Mapping, Sequence

import pytest

from tests.checkout import git, repository_of_the_checkout, skip_when_offline
from tests.linting import PROCESSOR, REQUIREMENTS

UNDECORATED = PROCESSOR.replace("    @observe_processor\n", "")
BASE = """\
from dashscope.finetune.reinforcement import AbstractRolloutProcessor


class Base(AbstractRolloutProcessor):
    pass
"""
#: A processor only for those who know what its base class in another file derives from.
DERIVED = """\
from functions.base import Base


class Derived(Base):
    async def process(self, input):
        return None
"""


class Repository:
    """A function project in git, whose commits run hooks of this checkout.

    Args:
        root: An empty folder.
        hooks_from: The repository of the checkout.
        revision: Its commit.
        home: Where `pre-commit` keeps the environments that it has installed.
    """

    def __init__(self, root: Path, hooks_from: Path, revision: str, home: Path) -> None:
        self.root = root
        self._source = {"repo": str(hooks_from), "rev": revision}
        self._home = home
        root.mkdir()
        git(root, "init", "--quiet")

    def install(self, *hooks: str, **settings: object) -> None:
        """Has each commit from now on run these hooks, with settings that override their own."""
        listed = [{"id": hook, **settings} for hook in hooks]
        # JSON is YAML.
        self.write({".pre-commit-config.yaml": json.dumps({"repos": [{**self._source, "hooks": listed}]})})
        done = self._pre_commit("install", "--install-hooks")
        assert done.returncode == 0, done.stdout

    def write(self, files: Mapping[str, str]) -> None:
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")

    def read(self, name: str) -> str:
        return (self.root / name).read_text(encoding="utf-8")

    def settle(self) -> None:
        """Commits all that is there, unchecked."""
        git(self.root, "add", "--all")
        assert git(self.root, "commit", "--quiet", "--no-verify", "--message", "before").returncode == 0

    def commit(self, *staged: str) -> subprocess.CompletedProcess[str]:
        """Stages files, or all of them, and commits under the hooks."""
        git(self.root, "add", *(staged or ("--all",)))
        os.environ["PRE_COMMIT_HOME"] = str(self._home)
        try:
            return git(self.root, "commit", "--message", "a change")
        finally:
            del os.environ["PRE_COMMIT_HOME"]

    def _pre_commit(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        return subprocess.run(
            [sys.executable, "-m", "pre_commit", *arguments],
            cwd=self.root,
            env={**environment, "PRE_COMMIT_HOME": str(self._home), "GIT_CONFIG_GLOBAL": os.devnull},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )


class Hooks:
    """The checkout as a repository of hooks, installed once.

    Args:
        folder: Where it is kept, of all processes that run tests: `pre-commit` lets only one of them install.
        own: A folder of this process.
    """

    def __init__(self, folder: Path, own: Path) -> None:
        self._folder = folder
        self._source = folder / "rlobs-lint"
        if not self._source.exists():
            repository_of_the_checkout(own / "rlobs-lint")
            # Another process may have been faster: a folder that is not empty is not replaced.
            with contextlib.suppress(OSError):
                (own / "rlobs-lint").rename(self._source)
        self._revision = git(self._source, "rev-parse", "HEAD").stdout.strip()

    def repository(self, root: Path) -> Repository:
        return Repository(root, self._source, self._revision, self._folder / "home")


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Hooks:
    skip_when_offline()
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared-hooks"
    folder.mkdir(exist_ok=True)
    return Hooks(folder, tmp_path_factory.mktemp("hooks"))


@pytest.fixture
def repository(hooks: Hooks, tmp_path: Path) -> Repository:
    return hooks.repository(tmp_path / "project")


def _found(output: str) -> List[str]:
    """Returns path and code of the findings that a hook printed in concise form."""
    lines = (line for line in output.splitlines() if ": RLO" in line)
    return sorted(f"{line.split(':')[0]} {line.split(': ')[1].split()[0]}" for line in lines)


CONCISE = ("--output-format", "concise")


def _with(arguments: Sequence[str]) -> Mapping[str, object]:
    return {"args": list(arguments)}


def test_a_fault_stops_the_commit(repository: Repository) -> None:
    repository.write({"functions/rollout.py": UNDECORATED, "requirements.txt": REQUIREMENTS})
    repository.install("rlobs-lint", **_with(CONCISE))
    done = repository.commit()
    assert done.returncode == 1
    assert _found(done.stdout) == ["functions/rollout.py RLO101"]
    assert git(repository.root, "rev-parse", "--verify", "--quiet", "HEAD").returncode == 1
    assert repository.read("functions/rollout.py") == UNDECORATED


def test_the_fixing_hook_mends_it_and_the_next_commit_passes(repository: Repository) -> None:
    repository.write({"functions/rollout.py": UNDECORATED, "requirements.txt": REQUIREMENTS})
    repository.install("rlobs-lint-fix")
    stopped = repository.commit()
    assert stopped.returncode == 1
    assert "files were modified by this hook" in stopped.stdout
    assert repository.read("functions/rollout.py") == PROCESSOR
    passed = repository.commit()
    assert passed.returncode == 0, passed.stdout
    assert git(repository.root, "show", "HEAD:functions/rollout.py").stdout == PROCESSOR


def test_a_commit_of_requirements_alone_is_checked(repository: Repository) -> None:
    repository.write({"functions/rollout.py": PROCESSOR, "requirements.txt": REQUIREMENTS})
    repository.install("rlobs-lint", **_with(CONCISE))
    repository.settle()
    first, *rest = REQUIREMENTS.splitlines(keepends=True)
    repository.write({"requirements.txt": "".join(rest)})
    done = repository.commit()
    assert done.returncode == 1
    assert _found(done.stdout) == ["requirements.txt RLO501"]
    repository.write({"requirements.txt": first + "".join(rest) + "# complete\n"})
    passed = repository.commit()
    assert passed.returncode == 0, passed.stdout


def test_staged_files_are_reported_in_the_context_of_all_others(repository: Repository) -> None:
    repository.write(
        {
            "functions/__init__.py": "",
            "functions/base.py": BASE,
            "functions/other.py": UNDECORATED,
            "requirements.txt": REQUIREMENTS,
        }
    )
    repository.install("rlobs-lint", **_with(CONCISE))
    repository.settle()
    repository.write({"functions/derived.py": DERIVED})
    done = repository.commit("functions/derived.py")
    assert done.returncode == 1
    assert _found(done.stdout) == ["functions/derived.py RLO101"]


@pytest.mark.parametrize("serial", [True, False])
def test_slices_of_a_long_list_do_not_get_in_each_others_way(serial: bool, repository: Repository) -> None:
    paths = [f"functions/part_{number}/rollout.py" for number in range(40)]
    repository.write(dict.fromkeys(paths, UNDECORATED))
    rest = REQUIREMENTS.splitlines(keepends=True)[1:]
    repository.write({"requirements.txt": "".join(rest)})
    repository.install("rlobs-lint-fix", require_serial=serial)
    stopped = repository.commit()
    assert stopped.returncode == 1
    assert "internal" not in stopped.stdout
    assert {repository.read(path) for path in paths} == {PROCESSOR}
    assert sorted(repository.read("requirements.txt").splitlines()) == sorted(REQUIREMENTS.splitlines())
    passed = repository.commit()
    assert passed.returncode == 0, passed.stdout
    strays = [path for path in repository.root.rglob("*.tmp*") if ".git" not in path.parts]
    assert strays == []
