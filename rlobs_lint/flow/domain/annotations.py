"""What a type annotation tells about a value."""

from __future__ import annotations

from typing import Mapping, Optional

from rlobs_lint.facts import ir
from rlobs_lint.flow.domain.values import (
    UNKNOWN,
    Constant,
    Request,
    Typed,
    Unknown,
    Value,
    is_opaque,
    join,
    origin_of,
)

_KINDS: Mapping[str, str] = {
    "str": "str",
    "int": "int",
    "float": "float",
    "bool": "bool",
    "bytes": "bytes",
    "dict": "dict",
    "Dict": "dict",
    "Mapping": "dict",
    "list": "list",
    "List": "list",
    "tuple": "tuple",
    "Tuple": "tuple",
    "set": "set",
    "Set": "set",
    "frozenset": "set",
    "datetime": "datetime",
}
SCALARS = frozenset({"str", "int", "float", "bool"})


def annotated(annotation: Optional[ir.Expression]) -> Value:
    """Returns a value of the type that an annotation names; unknown where it names none of ours."""
    if annotation is None:
        return UNKNOWN
    if isinstance(annotation, ir.Name):
        kind = _KINDS.get(annotation.identifier)
        return (Typed(kind),) if kind is not None else UNKNOWN
    if isinstance(annotation, ir.Attribute):
        kind = _KINDS.get(annotation.name)
        return (Typed(kind),) if kind is not None else UNKNOWN
    if isinstance(annotation, ir.Literal):
        if annotation.kind == "str" and isinstance(annotation.value, str):
            kind = _KINDS.get(annotation.value.split("[")[0].strip())
            return (Typed(kind),) if kind is not None else UNKNOWN
        return UNKNOWN
    if isinstance(annotation, ir.Subscript):
        return _subscripted(annotation)
    if isinstance(annotation, ir.Binary) and annotation.operator == "|":
        parts = [part for part in (annotation.left, annotation.right) if not _is_none(part)]
        return join(annotated(part) for part in parts)
    return UNKNOWN


def _subscripted(annotation: ir.Subscript) -> Value:
    outer = annotation.value
    name = (
        outer.identifier
        if isinstance(outer, ir.Name)
        else outer.name
        if isinstance(outer, ir.Attribute)
        else ""
    )
    if name == "Optional":
        return annotated(annotation.key)
    if name in ("Union", "Annotated", "Literal"):
        parts = annotation.key.elements if isinstance(annotation.key, ir.Display) else (annotation.key,)
        if name == "Annotated":
            return annotated(parts[0])
        if name == "Literal":
            known = [part for part in parts if isinstance(part, ir.Literal) and part.value is not None]
            return (
                tuple(Constant(part.kind, part.value) for part in known)
                if len(known) == len(parts)
                else UNKNOWN
            )
        return join(annotated(part) for part in parts if not _is_none(part))
    kind = _KINDS.get(name)
    return (Typed(kind),) if kind is not None else UNKNOWN


def refined(value: Value, annotation: Optional[ir.Expression]) -> Value:
    """Returns a value whose unknown possibilities are what an annotation says."""
    if annotation is None or not any(is_opaque(atom) or isinstance(atom, (Request, Typed)) for atom in value):
        return value
    return refined_by(value, annotated(annotation))


def refined_by(value: Value, known: Value) -> Value:
    """Returns a value whose unknown possibilities are what is known of its type."""
    if any(isinstance(atom, Unknown) for atom in known):
        return value
    is_scalar = all(isinstance(atom, Typed) and atom.kind in SCALARS for atom in known)
    results = []
    for atom in value:
        # What comes from the input is followed by its path, unless it is a plain text or number.
        is_text = is_scalar and isinstance(atom, Request) and atom.path[:1] not in ((), ("model_resource",))
        if isinstance(atom, Typed) and any(isinstance(it, Constant) and it.kind == atom.kind for it in known):
            # `Literal["easy", "hard"]`
            results.append(known)
        elif is_opaque(atom) or is_text:
            origin = origin_of(atom)
            results.append(
                tuple(item._replace(origin=origin) if isinstance(item, Typed) else item for item in known)
            )
        else:
            results.append((atom,))
    return join(results)


def _is_none(expression: ir.Expression) -> bool:
    return isinstance(expression, ir.Literal) and expression.kind == "None"
