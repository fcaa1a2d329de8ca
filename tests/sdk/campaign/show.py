"""Runs projects of the campaign and prints both sides: `python -m tests.sdk.campaign.show [NAME ...]`."""

from __future__ import annotations

import sys
from typing import Sequence

from tests.sdk.campaign import projects, verdicts
from tests.sdk.harness import Harness


def main(given: Sequence[str]) -> None:
    """Prints what the SDK shows of projects, what the linter says, and where the two differ."""
    with Harness() as harness:
        for name in given or projects.names():
            judged = verdicts.judge(harness, projects.load(name))
            sys.stdout.write(f"{name}: {', '.join(sorted(judged.disagreements)) or 'agreed'}\n")
            sys.stdout.write("".join(f"    {line}\n" for line in verdicts.text(judged).splitlines()))
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
