"""Whether an expression may be dropped: evaluating it does nothing but make its value."""

from __future__ import annotations

from typing import FrozenSet, List

import libcst as cst

from ._nodes import Nodes
from ._variables import stores

#: Python's own functions that only compute.
_FUNCTIONS: FrozenSet[str] = frozenset(
    {
        "abs", "all", "any", "bool", "bytes", "dict", "divmod", "enumerate", "float", "frozenset", "getattr",
        "hasattr", "int", "isinstance", "len", "list", "max", "min", "pow", "range", "repr", "reversed",
        "round", "set", "sorted", "str", "sum", "tuple", "type", "zip",
    }
)  # fmt: skip
#: Methods of text, numbers and collections that only look.
_METHODS: FrozenSet[str] = frozenset(
    {
        "copy", "count", "endswith", "find", "format", "get", "index", "isdigit", "item", "items", "join",
        "keys", "lower", "lstrip", "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "title",
        "total_seconds", "upper", "values",
    }
)  # fmt: skip
#: Modules of which every function only computes.
MODULES: FrozenSet[str] = frozenset({"math", "statistics"})


def is_pure(node: cst.CSTNode, nodes: Nodes) -> bool:
    """Whether nothing is bound, awaited, yielded or called in a node but what is known to compute only."""
    stack: List[cst.CSTNode] = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, (cst.Await, cst.Yield, cst.NamedExpr, cst.Asynchronous)):
            return False
        if isinstance(current, cst.Lambda):
            # It is not called, but for `max(xs, key=lambda x: ...)`: see `_only_computes`.
            continue
        if isinstance(current, cst.Call) and not _only_computes(current, nodes):
            return False
        stack.extend(current.children)
    return True


def _only_computes(call: cst.Call, nodes: Nodes) -> bool:
    function = call.func
    called = [one.value for one in call.args if one.keyword is not None and one.keyword.value == "key"]
    if not all(isinstance(one, cst.Lambda) and is_pure(one.body, nodes) for one in called):
        return False
    if isinstance(function, cst.Name):
        is_own = function.value in _FUNCTIONS and not _is_bound(function.value, nodes)
        return is_own or _is_from_modules(function.value, nodes)
    if not isinstance(function, cst.Attribute):
        return False
    root = _root(function.value)
    if isinstance(function.value, cst.Name) and root in MODULES:
        return _is_imported(root, nodes)
    # `requests.get(...)` and `self.get(...)` may be anything.
    is_foreign = root in ("self", "cls") and isinstance(function.value, cst.Name)
    if function.attr.value not in _METHODS or is_foreign or (root and _is_imported(root, nodes)):
        return False
    # `queue.get()` takes something out, `info.get("turns", 0)` does not.
    return function.attr.value != "get" or bool(
        call.args and isinstance(call.args[0].value, cst.SimpleString)
    )


def _is_from_modules(name: str, nodes: Nodes) -> bool:
    """Whether a name is bound by nothing but `from math import name`."""
    stored = (one for one in nodes.names() if one.value == name and stores(one, nodes))
    if any(nodes.enclosing(one, (cst.ImportAlias,)) is None for one in stored):
        return False
    statements = [
        nodes.enclosing(alias, (cst.ImportFrom,))
        for alias in nodes.of_kind((cst.ImportAlias,))
        if nodes.text(alias.asname.name if alias.asname is not None else alias.name) == name
    ]
    return bool(statements) and all(
        isinstance(one, cst.ImportFrom)
        and not one.relative
        and one.module is not None
        and nodes.text(one.module) in MODULES
        for one in statements
    )


def _root(node: cst.BaseExpression) -> str:
    """Returns `a` of `a.b["c"].d`, and an empty text where a call or literal stands at the beginning."""
    while isinstance(node, (cst.Attribute, cst.Subscript)):
        node = node.value
    return node.value if isinstance(node, cst.Name) else ""


def _is_bound(name: str, nodes: Nodes) -> bool:
    """Whether a file gives a name a value of its own anywhere."""
    return any(one.value == name and stores(one, nodes) for one in nodes.names()) or _is_imported(name, nodes)


def _is_imported(name: str, nodes: Nodes) -> bool:
    for alias in nodes.of_kind((cst.ImportAlias,)):
        bound = alias.asname.name if alias.asname is not None else alias.name
        if nodes.text(bound).partition(".")[0] == name:
            return True
    return False
