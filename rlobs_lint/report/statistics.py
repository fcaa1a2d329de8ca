"""How often each rule speaks, most often first."""

from __future__ import annotations

import json
from collections import Counter
from typing import List, NamedTuple

from rlobs_lint.report.outcome import Outcome
from rlobs_lint.rulebook import registry

_ALL = "[*]"


class Frequency(NamedTuple):
    """How often a rule speaks, and how many of its findings can be fixed with the options of the run."""

    code: str
    name: str
    findings: int
    fixable: int


def as_text(outcome: Outcome) -> str:
    """Returns one line a rule: how often, code, `[*]` where all can be fixed, `[-]` where some can, name."""
    rows = _frequencies(outcome)
    width = max((len(str(row.findings)) for row in rows), default=0)
    return "".join(f"{row.findings:>{width}}  {row.code}  {_mark(row)}  {row.name}\n" for row in rows)


def as_json(outcome: Outcome) -> str:
    """Returns a list of objects with the same, as JSON."""
    rows = [
        {"code": row.code, "name": row.name, "count": row.findings, "fixable": _mark(row) == _ALL,
         "fixable_count": row.fixable}
        for row in _frequencies(outcome)
    ]  # fmt: skip
    return json.dumps(rows, indent=2) + "\n"


def _frequencies(outcome: Outcome) -> List[Frequency]:
    found = Counter(entry.finding.code for entry in outcome.entries())
    fixable = Counter(finding.code for finding in outcome.fixable())
    names = {rule.code: rule.name for rule in registry.all_rules()}
    return [
        Frequency(code, names[code], number, fixable[code])
        for code, number in sorted(found.items(), key=lambda item: (-item[1], item[0]))
    ]


def _mark(row: Frequency) -> str:
    if not row.fixable:
        return "[ ]"
    return _ALL if row.fixable == row.findings else "[-]"
