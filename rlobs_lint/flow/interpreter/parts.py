"""What the parts of the machine offer each other: each names what the others ask of it."""

from __future__ import annotations

from typing import ContextManager, Dict, FrozenSet, List, Optional, Protocol, Sequence, Set, Tuple, Union

from rlobs_lint.facts import ir
from rlobs_lint.facts.module import Module
from rlobs_lint.flow.domain.arguments import Arguments, ArgumentValue
from rlobs_lint.flow.domain.branches import Branches
from rlobs_lint.flow.domain.heap import Entry, MappingContent, SequenceContent
from rlobs_lint.flow.domain.state import Changes, Key, State
from rlobs_lint.flow.domain.values import Atom, Constant, Function, Object, Request, Site, Value
from rlobs_lint.flow.interpreter.activations import Answer, Frame, Turn
from rlobs_lint.project.imports import Package


class Methods(Protocol):
    """Carries out calls of methods of Python's own types."""

    def call(self, owner: Atom, name: str, arguments: Arguments, site: Site, state: State) -> Optional[Value]:
        """Carries out a call of a method of a string, number, list, tuple, set or dictionary."""

    def of_request(self, owner: Request, name: str, arguments: Arguments) -> Value:
        """Carries out a call of a method on something from the input: the result varies with it."""


class Objects(Protocol):
    """Carries out calls that read, copy or set attributes of objects."""

    def fields_of(self, value: Value, site: Site, state: State, every: bool = False, depth: int = 0) -> Value:
        """Returns the declared fields of instances as a mapping."""

    def subclasses(self, cls: Object, site: Site, state: State) -> Value:
        """Carries out `Class.__subclasses__()`."""


class Containers(Protocol):
    """Carries out calls that make containers, or iterate over them."""

    def counted(self, argument: ArgumentValue, state: State) -> MappingContent:
        """Returns what counting the elements of an iterable gives."""

    def missing(self, owner: Object, content: MappingContent, key: Value, site: Site, state: State) -> Value:
        """Returns what a dictionary answers for a key that it may not hold; a `defaultdict` then holds it."""


class FilePaths(Protocol):
    """Computes paths of files from known texts."""

    def attribute(self, path: Constant, name: str, site: Site, state: State) -> Optional[Value]:
        """Returns an attribute of a path that is no method, or `None`."""

    def method(self, path: Constant, name: str, arguments: Arguments) -> Value:
        """Carries out a call of a method of a path."""


class Statements(Protocol):
    """Runs statements, for a machine."""

    def run(self, body: Sequence[ir.Statement], state: State) -> bool:
        """Runs statements in the current activation; tells whether the end can be reached."""

    def answer(self, expression: ir.Expression, state: State) -> None:
        """Returns from a function whose result is a condition: once for yes, once for no."""

    def _join(self, state: State, paths: Sequence[Changes]) -> None: ...


class TracingSwitches(Protocol):
    """Knows which conditions excuse what is not traced, for a machine."""

    def off(self, statement: ir.If) -> Optional[bool]:
        """Returns the outcome of a condition in which tracing is off, or `None`."""

    def done(self, statement: ir.If) -> Optional[bool]:
        """Returns the outcome of a condition in which all there is was traced before, or `None`."""

    def excuses(self, test: ir.Expression, others: Sequence[ir.Expression]) -> bool:
        """Whether a condition inside an expression keeps what else stands there from tracing."""


class Loops(Protocol):
    """Runs loops, for a machine."""

    def jump(self, statement: ir.Jump, state: State) -> bool:
        """Runs `pass`, `break` or `continue`."""

    def _leave_out(self, name: str, state: State) -> None:
        """Notes that a loop does not keep this element: it needs no trace."""

    def run_while(self, statement: ir.While, state: State) -> bool:
        """Runs a `while` loop; tells whether its end can be reached."""

    def run_for(self, statement: ir.For, state: State) -> bool:
        """Runs a `for` loop; tells whether its end can be reached."""


class Expressions(Protocol):
    """Evaluates expressions for a machine."""

    def evaluate(self, expression: ir.Expression, state: State) -> Value:
        """Returns what an expression may be; calls in it are followed."""

    def callee(self, expression: ir.Expression, state: State) -> Value:
        """Returns what is called: taking a client's method to call it is no use of its own."""

    def awaited(self, value: Value) -> Value:
        """Returns what awaiting a value gives."""


class Names(Protocol):
    """Looks up and binds names, for a machine."""

    def load(self, name: str, state: State, expression: Optional[ir.Name] = None) -> Value:
        """Returns the value of a name where it is used."""

    def bind(self, name: str, value: Value, state: State) -> None:
        """Assigns to a name in the scope that it belongs to."""

    def key_of(self, name: str) -> Optional[Key]:
        """Returns where the state keeps a name that is used here, if a scope binds it."""

    def rebind(self, name: str, value: Value, state: State) -> None:
        """Stores what a condition showed about a name, where the name is bound."""


class Contents(Protocol):
    """Keeps what is in lists, tuples, sets and dictionaries, for a machine."""

    def put(self, atom: Atom, entry: Entry, state: State, weak: bool = False) -> None:
        """Stores `mapping[key] = value`; `weak` where the mapping may be another one."""

    def kind_of(self, atom: Atom) -> str:
        """Returns what a collection is called: `list`, `set`, ..."""

    def extend(self, atom: Atom, value: Value, state: State) -> None:
        """Appends all elements of `value` to a list or set."""

    def update_mapping(self, atom: Atom, other: Atom, state: State) -> None:
        """Runs `mapping.update(other)`."""

    def pairs(self, content: SequenceContent, state: State) -> MappingContent:
        """Returns the mapping that a sequence of pairs makes."""

    def without(self, content: MappingContent, key: Value) -> MappingContent:
        """Returns what a dictionary holds after an entry was taken out: one of several, but in a loop all."""

    def of(self, atom: Atom, state: State) -> Optional[object]:
        """Returns the content of a collection, or `None` for anything else."""

    def sequence(
        self, kind: str, elements: Tuple[Value, ...], rest: Value, expression: ir.Expression, state: State
    ) -> Value:
        """Makes a list, tuple, set or generator at an expression."""

    def mapping(self, content: MappingContent, site: Site, state: State, what: str = "dict") -> Value:
        """Makes a dictionary at a place."""

    def element(self, value: Value, state: State, is_async: bool = False) -> Value:
        """Returns what an element of an iterable may be."""

    def element_of(self, atom: Atom, state: State) -> Value:
        """Returns what an element of one possibility of an iterable may be."""

    def surely_nonempty(self, value: Value, state: State) -> bool:
        """Whether an iterable surely has an element."""

    def is_mixed(self, atom: Atom) -> bool:
        """Whether nothing is known of the order of a list."""

    def are_rows(self, value: Value) -> bool:
        """Whether all possibilities are tuples, such as the items of a dictionary."""

    def unrollable(self, value: Value, state: State) -> Optional[Sequence[Turn]]:
        """Returns the elements of a short collection of objects or functions; in a script, of anything."""

    def sliced(self, atom: Atom, bounds: Sequence[Value], site: Site, state: State) -> Value:
        """Returns what `atom[start:stop:step]` may be."""

    def item(
        self, atom: Atom, index: Value, site: Site, state: State, key_site: Optional[Site] = None
    ) -> Value:
        """Returns what `atom[index]` may be."""


class Assignments(Protocol):
    """Assigns to targets, for a machine."""

    def assign(
        self, target: ir.Expression, value: Value, state: State, source: Optional[ir.Expression]
    ) -> None:
        """Assigns a value to a target; `source` is the expression it comes from, if it is one."""

    def augment(self, statement: ir.AugmentedAssign, state: State) -> None:
        """Runs `target operator= value`."""

    def delete(self, target: ir.Expression, state: State) -> None:
        """Runs `del target`."""


class Operators(Protocol):
    """Carries out operators, for a machine."""

    def concatenate(self, parts: Sequence[Value]) -> Value:
        """Returns the texts that pieces make one after the other, each formatted with `str`."""

    def binary(self, operator: str, left: Value, right: Value, site: Site, state: State) -> Value:
        """Returns what a binary operator makes of two values."""


class Comprehensions(Protocol):
    """Runs comprehensions, for a machine."""

    def run(self, expression: ir.Comprehension, state: State) -> Value:
        """Returns what a comprehension makes: a list, set, dictionary or generator."""


class Conditions(Protocol):
    """Decides and narrows for a machine."""

    def assume(self, test: ir.Expression, wanted: bool, state: State) -> bool:
        """Lets `state` go on where the condition is as wanted; tells whether it can be."""

    def branch(self, test: ir.Expression, state: State) -> Branches:
        """Evaluates a condition once, in `state`, and forks for its two outcomes."""

    def asked(self, test: ir.Expression, state: State) -> Tuple[Value, List[Answer]]:
        """Evaluates a condition; returns also the answers of the workspace function behind it."""

    def outcomes_of(
        self, function: Function, arguments: Arguments, site: Site, state: State
    ) -> FrozenSet[bool]:
        """Asks a workspace function as a condition, without consequences; returns its possible answers."""

    def remember(self, target: ir.Expression, source: ir.Expression, value: Value, state: State) -> None:
        """Remembers the condition that a variable keeps the outcome of (`ok = bool(messages)`)."""

    def named(self, test: ir.Expression, state: State) -> Optional[ir.Expression]:
        """Returns the condition behind a variable, if nothing that it asks about has changed since."""

    def parts(self, expression: ir.Expression, state: State) -> Tuple[Tuple[Key, Value], ...]:
        """Returns the variables in an expression, and what they are, but for what conditions found out."""

    def assume_value(self, asked: ir.Expression, value: Value, wanted: bool, state: State) -> bool:
        """Narrows an expression that is used as a condition; tells whether it can be as wanted."""

    def narrowed(self, value: Value, wanted: bool, state: State) -> Value:
        """Returns the possibilities of a value that are true, or false, as a condition."""

    def void(self, value: Value, state: State) -> None:
        """Notes that on this path there is nothing in a value: its clients and tools do not exist."""

    def forget_elements(self, iterable: Value, state: State) -> None:
        """Forgets what was found out about the last turn's element of something from the input."""

    def counted(self, test: ir.Expression, state: State) -> Optional[Value]:
        """Returns the collection that a loop counts through from its beginning."""

    def have_elements(self, expression: ir.Expression, iterable: Value, state: State) -> None:
        """Notes that an iterable has an element: the body of a loop over it is run."""

    def examine(self, subject: ir.Expression, value: Value, state: State) -> None:
        """Takes the subject of a `match` statement for checked: its patterns are not followed."""

    def store(self, asked: ir.Expression, value: Value, state: State) -> None:
        """Stores the narrowed value of the variable or attribute that was asked about."""

    def shown(self, expression: ir.Expression, state: State) -> Value:
        """Returns the value of a name, an attribute chain or an entry of a dictionary, running nothing."""

    def peek(self, expression: ir.Expression, state: State) -> Value:
        """Returns the value of a name or attribute chain, without running anything."""


class TypeTests(Protocol):
    """Answers questions about types, for a machine."""

    def branch(self, test: ir.Comparison, right: Value, state: State) -> Optional[Branches]:
        """Branches on `type(x) is float`, `type(x) in (int, float)` and `type(x).__name__ == "float"`."""

    def is_instance(
        self, atom: Atom, types: Tuple[str, ...], state: State, exact: bool = False
    ) -> Optional[bool]:
        """Tells whether an atom is of one of some builtin types or client classes, or `None`."""

    def names(self, expression: ir.Expression, state: State) -> Tuple[str, ...]:
        """Returns the names of the types that an expression stands for; `?` for one that has none."""


class Comparisons(Protocol):
    """Decides comparisons and narrows by them, for a machine."""

    def branch(self, test: ir.Comparison, state: State) -> Branches:
        """Evaluates a comparison of two values, and forks for its two outcomes."""

    def members(self, collection: Value, state: State) -> Value:
        """Returns the members of a collection of known constants, or nothing."""

    def outcome(self, operator: str, left: Value, right: Value, state: State) -> Optional[bool]:
        """Tells the outcome of a comparison where all possibilities agree."""

    def measured(self, asked: ir.Expression, state: State) -> Optional[Tuple[ir.Expression, Value]]:
        """Returns what `len(...)` measures, with its value."""


class Narrowing(Protocol):
    """Narrows values for a machine."""

    def value(self, asked: ir.Expression, state: State) -> Value:
        """Returns what the entry, or the element of a tuple, that an expression reads may be."""

    def keep(self, asked: ir.Expression, kept: Value, state: State) -> None:
        """Stores what a condition left of an entry."""

    def one_turn(self, state: State) -> ContextManager[None]:
        """Takes back at its end what conditions showed about entries: it holds in one turn of a loop only."""

    def spare(self, statement: ir.For, keys: Value, state: State) -> None:
        """Forgets entries that a loop over some of the keys amends, on the path on which it does not run."""

    def matched(self, case: ir.Case, subject: Value, state: State) -> Tuple[Value, Value]:
        """Returns what a subject is where a pattern matches it, and what it may be for the next patterns."""

    def narrow_by_predicate(self, test: ir.Call, yes: State, no: State, state: State) -> None:
        """Narrows the arguments of `is_number(value)` by how the function answers about each possibility."""

    def filtered(self, predicate: Value, element: Value, site: Site, state: State) -> Value:
        """Returns what of the elements of an iterable gets through `filter(predicate, ...)`."""


class Calls(Protocol):
    """Carries out calls for a machine."""

    def evaluate(self, expression: ir.Call, state: State, answers: Optional[List[Answer]] = None) -> Value:
        """Returns what a call expression may be."""

    def arguments(self, expression: ir.Call, state: State) -> Arguments:
        """Evaluates the arguments of a call in order."""

    def call(
        self,
        callee: Value,
        arguments: Arguments,
        site: Site,
        state: State,
        answers: Optional[List[Answer]] = None,
    ) -> Value:
        """Returns what calling any of the possibilities gives."""

    def call_atom(
        self,
        atom: Atom,
        arguments: Arguments,
        site: Site,
        state: State,
        answers: Optional[List[Answer]] = None,
    ) -> Value:
        """Calls one possibility."""

    def is_async(self, atom: Function) -> bool:
        """Whether a function is an `async def` (its own, not what wraps it)."""

    def call_function(
        self,
        function: Function,
        arguments: Arguments,
        site: Site,
        state: State,
        answers: Optional[List[Answer]] = None,
    ) -> Value:
        """Runs a workspace function with arguments; `answers` gets those to a yes-or-no question."""

    def read_property(self, item: Function, receiver: Atom, name: str, site: Site, state: State) -> Value:
        """Runs a property; a cached one becomes an attribute."""

    def enter(self, manager: Value, is_async: bool, site: Site, state: State) -> Value:
        """Returns what `with manager as target` binds."""

    _defaults: Dict[Tuple[int, int], Dict[str, Value]]


class Instances(Protocol):
    """Makes instances, for a machine."""

    def make(self, cls: Object, arguments: Arguments, site: Site, state: State) -> Value:
        """Makes an instance of a workspace class and runs its `__init__`."""

    def make_plainly(self, cls: Object, site: Site, state: State) -> Value:
        """Carries out `object.__new__(cls)`."""

    def declare_field(self, name: str, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out `field(default_factory=f)`: what it makes is made for every instance."""


class Functions(Protocol):
    """Defines and decorates functions, for a machine."""

    def define(self, statement: ir.FunctionDef, state: State) -> Value:
        """Runs a `def`: defaults, then decorators from the innermost."""

    def define_lambda(self, expression: ir.Lambda) -> Value:
        """Makes the function of a lambda."""

    def decorate(self, decorator: ir.Decorator, value: Value, state: State) -> Value:
        """Applies a decorator to a function or class."""


class Exceptions(Protocol):
    """Knows what raises, for a machine."""

    def never_returns(self, expression: ir.Expression, state: State) -> bool:
        """Whether a call as a statement ends the program (`sys.exit()`)."""

    def cannot_raise(self, statement: ir.Statement, state: State) -> bool:
        """Whether a statement is one that never raises: tracing, logging, importing the SDK, a constant."""

    def caught(self, handler: ir.Handler) -> Tuple[str, ...]:
        """Returns the names of the exceptions that a handler catches; a bare one catches all."""


class Modules(Protocol):
    """Runs imports, for a machine."""

    def submodule(self, found: Union[Module, Package], name: str) -> Value:
        """Returns the module of a name inside a package, if there is one."""

    def load(self, found: Union[Module, Package]) -> Object:
        """Returns the object of a module, running its body when it is first imported."""

    def begin_world(self, base: State, loaded: Set[str]) -> None:
        """Goes on in another world: a server of its own, in which only some modules were imported."""

    def frame_of(self, module: Module) -> Optional[Frame]:
        """Returns the frame of a module that was run."""

    def run_import(self, statement: ir.Import, state: State) -> None:
        """Runs `import a.b as c`."""

    def run_import_from(self, statement: ir.ImportFrom, state: State) -> bool:
        """Runs `from a import b as c`; tells whether it goes on (a wrong name raises)."""

    def import_outcome(self, body: Sequence[ir.Statement], state: State) -> str:
        """Tells whether a `try` body of imports surely `succeeds` where the SDK is installed."""

    def run_type_checking(self, body: Sequence[ir.Statement], state: State) -> None:
        """Binds what `if TYPE_CHECKING:` imports: classes for annotations, SDK functions not at all."""

    def at_run_time(self, value: Value, expression: Optional[ir.Name], state: State) -> Value:
        """Returns a variable's value where it is used; an import for annotations is not there."""

    def unbound(self, name: str, expression: Optional[ir.Name]) -> Value:
        """Returns the value of a name that no scope binds."""

    def note_missing(self, module: str, name: str, site: Site) -> None:
        """Notes a name that is looked up on a module which does not have it, unless that is caught."""

    def lacks(self, atom: Atom, name: str) -> bool:
        """Whether something is a module of the SDK that does not have an observability name."""


class Attributes(Protocol):
    """Reads and assigns attributes, for a machine."""

    def of(self, owner: Value, name: str, site: Site, state: State, is_called: bool = False) -> Value:
        """Returns what `owner.name` may be; `is_called` tells that it is taken to be called at once."""

    def attribute(self, atom: Atom, name: str, site: Site, state: State, is_called: bool = False) -> Value:
        """Returns what `name` of one possibility may be; properties are run."""

    def peek(self, owner: Value, name: str, state: State) -> Value:
        """Returns what `owner.name` may be, without running properties."""

    def assign(
        self, owner: Value, name: str, value: Value, site: Site, state: State, source: Optional[ir.Expression]
    ) -> None:
        """Runs `owner.name = value`."""

    def narrow(self, owner: Atom, name: str, value: Value, state: State) -> None:
        """Stores what a condition showed about an attribute."""


class Inheritance(Protocol):
    """Defines classes and looks through their bases, for a machine."""

    def define_class(self, statement: ir.ClassDef, state: State) -> Value:
        """Runs a class statement: bases, body, decorators."""

    def class_variable(self, frame: Frame, name: str, value: Value, state: State) -> None:
        """Makes what a class body binds an attribute of the class."""

    def annotate(self, frame: Frame, name: str, annotation: ir.Expression, state: State) -> None:
        """Notes the type that a class body declares for an attribute."""

    def owner_of_frame(self, frame: Frame) -> int:
        """Returns the object number of the class whose body a frame is, or -1."""

    def linearized(self, number: int) -> Tuple[int, ...]:
        """Returns a class and its workspace bases in the order that attributes are looked up in."""

    def outside_bases(self, number: int) -> Tuple[str, ...]:
        """Returns the names of all bases of a class that are not the workspace's; `?` is unknown."""

    def class_attribute(
        self, cls: int, name: str, state: State, after: int = -1
    ) -> Optional[Tuple[int, Value]]:
        """Returns the class that has an attribute, and its value, in the order of look-up."""

    def declared(self, cls: int, name: str, state: State) -> Optional[Value]:
        """Returns a value of the type that a class declares for an attribute."""

    def typed(self, owner: Object, name: str, value: Value, state: State) -> Value:
        """Returns what an attribute is given, its unknown parts of the plain type that the class declares."""

    def declared_names(self, cls: int) -> Tuple[str, ...]:
        """Returns the attributes that a class and its bases declare, bases first."""

    def public_names(self, cls: int) -> Tuple[str, ...]:
        """Returns the names that a class and its bases bind, sorted, without private ones."""


class Enumerations(Protocol):
    """Knows enumerations, for a machine."""

    def is_enumeration(self, atom: Object) -> bool:
        """Whether an object is a workspace enumeration."""

    def is_integer(self, number: int) -> bool:
        """Whether the members of an enumeration are numbers."""

    def members(self, cls: Object, state: State) -> Value:
        """Returns all members of an enumeration, in order."""


class Library(Protocol):
    """Carries out calls of Python's own functions and of methods of its types, for a machine."""

    def call(self, name: str, arguments: Arguments, site: Site, state: State) -> Optional[Value]:
        """Carries out a call of a dotted name; `None` when it is not one of ours."""

    @property
    def containers(self) -> Containers:
        """Carries out calls that make containers, or iterate over them."""

    @property
    def objects(self) -> Objects:
        """Carries out calls that read, copy or set attributes of objects."""

    @property
    def methods(self) -> Methods:
        """Carries out calls of methods of Python's own types."""

    @property
    def file_paths(self) -> FilePaths:
        """Computes paths of files from known texts."""


class Unseen(Protocol):
    """Keeps, for one root, what code out of sight may have changed."""

    def begin(self) -> None:
        """Begins anew for another root."""

    def given_callables(self, arguments: Arguments, state: State) -> None:
        """Hears of the arguments of code outside the workspace: it may call the functions among them."""

    def given(self, arguments: Arguments, state: State) -> None:
        """Hears of arguments given away: functions may be called, and so may methods of instances."""

    def one_of(self, callee: Value) -> None:
        """Hears of a call of one of several functions: which one is not known."""

    def methods_of(self, atom: Atom) -> None:
        """Hears of an instance of a workspace class whose methods may be called."""

    def unknown_call(self) -> None:
        """Hears of a call of something that is not known: it may be a method of whoever calls it."""

    def unknown_attribute(self) -> None:
        """Hears of `setattr(x, name, ...)` with a name that is not known, and of `vars(x)`."""

    def read_name(self, name: str, value: Value) -> None:
        """Hears of a variable that is read."""

    def read_attribute(self, name: str, value: Value) -> None:
        """Hears of an attribute that is read; through `__dict__` all of them may be set."""

    is_read: bool


class Guards(Protocol):
    """Finds out what conditions show indirectly, for a machine."""

    def rewritten(self, test: ir.Expression) -> Optional[ir.Expression]:
        """Returns a condition in terms of `and` and `or`, or `None` where there is nothing to rewrite."""

    def remember(self, target: ir.Expression, source: ir.Expression, state: State) -> None:
        """Remembers what a variable is made of, and what a helper returns beside a list."""

    def ask(self, test: ir.Expression, state: State) -> None:
        """Takes what a helper returned for checked, once a condition asks what it returned beside it."""

    def imply(self, expression: ir.Expression, state: State) -> None:
        """Notes that an expression is true, not empty or above zero, and so is what it needs for that."""

    def imply_something(self, expression: ir.Expression, state: State) -> None:
        """Notes that an expression is not `None`: `next((m for m in messages if ...), None)`."""

    def counted(self, asked: ir.Expression, state: State) -> Optional[ir.Expression]:
        """Returns the `len(...)` or `sum(...)` that a number comes from."""
