"""Order of evaluation: whether an expression can be evaluated in front of its statement instead of in it."""

from __future__ import annotations

from typing import Callable, Dict, FrozenSet, List, Sequence, Type

import libcst as cst

from rlobs_lint.model import Text

from ._changes import CannotFixError
from ._nodes import Nodes

#: Functions and methods that only look: it makes no difference whether a client is built before or after.
_ONLY_LOOK: FrozenSet[str] = frozenset(
    {
        "str", "int", "float", "bool", "len", "list", "dict", "tuple", "set", "min", "max", "sum", "sorted",
        "range", "round", "repr", "getattr", "isinstance", "type", "getenv", "get", "get_secret_value",
        "format", "join", "strip", "split", "lower", "upper", "copy", "items", "keys", "values", "cast",
    }
)  # fmt: skip

_IN_BRANCH = Text(
    "its statement may not reach it, or reach it repeatedly", "所在语句可能不执行它，或多次执行它"
)
_AFTER_OTHERS = Text(
    "what its statement evaluates before it may have effects", "语句中在它之前求值的部分可能有副作用"
)


def earlier_operands(nodes: Nodes, node: cst.BaseExpression) -> List[cst.BaseExpression]:
    """Returns what has to be evaluated in front of a statement as well if one of its expressions is.

    Only what may have effects counts, in the order in which the statement evaluates it.

    Raises:
        CannotFixError: The node may be evaluated not at all or repeatedly; or the order could not be kept.
    """
    levels: List[Sequence[cst.CSTNode]] = []
    child: cst.CSTNode = node
    for parent in nodes.ancestors(node):
        earlier = _EARLIER.get(type(parent))
        if earlier is None:
            raise CannotFixError(_IN_BRANCH)
        levels.append(earlier(parent, child))
        if isinstance(parent, (cst.BaseSmallStatement, cst.BaseCompoundStatement)):
            if isinstance(parent, cst.If) and isinstance(nodes.parent(parent), cst.If):
                raise CannotFixError(_IN_BRANCH)
            break
        child = parent
    # What encloses the node has evaluated its own parts before it comes to those beside the node.
    parts = [part for level in reversed(levels) for part in level]
    while parts and is_inert(parts[-1]):
        parts.pop()
    expressions = [expression for part in parts for expression in _expressions(part, nodes)]
    if not all(is_inert(one) <= _is_stable(one, nodes) for one in expressions):
        raise CannotFixError(_AFTER_OTHERS)
    return [one for one in expressions if not is_inert(one)]


def _expressions(part: cst.CSTNode, nodes: Nodes) -> List[cst.BaseExpression]:
    """Returns the expressions in a part of a statement that could be given names in front of it."""
    if isinstance(part, cst.Arg) and not part.star:
        return [part.value]
    if isinstance(part, cst.Element):
        return [part.value]
    if isinstance(part, cst.DictElement):
        return [part.key, part.value]
    if isinstance(part, cst.BaseExpression) and not isinstance(nodes.parent(part), cst.AugAssign):
        return [part]
    raise CannotFixError(_AFTER_OTHERS)


def _is_stable(node: cst.BaseExpression, nodes: Nodes) -> bool:
    """Whether a part of a statement is the same after others that may have effects."""
    parent = nodes.parent(node)
    is_called = isinstance(parent, cst.Call) and parent.func is node and is_reference(node)
    return is_called or isinstance(node, (cst.Name, cst.BaseNumber, cst.SimpleString, cst.Lambda))


def is_inert(node: cst.CSTNode) -> bool:
    """Whether evaluating a node has no effect that building a client could meet."""
    stack: List[cst.CSTNode] = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, (cst.Await, cst.Yield, cst.NamedExpr)):
            return False
        if isinstance(current, cst.Lambda):
            continue
        if isinstance(current, cst.Call) and last_name(current.func) not in _ONLY_LOOK:
            return False
        stack.extend(current.children)
    return True


def needs_brackets(argument: cst.BaseExpression) -> bool:
    """Whether the brackets of a call are all that an argument has: `f(x for x in y)`, `f(x := y)`."""
    return isinstance(argument, (cst.GeneratorExp, cst.NamedExpr, cst.Yield)) and not argument.lpar


def last_name(node: cst.BaseExpression) -> str:
    """Returns `c` of `a.b.c`, and an empty text of anything but a name or an attribute."""
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else ""


def first_name(node: cst.CSTNode) -> str:
    """Returns `a` of `a.b.c`, and an empty text of anything but a name or an attribute of one."""
    while isinstance(node, cst.Attribute):
        node = node.value
    return node.value if isinstance(node, cst.Name) else ""


def is_reference(node: cst.CSTNode) -> bool:
    """Whether a node is a name or a chain of attributes of one."""
    return bool(first_name(node))


def _only(*fields: str) -> Callable[[cst.CSTNode, cst.CSTNode], Sequence[cst.CSTNode]]:
    """Returns a question whose answer is "nothing" for the named fields, a refusal for all others."""

    def earlier(parent: cst.CSTNode, child: cst.CSTNode) -> Sequence[cst.CSTNode]:
        if any(getattr(parent, field) is child for field in fields):
            return ()
        raise CannotFixError(_IN_BRANCH)

    return earlier


def _in_order(*fields: str) -> Callable[[cst.CSTNode, cst.CSTNode], Sequence[cst.CSTNode]]:
    """Returns a question whose answer is what comes before the child in the fields, in that order."""

    def earlier(parent: cst.CSTNode, child: cst.CSTNode) -> Sequence[cst.CSTNode]:
        parts: List[cst.CSTNode] = []
        for field in fields:
            value = getattr(parent, field)
            for part in value if isinstance(value, (list, tuple)) else (value,):
                if part is child:
                    return parts
                if isinstance(part, cst.CSTNode):
                    parts.append(part)
        raise CannotFixError(_IN_BRANCH)

    return earlier


def _comparison(parent: cst.CSTNode, child: cst.CSTNode) -> Sequence[cst.CSTNode]:
    assert isinstance(parent, cst.Comparison)
    # `a < b < c` may never evaluate `c`.
    return (
        _in_order("left", "comparisons")(parent, child)
        if child in (parent.left, parent.comparisons[0])
        else _refuse()
    )


def _with(parent: cst.CSTNode, child: cst.CSTNode) -> Sequence[cst.CSTNode]:
    assert isinstance(parent, cst.With)
    return () if parent.items[0] is child else _refuse()


def _defaults(parent: cst.CSTNode, child: cst.CSTNode) -> Sequence[cst.CSTNode]:
    assert isinstance(parent, cst.Parameters)
    before = _in_order("posonly_params", "params", "kwonly_params")(parent, child)
    return [part.default for part in before if isinstance(part, cst.Param) and part.default is not None]


def _refuse() -> Sequence[cst.CSTNode]:
    raise CannotFixError(_IN_BRANCH)


_Question = Callable[[cst.CSTNode, cst.CSTNode], Sequence[cst.CSTNode]]
_EARLIER: Dict[Type[cst.CSTNode], _Question] = {
    # Expressions.
    cst.Arg: _only("value"),
    cst.Attribute: _only("value"),
    cst.Await: _only("expression"),
    cst.BinaryOperation: _in_order("left", "right"),
    cst.BooleanOperation: _only("left"),
    cst.Call: _in_order("func", "args"),
    cst.CompFor: _only("iter"),
    cst.Comparison: _comparison,
    cst.ComparisonTarget: _only("comparator"),
    cst.Dict: _in_order("elements"),
    cst.DictComp: _only("for_in"),
    cst.DictElement: _in_order("key", "value"),
    cst.Element: _only("value"),
    cst.FormattedString: _in_order("parts"),
    cst.FormattedStringExpression: _only("expression"),
    cst.From: _only("item"),
    cst.GeneratorExp: _only("for_in"),
    cst.IfExp: _only("test"),
    cst.Index: _only("value"),
    cst.List: _in_order("elements"),
    cst.ListComp: _only("for_in"),
    cst.NamedExpr: _only("value"),
    cst.Set: _in_order("elements"),
    cst.SetComp: _only("for_in"),
    cst.Slice: _in_order("lower", "upper", "step"),
    cst.StarredDictElement: _only("value"),
    cst.StarredElement: _only("value"),
    cst.Subscript: _in_order("value", "slice"),
    cst.SubscriptElement: _only("slice"),
    cst.Tuple: _in_order("elements"),
    cst.UnaryOperation: _only("expression"),
    cst.WithItem: _only("item"),
    cst.Yield: _only("value"),
    # What a definition evaluates when it is run.
    cst.Decorator: _only("decorator"),
    cst.Param: _only("default"),
    cst.Parameters: _defaults,
    # Statements: the value of an assignment comes before its targets.
    cst.AnnAssign: _only("value"),
    cst.Assert: _only("test"),
    cst.Assign: _in_order("value"),
    cst.AugAssign: _in_order("target", "value"),
    cst.ClassDef: _in_order("decorators", "bases", "keywords"),
    cst.Expr: _only("value"),
    cst.For: _only("iter"),
    cst.FunctionDef: _in_order("decorators", "params"),
    cst.If: _only("test"),
    cst.Match: _only("subject"),
    cst.Raise: _in_order("exc", "cause"),
    cst.Return: _only("value"),
    cst.With: _with,
}
