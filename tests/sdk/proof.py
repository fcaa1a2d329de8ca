"""Runs every claim and prints the table of what was seen: `python -m tests.sdk.proof`.

`--write` writes it to `docs/proof.md`, `--check` compares it with that file.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from itertools import groupby
from pathlib import Path
from typing import Callable, Iterable, Iterator, List, Mapping, Tuple

from rlobs_lint.rulebook import registry
from tests.checkout import ROOT
from tests.sdk import claims
from tests.sdk.claims import Claim, Show
from tests.sdk.harness import Harness
from tests.sdk.outcome import text
from tests.sdk.package import REASONS

PAGE = ROOT / "docs" / "proof.md"
#: Runs a claim's project: returns what is to be seen of the broken and of the fixed one, as text.
Perform = Callable[[Claim, Show], Tuple[str, str]]

INTRODUCTION = """\
# What each rule claims, and what the SDK does

Every row is a project that was run twice by the SDK's own server (`dashscope` 2.0.2 with the documented
pins), against an OpenAI-compatible model, an MCP server and a collector on loopback: once with the mistake,
which the linter reports at its row and as nothing else, and once fixed. The projects and what exactly has
to be seen of them stand in `tests/sdk/claims`. This page is made by `python -m tests.sdk.proof --write`.

How to read it: `CHAIN(ROLLOUT(LLM, TOOL))` is the span tree, by the kinds that the console shows; what is
wrong with a span stands behind its kind in brackets. Trees that are joined by `+` are traces of their own.
*Warning*: the SDK or Python logged at least one; without it, nothing was logged. The column *fix*
says how the project was fixed: by `--fix`, with `--unsafe-fixes`, or by hand where the tool offers nothing.
"""
#: How the table names the ways to fix a project.
FIX_NAMES = {"safe": "`--fix`", "unsafe": "`--unsafe-fixes`", "hand": "by hand"}
_ONLY_DOCUMENTED = "the same: only a document asks for it"
#: Why there is nothing to run for a rule.
NOT_RUN: Mapping[str, str] = {
    "RLO502": "which versions to pin is for the documents to say; that the five install together is a test",
    "RLO504": "pip refuses the line before anything runs",
    "RLO801": "datasets are read by the platform",
    "RLO802": "datasets are read by the platform",
    "RLO803": "datasets are read by the platform",
    "RLO901": "Python refuses the file before anything runs",
    "RLO902": "Python refuses the file before anything runs",
    "RLO903": "it is about comments",
}


def page(perform: Perform) -> str:
    """Returns the page as Markdown."""
    sections = [INTRODUCTION]
    for code, group in groupby(claims.load(), key=lambda claim: claim.code):
        sections.append(_section(code, list(group), perform))
    sections.append(f"## The SDK's own package\n\n{REASONS}")
    sections.append(_not_run())
    return "\n".join(sections)


def _section(code: str, found: List[Claim], perform: Perform) -> str:
    rule = registry.rule_of(code)
    assert rule is not None
    lines = [
        f"## {code} {rule.name}",
        "",
        "| Claim | Broken run | Fix | Fixed run |",
        "| --- | --- | --- | --- |",
    ]
    for claim in found:
        for show in claim.shows:
            broken, fixed = perform(claim, show)
            after = _ONLY_DOCUMENTED if claim.documented and broken == fixed else compact(fixed)
            cells = (show.claim, compact(broken), FIX_NAMES[claim.fix], after)
            lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join([*lines, ""])


def _not_run() -> str:
    lines = ["## Rules without a run", ""]
    return "\n".join([*lines, *(f"- {code}: {reason}." for code, reason in sorted(NOT_RUN.items())), ""])


# --- one line ---------------------------------------------------------------------------------------


def compact(seen: str) -> str:
    """Returns what was seen of a run (as `tests.sdk.outcome.text` tells it) in one line of Markdown."""
    lines = seen.splitlines()
    trees = [line for line in lines if re.match(" *[A-Z_]+ ", line) and not line.startswith("HTTP")]
    told = [line for line in lines if line not in trees]
    told = ["*warning*" if line == "logs a warning" else line for line in told]
    spans = " + ".join(f"`{tree}`" for tree in _trees(trees, 0)) or "no span"
    return "<br>".join([*told, spans])


def _trees(lines: Iterable[str], depth: int) -> Iterator[str]:
    """Yields the trees that begin at a depth, each in one line."""
    blocks: List[List[str]] = []
    for line in lines:
        if len(line) - len(line.lstrip()) == 2 * depth:
            blocks.append([])
        blocks[-1].append(line)
    for head, *below in blocks:
        kind = head.split()[0]
        flaws = head.partition(", ")[2]
        children = ", ".join(_trees(below, depth + 1))
        yield f"{kind}{f'[{flaws}]' if flaws else ''}{f'({children})' if children else ''}"


# --- command ----------------------------------------------------------------------------------------


def main() -> int:
    """Runs the command and returns its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.sdk.proof", description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    parser.add_argument("--check", action="store_true", help="fail if that file is another one")
    options = parser.parse_args()
    with Harness() as harness:
        printed = page(lambda claim, show: _run(harness, claim, show))
    if options.write:
        PAGE.write_text(printed, encoding="utf-8")
    elif options.check:
        if PAGE.read_text(encoding="utf-8") != printed:
            sys.stderr.write(f"{PAGE.relative_to(ROOT)} is not what the runs show; use --write\n")
            return 1
    else:
        sys.stdout.write(printed)
    return 0


def _run(harness: Harness, claim: Claim, show: Show) -> Tuple[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        broken = claim.write_broken(Path(folder) / "broken").root
        fixed = claim.write_fixed(Path(folder) / "fixed").root
        before, after = harness.run(broken, show.run), harness.run(fixed, show.fixed_run)
        return text(before), text(after)


if __name__ == "__main__":
    sys.exit(main())
