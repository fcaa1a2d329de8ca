"""Finds the rules, and decides which of them run."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from functools import cache
from typing import Dict, FrozenSet, Iterable, Optional, Tuple, Type

from rlobs_lint import rules
from rlobs_lint.rulebook.rule import Documentation, Rule, read_documentation


class UnknownRuleError(ValueError):
    """A code, prefix or name that no rule has; `args` holds it and the nearest known one."""


@cache
def all_rules() -> Tuple[Rule, ...]:
    """Returns one object of every rule, by code. Discovery walks the package: there is no list."""
    found: Dict[str, Rule] = {}
    for module_info in pkgutil.iter_modules(rules.__path__):
        module = importlib.import_module(f"{rules.__name__}.{module_info.name}")
        for value in vars(module).values():
            if inspect.isclass(value) and issubclass(value, Rule) and value.__module__ == module.__name__:
                found[value.code] = value()
    return tuple(rule for _, rule in sorted(found.items()))


@cache
def last_codes() -> FrozenSet[str]:
    """Returns the codes of the rules that speak when all others have spoken."""
    return frozenset(rule.code for rule in all_rules() if rule.speaks_last)


def rule_by_code(code: str) -> Optional[Rule]:
    """Returns the rule of a code, whatever its case, or `None`."""
    return {rule.code: rule for rule in all_rules()}.get(code.upper())


def rule_by_name(name: str) -> Optional[Rule]:
    """Returns the rule of a name, whatever its case, or `None`."""
    return {rule.name: rule for rule in all_rules()}.get(name.lower())


def resolve_selector(selector: str) -> FrozenSet[str]:
    """Returns the codes that a code, a prefix (`RLO4`), a name or `ALL` stands for.

    Raises:
        UnknownRuleError: No rule answers to it.
    """
    wanted = selector.strip()
    if wanted.upper() == "ALL":
        return frozenset(rule.code for rule in all_rules())
    named = rule_by_name(wanted)
    if named is not None:
        return frozenset({named.code})
    prefix = wanted.upper()
    codes = frozenset(
        rule.code for rule in all_rules() if prefix.startswith("RLO") and rule.code.startswith(prefix)
    )
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

    known = [name for rule in all_rules() for name in (rule.code, rule.name)]
    alike = word.upper() if word.upper().startswith("RLO") else word.lower()
    return difflib.get_close_matches(alike, known, 1, 0.0)[0]


def documentation(rule: Type[Rule], language: str = "en") -> Documentation:
    """Returns a rule's page in English (`en`, with the examples) or Chinese (`zh`)."""
    module = sys.modules[rule.__module__]
    return read_documentation(module.CHINESE if language == "zh" else module.__doc__ or "")
