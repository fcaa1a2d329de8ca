"""Whether anything but the SDK reads an entry of reported metrics.

A fix that changes an entry, or drops it, has to know. The question is answered from the code as it is
written: the mapping is followed from where the entry is made through the names, attributes, results and
arguments that hold it, and every use on the way has to be one that is known not to read the entry. What is
not known may read it.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Dict, FrozenSet, List, NamedTuple, Optional, Set, Tuple

from rlobs_lint import sdk
from rlobs_lint.facts import ir, scopes
from rlobs_lint.facts.walks import last_name
from rlobs_lint.flow.domain.observations import MetricsGiven, ModelBuilt
from rlobs_lint.flow.domain.values import Site
from rlobs_lint.flow.questions.expression_trees import ExpressionTrees, Placed, is_target

if TYPE_CHECKING:
    from rlobs_lint.flow.run import Run

#: Make a new mapping of what they are given.
_COPIES = frozenset({"dict", "copy", "deepcopy", "OrderedDict", "defaultdict", "Counter"})
#: Methods that neither read an entry nor give it away, or only the one that they name.
_HARMLESS = frozenset({"update", "clear"})
_BY_KEY = frozenset({"get", "pop", "setdefault"})
#: Functions that see how many entries there are, not what they hold; and what only prints them.
_MEASURING = frozenset({"len", "bool"})
_PRINTING = frozenset({"debug", "info", "warning", "error", "exception", "log"})
_HARMLESS_DECORATORS = frozenset({"staticmethod", "classmethod"})


def _prints_whole(call: ir.Call) -> bool:
    """Whether a logger takes nothing by name out of a mapping: `log.info("metrics %s", metrics)`."""
    text = call.arguments[0].value if call.arguments else None
    is_known = isinstance(text, ir.Literal) and isinstance(text.value, str) and "%(" not in text.value
    return is_known and all(one.keyword is None and not one.star for one in call.arguments)


class _Entry(NamedTuple):
    """What is asked about: an entry's key, and whether the entry stays and only changes its type."""

    key: Optional[str]
    stays: bool


class MappingUses:
    """Answers questions about the entries of reported metrics from the code of a run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._machine = run.machine
        self._trees = ExpressionTrees(run.machine.workspace)
        self._entry = _Entry("", True)
        self._seen: Set[Tuple[str, object]] = set()

    def is_only_reported(self, site: Site, key: Optional[str], stays: bool) -> bool:
        """Whether nothing but the SDK reads an entry.

        Args:
            site: Where the entry's key or value is written; of a keyword argument, its name.
            key: The key, if it is one that is known; of a score, which is in no mapping, `reward_score`.
            stays: Whether the entry stays and only changes its type.
        """
        self._entry = _Entry(key, stays)
        self._seen = set()
        placed = self._trees.of(site.path).at(site.span)
        if len(placed) != 1 or not (stays or self._is_one_key(placed[0])) or not self._made_in(placed[0]):
            return False
        # The SDK's own copy is a mapping that the code may read, too.
        return stays or all(map(self._attribute, sdk.METRICS_FIELDS.values()))

    # --- where the entry is made ----------------------------------------------------------------

    def _is_one_key(self, placed: Placed) -> bool:
        """Whether an expression is the same key each time: no variable of a loop, no parameter."""
        names = [one for one in scopes.walk_expression(placed.expression) if isinstance(one, ir.Name)]
        own = [scopes.scope_of(one.body, one.parameters).local for one in placed.functions]
        is_keyword = isinstance(placed.expression, ir.Call)
        return is_keyword or not any(name.identifier in local for name in names for local in own)

    def _made_in(self, placed: Placed) -> bool:
        """Judges the place of an entry's key or value."""
        expression, parent, statement = placed.expression, placed.parent, placed.statement
        if isinstance(parent, ir.DictDisplay):
            return self._flows(self._of(placed, parent))
        if isinstance(expression, ir.Call):
            return self._filled_by(placed)
        if isinstance(parent, ir.Call):
            is_score = (placed.argument() or parent.arguments[0]).keyword == "reward_score"
            return (is_score and self._builds(placed.path, parent)) or self._filled_by(
                self._of(placed, parent)
            )
        if isinstance(parent, ir.Subscript) and isinstance(statement, ir.Assign):
            return statement.targets == (parent,) and self._variable(parent.value, placed)
        if parent is not None or not isinstance(statement, (ir.Assign, ir.AnnotatedAssign)):
            return False
        targets = statement.targets if isinstance(statement, ir.Assign) else (statement.target,)
        if len(targets) > 1 or statement.value is not expression:
            return False
        if isinstance(targets[0], ir.Attribute):
            return self._attribute(targets[0].name)
        return isinstance(targets[0], ir.Subscript) and self._variable(targets[0].value, placed)

    def _filled_by(self, placed: Placed) -> bool:
        """Judges a call that an entry is given to: `dict(k=v)`, `m.update(k=v)`, `m.setdefault(k, v)`."""
        assert isinstance(placed.expression, ir.Call)
        function = placed.expression.function
        if isinstance(function, ir.Name):
            return function.identifier in _COPIES and self._flows(placed)
        if not isinstance(function, ir.Attribute) or function.name not in ("update", "setdefault"):
            return False
        return placed.stands_alone and self._variable(function.value, placed)

    # --- where a mapping goes -------------------------------------------------------------------

    def _flows(self, placed: Placed) -> bool:
        """Judges what is done with the mapping that an expression is."""
        expression, parent = placed.expression, placed.parent
        if parent is None:
            return self._ends_in(placed)
        outer = self._of(placed, parent)
        if isinstance(parent, ir.Call):
            return self._given(placed, outer)
        if isinstance(parent, ir.Attribute):
            return self._method(parent, outer)
        if isinstance(parent, ir.Subscript):
            return parent.value is expression and self._subscript(parent, outer)
        if isinstance(parent, ir.DictDisplay):
            is_unpacked = any(item.key is None and item.value is expression for item in parent.items)
            return self._flows(outer) if is_unpacked else self._is_nested(placed, outer)
        if isinstance(parent, ir.Comparison):
            return self._is_asked_for(parent, expression)
        if isinstance(parent, ir.Walrus):
            return self._variable(parent.target, placed) and self._flows(outer)
        if isinstance(parent, ir.Conditional) and parent.test is expression:
            return self._entry.stays
        if isinstance(parent, ir.Unary):
            return self._entry.stays and parent.operator == "not"
        if isinstance(parent, ir.Boolean):
            return self._entry.stays and self._flows(outer)
        is_handed_on = isinstance(parent, (ir.Await, ir.Conditional))
        is_merged = isinstance(parent, ir.Binary) and parent.operator == "|"
        return (is_handed_on or is_merged) and self._flows(outer)

    def _ends_in(self, placed: Placed) -> bool:
        """Judges a statement that a mapping is the value of."""
        statement, expression = placed.statement, placed.expression
        if isinstance(statement, ir.Return):
            return bool(placed.functions) and self._results(placed.path, placed.functions[0])
        if isinstance(statement, ir.Assign) and statement.value is expression:
            return all(self._variable(target, placed) for target in statement.targets)
        if isinstance(statement, (ir.AnnotatedAssign, ir.AugmentedAssign)) and statement.value is expression:
            return self._variable(statement.target, placed)
        if isinstance(statement, (ir.If, ir.While, ir.Assert)):
            return self._entry.stays and statement.test is expression
        return isinstance(statement, ir.Evaluate)

    def _given(self, placed: Placed, call: Placed) -> bool:
        """Judges a call that a mapping is an argument of."""
        assert isinstance(call.expression, ir.Call)
        function, argument = call.expression.function, placed.argument()
        if argument is None:
            return False
        if self._is_reported(placed):
            return True
        name = last_name(function)
        if name in _COPIES:
            return self._flows(call)
        if name == "update" and isinstance(function, ir.Attribute) and call.stands_alone:
            return self._variable(function.value, placed)
        if isinstance(function, ir.Name) and (name == "print" or (name in _MEASURING and self._entry.stays)):
            return True
        if isinstance(function, ir.Attribute) and name in _PRINTING and call.stands_alone:
            return self._entry.stays or _prints_whole(call.expression)
        return not argument.star and self._parameter(call, argument)

    def _is_reported(self, placed: Placed) -> bool:
        site = Site(placed.path, placed.expression.at)
        return site in self._reported or site in self._built

    def _is_nested(self, placed: Placed, outer: Placed) -> bool:
        """Whether a mapping is the metrics inside a dictionary that is given in place of a result."""
        return self._is_reported(placed) and isinstance(outer.parent, (ir.Call, ir.DictDisplay))

    def _method(self, attribute: ir.Attribute, placed: Placed) -> bool:
        """Judges `mapping.name(...)`."""
        call = placed.parent
        if not isinstance(call, ir.Call) or call.function is not attribute:
            return False
        if attribute.name in _BY_KEY and call.arguments:
            # A value that is put in or taken out where nothing looks at it is read by nobody.
            is_unread = self._of(placed, call).stands_alone and len(call.arguments) > 1
            return is_unread or self._is_another(call.arguments[0].value)
        return attribute.name in _HARMLESS or (
            attribute.name == "copy" and self._flows(self._of(placed, call))
        )

    def _subscript(self, subscript: ir.Subscript, placed: Placed) -> bool:
        """Judges `mapping[key]`."""
        is_plain_store = is_target(placed) and not isinstance(
            placed.statement, (ir.AugmentedAssign, ir.Delete)
        )
        is_deleted = isinstance(placed.statement, ir.Delete) and is_target(placed)
        return is_plain_store or self._is_another(subscript.key) or (is_deleted and self._entry.stays)

    def _is_asked_for(self, comparison: ir.Comparison, expression: ir.Expression) -> bool:
        """Judges `key in mapping`."""
        is_member = comparison.operators in (("in",), ("not in",)) and comparison.right[0] is expression
        return is_member and (self._entry.stays or self._is_another(comparison.left))

    def _is_another(self, key: ir.Expression) -> bool:
        return self._entry.key is not None and isinstance(key, ir.Literal) and key.value != self._entry.key

    # --- what holds it --------------------------------------------------------------------------

    def _variable(self, target: ir.Expression, placed: Placed) -> bool:
        """Judges all uses of what a mapping is kept in."""
        if isinstance(target, ir.Attribute):
            return self._attribute(target.name)
        if not isinstance(target, ir.Name):
            return False
        for function in placed.functions:
            if target.identifier in scopes.scope_of(function.body, function.parameters).local:
                is_parameter = any(one.name == target.identifier for one in function.parameters)
                return not is_parameter and self._local(placed.path, function, target.identifier)
        return False

    def _local(self, path: str, function: ir.FunctionDef, name: str) -> bool:
        """Judges all uses of a name of a function."""
        if not self._is_new(path, (function.at, name)):
            return True
        return all(
            self._uses(placed)
            for placed in self._trees.of(path).all()
            if isinstance(placed.expression, ir.Name)
            and placed.expression.identifier == name
            and any(one is function for one in placed.functions)
        )

    def _attribute(self, name: str) -> bool:
        """Judges all uses of an attribute, of whatever object."""
        if not self._is_new("", name):
            return True
        return all(
            self._uses(placed)
            for tree in self._trees.mentioning(name)
            for placed in tree.all()
            if isinstance(placed.expression, ir.Attribute) and placed.expression.name == name
        )

    def _uses(self, placed: Placed) -> bool:
        """Judges one use of a name or attribute that holds the mapping."""
        if not is_target(placed):
            return self._flows(placed)
        statement = placed.statement
        if isinstance(statement, (ir.Assign, ir.AnnotatedAssign)) and statement.value is not None:
            # What it is another name of has the entry, too.
            return placed.parent is not None or self._is_own(statement.value, placed)
        return True

    def _is_own(self, value: ir.Expression, placed: Placed) -> bool:
        """Whether what a variable is given is a mapping that only the variable holds, or none."""
        if isinstance(value, (ir.DictDisplay, ir.Comprehension, ir.Binary, ir.Literal)):
            return True
        if isinstance(value, ir.Conditional):
            return self._is_own(value.body, placed) and self._is_own(value.otherwise, placed)
        if isinstance(value, ir.Await):
            return self._is_own(value.value, placed)
        if isinstance(value, (ir.Name, ir.Attribute)):
            return self._variable(value, placed)
        if not isinstance(value, ir.Call):
            return False
        if last_name(value.function) in _COPIES:
            return True
        called = self._called(Site(placed.path, value.at))
        return bool(called) and all(self._gives_own(path, function) for path, function in called)

    def _gives_own(self, path: str, function: ir.FunctionDef) -> bool:
        """Whether a function returns a mapping that it has made."""
        if not self._is_new(path, (function.at, "return")):
            return True
        returned = [one for one in scopes.walk_statements(function.body) if isinstance(one, ir.Return)]
        values = [one.value for one in returned if one.value is not None]
        return all(self._is_own(value, self._trees.of(path).of(value)) for value in values)

    # --- other functions ------------------------------------------------------------------------

    def _parameter(self, call: Placed, argument: ir.Argument) -> bool:
        """Judges what the functions that a call runs do with an argument."""
        assert isinstance(call.expression, ir.Call)
        called = self._called(Site(call.path, call.expression.at))
        if not called or any(one.star for one in call.expression.arguments):
            return False
        by_position = [one for one in call.expression.arguments if one.keyword is None]
        for path, function in called:
            names = [one.name for one in function.parameters if one.kind in ("positional-only", "plain")]
            names = names[1:] if names[:1] in (["self"], ["cls"]) else names
            places = [place for place, one in enumerate(by_position) if one is argument]
            name = argument.keyword or "".join(names[place] for place in places if place < len(names))
            is_known = any(one.name == name and one.kind != "keywords" for one in function.parameters)
            if not is_known or not self._local(path, function, name):
                return False
        return True

    def _results(self, path: str, function: ir.FunctionDef) -> bool:
        """Judges what the callers of a function do with its result."""
        if not self._is_new(path, (function.at, "call")):
            return True
        decorators = {last_name(one.expression) for one in function.decorators}
        if not decorators <= _HARMLESS_DECORATORS:
            return False
        calls: List[Placed] = []
        for site in self._callers.get((path, function.at), ()):
            calls += [
                one for one in self._trees.of(site.path).at(site.span) if one.expression.at == site.span
            ]
        functions = {id(one.expression.function) for one in calls if isinstance(one.expression, ir.Call)}
        for tree in self._trees.mentioning(function.name):
            for placed in tree.all():
                # A call that was not met, or the function handed to something.
                if last_name(placed.expression) == function.name and id(placed.expression) not in functions:
                    return False
        return bool(calls) and all(self._flows(call) for call in calls)

    def _is_new(self, path: str, what: object) -> bool:
        is_new = (path, what) not in self._seen
        self._seen.add((path, what))
        return is_new

    def _of(self, placed: Placed, expression: ir.Expression) -> Placed:
        return self._trees.of(placed.path).of(expression)

    def _called(self, site: Site) -> List[Tuple[str, ir.FunctionDef]]:
        """Returns the functions that a call may run; none where one of them is not known."""
        numbers = self._run.ledger.callees.get(site, set())
        found = [self._machine.definitions[number] for number in sorted(numbers)]
        functions = [(one.module.path, one.node) for one in found if isinstance(one.node, ir.FunctionDef)]
        return functions if len(functions) == len(found) else []

    def _builds(self, path: str, call: ir.Call) -> bool:
        return Site(path, call.at) in self._built

    @cached_property
    def _reported(self) -> FrozenSet[Site]:
        return frozenset(given.site for given in self._run.ledger.of(MetricsGiven))

    @cached_property
    def _built(self) -> FrozenSet[Site]:
        return frozenset(one.site for one in self._run.ledger.of(ModelBuilt) if one.number >= 0)

    @cached_property
    def _callers(self) -> Dict[Tuple[str, object], List[Site]]:
        """The calls that were met of each function, by its file and place."""
        callers: Dict[Tuple[str, object], List[Site]] = {}
        for site, numbers in self._run.ledger.callees.items():
            for number in numbers:
                definition = self._machine.definitions[number]
                if isinstance(definition.node, ir.FunctionDef):
                    callers.setdefault((definition.module.path, definition.node.at), []).append(site)
        return callers
