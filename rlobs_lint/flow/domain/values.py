"""What an expression may be: sets of atoms, each one possibility.

Atoms are immutable named tuples. Each ends in a `tag`, since named tuples of different types compare
equal when their fields do.
"""

from __future__ import annotations

from typing import Iterable, NamedTuple, Optional, Tuple, Union

from rlobs_lint.model import Scalar, Span

#: How many values a set of origins may have: known ones, finitely many, one per input, or no idea.
BOUNDED, UNBOUNDED, UNKNOWN_ORIGIN = "bounded", "unbounded", "unknown"

#: Stands among the pieces of a text for the address of the platform's model, `model_resource.base_url`.
BASE_URL = "\0base_url"

#: Parts of the input that are no data of one sample: a job has few of their values, or the rollout
#: that reports them answers for their keys.
_FEW_VALUES = frozenset({"role", "func_type", "model_resource", "rollout_metrics"})

#: A set of possibilities is given up beyond this size.
MOST_ATOMS = 24
MOST_CONSTANTS = 256
#: Types that count as numbers.
NUMBERS = frozenset({"int", "float", "bool", "number"})


class Site(NamedTuple):
    """A place in a file."""

    path: str
    span: Span


class Constant(NamedTuple):
    """A known literal; `kind` as in `ir.Literal` (so `1`, `1.0` and `True` differ)."""

    kind: str
    value: Scalar
    tag: str = "constant"


class Typed(NamedTuple):
    """A value of a known type that is not known itself.

    Attributes:
        kind: A builtin type's name, or `number`, `non-finite`, `datetime`, `array`, `object`.
        origin: `BOUNDED`, `UNBOUNDED` or `UNKNOWN_ORIGIN`.
        text: Of a string, the pieces that are known, in order, with `None` for the others.
        size: Of a bounded origin, how many values there may be.
    """

    kind: str
    origin: str = UNKNOWN_ORIGIN
    text: Tuple[Optional[str], ...] = ()
    size: int = 1
    tag: str = "typed"


class Unknown(NamedTuple):
    """A value of unknown type.

    Attributes:
        origin: Tells whether it surely varies with the input.
        answer_of: The client whose answer it is, of a type that tracing changes; -1 for anything else.
    """

    origin: str = UNKNOWN_ORIGIN
    answer_of: int = -1
    tag: str = "unknown"


class Placeholder(NamedTuple):
    """The ellipsis of an unfinished example: unknown on purpose."""

    tag: str = "placeholder"


class Request(NamedTuple):
    """Something reached from the input of `process`.

    Attributes:
        path: Attributes from the input on; `[]` is an element. The input itself has none.
        present: Whether the path in the code makes sure that it is neither empty nor `None`.
    """

    path: Tuple[str, ...]
    present: bool = False
    tag: str = "request"


class Object(NamedTuple):
    """Something with identity: an instance, a class, a module, a collection, a client; see `heap`."""

    number: int
    tag: str = "object"


class EnumMember(NamedTuple):
    """A member of a workspace enumeration: the class's object and the name."""

    owner: int
    name: str
    tag: str = "enum-member"


class Mark(NamedTuple):
    """A decorator on a function that means something to us, and where it is written."""

    name: str
    site: Site


class Function(NamedTuple):
    """A workspace function.

    Attributes:
        definition: Number of the definition.
        frame: Number of the frame that its free names are looked up in.
        receiver: What `self` or `cls` is bound to.
        marks: Decorators that are on it, innermost first.
    """

    definition: int
    frame: int
    receiver: Optional[Atom] = None
    marks: Tuple[Mark, ...] = ()
    tag: str = "function"

    def marked(self, *names: str) -> bool:
        """Whether one of the named decorators is on the function."""
        return any(mark.name in names for mark in self.marks)


class External(NamedTuple):
    """A name of code outside the workspace (`openai.OpenAI`), or of the SDK (`sdk.trace_client`)."""

    name: str
    tag: str = "external"


class Misbound(NamedTuple):
    """An observability name that is not bound to what it should be; RLO105 tells."""

    name: str
    tag: str = "misbound"


class Member(NamedTuple):
    """An attribute chain on something that the workspace's code does not define: `client.chat`."""

    owner: Atom
    path: Tuple[str, ...]
    tag: str = "member"


class Super(NamedTuple):
    """`super()`: the receiver, and the object number of the class whose bases are looked up."""

    receiver: Atom
    after: int
    tag: str = "super"


class Coroutine(NamedTuple):
    """The un-awaited result of an async function; `outside` that it is not the workspace's."""

    result: Value
    outside: bool = False
    tag: str = "coroutine"


class Generated(NamedTuple):
    """The `process` that `@reward_func` puts on a class, with the decorators laid on it since."""

    owner: int
    receiver: Optional[Atom] = None
    marks: Tuple[Mark, ...] = ()
    tag: str = "generated"

    def marked(self, *names: str) -> bool:
        """Whether one of the named decorators is on the function."""
        return any(mark.name in names for mark in self.marks)


Atom = Union[
    Constant,
    Typed,
    Unknown,
    Placeholder,
    Request,
    Object,
    EnumMember,
    Function,
    External,
    Misbound,
    Member,
    Super,
    Coroutine,
    Generated,
]
Value = Tuple[Atom, ...]

NOTHING: Value = ()
UNKNOWN: Value = (Unknown(),)
VARYING: Value = (Unknown(UNBOUNDED),)
NONE: Value = (Constant("None", None),)
TRUE: Value = (Constant("bool", True),)
FALSE: Value = (Constant("bool", False),)


def join(values: Iterable[Value]) -> Value:
    """Unites possibilities, keeping their order; too many become one unknown."""
    seen = dict.fromkeys(atom for value in values for atom in value)
    if len(seen) > MOST_ATOMS and (
        len(seen) > MOST_CONSTANTS or any(not isinstance(atom, (Constant, EnumMember)) for atom in seen)
    ):
        varying = any(origin_of(atom) == UNBOUNDED for atom in seen)
        return VARYING if varying else UNKNOWN
    return tuple(seen)


def non_finite(text: str) -> Value:
    """Returns the value that is written as an infinity (`inf`, `-inf`) or as not a number (`nan`)."""
    plain = text.strip().lower()
    kind = "nan" if "nan" in plain else "-inf" if plain.startswith("-") else "inf"
    return (Typed("non-finite", BOUNDED, (kind,)),)


def join_alternatives(values: Iterable[Value]) -> Value:
    """Unites what one part of several alternatives is, such as the score in `(False, None)` or `(True, 0.5)`.

    Which alternative holds is asked of another part, so a scalar that is of another type in each is
    not followed.
    """
    parts = list(values)
    kinds = {tuple(sorted({_scalar_kind(atom) for atom in value})) for value in parts}
    if len(kinds) < 2:
        return join(parts)
    return join(
        tuple(Unknown(origin_of(atom)) if isinstance(atom, (Constant, Typed)) else atom for atom in value)
        for value in parts
    )


def perhaps_finite(value: Value) -> Value:
    """Returns what a function may return, where it may also return a finite number.

    A function that answers an odd question with `nan` is mostly not asked it.
    """
    if len(value) < 2:
        return value
    return join(
        typed("number") if isinstance(it, Typed) and it.kind == "non-finite" else (it,) for it in value
    )


def _scalar_kind(atom: Atom) -> str:
    kind = atom.kind if isinstance(atom, (Constant, Typed)) else "?"
    return "number" if kind in ("int", "float", "bool") else kind


def constant(value: Scalar) -> Value:
    """Returns the value of a Python constant."""
    return (Constant(type(value).__name__ if value is not None else "None", value),)


def typed(kind: str, origin: str = UNKNOWN_ORIGIN) -> Value:
    """Returns a value of a type."""
    return (Typed(kind, origin),)


def origin_of(atom: Atom) -> str:
    """Tells whether a value is one of finitely many, varies with the input, or cannot be told."""
    if isinstance(atom, (Constant, EnumMember, External, Function)):
        return BOUNDED
    if isinstance(atom, Request):
        return UNKNOWN_ORIGIN if _FEW_VALUES.intersection(atom.path) else UNBOUNDED
    if isinstance(atom, (Typed, Unknown)):
        return atom.origin
    if isinstance(atom, Member):
        return origin_of(atom.owner) if isinstance(atom.owner, (Unknown, Typed)) else UNKNOWN_ORIGIN
    return UNKNOWN_ORIGIN


def is_opaque(atom: Atom) -> bool:
    """Whether nothing is known of a value's type."""
    return isinstance(atom, Unknown) or (isinstance(atom, Member) and isinstance(atom.owner, Unknown))


def origin_of_value(value: Value) -> str:
    """Tells the same of a set of possibilities: the widest of its atoms."""
    origins = {origin_of(atom) for atom in value}
    if UNBOUNDED in origins:
        return UNBOUNDED
    return UNKNOWN_ORIGIN if UNKNOWN_ORIGIN in origins or not origins else BOUNDED


def constants(value: Value) -> Optional[Tuple[Scalar, ...]]:
    """Returns the Python constants that a value may be, or `None` if it may be anything else."""
    found = []
    for atom in value:
        if not isinstance(atom, Constant):
            return None
        found.append(atom.value)
    return tuple(found)


def strings(value: Value) -> Tuple[str, ...]:
    """Returns the strings among a value's possibilities."""
    return tuple(atom.value for atom in value if isinstance(atom, Constant) and isinstance(atom.value, str))


def truth(atom: Atom) -> Optional[bool]:
    """Tells whether an atom is true or false as a condition, or `None`. Collections are not known here."""
    if isinstance(atom, Constant):
        return None if atom.kind in ("bytes", "complex") else bool(atom.value) or atom.kind == "ellipsis"
    if isinstance(atom, Typed) and any(atom.text):
        return True
    if isinstance(atom, Request):
        return True if atom.present or not atom.path else None
    if isinstance(atom, (Function, External, EnumMember, Coroutine, Generated, Misbound)):
        return True
    return None


def kind_of(atom: Atom) -> Optional[str]:
    """Returns the type of a possibility that is plain data: `str`, `int`, ..."""
    return atom.kind if isinstance(atom, (Constant, Typed)) else None


def with_mark(value: Value, name: str, site: Site) -> Value:
    """Returns functions with another decorator on them."""
    mark = Mark(name, site)
    return tuple(
        atom._replace(marks=(*atom.marks, mark)) if isinstance(atom, (Function, Generated)) else atom
        for atom in value
    )
