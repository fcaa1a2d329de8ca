"""What the scan keeps of a Python file: small, serialisable statement and expression records.

The records say what the code says, never what it means: names are as written, nothing is resolved.
They mirror Python's grammar, without white space and comments, and each knows its place. Rules and
value flow read these records; the syntax tree itself is not kept.
"""

from __future__ import annotations

from typing import NamedTuple, Optional, Tuple, Union

from rlobs_lint.model import Span

# --- expressions --------------------------------------------------------------------------------


class Name(NamedTuple):
    """`x`."""

    at: Span
    identifier: str


class Attribute(NamedTuple):
    """`value.name`; `name_at` is the place of `name` alone."""

    at: Span
    value: Expression
    name: str
    name_at: Span


class Literal(NamedTuple):
    """A constant; `kind` is `str`, `bytes`, `int`, `float`, `complex`, `bool`, `None` or `ellipsis`.

    `value` is `None` where JSON cannot carry it (bytes, complex, very long integers), for `None`
    itself and for the ellipsis.
    """

    at: Span
    kind: str
    value: Union[str, int, float, bool, None]


class FormattedString(NamedTuple):
    """An f-string: literal pieces and expressions in order."""

    at: Span
    parts: Tuple[Union[str, Expression], ...]


class Argument(NamedTuple):
    """An argument of a call: `star` is empty, `*` or `**`; `keyword` is the name before `=`."""

    at: Span
    star: str
    keyword: Optional[str]
    value: Expression


class Call(NamedTuple):
    """`function(arguments)`."""

    at: Span
    function: Expression
    arguments: Tuple[Argument, ...]


class Subscript(NamedTuple):
    """`value[key]`; several keys form a tuple display."""

    at: Span
    value: Expression
    key: Expression


class Slice(NamedTuple):
    """`lower:upper:step` inside a subscript."""

    at: Span
    lower: Optional[Expression]
    upper: Optional[Expression]
    step: Optional[Expression]


class Starred(NamedTuple):
    """`*value` in a display, a target or an index."""

    at: Span
    value: Expression


class Display(NamedTuple):
    """A tuple, list or set display; `kind` is `tuple`, `list` or `set`."""

    at: Span
    kind: str
    elements: Tuple[Expression, ...]


class DictItem(NamedTuple):
    """`key: value`, or `**value` where `key` is `None`."""

    at: Span
    key: Optional[Expression]
    value: Expression


class DictDisplay(NamedTuple):
    """`{key: value, **more}`."""

    at: Span
    items: Tuple[DictItem, ...]


class Binary(NamedTuple):
    """`left operator right` for arithmetic and bit operators."""

    at: Span
    operator: str
    left: Expression
    right: Expression


class Unary(NamedTuple):
    """`operator operand`; the operator is `not`, `-`, `+` or `~`."""

    at: Span
    operator: str
    operand: Expression


class Boolean(NamedTuple):
    """`a and b and c`, or the same with `or`."""

    at: Span
    operator: str
    values: Tuple[Expression, ...]


class Comparison(NamedTuple):
    """`left operator right ...`; operators such as `==`, `in`, `is not`."""

    at: Span
    left: Expression
    operators: Tuple[str, ...]
    right: Tuple[Expression, ...]


class Conditional(NamedTuple):
    """`body if test else otherwise`."""

    at: Span
    test: Expression
    body: Expression
    otherwise: Expression


class Await(NamedTuple):
    """`await value`."""

    at: Span
    value: Expression


class Yield(NamedTuple):
    """`yield value`, or `yield from value` where `is_from`."""

    at: Span
    value: Optional[Expression]
    is_from: bool


class Walrus(NamedTuple):
    """`target := value`."""

    at: Span
    target: Expression
    value: Expression


class Clause(NamedTuple):
    """`for target in iterable if condition ...` of a comprehension."""

    target: Expression
    iterable: Expression
    conditions: Tuple[Expression, ...]
    is_async: bool


class Comprehension(NamedTuple):
    """A comprehension; `kind` is `list`, `set`, `generator` or `dict` (then `element` is the key)."""

    at: Span
    kind: str
    element: Expression
    value: Optional[Expression]
    clauses: Tuple[Clause, ...]


class Parameter(NamedTuple):
    """A parameter; `kind` is `positional-only`, `plain`, `variadic`, `keyword-only` or `keywords`."""

    at: Span
    name: str
    kind: str
    annotation: Optional[Expression]
    default: Optional[Expression]


class Lambda(NamedTuple):
    """`lambda parameters: body`."""

    at: Span
    parameters: Tuple[Parameter, ...]
    body: Expression


class Opaque(NamedTuple):
    """An expression whose value the tool does not follow (a template string); its parts count."""

    at: Span
    parts: Tuple[Expression, ...]


Expression = Union[
    Name,
    Attribute,
    Literal,
    FormattedString,
    Call,
    Subscript,
    Slice,
    Starred,
    Display,
    DictDisplay,
    Binary,
    Unary,
    Boolean,
    Comparison,
    Conditional,
    Await,
    Yield,
    Walrus,
    Comprehension,
    Lambda,
    Opaque,
]

# --- statements ---------------------------------------------------------------------------------
# `header` spans a compound statement from its first decorator or keyword to its colon.


class Evaluate(NamedTuple):
    """An expression as a statement."""

    at: Span
    value: Expression


class Assign(NamedTuple):
    """`target = other = value`."""

    at: Span
    targets: Tuple[Expression, ...]
    value: Expression


class AnnotatedAssign(NamedTuple):
    """`target: annotation = value`."""

    at: Span
    target: Expression
    annotation: Expression
    value: Optional[Expression]


class AugmentedAssign(NamedTuple):
    """`target operator= value`; the operator is written without the `=`."""

    at: Span
    target: Expression
    operator: str
    value: Expression


class Return(NamedTuple):
    """`return value`."""

    at: Span
    value: Optional[Expression]


class Raise(NamedTuple):
    """`raise exception from cause`."""

    at: Span
    exception: Optional[Expression]
    cause: Optional[Expression]


class Assert(NamedTuple):
    """`assert test, message`."""

    at: Span
    test: Expression
    message: Optional[Expression]


class Delete(NamedTuple):
    """`del targets`."""

    at: Span
    targets: Tuple[Expression, ...]


class Declaration(NamedTuple):
    """`global names` or `nonlocal names`; `keyword` tells which."""

    at: Span
    keyword: str
    names: Tuple[str, ...]


class Jump(NamedTuple):
    """`pass`, `break` or `continue`."""

    at: Span
    keyword: str


class ImportedName(NamedTuple):
    """`name as alias`; `name` may be dotted in a plain import."""

    at: Span
    name: str
    alias: Optional[str]


class Import(NamedTuple):
    """`import names`."""

    at: Span
    names: Tuple[ImportedName, ...]


class ImportFrom(NamedTuple):
    """`from ..module import names`; `level` counts the dots, `star` is `*` instead of names."""

    at: Span
    module: str
    level: int
    names: Tuple[ImportedName, ...]
    star: bool


class If(NamedTuple):
    """`if test: body else: otherwise`; an `elif` is an `If` alone in `otherwise`."""

    at: Span
    header: Span
    test: Expression
    body: Tuple[Statement, ...]
    otherwise: Tuple[Statement, ...]


class For(NamedTuple):
    """`for target in iterable: body else: otherwise`."""

    at: Span
    header: Span
    target: Expression
    iterable: Expression
    body: Tuple[Statement, ...]
    otherwise: Tuple[Statement, ...]
    is_async: bool


class While(NamedTuple):
    """`while test: body else: otherwise`."""

    at: Span
    header: Span
    test: Expression
    body: Tuple[Statement, ...]
    otherwise: Tuple[Statement, ...]


class ContextItem(NamedTuple):
    """`value as target` of a `with` statement."""

    value: Expression
    target: Optional[Expression]


class With(NamedTuple):
    """`with items: body`."""

    at: Span
    header: Span
    items: Tuple[ContextItem, ...]
    body: Tuple[Statement, ...]
    is_async: bool


class Handler(NamedTuple):
    """`except exception as name: body`."""

    at: Span
    header: Span
    exception: Optional[Expression]
    name: Optional[str]
    body: Tuple[Statement, ...]


class Try(NamedTuple):
    """`try: body except ...: else: otherwise finally: final`."""

    at: Span
    header: Span
    body: Tuple[Statement, ...]
    handlers: Tuple[Handler, ...]
    otherwise: Tuple[Statement, ...]
    final: Tuple[Statement, ...]


class Case(NamedTuple):
    """`case pattern if guard: body`.

    Attributes:
        values: The constants and dotted names that the pattern compares with.
        captures: The names that it binds.
        irrefutable: Whether it matches everything.
    """

    at: Span
    header: Span
    values: Tuple[Expression, ...]
    captures: Tuple[str, ...]
    irrefutable: bool
    guard: Optional[Expression]
    body: Tuple[Statement, ...]


class Match(NamedTuple):
    """`match subject: cases`."""

    at: Span
    header: Span
    subject: Expression
    cases: Tuple[Case, ...]


class Decorator(NamedTuple):
    """`@expression`; the place includes the `@`."""

    at: Span
    expression: Expression


class FunctionDef(NamedTuple):
    """A function.

    Attributes:
        at: Begins at `def` or `async`, below the decorators.
        signature: From there to the name's end.
    """

    at: Span
    header: Span
    signature: Span
    name: str
    name_at: Span
    parameters: Tuple[Parameter, ...]
    returns: Optional[Expression]
    decorators: Tuple[Decorator, ...]
    body: Tuple[Statement, ...]
    is_async: bool
    is_generator: bool


class ClassDef(NamedTuple):
    """A class.

    Attributes:
        at: Begins at `class`, below the decorators.
        signature: From there to the name's end.
    """

    at: Span
    header: Span
    signature: Span
    name: str
    name_at: Span
    bases: Tuple[Argument, ...]
    decorators: Tuple[Decorator, ...]
    body: Tuple[Statement, ...]


Statement = Union[
    Evaluate,
    Assign,
    AnnotatedAssign,
    AugmentedAssign,
    Return,
    Raise,
    Assert,
    Delete,
    Declaration,
    Jump,
    Import,
    ImportFrom,
    If,
    For,
    While,
    With,
    Try,
    Match,
    FunctionDef,
    ClassDef,
]

# --- a file -------------------------------------------------------------------------------------


class Comment(NamedTuple):
    """A comment that speaks to the tool.

    Attributes:
        text: It begins with `#`.
        alone: Whether nothing else stands on its line.
    """

    at: Span
    text: str
    alone: bool


class ScanError(NamedTuple):
    """Why a file could not be scanned.

    `kind` is `syntax` (Python cannot parse it), `grammar` (Python can, the parser cannot) or `depth`
    (too deeply nested or too slow to parse); row and column count from 1.
    """

    kind: str
    reason: str
    row: int
    column: int


class ModuleFacts(NamedTuple):
    """All that is kept of one Python file.

    Nothing in it depends on another file, on settings or on rules, so the hash of the file's bytes
    identifies it.
    """

    body: Tuple[Statement, ...]
    comments: Tuple[Comment, ...]
    error: Optional[ScanError]
