"""Expressions: what they may be, and what assigning to them changes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from rlobs_lint import ir
from rlobs_lint.flow import heap
from rlobs_lint.flow.heap import Entry, MappingContent, ObjectInfo, SequenceContent
from rlobs_lint.flow.library.file_paths import PATH, joined
from rlobs_lint.flow.state import CONTENT, PRESENT, VARIABLE, Key, State
from rlobs_lint.flow.values import (
    BASE_URL,
    BOUNDED,
    NONE,
    NOTHING,
    UNBOUNDED,
    UNKNOWN,
    UNKNOWN_ORIGIN,
    Atom,
    Constant,
    Coroutine,
    EnumMember,
    External,
    Function,
    Member,
    Object,
    Placeholder,
    Request,
    Site,
    Typed,
    Unknown,
    Value,
    constants,
    join,
    join_alternatives,
    non_finite,
    origin_of,
    origin_of_value,
    truth,
    typed,
)

if TYPE_CHECKING:
    from rlobs_lint.flow.machine import Frame, Machine

#: Loops over literal collections of at most this many objects are run element by element.
LONGEST_UNROLLED = 8
#: The same where they are tuples, such as the items of a dictionary.
MOST_ROWS = 24
#: A text made of several sets of possibilities lists at most this many results.
MOST_TEXTS = 64
_NUMBERS = frozenset({"int", "float", "bool", "number"})
#: What computing with points and lengths of time gives, by the operator and the kinds of its sides.
_TIMES: Mapping[str, Mapping[Tuple[Optional[str], Optional[str]], str]] = {
    "-": {
        ("datetime", "datetime"): "timedelta",
        ("datetime", "timedelta"): "datetime",
        ("timedelta", "timedelta"): "timedelta",
    },
    "+": {
        ("datetime", "timedelta"): "datetime",
        ("timedelta", "datetime"): "datetime",
        ("timedelta", "timedelta"): "timedelta",
    },
    "*": {(kind, "timedelta"): "timedelta" for kind in ("int", "float")},
    "/": {
        ("timedelta", "timedelta"): "float",
        ("timedelta", "int"): "timedelta",
        ("timedelta", "float"): "timedelta",
    },
    "//": {("timedelta", "timedelta"): "int", ("timedelta", "int"): "timedelta"},
}
#: Dictionaries that answer for keys which they do not hold.
_FILLING = frozenset({"defaultdict", "counter"})
#: A conversion of a `%` template.
_CONVERSION = re.compile(r"(%(?:\([^)]*\))?[-#0 +]*[\d*.]*[a-zA-Z%])")


class Turn(NamedTuple):
    """An element of a collection that a loop is run for; `sure` where it is there on every path."""

    element: Value
    sure: bool


class Expressions:
    """Evaluates expressions for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def evaluate(self, expression: ir.Expression, state: State) -> Value:
        """Returns what an expression may be; calls in it are followed."""
        self._machine.step()
        handler = _HANDLERS.get(type(expression))
        return handler(self, expression, state) if handler is not None else UNKNOWN

    # --- names ----------------------------------------------------------------------------------

    def _name(self, expression: ir.Name, state: State) -> Value:
        value = self.load(expression.identifier, state, expression)
        self._machine.unseen.read_name(expression.identifier, value)
        return value

    def load(self, name: str, state: State, expression: Optional[ir.Name] = None) -> Value:
        """Returns the value of a name where it is used."""
        frame: Optional[Frame] = self._machine.activation.frame
        first = True
        while frame is not None:
            scope = frame.scope
            if name in scope.declared_global:
                frame = self._module_frame(frame)
                scope = frame.scope
            # A function does not see the names of the class body around it.
            if name in scope.local and (first or not frame.is_class):
                value = state.get((VARIABLE, frame.number, name))
                if value is not None:
                    return self._machine.modules.at_run_time(value, expression, state)
                if not frame.is_class:
                    return UNKNOWN
            first = False
            frame = frame.parent
        return self._machine.modules.unbound(name, expression)

    def _module_frame(self, frame: Frame) -> Frame:
        while frame.parent is not None:
            frame = frame.parent
        return frame

    def bind(self, name: str, value: Value, state: State) -> None:
        """Assigns to a name in the scope that it belongs to."""
        frame = self._machine.activation.frame
        if name in frame.scope.declared_global:
            frame = self._module_frame(frame)
        elif name in frame.scope.declared_nonlocal:
            outer = frame.parent
            while outer is not None and name not in outer.scope.local:
                outer = outer.parent
            frame = outer or frame
        key = (VARIABLE, frame.number, name)
        self._machine.outside.assigned(key, value, state)
        state.set(key, value)
        if frame.is_class:
            self._machine.modules.class_variable(frame, name, value, state)

    def key_of(self, name: str) -> Optional[Key]:
        """Returns where the state keeps a name that is used here, if a scope binds it."""
        frame: Optional[Frame] = self._machine.activation.frame
        first = True
        while frame is not None:
            if name in frame.scope.local and (first or not frame.is_class):
                return (VARIABLE, frame.number, name)
            first = False
            frame = frame.parent
        return None

    def rebind(self, name: str, value: Value, state: State) -> None:
        """Stores what a condition showed about a name, where the name is bound."""
        key = self.key_of(name)
        if key is not None:
            state.set(key, value)

    # --- assignment -----------------------------------------------------------------------------

    def assign(
        self, target: ir.Expression, value: Value, state: State, source: Optional[ir.Expression]
    ) -> None:
        """Assigns a value to a target; `source` is the expression it comes from, if it is one."""
        if isinstance(target, ir.Name):
            self.bind(target.identifier, value, state)
        elif isinstance(target, ir.Attribute):
            owner = self.evaluate(target.value, state)
            self._machine.modules.set_attributes(
                owner, target.name, value, self._machine.site(target.at), state, source
            )
        elif isinstance(target, ir.Subscript):
            self._assign_item(target, value, state, source)
        elif isinstance(target, ir.Display):
            self._unpack(target, value, state)

    def _unpack(self, target: ir.Display, value: Value, state: State) -> None:
        dealt = [self._dealt(target, atom, state) for atom in value]
        for position, element in enumerate(target.elements):
            parts = [shares[position] for shares in dealt]
            if isinstance(element, ir.Starred):
                # `first, *others = row`: the others are a list of their own.
                others = parts[0] if parts else SequenceContent((), UNKNOWN)
                for part in parts[1:]:
                    others = others.join(part)
                made = self.sequence("list", others.elements, others.rest, element, state)
                self.assign(element.value, made, state, None)
            else:
                self.assign(element, join_alternatives(part.any() for part in parts), state, None)

    def _dealt(self, target: ir.Display, atom: Atom, state: State) -> List[SequenceContent]:
        """Returns what each target gets of a collection: one element, or any number where it has a star."""
        stars = [isinstance(element, ir.Starred) for element in target.elements]
        before = stars.index(True) if True in stars else len(stars)
        after = len(stars) - before - 1
        content = self.content(atom, state)
        if isinstance(content, SequenceContent) and not content.rest and not self._is_mixed(atom):
            elements = content.elements
            if True not in stars and len(elements) == before:
                return [SequenceContent((element,)) for element in elements]
            if True in stars and len(elements) >= before + after:
                end = len(elements) - after
                heads = [SequenceContent((element,)) for element in elements[:before]]
                tails = [SequenceContent((element,)) for element in elements[end:]]
                return [*heads, SequenceContent(elements[before:end]), *tails]
        # Which element comes where is not known: of several types, it may be of any.
        any_element = join_alternatives((element,) for element in self._element(atom, state))
        return [
            SequenceContent((), any_element) if star else SequenceContent((any_element,)) for star in stars
        ]

    def _assign_item(
        self, target: ir.Subscript, value: Value, state: State, source: Optional[ir.Expression]
    ) -> None:
        owner = self.evaluate(target.value, state)
        key = self.evaluate(target.key, state)
        machine = self._machine
        entry = Entry(
            key,
            value,
            machine.site(target.key.at),
            machine.site(source.at if source is not None else target.at),
        )
        for atom in owner:
            content = self.content(atom, state)
            if isinstance(target.key, ir.Slice) and isinstance(content, SequenceContent):
                assert isinstance(atom, Object)
                state.set((CONTENT, atom.number), content.changed(self.element(value, state)))
            else:
                self.put(atom, entry, state, weak=len(owner) > 1)
        machine.outside.item_assigned(owner, key, value, entry.value_site, state)

    def put(self, atom: Atom, entry: Entry, state: State, weak: bool = False) -> None:
        """Stores `mapping[key] = value`; `weak` where the mapping may be another one."""
        content = self.content(atom, state)
        assert isinstance(atom, Object) or content is None
        if isinstance(content, MappingContent):
            changed = content.put(entry)
            state.set((CONTENT, atom.number), content.join(changed) if weak else changed)  # type: ignore[union-attr]
        elif isinstance(content, SequenceContent):
            rest = join((content.rest, entry.value))
            state.set((CONTENT, atom.number), content._replace(rest=rest))  # type: ignore[union-attr]
        if content is not None and isinstance(atom, Object):
            self._machine.outside.assigned((CONTENT, atom.number), entry.value, state)
            self._machine.models.mapping_changed(atom.number, state)

    def augmented_assign(self, statement: ir.AugmentedAssign, state: State) -> None:
        """Runs `target operator= value`."""
        old = self.evaluate(statement.target, state)
        value = self.evaluate(statement.value, state)
        if statement.operator in ("|", "+") and self._extend_in_place(old, value, state):
            return
        if statement.operator in ("-", "&", "^") and self._change_in_place(
            old, value, statement.operator, state
        ):
            return
        site = self._machine.site(statement.at)
        new = self.binary(statement.operator, old, value, site, state)
        if isinstance(statement.target, ir.Attribute) and self._is_processor(statement.target, state):
            # A processor lives on from call to call: what it counts has no end.
            new = tuple(
                Typed(it.kind, UNBOUNDED) if isinstance(it, Constant) and it.kind in _NUMBERS else it
                for it in new
            )
        self.assign(statement.target, new, state, statement.value)

    def _is_processor(self, target: ir.Attribute, state: State) -> bool:
        """Whether an attribute is one of the processor that is being run."""
        machine = self._machine
        owner = machine.conditions.peek(target.value, state)
        infos = [machine.heap.info(atom.number) for atom in owner if isinstance(atom, Object)]
        return bool(infos) and all(
            info.kind == heap.INSTANCE and info.cls == machine.root.cls for info in infos
        )

    def _extend_in_place(self, old: Value, value: Value, state: State) -> bool:
        """Runs `list += more` and `mapping |= more`, which change the object."""
        done = False
        for atom in old:
            content = self.content(atom, state)
            if isinstance(content, MappingContent):
                for other in value:
                    self.update_mapping(atom, other, state)
                done = True
            elif isinstance(content, SequenceContent) and self._kind_of(atom) in ("list", "set"):
                self.extend(atom, value, state)
                done = True
        return done

    def _change_in_place(self, old: Value, value: Value, operator: str, state: State) -> bool:
        """Runs `seen -= others` and its like, which change the set."""
        done = False
        for atom in old:
            content = self.content(atom, state)
            if (
                isinstance(content, SequenceContent)
                and isinstance(atom, Object)
                and self._kind_of(atom) == "set"
            ):
                added = self.element(value, state) if operator == "^" else NOTHING
                state.set((CONTENT, atom.number), content.changed(added))
                done = True
        return done

    def _kind_of(self, atom: Atom) -> str:
        """Returns what a collection is called: `list`, `set`, ..."""
        return self._machine.heap.info(atom.number).name if isinstance(atom, Object) else ""

    def extend(self, atom: Atom, value: Value, state: State) -> None:
        """Appends all elements of `value` to a list or set."""
        content = self.content(atom, state)
        if not isinstance(content, SequenceContent) or not isinstance(atom, Object):
            return
        added = [self.content(other, state) for other in value]
        if len(added) == 1 and isinstance(added[0], SequenceContent) and not content.rest:
            more = added[0]
            both = (*content.elements, *more.elements)
            changed = SequenceContent(both[:64], join((more.rest, *both[64:])))
        else:
            changed = content._replace(rest=join((content.rest, self.element(value, state))))
        state.set((CONTENT, atom.number), changed)
        self._machine.outside.assigned((CONTENT, atom.number), self.element(value, state), state)

    def update_mapping(self, atom: Atom, other: Atom, state: State) -> None:
        """Runs `mapping.update(other)`."""
        content, more = self.content(atom, state), self.content(other, state)
        if not isinstance(content, MappingContent) or not isinstance(atom, Object):
            return
        if isinstance(more, MappingContent):
            state.set((CONTENT, atom.number), content.update(more))
        elif isinstance(more, SequenceContent):
            state.set((CONTENT, atom.number), content.update(self.pairs(more, state)))
        elif not (isinstance(other, Constant) and other.value is None):
            state.set((CONTENT, atom.number), content._replace(open=True))
        self._machine.models.mapping_changed(atom.number, state)

    def pairs(self, content: SequenceContent, state: State) -> MappingContent:
        """Returns the mapping that a sequence of pairs makes."""
        mapping = MappingContent(open=bool(content.rest))
        for element in content.elements:
            for atom in element:
                pair = self.content(atom, state)
                if isinstance(pair, SequenceContent) and len(pair.elements) == 2 and isinstance(atom, Object):
                    site = self._machine.heap.info(atom.number).site
                    mapping = mapping.put(Entry(pair.elements[0], pair.elements[1], site, site))
                else:
                    mapping = mapping._replace(open=True)
        return mapping

    def delete(self, target: ir.Expression, state: State) -> None:
        """Runs `del target`."""
        if isinstance(target, ir.Subscript):
            owner = self.evaluate(target.value, state)
            key = self.evaluate(target.key, state)
            for atom in owner:
                content = self.content(atom, state)
                if not isinstance(atom, Object):
                    continue
                if isinstance(content, SequenceContent):
                    state.set((CONTENT, atom.number), content.changed())
                elif isinstance(content, MappingContent):
                    rest = self.without(content, key) if len(owner) == 1 else content.thinned()
                    state.set((CONTENT, atom.number), rest)
            self._machine.outside.item_deleted(owner, key, self._machine.site(target.at), state)
        elif isinstance(target, ir.Name):
            self.bind(target.identifier, UNKNOWN, state)

    def without(self, content: MappingContent, key: Value) -> MappingContent:
        """Returns what a dictionary holds after an entry was taken out: one of several, but in a loop all."""
        if len(key) > 1 and not any(activation.loops for activation in self._machine.stack):
            return content.thinned()
        return content.remove(key)

    # --- collections ----------------------------------------------------------------------------

    def content(self, atom: Atom, state: State) -> Optional[object]:
        """Returns the content of a collection, or `None` for anything else."""
        if isinstance(atom, Object):
            found: Optional[object] = state.get((CONTENT, atom.number))
            return found
        return None

    def sequence(
        self, kind: str, elements: Tuple[Value, ...], rest: Value, expression: ir.Expression, state: State
    ) -> Value:
        """Makes a list, tuple, set or generator at an expression."""
        site = self._machine.site(expression.at)
        made = self._machine.allocate(kind, ObjectInfo(heap.SEQUENCE, site, kind))
        state.set((CONTENT, made.number), SequenceContent(elements[:64], join((rest, *elements[64:]))))
        return (made,)

    def mapping(self, content: MappingContent, site: Site, state: State, what: str = "dict") -> Value:
        """Makes a dictionary at a place."""
        made = self._machine.allocate(what, ObjectInfo(heap.MAPPING, site, "dict"))
        state.set((CONTENT, made.number), content)
        return (made,)

    def element(self, value: Value, state: State, is_async: bool = False) -> Value:
        """Returns what an element of an iterable may be."""
        return join(self._element(atom, state) for atom in value)

    def _element(self, atom: Atom, state: State) -> Value:
        content = self.content(atom, state)
        if isinstance(content, SequenceContent):
            return content.any()
        if isinstance(content, MappingContent):
            return join((content.keys(), UNKNOWN if content.open else NOTHING))
        if isinstance(atom, Request):
            return (Request((*atom.path, "[]")),)
        if isinstance(atom, Constant):
            if isinstance(atom.value, str):
                letters = dict.fromkeys(atom.value)
                return (
                    tuple(Constant("str", letter) for letter in letters)
                    if len(letters) <= 8
                    else typed("str", BOUNDED)
                )
            return NOTHING if atom.value is None else UNKNOWN
        if isinstance(atom, Typed) and atom.kind == "str":
            return (Typed("str", atom.origin),)
        if isinstance(atom, Object):
            return self._machine.outside.element_of(atom, state)
        if isinstance(atom, (Typed, Unknown)):
            # The elements of a list of unknown length are data.
            return (Unknown(atom.origin),)
        return UNKNOWN

    def surely_nonempty(self, value: Value, state: State) -> bool:
        """Whether an iterable surely has an element."""
        if not value:
            return False
        for atom in value:
            content = self.content(atom, state)
            if isinstance(content, SequenceContent) and content.elements:
                continue
            if isinstance(content, MappingContent) and any(entry.always for entry in content.entries):
                continue
            if isinstance(atom, Constant) and isinstance(atom.value, str) and atom.value:
                continue
            if isinstance(atom, Typed) and atom.text == ("range",):
                continue
            if isinstance(atom, Object) and self._machine.outside.is_enumeration(atom):
                continue
            return False
        return True

    def _is_mixed(self, atom: Atom) -> bool:
        """Whether nothing is known of the order of a list."""
        return isinstance(atom, Object) and self._machine.heap.info(atom.number).family == heap.MIXED

    def are_rows(self, value: Value) -> bool:
        """Whether all possibilities are tuples, such as the items of a dictionary."""
        return all(
            isinstance(atom, Object) and self._machine.heap.info(atom.number).name == "tuple"
            for atom in value
        )

    def _differ(self, value: Value) -> bool:
        """Whether each possibility stands for one element."""
        return all(isinstance(atom, Constant) for atom in value) or self.are_rows(value)

    def unrollable(self, value: Value, state: State) -> Optional[Sequence[Turn]]:
        """Returns the elements of a short collection of objects or functions; in a script, of anything."""
        if len(value) != 1 or len(self._machine.activation.loops) > 1:
            return None
        content = self.content(value[0], state)
        if not isinstance(content, SequenceContent) or not isinstance(value[0], Object):
            return None
        if content.rest:
            # The items of a dictionary, some of which may not be there.
            if self._machine.heap.info(value[0].number).name != "view":
                return None
            others: Tuple[Value, ...] = tuple((atom,) for atom in content.rest)
            content = SequenceContent((*content.elements, *others))
        else:
            others = ()
        rows = all(map(self.are_rows, content.elements))
        if not 2 <= len(content.elements) <= (MOST_ROWS if rows else LONGEST_UNROLLED):
            return None
        interesting = any(
            isinstance(atom, (Object, Function, External)) for element in content.elements for atom in element
        )
        sure = len(content.elements) - len(others)
        turns = tuple(Turn(element, position < sure) for position, element in enumerate(content.elements))
        return turns if interesting or self._machine.root.is_script else None

    # --- displays -------------------------------------------------------------------------------

    def _literal(self, expression: ir.Literal, state: State) -> Value:
        if expression.kind == "ellipsis":
            return (Placeholder(),)
        if expression.value is None and expression.kind == "float":
            return non_finite("inf")  # `1e999`
        if expression.value is None and expression.kind != "None":
            return (Typed(expression.kind, BOUNDED),)
        return (Constant(expression.kind, expression.value),)

    def _display(self, expression: ir.Display, state: State) -> Value:
        elements: List[Value] = []
        rest = NOTHING
        for element in expression.elements:
            if isinstance(element, ir.Starred):
                value = self.evaluate(element.value, state)
                content = self.content(value[0], state) if len(value) == 1 else None
                if isinstance(content, SequenceContent) and not content.rest:
                    elements.extend(content.elements)
                else:
                    rest = join((rest, self.element(value, state)))
            else:
                elements.append(self.evaluate(element, state))
        if not rest and elements == [(Placeholder(),)]:
            return elements[0]  # `{...}` in an example
        return self.sequence(expression.kind, tuple(elements), rest, expression, state)

    def _dict(self, expression: ir.DictDisplay, state: State) -> Value:
        machine = self._machine
        content = MappingContent()
        for item in expression.items:
            value = self.evaluate(item.value, state)
            if item.key is None:
                for atom in value:
                    more = self.content(atom, state)
                    content = (
                        content.update(more)
                        if isinstance(more, MappingContent)
                        else content._replace(open=content.open or not _is_none(atom))
                    )
            else:
                key = self.evaluate(item.key, state)
                content = content.put(
                    Entry(key, value, machine.site(item.key.at), machine.site(item.value.at))
                )
        if any(isinstance(atom, Placeholder) for entry in content.entries for atom in entry.key):
            content = content._replace(open=True)
        return self.mapping(content, machine.site(expression.at), state)

    def _comprehension(self, expression: ir.Comprehension, state: State) -> Value:
        machine = self._machine
        activation = machine.activation
        from rlobs_lint.flow.scopes import Scope, _bound_names  # the clauses' targets are names of their own

        names = frozenset(name for clause in expression.clauses for name in _bound_names(clause.target))
        outer = activation.frame
        inner = machine.comprehension_frame(expression, Scope(names, frozenset(), frozenset(), False))
        # The first iterable is evaluated around the comprehension, whatever becomes of the rest.
        iterables: List[Value] = [self.evaluate(expression.clauses[0].iterable, state)]
        body = state.fork()
        possible = surely = True
        activation.frame = inner
        with machine.narrowing.one_turn(body):
            for position, clause in enumerate(expression.clauses):
                if position:
                    iterables.append(self.evaluate(clause.iterable, body))
                iterable = iterables[position]
                surely = surely and self.surely_nonempty(iterable, body)
                by_row = _sorts_out(expression) or (machine.root.is_script and len(expression.clauses) == 1)
                rows = self.unrollable(iterable, body) if by_row else None
                if rows is not None:
                    made = self._unrolled_comprehension(expression, rows, body)
                    activation.frame = outer
                    state.apply(body.changes_since(state))
                    return made
                machine.conditions.have_elements(clause.iterable, iterable, body)
                self.assign(clause.target, self.element(iterable, body, clause.is_async), body, None)
                for condition in clause.conditions:
                    possible = machine.conditions.assume(condition, True, body) and possible
            element = self.evaluate(expression.element, body) if possible else NOTHING
            value = NOTHING
            if possible and expression.value is not None:
                value = self.evaluate(expression.value, body)
        activation.frame = outer
        ran = body.changes_since(state)
        never = state.fork()
        for iterable in iterables:
            machine.conditions.void(iterable, never)
        state.merge([ran] if surely and possible else [ran, never.changes_since(state)])
        if expression.kind == "dict":
            content = MappingContent()
            if element:
                assert expression.value is not None
                places = machine.site(expression.element.at), machine.site(expression.value.at)
                always = surely and not any(clause.conditions for clause in expression.clauses)
                content = content.put(Entry(element, value, *places, always))
            return self.mapping(content, machine.site(expression.at), state)
        filtered = any(clause.conditions for clause in expression.clauses)
        elements = (element,) if element and surely and not filtered else ()
        return self.sequence(expression.kind, elements, element, expression, state)

    def _unrolled_comprehension(
        self, expression: ir.Comprehension, rows: Sequence[Turn], body: State
    ) -> Value:
        """Returns what a comprehension over a few known rows makes of each of them."""
        machine = self._machine
        (clause,) = expression.clauses
        content = MappingContent()
        elements: List[Value] = []
        for position, row in enumerate(rows):
            turn = body.fork()
            self.assign(clause.target, row.element, turn, None)
            with machine.narrowing.one_turn(turn), machine.separate(position):
                if all(machine.conditions.assume(condition, True, turn) for condition in clause.conditions):
                    element = self.evaluate(expression.element, turn)
                    elements.append(element)
                    if expression.value is not None:
                        value = self.evaluate(expression.value, turn)
                        places = machine.site(expression.element.at), machine.site(expression.value.at)
                        always = row.sure and not clause.conditions
                        entry = Entry(element, value, *places, always)
                        content = content.update(MappingContent((entry,)))
            body.apply(turn.changes_since(body))
        if expression.kind == "dict":
            return self.mapping(content, machine.site(expression.at), body)
        if all(row.sure for row in rows) and not clause.conditions:
            return self.sequence(expression.kind, tuple(elements), NOTHING, expression, body)
        return self.sequence(expression.kind, (), join(elements), expression, body)

    def _starred(self, expression: ir.Starred, state: State) -> Value:
        return self.element(self.evaluate(expression.value, state), state)

    # --- operators ------------------------------------------------------------------------------

    def _formatted(self, expression: ir.FormattedString, state: State) -> Value:
        parts: List[Value] = [
            (Constant("str", part),) if isinstance(part, str) else self.evaluate(part, state)
            for part in expression.parts
        ]
        return self.concatenate(parts)

    def concatenate(self, parts: Sequence[Value]) -> Value:
        """Returns the texts that pieces make one after the other, each formatted with `str`."""
        known: List[Tuple[str, ...]] = []
        total = 1
        for part in parts:
            texts = self._texts(part)
            if texts is None:
                break
            known.append(texts)
            total *= max(len(texts), 1)
            if total > MOST_TEXTS:
                break
        else:
            results = [""]
            for texts in known:
                results = [head + text for head in results for text in texts]
            return tuple(Constant("str", text) for text in dict.fromkeys(results))
        if any(isinstance(atom, Placeholder) for part in parts for atom in part):
            return (Placeholder(),)
        origin = UNKNOWN_ORIGIN
        origins = {origin_of_value(part) for part in parts}
        if UNBOUNDED in origins:
            origin = UNBOUNDED
        elif origins == {BOUNDED}:
            origin = BOUNDED
        count = 1
        for part in parts:
            count *= max(sum(atom.size if isinstance(atom, Typed) else 1 for atom in part), 1)
        text: List[Optional[str]] = []
        for part in parts:
            piece = part[0] if len(part) == 1 else None
            if isinstance(piece, Constant) and piece.kind == "str":
                text.append(str(piece.value))
            elif isinstance(piece, Typed) and piece.kind == "str" and piece.text:
                text.extend(piece.text)
            elif isinstance(piece, Request) and piece.path[-2:] == ("model_resource", "base_url"):
                text.append(BASE_URL)
            else:
                text.append(None)
        return (Typed("str", origin, tuple(text), min(count, 10_000)),)

    def _texts(self, value: Value) -> Optional[Tuple[str, ...]]:
        texts = []
        for atom in value:
            if isinstance(atom, Constant) and atom.kind in ("str", "int", "bool", "float", "None", PATH):
                texts.append(str(atom.value))
            elif isinstance(atom, EnumMember):
                shown = self._machine.outside.enum_text(atom)
                if shown is None:
                    return None
                texts.append(shown)
            else:
                return None
        return tuple(texts)

    def _binary(self, expression: ir.Binary, state: State) -> Value:
        # A sum leans to the left and may be long: its spine is walked in a loop.
        spine = [expression]
        while isinstance(spine[-1].left, ir.Binary):
            spine.append(spine[-1].left)
        value = self.evaluate(spine[-1].left, state)
        for part in reversed(spine):
            right = self.evaluate(part.right, state)
            value = self.binary(part.operator, value, right, self._machine.site(part.at), state)
        return value

    def binary(self, operator: str, left: Value, right: Value, site: Site, state: State) -> Value:
        """Returns what a binary operator makes of two values."""
        results: List[Value] = []
        made: Dict[Object, Any] = {}
        for a in left[:16] or UNKNOWN:
            for b in right[:16] or UNKNOWN:
                results.append(self._binary_atoms(operator, a, b, site, state))
                for atom in results[-1]:
                    # `(found or []) + more` makes one collection of either.
                    content = self.content(atom, state)
                    if isinstance(atom, Object) and isinstance(content, (MappingContent, SequenceContent)):
                        before = made.get(atom)
                        made[atom] = content if before is None else before.join(content)
                        state.set((CONTENT, atom.number), made[atom])
        return join(results)

    def _binary_atoms(self, operator: str, left: Atom, right: Atom, site: Site, state: State) -> Value:
        if isinstance(left, Placeholder) or isinstance(right, Placeholder):
            return (Placeholder(),)
        chained = self._machine.outside.piped(operator, left, right, site, state)
        if chained is not None:
            return chained
        for operand in (left, right):
            # `total + part` may call a method of either.
            self._machine.unseen.methods_of(operand)
        if operator == "%" and _kind(left) == "str":
            return self._interpolated(left, right, state)
        path = joined(left, right) if operator == "/" else None
        if path is not None:
            return path
        first, second = self.content(left, state), self.content(right, state)
        if isinstance(first, MappingContent) and operator == "|":
            second_content = second if isinstance(second, MappingContent) else MappingContent(open=True)
            return self.mapping(first.update(second_content), site, state)
        if isinstance(first, SequenceContent) and isinstance(second, SequenceContent) and operator in "+|":
            elements = (*first.elements, *second.elements) if not first.rest else first.elements
            rest = join((first.rest, second.rest, *(second.elements if first.rest else ()), *elements[64:]))
            kind = "set" if operator == "|" else "list"
            made = self._machine.allocate("sum", ObjectInfo(heap.SEQUENCE, site, kind))
            state.set((CONTENT, made.number), SequenceContent(elements[:64], rest))
            return (made,)
        are_tools = operator == "+" and any(
            isinstance(atom, Object) and self._machine.tools.is_tool(atom.number) for atom in (left, right)
        )
        if are_tools or isinstance(first, SequenceContent) or isinstance(second, SequenceContent):
            adds = operator in ("+", "|", "^")
            rest = join((self._element(left, state), self._element(right, state) if adds else NOTHING))
            made = self._machine.allocate("sum", ObjectInfo(heap.SEQUENCE, site, "list"))
            state.set((CONTENT, made.number), SequenceContent((), rest))
            return (made,)
        return self._scalars(operator, left, right)

    def _interpolated(self, template: Atom, given: Atom, state: State) -> Value:
        """Carries out `"%s_%d" % (a, b)`."""
        content = self.content(given, state)
        values = list(content.elements) if isinstance(content, SequenceContent) else [(given,)]
        if not isinstance(template, Constant):
            return (Typed("str", origin_of_value((template, *(atom for value in values for atom in value)))),)
        parts: List[Value] = []
        for position, piece in enumerate(_CONVERSION.split(str(template.value))):
            if position % 2 == 0:
                parts.append((Constant("str", piece),))
            elif piece == "%%":
                parts.append((Constant("str", "%"),))
            else:
                if isinstance(content, MappingContent):
                    value = content.lookup((Constant("str", piece[2:].split(")")[0]),))
                else:
                    value = values.pop(0) if values else UNKNOWN
                parts.append(value if piece in ("%s", "%d", "%i") else (Unknown(origin_of_value(value)),))
        return self.concatenate(parts)

    def _scalars(self, operator: str, left: Atom, right: Atom) -> Value:
        kinds = (_kind(left), _kind(right))
        if operator == "+" and "str" in kinds:
            return self.concatenate(((left,), (right,)))
        if kinds[0] in _NUMBERS and kinds[1] in _NUMBERS:
            folded = _fold(operator, left, right)
            if folded is not None:
                return folded
            kind = "int" if set(kinds) <= {"int", "bool"} and operator != "/" else "float"
            if operator == "%" and isinstance(right, Constant) and isinstance(right.value, int):
                return (Typed(kind, BOUNDED, size=max(abs(right.value), 1)),)
            widest = _widest(left, right)
            # Dividing sorts into classes, of which there may be few.
            return (Typed(kind, UNKNOWN_ORIGIN if operator == "//" and widest == UNBOUNDED else widest),)
        if operator in _TIMES:
            of_time = _TIMES[operator].get(kinds)
            if of_time is not None:
                return (Typed(of_time, _widest(left, right)),)
        if operator in ("-", "/", "//", "**") and (kinds[0] in _NUMBERS or kinds[1] in _NUMBERS):
            # Only numbers (and arrays, dates, ...) subtract and divide: the type stays unknown.
            return (Unknown(_widest(left, right)),)
        return (Unknown(_widest(left, right)),)

    def _unary(self, expression: ir.Unary, state: State) -> Value:
        value = self.evaluate(expression.operand, state)
        if expression.operator == "not":
            answers = {truth(atom) for atom in value}
            if len(answers) == 1 and None not in answers:
                return (Constant("bool", not answers.pop()),)
            return typed("bool", BOUNDED)
        results: List[Value] = []
        for atom in value:
            if isinstance(atom, Constant) and atom.kind in ("int", "float") and expression.operator in "-+":
                number = atom.value
                assert isinstance(number, (int, float))
                results.append((Constant(atom.kind, -number if expression.operator == "-" else number),))
            elif _kind(atom) in _NUMBERS:
                results.append((Typed(_kind(atom) or "number", origin_of(atom)),))
            elif isinstance(atom, Typed) and atom.kind == "non-finite":
                negated = {"inf": "-inf", "-inf": "inf"}.get(str(atom.text[0]))
                is_negated = expression.operator == "-" and negated is not None
                results.append((atom._replace(text=(negated,)) if is_negated else atom,))
            else:
                results.append((Unknown(origin_of(atom)),))
        return join(results)

    def _boolean(self, expression: ir.Boolean, state: State) -> Value:
        machine = self._machine
        is_or = expression.operator == "or"
        if is_or:
            from rlobs_lint.flow.scopes import discarded

            path = machine.activation.frame.module.path
            for value in expression.values[:-1]:
                machine.discarded.update((path, span) for span in discarded(value))
        results: List[Value] = []
        paths = []
        current: Optional[State] = state.fork()
        for position, operand in enumerate(expression.values):
            assert current is not None
            if position == len(expression.values) - 1:
                results.append(self.evaluate(operand, current))
                paths.append(current.changes_since(state))
                break
            branches = machine.conditions.branch(operand, current)
            stops, goes_on = branches.side(is_or), branches.side(not is_or)
            if stops is not None:
                if machine.conditions.asks_about_tracing(operand):
                    machine.outside.excuse_everything(stops)
                results.append(machine.conditions.narrowed(branches.value, is_or, stops))
                paths.append(stops.changes_since(state))
            if goes_on is None:
                break
            current = goes_on
        state.merge(paths)
        return join(results) or UNKNOWN

    def _comparison(self, expression: ir.Comparison, state: State) -> Value:
        left = self.evaluate(expression.left, state)
        rights = [self.evaluate(right, state) for right in expression.right]
        if len(rights) == 1:
            answer = self._machine.conditions.compare(expression.operators[0], left, rights[0], state)
            if answer is not None:
                return (Constant("bool", answer),)
        return typed("bool", BOUNDED)

    def _conditional(self, expression: ir.Conditional, state: State) -> Value:
        values: List[Value] = []
        paths = []
        branches = self._machine.conditions.branch(expression.test, state)
        about_tracing = self._machine.conditions.asks_about_tracing(expression.test)
        for wanted, result in ((True, expression.body), (False, expression.otherwise)):
            side = branches.side(wanted)
            if side is not None:
                if about_tracing and not isinstance(result, ir.Call):
                    self._machine.outside.excuse_everything(side)
                values.append(self.evaluate(result, side))
                paths.append(side.changes_since(state))
        state.merge(paths)
        return join(values) or UNKNOWN

    # --- the rest -------------------------------------------------------------------------------

    def _attribute(self, expression: ir.Attribute, state: State) -> Value:
        owner = self.evaluate(expression.value, state)
        value = self._machine.modules.attributes(
            owner, expression.name, self._machine.site(expression.at), state
        )
        self._machine.unseen.read_attribute(expression.name, value)
        return value

    def _subscript(self, expression: ir.Subscript, state: State) -> Value:
        owner = self.evaluate(expression.value, state)
        if isinstance(expression.key, ir.Slice):
            parts = (expression.key.lower, expression.key.upper, expression.key.step)
            bounds = [self.evaluate(bound, state) if bound is not None else NONE for bound in parts]
            site = self._machine.site(expression.at)
            return join(self.sliced(atom, bounds, site, state) for atom in owner)
        index = self.evaluate(expression.key, state)
        site = self._machine.site(expression.at)
        self._machine.outside.subscripted(owner, expression.key, index, site, state)
        key_site = self._machine.site(expression.key.at)
        return join_alternatives(self.item(atom, index, site, state, key_site) for atom in owner) or UNKNOWN

    def sliced(self, atom: Atom, bounds: Sequence[Value], site: Site, state: State) -> Value:
        """Returns what `atom[start:stop:step]` may be."""
        content = self.content(atom, state)
        if isinstance(content, SequenceContent):
            known = [constants(bound) for bound in bounds]
            numbers = [it[0] for it in known if it is not None and len(it) == 1]
            part = SequenceContent((), content.any())
            if len(numbers) == 3 and numbers[2] != 0:
                start, stop, step = (it if isinstance(it, int) else None for it in numbers)
                if not content.rest:
                    part = SequenceContent(content.elements[start:stop:step])
                elif stop is not None and stop >= 0 and (start or 0) >= 0 and self._differ(content.any()):
                    # `list(metrics.items())[:10]`: at most so many of the rows that may be there.
                    part = SequenceContent((), content.any()[: max(stop - (start or 0), 0)])
            made = self._machine.allocate("list", ObjectInfo(heap.SEQUENCE, site, "list"))
            state.set((CONTENT, made.number), part)
            return (made,)
        if isinstance(atom, Request):
            if not _keeps_some(bounds):
                return (Request((*atom.path, "[n:]")),)
            present = atom.present or bool(state.get((PRESENT, atom.path), False))
            return (Request((*atom.path, "[:]"), present),)
        if isinstance(atom, Object) and self._machine.tools.is_tool(atom.number):
            return (atom,)
        return (
            (atom,)
            if _kind(atom) == "str" and not isinstance(atom, Constant)
            else (Unknown(origin_of(atom)),)
        )

    def item(
        self, atom: Atom, index: Value, site: Site, state: State, key_site: Optional[Site] = None
    ) -> Value:
        """Returns what `atom[index]` may be."""
        content = self.content(atom, state)
        if isinstance(content, MappingContent):
            found = content.lookup(index)
            assert isinstance(atom, Object)
            if self._machine.heap.info(atom.number).family in _FILLING and not content.has(index):
                answer = self._machine.library.containers.missing(
                    atom, content, index, key_site or site, state
                )
                return join((found, answer))
            return join((found, UNKNOWN)) if content.open or not found else found
        if isinstance(content, SequenceContent):
            number = index[0].value if len(index) == 1 and isinstance(index[0], Constant) else None
            if (
                isinstance(number, int)
                and not content.rest
                and not self._is_mixed(atom)
                and -len(content.elements) <= number < len(content.elements)
            ):
                return content.elements[number]
            return content.any() or UNKNOWN
        if isinstance(atom, Request):
            key = index[0].value if len(index) == 1 and isinstance(index[0], Constant) else None
            return (Request((*atom.path, key if isinstance(key, str) else "[]")),)
        if isinstance(atom, Object):
            return self._machine.outside.item_of(atom, index, site, state)
        if isinstance(atom, (External, Member)):
            return self._machine.modules.attribute(atom, "[]", site, state)
        return (Unknown(origin_of(atom)),)

    def _call(self, expression: ir.Call, state: State) -> Value:
        return self._machine.calls.evaluate(expression, state)

    def _await(self, expression: ir.Await, state: State) -> Value:
        return self.awaited(self.evaluate(expression.value, state))

    def awaited(self, value: Value) -> Value:
        """Returns what awaiting a value gives."""
        return (
            join(atom.result if isinstance(atom, Coroutine) else _awaited(atom) for atom in value) or UNKNOWN
        )

    def _yield(self, expression: ir.Yield, state: State) -> Value:
        value = self.evaluate(expression.value, state) if expression.value is not None else NONE
        activation = self._machine.activation
        activation.yields = join(
            (activation.yields, self.element(value, state) if expression.is_from else value)
        )
        activation.paused = state.changes_since(activation.base)
        return UNKNOWN

    def _walrus(self, expression: ir.Walrus, state: State) -> Value:
        value = self.evaluate(expression.value, state)
        self.assign(expression.target, value, state, expression.value)
        return value

    def _lambda(self, expression: ir.Lambda, state: State) -> Value:
        return self._machine.calls.define_lambda(expression)

    def _opaque(self, expression: ir.Opaque, state: State) -> Value:
        for part in expression.parts:
            self.evaluate(part, state)
        return UNKNOWN


def _sorts_out(expression: ir.Comprehension) -> bool:
    """Whether a comprehension is to be run row by row: a dictionary's, or one that sorts names out."""
    if len(expression.clauses) != 1:
        return False
    is_sorting = bool(expression.clauses[0].conditions) and isinstance(expression.element, ir.Name)
    return expression.kind == "dict" or is_sorting


def _keeps_some(bounds: Sequence[Value]) -> bool:
    """Whether a slice of a list that is not empty has something, too: `[-3:]`, `[:2]`, `[::-1]`."""
    known = [constants(bound) for bound in bounds[:2]]
    start, stop = (it[0] if it is not None and len(it) == 1 else "?" for it in known)
    begins = start is None or (isinstance(start, int) and (start < 0 or start == 0))
    is_plain = stop is None or (isinstance(stop, int) and stop > 0)
    return begins and is_plain and (start in (None, 0) or stop is None)


def _awaited(atom: Atom) -> Value:
    # Awaiting what is known to be no coroutine gives what its like outside the workspace would.
    return (atom,) if isinstance(atom, (Unknown, Member, Request, Placeholder, Object)) else UNKNOWN


def _is_none(atom: Atom) -> bool:
    return isinstance(atom, Constant) and atom.kind == "None"


def _kind(atom: Atom) -> Optional[str]:
    return atom.kind if isinstance(atom, (Constant, Typed)) else None


def _widest(left: Atom, right: Atom) -> str:
    return origin_of_value((left, right))


def _fold(operator: str, left: Atom, right: Atom) -> Optional[Value]:
    """Computes with two known small numbers."""
    if not (isinstance(left, Constant) and isinstance(right, Constant)):
        return None
    a, b = left.value, right.value
    if not isinstance(a, (int, float)) or not isinstance(b, (int, float)) or abs(a) > 1e9 or abs(b) > 1e9:
        return None
    try:
        if operator == "+":
            result: float = a + b
        elif operator == "-":
            result = a - b
        elif operator == "*":
            result = a * b
        elif operator == "/":
            result = a / b
        elif operator == "//":
            result = a // b
        else:
            return None
    except ZeroDivisionError:
        return None
    return (Constant("int" if isinstance(result, int) else "float", result),)


_HANDLERS: Dict[type, Callable[..., Value]] = {
    ir.Name: Expressions._name,
    ir.Attribute: Expressions._attribute,
    ir.Literal: Expressions._literal,
    ir.FormattedString: Expressions._formatted,
    ir.Call: Expressions._call,
    ir.Subscript: Expressions._subscript,
    ir.Starred: Expressions._starred,
    ir.Display: Expressions._display,
    ir.DictDisplay: Expressions._dict,
    ir.Binary: Expressions._binary,
    ir.Unary: Expressions._unary,
    ir.Boolean: Expressions._boolean,
    ir.Comparison: Expressions._comparison,
    ir.Conditional: Expressions._conditional,
    ir.Await: Expressions._await,
    ir.Yield: Expressions._yield,
    ir.Walrus: Expressions._walrus,
    ir.Comprehension: Expressions._comprehension,
    ir.Lambda: Expressions._lambda,
    ir.Opaque: Expressions._opaque,
}
