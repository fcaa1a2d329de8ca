"""What is wrong with the value of a metric, with a score, and with metrics that are no mapping."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Iterator, NamedTuple, Optional, Tuple

from rlobs_lint.facts import ir
from rlobs_lint.facts.walks import all_expressions
from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.heap import ObjectInfo
from rlobs_lint.flow.domain.values import (
    Atom,
    Constant,
    Coroutine,
    EnumMember,
    External,
    Function,
    Object,
    Request,
    Site,
    Typed,
    Value,
    strings,
)
from rlobs_lint.flow.outside.result_models import MODEL
from rlobs_lint.flow.questions.metrics.choices import chooses_none
from rlobs_lint.model import Span

if TYPE_CHECKING:
    from rlobs_lint.flow.run import Run

#: What may be wrong with a value, the worst first.
NO_MAPPING, NESTED, NON_FINITE, NON_NUMBER = VALUE_FAULTS = (
    "no-mapping",
    "nested",
    "non-finite",
    "non-number",
)
_NESTED_KINDS = frozenset({"dict", "list", "tuple", "set"})
_NON_NUMBERS = frozenset({"str", "bytes", "complex", "datetime", "timedelta", "uuid", "None"})
_NO_MAPPINGS = frozenset({*_NESTED_KINDS, *_NON_NUMBERS, "int", "float", "bool", "number"} - {"dict", "None"})
#: Parts of the input that are lists.
_INPUT_LISTS = frozenset({("messages",), ("tools",), ("agent_outputs",), ("[:]",), ("[n:]",)})
#: Expressions whose wording matters.
_JUDGED = (ir.Literal, ir.Conditional, ir.Name)
#: How infinities are written: `float("inf")`, `math.inf`, `numpy.PINF`.
_INFINITIES = frozenset({"inf", "infinity", "infty", "pinf", "ninf"})
#: Bases that make a class of the workspace neither a number nor a mapping, and those that make it one.
_PLAIN_BASES = frozenset(
    {"builtins.object", "abc.ABC", "typing.Generic", "pydantic.BaseModel", "pydantic.main.BaseModel"}
)
_TUPLE_BASES = frozenset({"typing.NamedTuple", "builtins.tuple"})
_MAPPING_BASES = frozenset({"builtins.dict", "typing.TypedDict", "collections.UserDict"})


class Giving(NamedTuple):
    """How a value is given.

    Attributes:
        site: The value's expression.
        target: What it is given as: `reward_metrics["acc"]`, `reward_score`, `reward_metrics`.
        checked: Whether the SDK checks it; not what is put into a finished result.
        sub_reward: Whether a sub-reward gives it, whose errors the SDK swallows.
        key: The key of an entry, if it is one that is known; of a score its name.
    """

    site: Site
    target: str
    checked: bool
    sub_reward: bool
    key: Optional[str] = None


class BadValue(NamedTuple):
    """A value that is no finite number, or metrics that are no mapping.

    Attributes:
        given: How it is given.
        what: What is wrong, one of the kinds above.
        type: Name of its type, or the number that is not finite.
        text: A numeric string, which the SDK turns into a number where it checks.
        is_literal: Whether that string is written where it is given.
        may_convert: Whether it is text of which it is not known that it spells no number.
    """

    given: Giving
    what: str
    type: str
    text: Optional[str]
    is_literal: bool
    may_convert: bool = False

    @property
    def rank(self) -> int:
        """The place of what is wrong among all that may be, the worst first."""
        return VALUE_FAULTS.index(self.what)

    @property
    def circumstance(self) -> str:
        """What makes the consequence another one: `-assigned`, `-part`, or nothing."""
        if not self.given.checked:
            return "-assigned"
        return "-part" if self.given.sub_reward else ""


class ValueJudge:
    """Judges the values that are reported as metrics and scores."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._machine = run.machine
        self._written: Dict[str, Dict[Span, ir.Expression]] = {}

    def judge(self, value: Value, given: Giving) -> Iterator[BadValue]:
        """Yields what is wrong with a value, by each of its possibilities."""
        texts = strings(value)
        is_numeric = len(texts) == len(value) and all(map(_is_number, texts))
        for atom in value:
            what, kind = self._fault(atom)
            if what is None:
                continue
            if len(value) > 1 and kind in ("None", "inf") and not self._is_spelled(given.site, kind):
                continue  # what a variable holds until it is set
            is_literal = len(value) == 1 and isinstance(self._expression(given.site), ir.Literal)
            text = texts[0] if is_numeric else None
            yield BadValue(given, what, kind, text, is_literal, _may_spell_number(atom, kind))

    def judge_container(self, value: Value, given: Giving) -> Iterator[BadValue]:
        """Yields what is wrong with something that is given as metrics and is no known mapping."""
        for atom in value:
            if isinstance(atom, (Constant, Typed)):
                kind = atom.kind if atom.kind in _NO_MAPPINGS else None
            else:
                what, name = self._fault(atom)
                kind = name if what is not None and name != "dict" else None
            if kind is not None:
                yield BadValue(given, NO_MAPPING, kind, None, False)

    # --- types ----------------------------------------------------------------------------------

    def _fault(self, atom: Atom) -> Tuple[Optional[str], str]:
        """Returns what is wrong with one possibility, and the name of its type."""
        if isinstance(atom, Constant) and isinstance(atom.value, str):
            plain = atom.value.strip().lower().lstrip("+-")
            return (NON_FINITE, plain[:3]) if plain in ("nan", "inf", "infinity") else (NON_NUMBER, "str")
        if isinstance(atom, (Constant, Typed)):
            return _fault_of_kind(atom)
        if isinstance(atom, EnumMember):
            name = f"{self._machine.heap.info(atom.owner).name}.{atom.name}"
            is_number = self._machine.enumerations.is_integer(atom.owner)
            return (None, "") if is_number else (NON_NUMBER, name)
        if isinstance(atom, External):
            is_status = atom.name.startswith("sdk.TaskStatus.")
            return (NON_NUMBER, atom.name[len("sdk.") :]) if is_status else (None, "")
        if isinstance(atom, Request):
            return (NESTED, "list") if atom.path[-1:] in _INPUT_LISTS else (None, "")
        if isinstance(atom, Function):
            # An unknown decorator may have made a property of it.
            is_plain = all(mark.name.startswith(("sdk.", "builtins.")) for mark in atom.marks)
            return (NON_NUMBER, "function") if is_plain else (None, "")
        if isinstance(atom, Coroutine):
            return (None, "") if atom.outside else (NON_NUMBER, "coroutine")
        if isinstance(atom, Object):
            return self._fault_of_object(self._machine.heap.info(atom.number))
        return None, ""

    def _fault_of_object(self, info: ObjectInfo) -> Tuple[Optional[str], str]:
        if info.kind == heap.MAPPING:
            return NESTED, "dict"
        if info.kind == heap.SEQUENCE:
            name = "dict view" if info.name == "view" else info.name
            return (NESTED if info.name in _NESTED_KINDS else NON_NUMBER), name
        if info.kind == heap.CLASS:
            return NON_NUMBER, "type"
        if info.family == MODEL:
            return NON_NUMBER, info.name
        if info.kind == heap.INSTANCE and not info.family:
            return self._fault_of_instance(info)
        return None, ""

    def _fault_of_instance(self, info: ObjectInfo) -> Tuple[Optional[str], str]:
        bases = set(self._machine.inheritance.outside_bases(info.cls))
        if bases & _TUPLE_BASES:
            return NESTED, "tuple"
        if bases & _MAPPING_BASES:
            return NESTED, "dict"
        converts = any(
            self._machine.inheritance.class_attribute(info.cls, name, self._run.base) is not None
            for name in ("__float__", "__index__", "__getattr__")
        )
        return (NON_NUMBER, info.name) if bases <= _PLAIN_BASES and not converts else (None, "")

    # --- how it is written ----------------------------------------------------------------------

    def _is_spelled(self, site: Site, kind: str) -> bool:
        """Whether `None` or an infinity is written for one of two cases, and not for the time before."""
        found = self._expression(site)
        if isinstance(found, ir.Name) and kind == "None":
            return chooses_none(self._machine.workspace.modules[site.path].facts.body, found)
        return isinstance(found, ir.Conditional) and _spells(found, kind)

    def _expression(self, site: Site) -> Optional[ir.Expression]:
        """Returns the literal, name or conditional expression at a place."""
        written = self._written.get(site.path)
        if written is None:
            expressions = all_expressions(self._machine.workspace.modules[site.path].facts.body)
            written = {it.at: it for it in expressions if isinstance(it, _JUDGED)}
            self._written[site.path] = written
        return written.get(site.span)


def _fault_of_kind(atom: Atom) -> Tuple[Optional[str], str]:
    kind = atom.kind if isinstance(atom, (Constant, Typed)) else ""
    if kind == "non-finite":
        return NON_FINITE, "nan" if isinstance(atom, Typed) and "nan" in atom.text else "inf"
    if kind in _NESTED_KINDS:
        return NESTED, kind
    return (NON_NUMBER, kind) if kind in _NON_NUMBERS else (None, "")


def _may_spell_number(atom: Atom, kind: str) -> bool:
    """Whether a value is text that the SDK may be able to convert; measured: it takes bytes, too."""
    if isinstance(atom, Constant) and isinstance(atom.value, str):
        return _is_number(atom.value)
    return kind in ("str", "bytes")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _spells(expression: ir.Expression, kind: str) -> bool:
    """Whether an expression writes `None`, or a number that is not finite, and takes it from no variable."""
    if isinstance(expression, ir.Conditional):
        return _spells(expression.body, kind) or _spells(expression.otherwise, kind)
    if kind == "None":
        return isinstance(expression, ir.Literal) and expression.kind == "None"
    while isinstance(expression, ir.Unary):
        expression = expression.operand
    if isinstance(expression, ir.Call):
        # `float("inf")`
        return any(_spells(argument.value, kind) for argument in expression.arguments)
    if isinstance(expression, ir.Attribute):
        return expression.name.lower() in _INFINITIES
    if isinstance(expression, ir.Literal) and isinstance(expression.value, str):
        return expression.value.strip().lstrip("+-").lower() in _INFINITIES
    return isinstance(expression, ir.Literal) and expression.kind == "float" and expression.value is None
