"""Calls: binding arguments, running workspace functions, making instances, applying decorators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, NamedTuple, Optional, Tuple

from rlobs_lint import ir, sdk
from rlobs_lint.flow import heap
from rlobs_lint.flow.annotations import annotated, refined, refined_by
from rlobs_lint.flow.heap import Entry, MappingContent, ObjectInfo, SequenceContent
from rlobs_lint.flow.observations import StreamReturned, SyncWrapper
from rlobs_lint.flow.state import ATTRIBUTE, CONTENT, VARIABLE, Key, State
from rlobs_lint.flow.values import (
    NOTHING,
    UNKNOWN,
    Atom,
    Constant,
    Coroutine,
    External,
    Function,
    Generated,
    Mark,
    Member,
    Misbound,
    Object,
    Placeholder,
    Request,
    Site,
    Super,
    Value,
    join,
    strings,
)
from rlobs_lint.model import Span

if TYPE_CHECKING:
    from rlobs_lint.flow.machine import Machine

#: Functions that declare the field of a dataclass or model.
FIELDS = frozenset({"dataclasses.field", "pydantic.Field", "pydantic.PrivateAttr", "attrs.field", "attr.ib"})
_FACTORY = "default_factory"
#: Marks that matter are a dozen; every other decorator is taken to hand the function's result on.
_CONTEXT_MANAGERS = ("contextlib.contextmanager", "contextlib.asynccontextmanager")
_TRACE_CALLS = frozenset({"sdk.trace_client", "sdk.trace_tool"})
_NEVER_RETURN = frozenset({"sys.exit", "os._exit", "builtins.exit", "builtins.quit", "os.abort"})


class ArgumentValue(NamedTuple):
    """An argument of a call, by position or keyword.

    Attributes:
        keyword: Its keyword.
        value: Its value.
        site: Where the value is written.
        name_site: Where the keyword is written, or the key of a `**{...}`, when that is known.
    """

    keyword: Optional[str]
    value: Value
    site: Site
    name_site: Optional[Site] = None


class Arguments(NamedTuple):
    """The arguments of a call.

    Attributes:
        positional: Those by position, in order.
        keywords: Those by keyword, `**{...}` with known keys included.
        open: Whether `*x` or `**x` may pass further ones.
    """

    positional: Tuple[ArgumentValue, ...] = ()
    keywords: Tuple[ArgumentValue, ...] = ()
    open: bool = False

    def get(self, position: int, name: str) -> Optional[ArgumentValue]:
        """Returns the argument of a parameter by its position from 0 (-1: keyword only) or its name."""
        for argument in self.keywords:
            if argument.keyword == name:
                return argument
        return self.positional[position] if 0 <= position < len(self.positional) else None

    def value(self, position: int, name: str) -> Value:
        """Returns the value of a parameter's argument; nothing where there is none."""
        found = self.get(position, name)
        return found.value if found is not None else NOTHING

    def everything(self) -> Tuple[ArgumentValue, ...]:
        """Returns all arguments."""
        return (*self.positional, *self.keywords)


class Calls:
    """Carries out calls for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._defaults: Dict[Tuple[int, int], Dict[str, Value]] = {}

    # --- the call expression --------------------------------------------------------------------

    def evaluate(self, expression: ir.Call, state: State) -> Value:
        """Returns what a call expression may be."""
        function = expression.function
        if isinstance(function, ir.Name) and function.identifier == "super":
            return self._super(expression, state)
        if isinstance(function, ir.Conditional):
            # `(trace_tool if isinstance(x, list) else trace_client)(x)`: each where it is chosen
            sides = (expression._replace(function=one) for one in (function.body, function.otherwise))
            return self._machine.evaluate(ir.Conditional(function.at, function.test, *sides), state)
        outside = self._machine.outside
        # Taking a client's method to call it is no use of its own.
        outer, outside.calling = outside.calling, True
        callee = self._machine.evaluate(function, state)
        outside.calling = False
        arguments = self.arguments(expression, state)
        self._machine.contract.argument_key = self._key_of(expression, state)
        value = self.call(callee, arguments, self._machine.site(expression.at), state)
        outside.calling = outer
        return value

    def _key_of(self, expression: ir.Call, state: State) -> Optional[Key]:
        """Returns where the state keeps the first argument, if that is a variable or attribute."""
        if not expression.arguments:
            return None
        argument = expression.arguments[0].value
        if isinstance(argument, ir.Name):
            return self._machine.names.key_of(argument.identifier)
        if isinstance(argument, ir.Attribute):
            owner = self._machine.conditions.peek(argument.value, state)
            if len(owner) == 1 and isinstance(owner[0], Object):
                return (ATTRIBUTE, owner[0].number, argument.name)
        return None

    def arguments(self, expression: ir.Call, state: State) -> Arguments:
        """Evaluates the arguments of a call in order."""
        machine = self._machine
        positional: List[ArgumentValue] = []
        keywords: List[ArgumentValue] = []
        is_open = False
        for argument in expression.arguments:
            value = machine.evaluate(argument.value, state)
            site = machine.site(argument.value.at)
            if argument.star == "*":
                content = machine.contents.of(value[0], state) if len(value) == 1 else None
                if isinstance(content, SequenceContent):
                    positional.extend(ArgumentValue(None, element, site) for element in content.elements)
                is_open = is_open or not isinstance(content, SequenceContent) or bool(content.rest)
            elif argument.star == "**":
                content = machine.contents.of(value[0], state) if len(value) == 1 else None
                if isinstance(content, MappingContent):
                    is_open = is_open or content.open
                    for entry in content.entries:
                        names = strings(entry.key)
                        is_open = is_open or len(names) != len(entry.key) or not entry.always
                        keywords.extend(
                            ArgumentValue(name, entry.value, entry.value_site, entry.key_site)
                            for name in names
                        )
                else:
                    is_open = True
            elif argument.keyword is not None:
                name_at = Span(argument.at.start, argument.at.start + len(argument.keyword))
                keywords.append(ArgumentValue(argument.keyword, value, site, machine.site(name_at)))
            else:
                positional.append(ArgumentValue(None, value, site))
        return Arguments(tuple(positional), tuple(keywords), is_open)

    def call(self, callee: Value, arguments: Arguments, site: Site, state: State) -> Value:
        """Returns what calling any of the possibilities gives."""
        if len(callee) > 1:
            self._machine.tools.invoked_together(callee, site)
        results: List[Value] = []
        self._machine.unseen.one_of(callee)
        for atom in callee:
            if len(callee) > 1 and self._fills(atom, state):
                # `(good if ok else bad).append(x)`: one of them gets it.
                side = state.fork()
                results.append(self.call_atom(atom, arguments, site, side))
                state.merge([side.changes_since(state), {}])
            else:
                results.append(self.call_atom(atom, arguments, site, state))
        return join(results) if results else UNKNOWN

    def _fills(self, atom: Atom, state: State) -> bool:
        """Whether a callee is a method of a collection."""
        owner = atom.owner if isinstance(atom, Member) else None
        content = self._machine.contents.of(owner, state) if owner is not None else None
        return isinstance(content, (SequenceContent, MappingContent))

    def call_atom(self, atom: Atom, arguments: Arguments, site: Site, state: State) -> Value:
        """Calls one possibility."""
        machine = self._machine
        if isinstance(atom, Function):
            return self.call_function(atom, arguments, site, state)
        if isinstance(atom, Object):
            info = machine.heap.info(atom.number)
            if info.kind == heap.CLASS:
                return self.instantiate(atom, arguments, site, state)
            if info.kind == heap.INSTANCE:
                found = machine.modules.class_attribute(info.cls, "__call__", state)
                if found is not None:
                    bound = machine.modules.attribute(atom, "__call__", site, state)
                    return self.call(bound, arguments, site, state)
            if info.kind == heap.PARTIAL:
                return self._call_partial(atom, arguments, site, state)
        machine.unseen.given_callables(arguments, state)
        if isinstance(atom, Object):
            return machine.outside.call_member(atom, ("__call__",), arguments, site, state)
        if isinstance(atom, External):
            return machine.outside.call_external(atom.name, arguments, site, state)
        if isinstance(atom, Misbound):
            return machine.outside.call_external(f"sdk.{atom.name}", arguments, site, state, misbound=True)
        if isinstance(atom, Member):
            if isinstance(atom.owner, Super):
                return self._call_super(atom.owner, atom.path[-1], arguments, site, state)
            return machine.outside.call_member(atom.owner, atom.path, arguments, site, state)
        if isinstance(atom, Generated):
            return self._call_generated(atom, arguments, site, state)
        if isinstance(atom, Request):
            return machine.outside.call_request(atom, arguments, site, state)
        if isinstance(atom, Placeholder):
            return (atom,)
        machine.unseen.unknown_call()
        machine.handover.give(arguments, site, state)
        return UNKNOWN

    def _super(self, expression: ir.Call, state: State) -> Value:
        machine = self._machine
        if len(expression.arguments) == 2:
            classes, receivers = (machine.evaluate(one.value, state) for one in expression.arguments)
            return (
                tuple(
                    Super(receiver, cls.number)
                    for receiver in receivers
                    for cls in classes
                    if isinstance(receiver, Object) and isinstance(cls, Object)
                )
                or UNKNOWN
            )
        activation = machine.activation
        if activation.definition < 0:
            return UNKNOWN
        definition = machine.definitions[activation.definition]
        if (
            definition.owner < 0
            or not isinstance(definition.node, ir.FunctionDef)
            or not definition.node.parameters
        ):
            return UNKNOWN
        first = definition.node.parameters[0].name
        receiver = state.get((VARIABLE, activation.frame.number, first)) or NOTHING
        return (
            tuple(Super(atom, definition.owner) for atom in receiver if isinstance(atom, Object)) or UNKNOWN
        )

    def _call_super(self, owner: Super, name: str, arguments: Arguments, site: Site, state: State) -> Value:
        """Calls a method that only a base outside the workspace has."""
        return self._machine.outside.call_base(owner.receiver, name, arguments, site, state)

    def _call_partial(self, atom: Object, arguments: Arguments, site: Site, state: State) -> Value:
        bound: Optional[PartialContent] = state.get((CONTENT, atom.number))
        if bound is None:
            return UNKNOWN
        return self.call(bound.callee, bound.merged(arguments), site, state)

    # --- workspace functions --------------------------------------------------------------------

    def define_function(self, statement: ir.FunctionDef, state: State) -> Value:
        """Runs a `def`: defaults, then decorators from the innermost."""
        machine = self._machine
        frame = machine.activation.frame
        owner = machine.modules.owner_of_frame(frame) if frame.is_class else -1
        number = machine.define(frame.module, statement, statement.name, owner)
        frame.capture()
        self._keep_defaults(number, frame.number, statement.parameters, state)
        value: Value = (Function(number, frame.number),)
        for decorator in reversed(statement.decorators):
            value = self.decorate(decorator, value, state)
        if machine.activation.definition < 0:
            known = machine.ledger.functions.setdefault(number, [])
            known.extend(atom for atom in value if atom not in known)
        return value

    def define_lambda(self, expression: ir.Lambda) -> Value:
        """Makes the function of a lambda."""
        frame = self._machine.activation.frame
        frame.capture()
        number = self._machine.define(frame.module, expression, "<lambda>", -1)
        return (Function(number, frame.number),)

    def _keep_defaults(
        self, number: int, frame: int, parameters: Tuple[ir.Parameter, ...], state: State
    ) -> None:
        defaults = {
            parameter.name: self._machine.evaluate(parameter.default, state)
            for parameter in parameters
            if parameter.default is not None
        }
        if defaults:
            self._defaults[number, frame] = defaults

    def decorate(self, decorator: ir.Decorator, value: Value, state: State) -> Value:
        """Applies a decorator to a function or class."""
        machine = self._machine
        site = machine.site(decorator.at)
        applied = machine.evaluate(decorator.expression, state)
        results: List[Value] = []
        for atom in applied:
            known = machine.outside.decorated(atom, value, site, state)
            if known is not None:
                results.append(known)
            elif isinstance(atom, (Function, Object)) and not self._is_outside(atom):
                results.append(self._decorated_by_workspace(atom, value, site, state))
            else:
                results.append(with_mark(value, atom.name if isinstance(atom, External) else "?", site))
        return join(results) if results else value

    def _is_outside(self, atom: Atom) -> bool:
        if not isinstance(atom, Object):
            return False
        return self._machine.heap.info(atom.number).kind not in (heap.INSTANCE, heap.PARTIAL, heap.CLASS)

    def _decorated_by_workspace(self, atom: Atom, value: Value, site: Site, state: State) -> Value:
        """Applies a decorator of the workspace; what cannot be followed hands the function on."""
        machine = self._machine
        argument = ArgumentValue(None, value, site)
        result = self.call_atom(atom, Arguments((argument,)), site, state)
        usable = tuple(item for item in result if isinstance(item, (Function, Object, Generated)))
        if not usable or len(usable) != len(result):
            return with_mark(value, "?", site)
        wrappers = []
        inner = next((atom for atom in value if isinstance(atom, Function)), None)
        for item in usable:
            if isinstance(item, Function) and item not in value and inner is not None:
                machine.ledger.wrapped[item.definition, item.frame] = inner
            if isinstance(item, Function) and item not in value and self._loses_coroutine(item, value, state):
                machine.ledger.note(SyncWrapper(site, item.definition))
                item = item._replace(marks=(*item.marks, Mark("sync-wrapper", site)))
            wrappers.append(item)
        return tuple(wrappers)

    def _loses_coroutine(self, wrapper: Function, wrapped: Value, state: State) -> bool:
        """Whether a wrapper is a plain function that returns the coroutine of the async function in it."""
        machine = self._machine
        node = machine.definitions[wrapper.definition].node
        if not isinstance(node, ir.FunctionDef) or node.is_async or node.is_generator:
            return False
        if not any(isinstance(atom, Function) and self.is_async(atom) for atom in wrapped):
            return False
        trial = state.fork()
        with machine.ledger.paused():
            result = self.call_function(
                wrapper, Arguments(open=True), machine.definitions[wrapper.definition].site, trial
            )
        return any(isinstance(atom, Coroutine) for atom in result)

    def is_async(self, atom: Function) -> bool:
        """Whether a function is an `async def` (its own, not what wraps it)."""
        node = self._machine.definitions[atom.definition].node
        return isinstance(node, ir.FunctionDef) and node.is_async and not node.is_generator

    def call_function(self, function: Function, arguments: Arguments, site: Site, state: State) -> Value:
        """Runs a workspace function with arguments."""
        machine = self._machine
        definition = machine.definitions[function.definition]
        node = definition.node
        assert isinstance(node, (ir.FunctionDef, ir.Lambda))
        machine.ledger.callees.setdefault(site, set()).add(function.definition)
        machine.watching.entering(function, arguments, site, state)
        is_async = isinstance(node, ir.FunctionDef) and node.is_async
        returns = node.returns if isinstance(node, ir.FunctionDef) else None
        if not machine.may_run(function.definition):
            machine.handover.lose(arguments, state)
            guess = annotated(returns)
            return (Coroutine(guess),) if is_async else guess
        machine.reached.add(function.definition)
        machine.reached_in_root.add(function.definition)
        parent = machine.frames[function.frame]
        frame = machine.new_frame(definition.scope, definition.module, parent)
        context = machine.context_of(machine.activation.context, site)
        body = state.fork()
        self._bind(function, node.parameters, arguments, frame.number, body)
        value, yields = machine.run_function(function, frame, context, state, body, site)
        value = annotated(returns) if self._is_left_open(function, node) else refined(value, returns)
        if function.marked("sdk.observe_llm") and any(map(self._is_stream, value)):
            machine.ledger.note(StreamReturned(function.definition))
        if isinstance(node, ir.FunctionDef) and node.is_generator:
            made = machine.heap.allocate(
                ("generator", site, machine.activation.context, function.definition),
                ObjectInfo(heap.SEQUENCE, site, "generator"),
            )
            state.set((CONTENT, made.number), SequenceContent((), yields))
            return (made,)
        return (Coroutine(value),) if is_async else value

    def _is_left_open(self, function: Function, node: object) -> bool:
        """Whether a function is for subclasses to write, so that its own result says nothing."""
        if function.marked("abc.abstractmethod"):
            return True
        body = node.body if isinstance(node, ir.FunctionDef) else ()
        literals = [
            one.value.kind if isinstance(one, ir.Evaluate) and isinstance(one.value, ir.Literal) else ""
            for one in body
        ]
        return "ellipsis" in literals and set(literals) <= {"ellipsis", "str"}

    def _is_stream(self, atom: Atom) -> bool:
        """Whether something yields its tokens only later."""
        if not isinstance(atom, Object):
            return False
        info = self._machine.heap.info(atom.number)
        return (info.kind == heap.SEQUENCE and info.name == "generator") or info.family == "stream"

    def _bind(
        self,
        function: Function,
        parameters: Tuple[ir.Parameter, ...],
        arguments: Arguments,
        frame: int,
        state: State,
    ) -> None:
        """Binds arguments to parameters as Python does; what is not given is unknown."""
        machine = self._machine
        given = [argument.value for argument in arguments.positional]
        if function.receiver is not None:
            given.insert(0, (function.receiver,))
        keywords = {argument.keyword: argument for argument in arguments.keywords}
        defaults = self._defaults.get((function.definition, function.frame), {})
        site = machine.definitions[function.definition].site
        for parameter in parameters:
            if parameter.kind == "variadic":
                made = self._allocate_rest(heap.SEQUENCE, "tuple", (site, parameter.name))
                rest = UNKNOWN if arguments.open else NOTHING
                state.set((CONTENT, made.number), SequenceContent(tuple(given), rest))
                given = []
                value: Value = (made,)
            elif parameter.kind == "keywords":
                made = self._allocate_rest(heap.MAPPING, "dict", (site, parameter.name))
                content = MappingContent(open=arguments.open)
                for argument in keywords.values():
                    key: Value = (Constant("str", argument.keyword),)
                    name_site = argument.name_site or argument.site
                    content = content.put(Entry(key, argument.value, name_site, argument.site))
                state.set((CONTENT, made.number), content)
                value = (made,)
            elif parameter.kind != "keyword-only" and given:
                value = given.pop(0)
            elif parameter.name in keywords and parameter.kind != "positional-only":
                value = keywords.pop(parameter.name).value
            elif parameter.name in defaults and not arguments.open:
                value = defaults[parameter.name]
            elif arguments.open and parameter.name in defaults:
                value = join((defaults[parameter.name], annotated(parameter.annotation)))
            else:
                value = annotated(parameter.annotation)
            state.set((VARIABLE, frame, parameter.name), refined(value, parameter.annotation))

    def _allocate_rest(self, kind: str, name: str, key: Tuple[Site, str]) -> Object:
        machine = self._machine
        allocation = (key, machine.activation.context, len(machine.frames))
        return machine.heap.allocate(allocation, ObjectInfo(kind, key[0], name))

    def _call_generated(self, atom: Generated, arguments: Arguments, site: Site, state: State) -> Value:
        """Runs the `process` that `@reward_func` makes: all sub-rewards, then the aggregate."""
        machine = self._machine
        machine.watching.entering(atom, arguments, site, state)
        if isinstance(atom.receiver, Object):
            return (Coroutine(machine.parts.run(atom.receiver, arguments, site, state)),)
        return (Coroutine(UNKNOWN),)

    def read_property(self, item: Function, receiver: Atom, name: str, site: Site, state: State) -> Value:
        """Runs a property; a cached one becomes an attribute."""
        outer, self._machine.outside.calling = self._machine.outside.calling, False
        value = self.call_function(item._replace(receiver=receiver), Arguments(), site, state)
        self._machine.outside.calling = outer
        if item.marked("functools.cached_property") and isinstance(receiver, Object):
            state.set((ATTRIBUTE, receiver.number, name), value)
        return value

    # --- instances ------------------------------------------------------------------------------

    def instantiate(self, cls: Object, arguments: Arguments, site: Site, state: State) -> Value:
        """Makes an instance of a workspace class and runs its `__init__`."""
        machine = self._machine
        if machine.enumerations.is_enumeration(cls):
            return machine.enumerations.members(cls, state)
        family = machine.outside.family_of_class(cls.number)
        name = machine.heap.info(cls.number).name
        info = ObjectInfo(heap.INSTANCE, site, name, family=family, cls=cls.number)
        created = self._created(cls, arguments, site, state)
        if created:
            # `__new__` hands out an object of its own, perhaps always the same.
            for atom in created:
                self._initialise(atom, cls, arguments, site, state)
            return created
        made = machine.allocate(("instance", cls.number), info)
        machine.outside.constructed(made, cls.number, arguments, site, state)
        self._copy_numbers(made, cls.number, state)
        for base in machine.modules.outside_bases(cls.number):
            if base[len("sdk.") :] in sdk.MODEL_FIELDS and base.startswith("sdk."):
                machine.models.inherited(base[len("sdk.") :], made, arguments, site, state)
        self._initialise(made, cls, arguments, site, state)
        return (made,)

    def _created(self, cls: Object, arguments: Arguments, site: Site, state: State) -> Tuple[Object, ...]:
        """Returns what a `__new__` of the workspace makes, if the class has one that can be followed."""
        machine = self._machine
        found = machine.modules.class_attribute(cls.number, "__new__", state)
        results: List[Value] = [
            self.call_function(atom._replace(receiver=cls), arguments, site, state)
            for atom in (found[1] if found is not None else ())
            if isinstance(atom, Function)
        ]
        made = [
            atom
            for atom in join(results)
            if isinstance(atom, Object) and machine.heap.info(atom.number).kind == heap.INSTANCE
        ]
        return tuple(made)

    def create_plainly(self, cls: Object, site: Site, state: State) -> Value:
        """Carries out `object.__new__(cls)`."""
        machine = self._machine
        family = machine.outside.family_of_class(cls.number)
        info = ObjectInfo(
            heap.INSTANCE, site, machine.heap.info(cls.number).name, family=family, cls=cls.number
        )
        made = machine.allocate(("instance", cls.number), info)
        machine.outside.constructed(made, cls.number, Arguments(open=True), site, state)
        return (made,)

    def _initialise(self, made: Object, cls: Object, arguments: Arguments, site: Site, state: State) -> None:
        """Runs `__init__` of a new instance, or assigns the fields of a dataclass."""
        machine = self._machine
        found = machine.modules.class_attribute(cls.number, "__init__", state)
        if found is not None:
            for atom in found[1]:
                if isinstance(atom, Function):
                    self.call_function(atom._replace(receiver=made), arguments, site, state)
        else:
            self._assign_fields(made, cls.number, arguments, state)
        # Dataclasses and pydantic models go on in a method of their own.
        for method, given in (
            ("__post_init__", ()),
            ("model_post_init", (ArgumentValue(None, UNKNOWN, site),)),
        ):
            if found is None and machine.modules.class_attribute(cls.number, method, state) is not None:
                bound = machine.modules.attribute(made, method, site, state)
                self.call(bound, Arguments(given), site, state)

    def _copy_numbers(self, made: Object, cls: int, state: State) -> None:
        """Gives an instance the numbers of its class, so that a path which sets its own joins with them."""
        machine = self._machine
        for number in reversed(machine.modules.linearized(cls)):
            for name in machine.frames[machine.heap.info(number).frame].scope.local:
                value = state.get((ATTRIBUTE, number, name), NOTHING)
                if value and all(isinstance(it, Constant) and it.kind in ("int", "float") for it in value):
                    state.set((ATTRIBUTE, made.number, name), value)

    def _assign_field(self, made: Object, cls: int, name: str, value: Value, state: State) -> None:
        """Assigns a field: what is not known of it is what the class declares."""
        declared = self._machine.modules.declared(cls, name, state)
        known = value if declared is None else refined_by(value, declared)
        state.set((ATTRIBUTE, made.number, name), known)

    def _assign_fields(self, made: Object, cls: int, arguments: Arguments, state: State) -> None:
        """Assigns the fields of a dataclass, a model or a named tuple."""
        names = self._machine.modules.declared_names(cls)
        for position, argument in enumerate(arguments.positional):
            if position < len(names):
                self._assign_field(made, cls, names[position], argument.value, state)
        for argument in arguments.keywords:
            self._assign_field(made, cls, argument.keyword or "", argument.value, state)
        given = names[: len(arguments.positional)] + tuple(one.keyword or "" for one in arguments.keywords)
        for name in names:
            factory = NOTHING if name in given else self._factory(cls, name, state)
            if factory:
                made_by = self.call(factory, Arguments(), self._machine.heap.info(made.number).site, state)
                state.set((ATTRIBUTE, made.number, name), made_by)

    def _factory(self, cls: int, name: str, state: State) -> Value:
        """Returns the `default_factory` that a class declares for a field."""
        found = self._machine.modules.class_attribute(cls, name, state)
        return join(
            state.get((ATTRIBUTE, atom.number, _FACTORY), NOTHING)
            for atom in (found[1] if found is not None else ())
            if isinstance(atom, Object) and self._machine.heap.info(atom.number).name in FIELDS
        )

    def declare_field(self, name: str, arguments: Arguments, site: Site, state: State) -> Value:
        """Carries out `field(default_factory=f)`: what it makes is made for every instance."""
        made = self._machine.allocate("field", ObjectInfo(heap.OUTSIDE, site, name))
        state.set((ATTRIBUTE, made.number, _FACTORY), arguments.value(-1, "default_factory"))
        return (made,)

    def enter(self, manager: Value, is_async: bool, site: Site, state: State) -> Value:
        """Returns what `with manager as target` binds."""
        machine = self._machine
        results: List[Value] = []
        for atom in manager:
            info = machine.heap.info(atom.number) if isinstance(atom, Object) else None
            if info is not None and info.kind == heap.INSTANCE:
                method = "__aenter__" if is_async else "__enter__"
                found = machine.modules.class_attribute(info.cls, method, state)
                if found is not None:
                    # What happens when the block is left is not run.
                    machine.unseen.methods_of(atom)
                    bound = machine.modules.attribute(atom, method, site, state)
                    entered = self.call(bound, Arguments(), site, state)
                    results.append(machine.expressions.awaited(entered) if is_async else entered)
                    continue
            if info is not None and info.name == "generator":
                results.append(machine.contents.element((atom,), state))
            else:
                results.append(machine.outside.entered(atom, site, state))
        return join(results) or UNKNOWN

    # --- what statements want to know -----------------------------------------------------------

    def never_returns(self, expression: ir.Expression, state: State) -> bool:
        """Whether a call as a statement ends the program (`sys.exit()`)."""
        if not isinstance(expression, ir.Call):
            return False
        function = expression.function
        if isinstance(function, ir.Name) and function.identifier in ("exit", "quit"):
            return True
        if isinstance(function, ir.Attribute) and isinstance(function.value, ir.Name):
            return f"{function.value.identifier}.{function.name}" in _NEVER_RETURN
        return False

    def cannot_raise(self, statement: ir.Statement, state: State) -> bool:
        """Whether a statement is one that never raises: tracing, logging, importing the SDK, a constant."""
        if isinstance(statement, ir.Evaluate) and isinstance(statement.value, ir.Call):
            function = statement.value.function
            called = self._machine.conditions.peek(function, state)
            if isinstance(function, ir.Conditional):
                # `(trace_tool if isinstance(x, list) else trace_client)(x)`
                sides = [
                    self._machine.conditions.peek(it, state) for it in (function.body, function.otherwise)
                ]
                called = join(sides) if all(sides) else ()
            if isinstance(function, ir.Attribute):
                called = called or self._machine.conditions.peek(function.value, state)
            if called and all(isinstance(atom, External) and atom.name in _TRACE_CALLS for atom in called):
                return True
            is_log = bool(called) and all(self._machine.outside.is_log_call(atom) for atom in called)
            return is_log and all(
                isinstance(one.value, (ir.Literal, ir.Name)) for one in statement.value.arguments
            )
        if isinstance(statement, ir.Import):
            return all(one.name == sdk.OBSERVABILITY for one in statement.names)
        if isinstance(statement, ir.ImportFrom):
            # The SDK is there where the code runs; what a name that it lacks does is for another rule.
            return not statement.level and statement.module == sdk.OBSERVABILITY
        return isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Literal)

    def caught(self, handler: ir.Handler) -> Tuple[str, ...]:
        """Returns the names of the exceptions that a handler catches; a bare one catches all."""
        if handler.exception is None:
            return ("BaseException",)
        parts = (
            handler.exception.elements if isinstance(handler.exception, ir.Display) else (handler.exception,)
        )
        names = [
            part.identifier if isinstance(part, ir.Name) else getattr(part, "name", "?") for part in parts
        ]
        if "ModuleNotFoundError" in names:
            names.append("ImportError")
        return tuple(names)

    def is_context_manager(self, function: Function) -> bool:
        """Whether a generator function is made a context manager by its decorator."""
        return function.marked(*_CONTEXT_MANAGERS)


class PartialContent(NamedTuple):
    """What `functools.partial` bound."""

    callee: Value
    arguments: Arguments

    def merged(self, more: Arguments) -> Arguments:
        """Returns the arguments of a call of the partial function."""
        given = {argument.keyword for argument in more.keywords}
        kept = tuple(argument for argument in self.arguments.keywords if argument.keyword not in given)
        return Arguments(
            (*self.arguments.positional, *more.positional),
            (*kept, *more.keywords),
            self.arguments.open or more.open,
        )

    def join(self, other: PartialContent) -> PartialContent:
        """Unites two paths' partial functions."""
        return PartialContent(join((self.callee, other.callee)), self.arguments)


def with_mark(value: Value, name: str, site: Site) -> Value:
    """Returns functions with another decorator on them."""
    mark = Mark(name, site)
    return tuple(
        atom._replace(marks=(*atom.marks, mark)) if isinstance(atom, (Function, Generated)) else atom
        for atom in value
    )
