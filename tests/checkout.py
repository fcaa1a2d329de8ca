"""The checkout as others get it: a copy without what running it has left behind; and the way to the index."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
#: Set where no package index can be asked: what needs one is then skipped, and says so.
OFFLINE = "RLOBS_OFFLINE"
_LEFT_BEHIND = shutil.ignore_patterns(
    ".git", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis", ".venv", "venv", "build", "dist"
)
_IDENTITY = ("-c", "user.name=tests", "-c", "user.email=tests@localhost")


def skip_when_offline() -> None:
    """Skips a test that asks a package index where there is none."""
    if os.environ.get(OFFLINE):
        pytest.skip(f"asks a package index, and {OFFLINE} is set")


def git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs git in a folder, without the settings of whoever runs the tests."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment["GIT_CONFIG_GLOBAL"] = environment["GIT_CONFIG_SYSTEM"] = os.devnull
    return subprocess.run(
        ["git", *_IDENTITY, *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )


def repository_of_the_checkout(folder: Path) -> str:
    """Makes a git repository that holds the checkout in one commit, and returns the commit's name."""
    shutil.copytree(ROOT, folder, ignore=_LEFT_BEHIND)
    for arguments in (("init", "--quiet"), ("add", "--all"), ("commit", "--quiet", "--message", "All of it")):
        done = git(folder, *arguments)
        assert done.returncode == 0, done.stdout
    return git(folder, "rev-parse", "HEAD").stdout.strip()
