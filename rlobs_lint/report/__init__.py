"""Output formats: findings in, text out, one small module each."""

from __future__ import annotations

import importlib
from typing import Mapping

from rlobs_lint.report.outcome import Outcome

#: The formats by name, and the module of each; its `render` takes an `Outcome` and returns the text.
FORMATS: Mapping[str, str] = {"text": "text", "concise": "concise", "json": "as_json"}
#: Formats that people read: these alone follow the language of the environment.
READ_BY_PEOPLE = frozenset({"text", "concise"})


def render(format_name: str, outcome: Outcome) -> str:
    """Returns an outcome in one of `FORMATS`, with a final newline unless it is empty."""
    module = importlib.import_module(f"{__name__}.{FORMATS[format_name]}")
    text: str = module.render(outcome)
    return text
