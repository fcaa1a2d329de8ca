"""Function components and what is submitted together, whatever they are written in.

A component of a job file and one that a script builds give the same records, so that a rule which
judges components never asks where they came from. What cannot be known is recorded as unknown, and
rules stay silent about it.
"""

from __future__ import annotations

import re
from typing import FrozenSet, NamedTuple, Optional, Tuple

from rlobs_lint.model import Range, Scalar

#: The kinds of a component that pays a reward, so that its name is part of the metric paths.
REWARD_KINDS: FrozenSet[str] = frozenset({"reward", "group_reward"})

# `${NAME}`, `$(...)`, `$NAME`, `{{ name }}`, `{% ... %}`, `{...}`, `...`, `<name>`: filled in later.
_PLACEHOLDER = re.compile(r"\$[{(A-Za-z_]|\{\{|\{%|^\s*\{.*\}\s*$|\.\.\.|<[^<>]*>", re.DOTALL)

_KINDS = {str: "str", bool: "bool", int: "int", float: "float", type(None): "null"}


class FieldValue(NamedTuple):
    """What is written for a field of a component.

    Attributes:
        location: Where the value stands.
        kind: `str`, `bool`, `int`, `float`, `null`; `empty` for a collection without elements;
            `other` for a value that is known to be none of these; `unknown` where the value cannot
            be told, as that of a placeholder.
        value: The value of a scalar kind.
    """

    location: Range
    kind: str
    value: Scalar = None

    @property
    def text(self) -> Optional[str]:
        """The value where it is a known string."""
        return self.value if isinstance(self.value, str) else None


class Component(NamedTuple):
    """A rollout or reward function as a job file or a script describes it.

    Attributes:
        path: Absolute path of the file that describes it.
        place: Where findings about the whole component stand: its first key in a job file, the
            constructor call in a script.
        kind: `rollout`, `reward` or `group_reward`; `None` where it cannot be told.
        name: Its name.
        zipdir: The folder that is uploaded, relative to the workspace; the workspace where absent.
        classpath: The processor class; absent too where the component does not upload anything.
        requirements_path: The requirements file that it names, relative to `zipdir`.
        environment: The variables of its runtime, by name.
        metric_weights: The keys of `reward_metric_weight`.
    """

    path: str
    place: Range
    kind: Optional[str]
    name: Optional[FieldValue] = None
    zipdir: Optional[FieldValue] = None
    classpath: Optional[FieldValue] = None
    requirements_path: Optional[FieldValue] = None
    environment: Tuple[Tuple[str, FieldValue], ...] = ()
    metric_weights: Tuple[Tuple[str, Range], ...] = ()


class Submission(NamedTuple):
    """Components that go out together.

    Attributes:
        path: Absolute path of the job file or script.
        components: In the order of the SDK's list.
        submits: Whether a job is submitted with them. A job file always is; a script may only
            register its functions.
    """

    path: str
    components: Tuple[Component, ...]
    submits: bool = True


class DatasetReference(NamedTuple):
    """A dataset that a job file or a script names.

    Attributes:
        path: Absolute path of the file that names it.
        location: Where the name stands.
        file_name: The name as written, relative to the workspace.
    """

    path: str
    location: Range
    file_name: str


def is_placeholder(text: str) -> bool:
    """Tells whether a string is to be filled in before it is used (`${NAME}`, `{{ name }}`, `...`)."""
    return _PLACEHOLDER.search(text) is not None


def field_value(location: Range, value: object) -> FieldValue:
    """Records a value that the code or a job file spells out.

    Args:
        location: Where it stands.
        value: The value; a tuple, list, set or dictionary only counts as empty or not.
    """
    kind = _KINDS.get(type(value))
    if kind == "str" and is_placeholder(str(value)):
        return unknown_value(location)
    if kind is not None:
        return FieldValue(location, kind, value)  # type: ignore[arg-type] # one of the scalar types
    is_empty = isinstance(value, (tuple, list, set, frozenset, dict)) and not value
    return FieldValue(location, "empty" if is_empty else "other")


def unknown_value(location: Range) -> FieldValue:
    """Records a value that cannot be told."""
    return FieldValue(location, "unknown")
