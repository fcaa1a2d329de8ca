"""Every expression of a file with what is around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from rlobs_lint.facts import ir, scopes
from rlobs_lint.model import Span

if TYPE_CHECKING:
    from rlobs_lint.facts.module import Module
    from rlobs_lint.project.upload import Upload


class Placed(NamedTuple):
    """An expression where it stands.

    Attributes:
        path: Absolute path of the file.
        expression: The expression.
        parent: The expression directly around it, if there is one.
        statement: The statement that it stands in.
        functions: The functions in whose bodies it stands, innermost first.
    """

    path: str
    expression: ir.Expression
    parent: Optional[ir.Expression]
    statement: ir.Statement
    functions: Tuple[ir.FunctionDef, ...]

    @property
    def stands_alone(self) -> bool:
        """Whether nothing uses its value: it is a statement."""
        return self.parent is None and isinstance(self.statement, ir.Evaluate)

    def argument(self) -> Optional[ir.Argument]:
        """Returns the argument of a call that it is, if it is one."""
        arguments = self.parent.arguments if isinstance(self.parent, ir.Call) else ()
        return next((one for one in arguments if one.value is self.expression), None)


class ExpressionTree:
    """All expressions of a file, by place and by what they hold."""

    def __init__(self, module: Module) -> None:
        self._path = module.path
        self._placed: Dict[int, Placed] = {}
        self._at: Dict[Span, List[Placed]] = {}
        self._walk(module.facts.body, ())

    def of(self, expression: ir.Expression) -> Placed:
        """Returns where one of the file's own expressions stands."""
        return self._placed[id(expression)]

    def at(self, span: Span) -> Tuple[Placed, ...]:
        """Returns the expressions at a place; at the name of a keyword argument, the call."""
        return tuple(self._at.get(span, ()))

    def all(self) -> Iterator[Placed]:
        """Yields every expression."""
        return iter(self._placed.values())

    def _walk(self, body: Sequence[ir.Statement], functions: Tuple[ir.FunctionDef, ...]) -> None:
        for statement in scopes.walk_statements(body):
            waiting: List[Tuple[ir.Expression, Optional[ir.Expression]]] = [
                (expression, None) for expression in scopes.own_expressions(statement)
            ]
            while waiting:
                expression, parent = waiting.pop()
                placed = Placed(self._path, expression, parent, statement, functions)
                self._placed[id(expression)] = placed
                self._at.setdefault(expression.at, []).append(placed)
                for argument in expression.arguments if isinstance(expression, ir.Call) else ():
                    start = argument.at.start
                    if argument.keyword is not None:
                        self._at.setdefault(Span(start, start + len(argument.keyword)), []).append(placed)
                waiting += [(inner, expression) for inner in scopes.children(expression)]
            if isinstance(statement, ir.FunctionDef):
                self._walk(statement.body, (statement, *functions))
            elif isinstance(statement, ir.ClassDef):
                self._walk(statement.body, functions)


class ExpressionTrees:
    """The trees of a workspace's files, each made when it is asked for."""

    def __init__(self, workspace: Upload) -> None:
        self._modules = workspace.modules
        self._trees: Dict[str, ExpressionTree] = {}

    def of(self, path: str) -> ExpressionTree:
        """Returns the tree of a file."""
        known = self._trees.get(path)
        if known is None:
            known = self._trees[path] = ExpressionTree(self._modules[path])
        return known

    def mentioning(self, word: str) -> Iterator[ExpressionTree]:
        """Yields the trees of the files in whose text a word stands."""
        return (self.of(path) for path, module in self._modules.items() if word in module.source.text)


def is_target(placed: Placed) -> bool:
    """Whether an expression is given a value, or deleted, where it stands."""
    statement, expression = placed.statement, placed.expression
    if isinstance(placed.parent, ir.Walrus):
        return placed.parent.target is expression
    if isinstance(placed.parent, ir.Comprehension):
        return any(clause.target is expression for clause in placed.parent.clauses)
    if placed.parent is not None:
        return False
    if isinstance(statement, (ir.Assign, ir.Delete)):
        return any(target is expression for target in statement.targets)
    if isinstance(statement, (ir.AnnotatedAssign, ir.AugmentedAssign, ir.For)):
        return statement.target is expression
    return isinstance(statement, ir.With) and any(item.target is expression for item in statement.items)
