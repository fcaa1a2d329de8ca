"""The rules' codes and names, and what settings, options and comments may call them by.

Both are told by the names of the rules' files, so nothing of a rule is imported to check a selector.
"""

from __future__ import annotations

import pkgutil
import re
from functools import cache
from pathlib import Path
from typing import FrozenSet, Iterable, Mapping, Optional

_RULE_FILE = re.compile(r"(rlo\d{3})_(\w+)")


class UnknownRuleError(ValueError):
    """A code, prefix or name that no rule has; `args` holds it and the nearest known one."""


@cache
def rule_names() -> Mapping[str, str]:
    """Returns the names of all rules by their codes, in the order of the codes."""
    folder = Path(__file__).parent.parent / "rules"
    matches = (_RULE_FILE.fullmatch(module.name) for module in pkgutil.iter_modules([str(folder)]))
    return dict(sorted((match[1].upper(), match[2].replace("_", "-")) for match in matches if match))


def all_codes() -> FrozenSet[str]:
    """Returns the codes of all rules."""
    return frozenset(rule_names())


def code_of(word: str) -> Optional[str]:
    """Returns the code of the rule that a code or a name means, whatever its case, or `None`."""
    names, code, name = rule_names(), word.upper(), word.lower()
    return code if code in names else next((code for code in names if names[code] == name), None)


def is_rule_name(word: str) -> bool:
    """Whether a word is a rule's name, whatever its case."""
    return word.lower() in rule_names().values()


def resolve_selector(selector: str) -> FrozenSet[str]:
    """Returns the codes that a code, a prefix (`RLO4`), a name or `ALL` stands for.

    Raises:
        UnknownRuleError: No rule answers to it.
    """
    wanted = selector.strip()
    if wanted.upper() == "ALL":
        return all_codes()
    code = code_of(wanted)
    if code is not None:
        return frozenset({code})
    prefix = wanted.upper()
    codes = frozenset(code for code in rule_names() if prefix.startswith("RLO") and code.startswith(prefix))
    if not codes:
        raise UnknownRuleError(wanted, nearest(wanted))
    return codes


def resolve_selectors(selectors: Iterable[str]) -> FrozenSet[str]:
    """Returns all codes that any of the selectors stands for.

    Raises:
        UnknownRuleError: No rule answers to one of them.
    """
    return frozenset().union(*map(resolve_selector, selectors))


def nearest(word: str) -> str:
    """Returns the code or name that a mistyped one most resembles."""
    import difflib

    known = [text for row in rule_names().items() for text in row]
    alike = word.upper() if word.upper().startswith("RLO") else word.lower()
    return difflib.get_close_matches(alike, known, 1, 0.0)[0]
