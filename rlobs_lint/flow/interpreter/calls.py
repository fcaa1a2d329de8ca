"""Calls: evaluating and binding arguments, and running what is called."""

from __future__ import annotations

from itertools import islice, product
from typing import TYPE_CHECKING, Dict, List, Optional, Tuple

from rlobs_lint.facts import ir
from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.annotations import annotated, refined
from rlobs_lint.flow.domain.arguments import Arguments, ArgumentValue, PartialContent
from rlobs_lint.flow.domain.heap import Entry, MappingContent, ObjectInfo, SequenceContent
from rlobs_lint.flow.domain.memoising import MEMOISING
from rlobs_lint.flow.domain.observations import StreamReturned
from rlobs_lint.flow.domain.state import ATTRIBUTE, CONTENT, RESULT, VARIABLE, Key, State
from rlobs_lint.flow.domain.values import (
    MOST_ATOMS,
    NOTHING,
    UNKNOWN,
    Atom,
    Constant,
    Coroutine,
    External,
    Function,
    Generated,
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
from rlobs_lint.flow.interpreter.activations import Answer
from rlobs_lint.model import Span

if TYPE_CHECKING:
    from rlobs_lint.flow.interpreter.machine import Machine


class Calls:
    """Carries out calls for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._defaults: Dict[Tuple[int, int], Dict[str, Value]] = {}

    # --- the call expression --------------------------------------------------------------------

    def evaluate(self, expression: ir.Call, state: State, answers: Optional[List[Answer]] = None) -> Value:
        """Returns what a call expression may be.

        Args:
            expression: The call.
            state: What holds.
            answers: Gets the answers of the workspace functions that it calls, where they are asked for.
        """
        function = expression.function
        if isinstance(function, ir.Name) and function.identifier == "super":
            return self._super(expression, state)
        if isinstance(function, ir.Conditional):
            # `(trace_tool if isinstance(x, list) else trace_client)(x)`: each where it is chosen
            sides = (expression._replace(function=one) for one in (function.body, function.otherwise))
            return self._machine.evaluate(ir.Conditional(function.at, function.test, *sides), state)
        callee = self._machine.expressions.callee(function, state)
        arguments = self.arguments(expression, state)._replace(first_key=self._key_of(expression, state))
        return self.call(callee, arguments, self._machine.site(expression.at), state, answers)

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

    def call(
        self,
        callee: Value,
        arguments: Arguments,
        site: Site,
        state: State,
        answers: Optional[List[Answer]] = None,
    ) -> Value:
        """Returns what calling any of the possibilities gives."""
        if len(callee) > 1:
            self._machine.watcher.invoked_together(callee, site)
        results: List[Value] = []
        self._machine.unseen.one_of(callee)
        for atom in callee:
            if len(callee) > 1 and self._fills(atom, state):
                # `(good if ok else bad).append(x)`: one of them gets it.
                side = state.fork()
                results.append(self.call_atom(atom, arguments, site, side, answers))
                state.merge([side.changes_since(state), {}])
            else:
                results.append(self.call_atom(atom, arguments, site, state, answers))
        return join(results) if results else UNKNOWN

    def _fills(self, atom: Atom, state: State) -> bool:
        """Whether a callee is a method of a collection."""
        owner = atom.owner if isinstance(atom, Member) else None
        content = self._machine.contents.of(owner, state) if owner is not None else None
        return isinstance(content, (SequenceContent, MappingContent))

    def call_atom(
        self,
        atom: Atom,
        arguments: Arguments,
        site: Site,
        state: State,
        answers: Optional[List[Answer]] = None,
    ) -> Value:
        """Calls one possibility."""
        machine = self._machine
        if isinstance(atom, Function):
            return self.call_function(atom, arguments, site, state, answers)
        if isinstance(atom, Object):
            info = machine.heap.info(atom.number)
            if info.kind == heap.CLASS:
                return self._machine.instances.make(atom, arguments, site, state)
            if info.kind == heap.INSTANCE:
                found = machine.inheritance.class_attribute(info.cls, "__call__", state)
                if found is not None:
                    bound = machine.attributes.attribute(atom, "__call__", site, state)
                    return self.call(bound, arguments, site, state, answers)
            if info.kind == heap.PARTIAL:
                return self._call_partial(atom, arguments, site, state, answers)
        machine.unseen.given_callables(arguments, state)
        if isinstance(atom, Object):
            return machine.world.call_member(atom, ("__call__",), arguments, site, state)
        if isinstance(atom, External):
            return machine.world.call_external(atom.name, arguments, site, state)
        if isinstance(atom, Misbound):
            return machine.world.call_external(f"sdk.{atom.name}", arguments, site, state, misbound=True)
        if isinstance(atom, Member):
            if isinstance(atom.owner, Super):
                return self._call_super(atom.owner, atom.path[-1], arguments, site, state)
            return machine.world.call_member(atom.owner, atom.path, arguments, site, state)
        if isinstance(atom, Generated):
            return self._call_generated(atom, arguments, site, state)
        if isinstance(atom, Request):
            return machine.world.call_request(atom, arguments, site, state)
        if isinstance(atom, Placeholder):
            return (atom,)
        machine.unseen.unknown_call()
        return machine.world.call_unknown(arguments, site, state)

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
        return self._machine.world.call_base(owner.receiver, name, arguments, site, state)

    def _call_partial(
        self, atom: Object, arguments: Arguments, site: Site, state: State, answers: Optional[List[Answer]]
    ) -> Value:
        bound: Optional[PartialContent] = state.get((CONTENT, atom.number))
        if bound is None:
            return UNKNOWN
        return self.call(bound.callee, bound.merged(arguments), site, state, answers)

    # --- workspace functions --------------------------------------------------------------------

    def is_async(self, atom: Function) -> bool:
        """Whether a function is an `async def` (its own, not what wraps it)."""
        node = self._machine.definitions[atom.definition].node
        return isinstance(node, ir.FunctionDef) and node.is_async and not node.is_generator

    def call_function(
        self,
        function: Function,
        arguments: Arguments,
        site: Site,
        state: State,
        answers: Optional[List[Answer]] = None,
    ) -> Value:
        """Runs a workspace function with arguments; `answers` gets those to a yes-or-no question.

        A memoised one is run once for the same arguments.
        """
        if answers is not None or not function.marked(*MEMOISING):
            return self._run(function, arguments, site, state, answers)
        keywords = sorted(arguments.keywords, key=lambda argument: argument.keyword or "")
        given = [[(one.keyword, atom) for atom in one.value] for one in (*arguments.positional, *keywords)]
        keys = [
            (RESULT, function.definition, function.frame, function.receiver, *alternative)
            for alternative in islice(product(*given), MOST_ATOMS)
        ]
        unknown = [key for key in keys if state.get(key) is None]
        result = self._run(function, arguments, site, state, None) if unknown else NOTHING
        for key in unknown:
            state.set(key, result)
        return join(state.get(key, NOTHING) for key in keys)

    def _run(
        self,
        function: Function,
        arguments: Arguments,
        site: Site,
        state: State,
        answers: Optional[List[Answer]],
    ) -> Value:
        machine = self._machine
        definition = machine.definitions[function.definition]
        node = definition.node
        assert isinstance(node, (ir.FunctionDef, ir.Lambda))
        machine.ledger.callees.setdefault(site, set()).add(function.definition)
        machine.watcher.entering(function, arguments, site, state)
        is_async = isinstance(node, ir.FunctionDef) and node.is_async
        returns = node.returns if isinstance(node, ir.FunctionDef) else None
        if not machine.may_run(function.definition):
            machine.watcher.lost(arguments, state)
            guess = annotated(returns)
            return (Coroutine(guess),) if is_async else guess
        machine.reached.add(function.definition)
        machine.reached_in_root.add(function.definition)
        parent = machine.frames[function.frame]
        frame = machine.new_frame(definition.scope, definition.module, parent)
        context = machine.context_of(machine.activation.context, site)
        body = state.fork()
        self._bind(function, node.parameters, arguments, frame.number, body)
        value, yields = machine.run_function(function, frame, context, state, body, site, answers)
        value = annotated(returns) if self._is_left_open(function, node) else refined(value, returns)
        if function.marked("sdk.observe_llm") and any(map(self.is_stream, value)):
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

    def is_stream(self, atom: Atom) -> bool:
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
        """Runs the method that a decorator from outside has put on a class."""
        machine = self._machine
        machine.watcher.entering(atom, arguments, site, state)
        return machine.world.call_generated(atom, arguments, site, state)

    def read_property(self, item: Function, receiver: Atom, name: str, site: Site, state: State) -> Value:
        """Runs a property; a cached one becomes an attribute."""
        value = self.call_function(item._replace(receiver=receiver), Arguments(), site, state)
        if item.marked("functools.cached_property") and isinstance(receiver, Object):
            state.set((ATTRIBUTE, receiver.number, name), value)
        return value

    # --- instances ------------------------------------------------------------------------------

    def enter(self, manager: Value, is_async: bool, site: Site, state: State) -> Value:
        """Returns what `with manager as target` binds."""
        machine = self._machine
        results: List[Value] = []
        for atom in manager:
            info = machine.heap.info(atom.number) if isinstance(atom, Object) else None
            if info is not None and info.kind == heap.INSTANCE:
                method = "__aenter__" if is_async else "__enter__"
                found = machine.inheritance.class_attribute(info.cls, method, state)
                if found is not None:
                    # What happens when the block is left is not run.
                    machine.unseen.methods_of(atom)
                    bound = machine.attributes.attribute(atom, method, site, state)
                    entered = self.call(bound, Arguments(), site, state)
                    results.append(machine.expressions.awaited(entered) if is_async else entered)
                    continue
            if info is not None and info.name == "generator":
                results.append(machine.contents.element((atom,), state))
            else:
                results.append(machine.world.entered(atom, site, state))
        return join(results) or UNKNOWN
