"""Compares judging a dataset with merely parsing its lines.

Writes a dataset of a common shape (by default 200 MB, in the temporary folder), takes the better of
several runs of both, and prints seconds, megabytes a second, the ratio and the peak memory:

    python benchmarks/dataset_speed.py --megabytes 200 --shape short
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, Dict, List

from rlobs_lint.project.datasets.files import read_dataset

Record = Dict[str, object]


def short_record(generator: random.Random) -> Record:
    """One question: the shortest lines, where the work of a line weighs most."""
    left, right = generator.randrange(10_000), generator.randrange(10_000)
    return {"messages": [{"role": "user", "content": f"{left}*{right}=?"}]}


def plain_record(generator: random.Random) -> Record:
    """A system prompt, a question and a solution."""
    words = " ".join(generator.choice(("计算", "price", "total", "步骤", "answer")) for _ in range(60))
    return {
        "messages": [{"role": "system", "content": words}, {"role": "user", "content": words[::-1]}],
        "rollout_extra": {"solution": str(generator.randrange(10_000)), "level": generator.randrange(5)},
    }


def agent_record(generator: random.Random) -> Record:
    """A conversation with tool calls, where assistant messages have no content."""
    messages: List[Record] = [{"role": "user", "content": "3*7=?"}]
    for number in range(6):
        function = {"name": "calculate", "arguments": '{"expression": "3*7"}'}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        result = str(generator.randrange(10_000))
        messages.append({"role": "tool", "tool_call_id": f"call_{number}", "content": result})
    return {"messages": messages, "rollout_extra": None}


SHAPES: Dict[str, Callable[[random.Random], Record]] = {
    "short": short_record,
    "plain": plain_record,
    "agent": agent_record,
}


def write_dataset(path: Path, shape: str, size: int) -> None:
    """Writes lines until the file has a size (bytes)."""
    generator = random.Random(7)  # noqa: S311 - no secret depends on it
    block = "".join(json.dumps(SHAPES[shape](generator), ensure_ascii=False) + "\n" for _ in range(2_000))
    data = block.encode()
    with path.open("wb") as file:
        for _ in range(size // len(data) + 1):
            file.write(data)


def parse_lines(path: Path) -> None:
    """What everyone does: `json.loads` of every line."""
    with path.open("rb") as file:
        for line in file:
            json.loads(line)


def judge(path: Path) -> None:
    """What the linter does."""
    report = read_dataset(str(path))
    if report.verdict is None or any(problems.count for problems in report.verdict):
        raise SystemExit(f"the dataset was expected to be clean: {report}")


def best_time(work: Callable[[Path], None], path: Path, runs: int) -> float:
    """Returns the least time of several runs (seconds)."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work(path)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Runs the comparison."""
    parser = argparse.ArgumentParser(description="Compares judging a dataset with parsing it.")
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--shape", choices=sorted(SHAPES), default="plain")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "train.jsonl")
        write_dataset(path, options.shape, options.megabytes * 1_000_000)
        size = path.stat().st_size / 1e6
        judged = best_time(judge, path, options.runs)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        parsed = best_time(parse_lines, path, options.runs)
    sys.stdout.write(
        f"{options.shape}: {size:.0f} MB\n"
        f"json.loads   {parsed:6.2f} s  {size / parsed:6.0f} MB/s\n"
        f"rlobs-lint   {judged:6.2f} s  {size / judged:6.0f} MB/s\n"
        f"speed {parsed / judged:.2f} of json.loads, peak memory {memory / 1024:.0f} MB\n"
    )


if __name__ == "__main__":
    main()
