"""What is wrong with a metric's key, and how many keys a mapping may have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.heap import Entry, MappingContent
from rlobs_lint.flow.domain.state import ATTRIBUTE
from rlobs_lint.flow.domain.values import (
    BOUNDED,
    UNBOUNDED,
    Atom,
    Constant,
    EnumMember,
    Object,
    Site,
    Typed,
    Value,
    origin_of,
)
from rlobs_lint.flow.questions.metrics.words import bad_character_in, debug_word_in, id_name_in, shown

if TYPE_CHECKING:
    from rlobs_lint.flow.run import Run

#: What may be wrong with a key, the worst first.
NON_STRING, BAD_NAME, UNBOUNDED_KEY, ID_NAME, SCORE_NAME, DEBUG_NAME = KEY_FAULTS = (
    "non-string",
    "bad-name",
    "unbounded",
    "id-name",
    "score-name",
    "debug-name",
)
#: Types that the SDK refuses as keys. Measured.
_NO_KEYS = frozenset(
    {"int", "float", "bool", "None", "number", "complex", "tuple", "uuid", "datetime", "timedelta"}
)
_COLLECTIONS = frozenset({"list", "tuple", "set"})
_UNKNOWN_KEY = "…"


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

    @property
    def rank(self) -> int:
        """The place of what is wrong among all that may be, the worst first."""
        return KEY_FAULTS.index(self.what)


class KeyJudge:
    """Judges the keys of mappings that are reported as metrics."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._machine = run.machine

    def judge(self, entry: Entry, parameter: str) -> Optional[BadKey]:
        """Returns the worst that is wrong with an entry's key."""
        faults: List[BadKey] = []
        for atom in entry.key:
            kind = self._refused_type(atom)
            # A variable may hold `None` until it is set.
            if kind is not None and (kind != "None" or len(entry.key) == 1):
                text = str(atom.value) if isinstance(atom, Constant) else _UNKNOWN_KEY
                faults.append(BadKey(entry.key_site, NON_STRING, text, kind, parameter))
                continue
            pieces = self._pieces(atom)
            for what, detail in self._faults(atom, pieces, parameter):
                faults.append(BadKey(entry.key_site, what, shown(pieces) or _UNKNOWN_KEY, detail, parameter))
        return min(faults, key=lambda fault: fault.rank) if faults else None

    def shown(self, key: Value) -> str:
        """Returns a key as messages show it."""
        return shown(self._pieces(key[0])) if len(key) == 1 and self._pieces(key[0]) else _UNKNOWN_KEY

    def count(self, content: MappingContent) -> int:
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

    def _faults(
        self, atom: Atom, pieces: Tuple[Optional[str], ...], parameter: str
    ) -> Iterator[Tuple[str, str]]:
        """Yields what is wrong with a key that is a string, with what makes it so."""
        if origin_of(atom) == UNBOUNDED:
            yield UNBOUNDED_KEY, ""
        if not pieces:
            return
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

    def _refused_type(self, atom: Atom) -> Optional[str]:
        """Returns the name of a key's type where the SDK refuses it."""
        if isinstance(atom, (Constant, Typed)):
            return atom.kind if atom.kind in _NO_KEYS else None
        if isinstance(atom, Object):
            info = self._machine.heap.info(atom.number)
            return info.name if info.kind == heap.SEQUENCE and info.name in _COLLECTIONS else None
        return None

    def _pieces(self, atom: Atom) -> Tuple[Optional[str], ...]:
        """Returns the pieces of a key's text, `None` for each that is not known."""
        if isinstance(atom, Constant) and isinstance(atom.value, str):
            return (atom.value,)
        if isinstance(atom, EnumMember):
            # The SDK takes a member's value.
            value = self._run.base.get((ATTRIBUTE, atom.owner, atom.name)) or ()
            texts = [it.value for it in value if isinstance(it, Constant) and isinstance(it.value, str)]
            return (texts[0],) if len(texts) == len(value) == 1 else ()
        if isinstance(atom, Typed) and atom.kind == "str":
            return tuple(None if piece is None or "\0" in piece else piece for piece in atom.text)
        return ()
