"""What is wrong with the metrics and scores that processors report: what RLO401 to RLO408 and RLO411 ask."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Set, Tuple

from rlobs_lint import ir
from rlobs_lint.flow import heap
from rlobs_lint.flow.heap import Entry, MappingContent, ObjectInfo
from rlobs_lint.flow.metric_words import bad_character_in, debug_word_in, id_name_in, shown
from rlobs_lint.flow.models import MODEL
from rlobs_lint.flow.observations import MetricsGiven, ModelBuilt, Root, SubReward
from rlobs_lint.flow.places import all_expressions
from rlobs_lint.flow.state import ATTRIBUTE
from rlobs_lint.flow.values import (
    BOUNDED,
    UNBOUNDED,
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
    origin_of,
)
from rlobs_lint.model import Span

if TYPE_CHECKING:
    from rlobs_lint.flow.analysis import Analysis

#: What is wrong with a key, the worst first.
NON_STRING, BAD_NAME, UNBOUNDED_KEY, ID_NAME, SCORE_NAME, DEBUG_NAME = (
    "non-string",
    "bad-name",
    "unbounded",
    "id-name",
    "score-name",
    "debug-name",
)
_KEY_ORDER = (NON_STRING, BAD_NAME, UNBOUNDED_KEY, ID_NAME, SCORE_NAME, DEBUG_NAME)
#: What is wrong with a value, the worst first.
NO_MAPPING, NESTED, NON_FINITE, NON_NUMBER = "no-mapping", "nested", "non-finite", "non-number"
_VALUE_ORDER = (NO_MAPPING, NESTED, NON_FINITE, NON_NUMBER)

_NESTED_KINDS = frozenset({"dict", "list", "tuple", "set"})
_NON_NUMBERS = frozenset({"str", "bytes", "complex", "datetime", "timedelta", "uuid", "None"})
_NO_KEYS = frozenset(
    {"int", "float", "bool", "None", "number", "complex", "tuple", "uuid", "datetime", "timedelta"}
)
_NO_MAPPINGS = frozenset({*_NESTED_KINDS, *_NON_NUMBERS, "int", "float", "bool", "number"} - {"dict", "None"})
#: Parts of the input that are lists.
_INPUT_LISTS = frozenset({("messages",), ("tools",), ("agent_outputs",), ("[:]",)})
#: Bases that make a class of the workspace neither a number nor a mapping.
_PLAIN_BASES = frozenset(
    {"builtins.object", "abc.ABC", "typing.Generic", "pydantic.BaseModel", "pydantic.main.BaseModel"}
)
_TUPLE_BASES = frozenset({"typing.NamedTuple", "builtins.tuple"})
_MAPPING_BASES = frozenset({"builtins.dict", "typing.TypedDict", "collections.UserDict"})


class BadKey(NamedTuple):
    """A key that no metric should have.

    Attributes:
        site: The key's expression.
        what: What is wrong, one of the kinds above.
        key: The key as far as it is known.
        detail: The type, character, id name or word that makes it so.
        parameter: `reward_metrics` or `rollout_metrics`.
    """

    site: Site
    what: str
    key: str
    detail: str
    parameter: str


class BadValue(NamedTuple):
    """A value that is no finite number, or metrics that are no mapping.

    Attributes:
        site: The value's expression.
        what: What is wrong, one of the kinds above.
        type: Name of its type, or the number that is not finite.
        target: What it is given as: `reward_metrics["acc"]`, `reward_score`, `reward_metrics`.
        checked: Whether the SDK checks it; not what is assigned to a finished result.
        sub_reward: Whether a sub-reward gives it, whose errors the SDK swallows.
        text: A numeric string that the SDK turns into a number.
    """

    site: Site
    what: str
    type: str
    target: str
    checked: bool
    sub_reward: bool
    text: Optional[str] = None

    @property
    def circumstance(self) -> str:
        """What makes the consequence another one: `-assigned`, `-part`, or nothing."""
        return "-part" if self.sub_reward and self.checked else "" if self.checked else "-assigned"


class ManyMetrics(NamedTuple):
    """Metrics that may have more keys than they should.

    Attributes:
        site: The expression that is given as metrics, or the class whose parts are merged.
        number: How many keys there may be.
        parameter: `reward_metrics` or `rollout_metrics`.
        cls: Name of the class of the parts; nothing for one mapping.
    """

    site: Site
    number: int
    parameter: str
    cls: str


class Metrics:
    """Judges what processors report, from the observations of an analysis."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._machine = analysis.machine
        self._conditionals: Dict[str, Dict[Span, ir.Conditional]] = {}

    # --- the questions --------------------------------------------------------------------------

    def keys(self, *kinds: str) -> Iterator[BadKey]:
        """Yields the keys whose worst mistake is of one of the kinds, each once."""
        return (bad for bad in self._bad_keys.values() if bad.what in kinds)

    def values(self, *kinds: str) -> Iterator[BadValue]:
        """Yields the values whose worst mistake is of one of the kinds, each once."""
        return (bad for bad in self._bad_values.values() if bad.what in kinds)

    def too_many(self, most: int) -> Iterator[ManyMetrics]:
        """Yields the mappings, and the reward classes, that may have more than `most` keys."""
        found: Dict[Site, ManyMetrics] = {}
        for given in self._given:
            if given.content is None or given.sub_reward:
                continue
            site, cls = self._owner_of_count(given)
            count = self._count(given.content)
            known = found.get(site)
            if count > most and (known is None or count > known.number):
                found[site] = ManyMetrics(site, count, given.parameter, cls)
        yield from found.values()

    # --- what is reported -----------------------------------------------------------------------

    @cached_property
    def _given(self) -> Tuple[MetricsGiven, ...]:
        return tuple(
            given for given in self._analysis.ledger.of(MetricsGiven) if self._counts(given.site, given.root)
        )

    def _counts(self, site: Site, root: Root) -> bool:
        return not root.is_script and site.path in self._analysis.function_modules

    @cached_property
    def _part_keys(self) -> FrozenSet[Tuple[int, Site]]:
        """Keys of sub-rewards, by the class that they are merged in: they are judged where they are made."""
        return frozenset(
            (part.cls, site) for part in self._analysis.ledger.of(SubReward) for _, site in part.keys
        )

    def _is_merged(self, given: MetricsGiven, entry: Entry) -> bool:
        return (
            not given.sub_reward
            and given.root.cls is not None
            and (given.root.cls, entry.key_site) in self._part_keys
        )

    # --- keys -----------------------------------------------------------------------------------

    @cached_property
    def _bad_keys(self) -> Dict[Site, BadKey]:
        found: Dict[Site, BadKey] = {}
        for given in self._given:
            for entry in given.content.entries if given.content is not None else ():
                if self._is_merged(given, entry):
                    continue
                bad = self._judge_key(entry, given.parameter)
                known = found.get(entry.key_site)
                if bad is not None and (known is None or _rank(bad) < _rank(known)):
                    found[entry.key_site] = bad
        return found

    def _judge_key(self, entry: Entry, parameter: str) -> Optional[BadKey]:
        """Returns the worst that is wrong with a key."""
        faults: List[BadKey] = []
        for atom in entry.key:
            kind = self._key_type(atom)
            pieces = self._pieces(atom)
            key = shown(pieces) if pieces else "…"
            if kind is not None and (kind != "None" or len(entry.key) == 1):
                faults.append(BadKey(entry.key_site, NON_STRING, self._constant_text(atom), kind, parameter))
                continue
            if origin_of(atom) == UNBOUNDED:
                faults.append(BadKey(entry.key_site, UNBOUNDED_KEY, key, "", parameter))
            for what, detail in self._name_faults(pieces, parameter) if pieces else ():
                faults.append(BadKey(entry.key_site, what, key, detail, parameter))
        return min(faults, key=_rank) if faults else None

    def _name_faults(self, pieces: Tuple[Optional[str], ...], parameter: str) -> Iterator[Tuple[str, str]]:
        character = bad_character_in(pieces)
        if character is not None:
            yield BAD_NAME, character
        name = id_name_in(pieces, self._machine.workspace.settings.id_names)
        if name is not None:
            yield ID_NAME, name
        if parameter == "reward_metrics" and pieces == ("reward_score",):
            yield SCORE_NAME, ""
        word = debug_word_in(pieces)
        if word is not None:
            yield DEBUG_NAME, word

    def _key_type(self, atom: Atom) -> Optional[str]:
        """Returns the name of a key's type where the SDK refuses it."""
        if isinstance(atom, (Constant, Typed)):
            return atom.kind if atom.kind in _NO_KEYS else None
        if isinstance(atom, Object) and self._machine.heap.info(atom.number).kind == heap.SEQUENCE:
            name = self._machine.heap.info(atom.number).name
            return name if name in _NESTED_KINDS else None
        return None

    def _constant_text(self, atom: Atom) -> str:
        return str(atom.value) if isinstance(atom, Constant) else "…"

    def _pieces(self, atom: Atom) -> Tuple[Optional[str], ...]:
        """Returns the known pieces of a key's text."""
        if isinstance(atom, Constant) and isinstance(atom.value, str):
            return (atom.value,)
        if isinstance(atom, EnumMember):
            value = self._analysis.base.get((ATTRIBUTE, atom.owner, atom.name)) or ()
            texts = [
                item.value for item in value if isinstance(item, Constant) and isinstance(item.value, str)
            ]
            return (texts[0],) if len(texts) == len(value) == 1 else ()
        if isinstance(atom, Typed) and atom.kind == "str":
            return tuple(None if piece is None or "\0" in piece else piece for piece in atom.text)
        return ()

    # --- how many -------------------------------------------------------------------------------

    def _owner_of_count(self, given: MetricsGiven) -> Tuple[Site, str]:
        """Returns where too many metrics are told: at the class where those of parts are among them."""
        cls = given.root.cls
        assert given.content is not None
        if cls is not None and any(self._is_merged(given, entry) for entry in given.content.entries):
            info = self._machine.heap.info(cls)
            if info.node is not None:
                return Site(info.site.path, info.node.signature), info.name
        return given.site, ""

    def _count(self, content: MappingContent) -> int:
        """Returns how many different keys a mapping may have; an unbounded one counts once."""
        names: Set[str] = set()
        others: Dict[object, int] = {}
        for entry in content.entries:
            for atom in entry.key:
                pieces = self._pieces(atom)
                if len(pieces) == 1 and pieces[0] is not None:
                    names.add(pieces[0])
                elif isinstance(atom, EnumMember):
                    others[atom] = 1
                elif isinstance(atom, Typed) and atom.origin == BOUNDED:
                    others[entry.key_site, pieces] = atom.size
                else:
                    others[entry.key_site] = 1
        return len(names) + sum(others.values())

    # --- values ---------------------------------------------------------------------------------

    @cached_property
    def _bad_values(self) -> Dict[Site, BadValue]:
        found: Dict[Site, BadValue] = {}
        for bad in self._all_bad_values():
            known = found.get(bad.site)
            if known is None or _VALUE_ORDER.index(bad.what) < _VALUE_ORDER.index(known.what):
                found[bad.site] = bad
        return found

    def _all_bad_values(self) -> Iterator[BadValue]:
        for given in self._given:
            if given.content is None:
                kind = self._no_mapping(given.value)
                if kind is not None:
                    yield BadValue(
                        given.site, NO_MAPPING, kind, given.parameter, given.checked, given.sub_reward
                    )
                continue
            for entry in given.content.entries:
                if not self._is_merged(given, entry):
                    target = f'{given.parameter}["{self._shown_key(entry.key)}"]'
                    yield from self._judge_value(
                        entry.value, entry.value_site, target, given.checked, given.sub_reward, NESTED
                    )
        for built in self._analysis.ledger.of(ModelBuilt):
            if built.model not in ("Reward", "AgentOutput") or not self._counts(built.site, built.root):
                continue
            for argument in built.given:
                if argument.keyword == "reward_score":
                    value = argument.value
                    if built.model == "AgentOutput" or built.number < 0:
                        value = tuple(atom for atom in value if not _is_none(atom))
                    yield from self._judge_value(
                        value,
                        argument.value_site,
                        "reward_score",
                        built.number >= 0,
                        built.sub_reward,
                        NON_NUMBER,
                    )

    def _shown_key(self, key: Value) -> str:
        pieces = self._pieces(key[0]) if len(key) == 1 else ()
        return shown(pieces) if pieces else "…"

    def _judge_value(
        self, value: Value, site: Site, target: str, checked: bool, sub_reward: bool, nested: str
    ) -> Iterator[BadValue]:
        """Yields what is wrong with a value, by each of its possibilities."""
        for atom in value:
            what, kind = self._value_type(atom)
            if what is None:
                continue
            what = nested if what == NESTED else what
            if len(value) > 1 and kind in ("None", "inf") and not self._is_written(site, kind):
                continue  # what a variable holds until it is set
            text = atom.value if isinstance(atom, Constant) and isinstance(atom.value, str) else None
            is_number = text is not None and len(value) == 1 and _is_numeric(text)
            yield BadValue(site, what, kind, target, checked, sub_reward, text if is_number else None)

    def _value_type(self, atom: Atom) -> Tuple[Optional[str], str]:
        """Returns what is wrong with a value, and the name of its type."""
        if isinstance(atom, Constant) and isinstance(atom.value, str):
            plain = atom.value.strip().lower().lstrip("+-")
            if plain in ("nan", "inf", "infinity"):
                return NON_FINITE, plain[:3]
            return NON_NUMBER, "str"
        if isinstance(atom, (Constant, Typed)):
            if atom.kind == "non-finite":
                return NON_FINITE, "nan" if isinstance(atom, Typed) and "nan" in atom.text else "inf"
            if atom.kind in _NESTED_KINDS:
                return NESTED, atom.kind
            return (NON_NUMBER, atom.kind) if atom.kind in _NON_NUMBERS else (None, "")
        if isinstance(atom, EnumMember):
            is_number = self._machine.outside.is_integer_enumeration(atom.owner)
            name = f"{self._machine.heap.info(atom.owner).name}.{atom.name}"
            return (None, "") if is_number else (NON_NUMBER, name)
        if isinstance(atom, External):
            is_status = atom.name.startswith("sdk.TaskStatus.")
            return (NON_NUMBER, atom.name[4:]) if is_status else (None, "")
        if isinstance(atom, Request):
            return (NESTED, "list") if atom.path[-1:] in _INPUT_LISTS else (None, "")
        if isinstance(atom, Function):
            # An unknown decorator may have made a property of it.
            is_plain = all(mark.name.startswith(("sdk.", "builtins.")) for mark in atom.marks)
            return (NON_NUMBER, "function") if is_plain else (None, "")
        if isinstance(atom, Coroutine):
            return (None, "") if atom.outside else (NON_NUMBER, "coroutine")
        return (
            self._object_type(self._machine.heap.info(atom.number))
            if isinstance(atom, Object)
            else (None, "")
        )

    def _object_type(self, info: ObjectInfo) -> Tuple[Optional[str], str]:
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
            bases = set(self._machine.modules.outside_bases(info.cls))
            if bases & (_TUPLE_BASES | _MAPPING_BASES):
                return NESTED, "tuple" if bases & _TUPLE_BASES else "dict"
            names = {"__float__", "__index__", "__getattr__"}
            if bases <= _PLAIN_BASES and not any(self._has(info.cls, name) for name in names):
                return NON_NUMBER, info.name
        return None, ""

    def _has(self, cls: int, name: str) -> bool:
        return self._machine.modules.class_attribute(cls, name, self._analysis.base) is not None

    def _no_mapping(self, value: Value) -> Optional[str]:
        """Returns the name of the type of something that cannot be metrics."""
        for atom in value:
            if isinstance(atom, (Constant, Typed)):
                if atom.kind in _NO_MAPPINGS:
                    return atom.kind
                continue
            what, kind = self._value_type(atom)
            if what is not None and kind != "dict":
                return kind
        return None

    def _is_written(self, site: Site, kind: str) -> bool:
        """Whether a value is a conditional expression in which `None` or an infinity itself is written."""
        conditionals = self._conditionals.get(site.path)
        if conditionals is None:
            body = self._machine.workspace.modules[site.path].facts.body
            conditionals = {
                part.at: part for part in all_expressions(body) if isinstance(part, ir.Conditional)
            }
            self._conditionals[site.path] = conditionals
        found = conditionals.get(site.span)
        return found is not None and any(
            _is_spelled(branch, kind) for branch in (found.body, found.otherwise)
        )


def _rank(bad: BadKey) -> int:
    return _KEY_ORDER.index(bad.what)


def _is_none(atom: Atom) -> bool:
    return isinstance(atom, Constant) and atom.kind == "None"


def _is_numeric(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_spelled(expression: ir.Expression, kind: str) -> bool:
    """Whether an expression writes `None`, or a number that is not finite, and takes it from no variable."""
    if isinstance(expression, ir.Conditional):
        return _is_spelled(expression.body, kind) or _is_spelled(expression.otherwise, kind)
    if kind == "None":
        return isinstance(expression, ir.Literal) and expression.kind == "None"
    while isinstance(expression, ir.Unary):
        expression = expression.operand
    return isinstance(expression, (ir.Call, ir.Attribute, ir.Literal))
