"""Finds the rules."""

from __future__ import annotations

import importlib
import inspect
import sys
from functools import cache
from typing import Dict, FrozenSet, Optional, Tuple, Type

from rlobs_lint.files.rule_names import code_of, rule_names
from rlobs_lint.rulebook.rule import Documentation, Rule, read_documentation


@cache
def all_rules() -> Tuple[Rule, ...]:
    """Returns one object of every rule, by code. There is no list: each is found by the name of its file."""
    found: Dict[str, Rule] = {}
    for code, name in rule_names().items():
        module = importlib.import_module(f"rlobs_lint.rules.{code.lower()}_{name.replace('-', '_')}")
        for value in vars(module).values():
            if inspect.isclass(value) and issubclass(value, Rule) and value.__module__ == module.__name__:
                found[value.code] = value()
    return tuple(rule for _, rule in sorted(found.items()))


def last_codes() -> FrozenSet[str]:
    """Returns the codes of the rules that speak when all others have spoken."""
    return frozenset(rule.code for rule in all_rules() if rule.speaks_last)


@cache
def _by_code() -> Dict[str, Rule]:
    return {rule.code: rule for rule in all_rules()}


def rule_of(word: str) -> Optional[Rule]:
    """Returns the rule that a code or a name means, whatever its case, or `None`."""
    code = code_of(word)
    return _by_code().get(code) if code is not None else None


def documentation(rule: Type[Rule], language: str = "en") -> Documentation:
    """Returns a rule's page in English (`en`, with the examples) or Chinese (`zh`)."""
    module = sys.modules[rule.__module__]
    return read_documentation(module.CHINESE if language == "zh" else module.__doc__ or "")
