"""Measures whole runs of the command on a workspace: the first one, an unchanged one, and one file changed.

The workspace, in the temporary folder, is made of the clean example's processors, copied under other
names. Each figure is the best of several runs, from the start of the process to its end:

    python benchmarks/lint_speed.py --processors 100
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable

EXAMPLE = Path(__file__).parent.parent / "fixtures" / "example" / "clean_calculator_agent"


def build(root: Path, processors: int) -> int:
    """Writes the workspace and returns its number of lines of Python code."""
    shutil.copytree(EXAMPLE, root, ignore=shutil.ignore_patterns(".rlobs_cache", "__pycache__"))
    (root / ".git").mkdir()
    originals = [root / "functions/rollout/rollout.py", root / "functions/reward/reward.py"]
    for number in range(1, (processors + 1) // 2):
        for path in originals:
            code = path.read_text(encoding="utf-8")
            for name in ("CalculatorRollout", "AnswerReward"):
                code = code.replace(name, f"{name}{number}")
            path.with_name(f"{path.stem}_{number}.py").write_text(code, encoding="utf-8")
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in root.rglob("*.py"))


def lint(root: Path) -> float:
    """Runs the command on the workspace and returns the seconds that it took."""
    command = [sys.executable, "-m", "rlobs_lint", "--quiet", str(root)]
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own command
    return time.perf_counter() - start


def best(runs: int, root: Path, prepare: Callable[[int], None]) -> float:
    """Returns the least seconds of several runs, each after its preparation."""
    seconds = []
    for run in range(runs):
        prepare(run)
        seconds.append(lint(root))
    return min(seconds)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--processors", type=int, default=100)
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "workspace")
        lines = build(root, given.processors)
        changing = root / "functions/reward/reward.py"

        def forget(_: int) -> None:
            shutil.rmtree(root / ".rlobs_cache", ignore_errors=True)

        def change(run: int) -> None:
            with changing.open("a", encoding="utf-8") as file:
                file.write(f"# change {run}\n")

        rows = {
            "first run": best(given.runs, root, forget),
            "nothing changed": best(given.runs, root, lambda _: None),
            "one file changed": best(given.runs, root, change),
        }
    sys.stdout.write(f"{given.processors} processors, {lines} lines\n")
    for name, seconds in rows.items():
        sys.stdout.write(f"{name:<18}{seconds:6.2f} s\n")


if __name__ == "__main__":
    main()
