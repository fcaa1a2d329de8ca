"""Where a variable is used, and which statements give it a value."""

from __future__ import annotations

from typing import Iterator, Optional, Union

import libcst as cst

from ._nodes import Nodes, Statement

Reference = Union[cst.Name, cst.Attribute]

#: Nothing that could be traced.
EMPTY = frozenset({"None", "[]", "()", "{}", "list()", "dict()", "tuple()"})


def uses(traced: Reference, nodes: Nodes, place: cst.CSTNode) -> Iterator[Reference]:
    """Yields what may be the same variable: a name in its function, an attribute of one name anywhere.

    Args:
        traced: The variable.
        nodes: The file.
        place: A node of the function.
    """
    if isinstance(traced, cst.Name):
        for name in nodes.names(nodes.function(place)):
            if name.value == traced.value:
                yield name
        return
    for attribute in nodes.of_kind((cst.Attribute,)):
        if attribute.attr.value == traced.attr.value:
            yield attribute
    for name in nodes.of_kind((cst.Name,)):
        # A class attribute of that name gives it a value as well.
        if name.value == traced.attr.value and nodes.function(name) is None and stores(name, nodes):
            yield name


def stores(use: Reference, nodes: Nodes) -> bool:
    """Whether a name or an attribute is given a value where it stands."""
    child: cst.CSTNode = use
    for parent in nodes.ancestors(use):
        if isinstance(parent, (cst.Element, cst.StarredElement, cst.Tuple, cst.List)):
            child = parent
        elif isinstance(parent, (cst.AnnAssign, cst.AugAssign, cst.NamedExpr, cst.For, cst.CompFor)):
            return parent.target is child
        elif isinstance(parent, (cst.Param, cst.NameItem, cst.FunctionDef, cst.ClassDef)):
            return parent.name is child
        else:
            return isinstance(parent, (cst.AssignTarget, cst.AsName, cst.ImportAlias, cst.Del, cst.MatchAs))
    return False


def is_same_source(use: Reference, source: Statement, name: Optional[str], nodes: Nodes) -> bool:
    """Whether a place gives a variable the value that a statement makes, or nothing at all.

    Args:
        use: A place that stores to the variable.
        source: The statement.
        name: What the statement calls the value.
        nodes: The file.
    """
    statement = nodes.statement(use)
    if statement is source:
        return True
    if not isinstance(statement, (cst.Assign, cst.AnnAssign)):
        return False
    return statement.value is None or nodes.text(statement.value) in (*EMPTY, name)
