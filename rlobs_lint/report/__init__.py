"""Output formats: findings in, text out, one small module each."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Mapping

if TYPE_CHECKING:
    from rlobs_lint.report.outcome import Outcome

#: The formats by name, and the module of each; its `render` takes an `Outcome` and returns the text.
FORMATS: Mapping[str, str] = {"text": "text", "concise": "concise", "json": "as_json"}
#: Formats that people read: these alone follow the language of the environment.
READ_BY_PEOPLE = frozenset({"text", "concise"})
#: Formats that show what a fix writes, or which findings have one: whether a planned fix can be made is
#: known only when it has been worked out.
NEED_EDITS = frozenset({"text", "concise", "json"})


def render(format_name: str, outcome: Outcome) -> str:
    """Returns an outcome in one of `FORMATS`, with a final newline unless it is empty."""
    module = importlib.import_module(f"{__name__}.{FORMATS[format_name]}")
    text: str = module.render(outcome)
    return text


def render_statistics(format_name: str, outcome: Outcome) -> str:
    """Returns how often each rule speaks in an outcome, as text or, for machines, as JSON."""
    from rlobs_lint.report import statistics

    return statistics.as_text(outcome) if format_name in READ_BY_PEOPLE else statistics.as_json(outcome)
