"""Lowers the expressions of a LibCST tree to the records of `ir`."""

from __future__ import annotations

import ast
from typing import Callable, Dict, List, Optional, Sequence, Tuple, Type, Union

import libcst as cst

from rlobs_lint.facts import ir
from rlobs_lint.model import Span

_CONSTANTS = {"True": ("bool", True), "False": ("bool", False), "None": ("None", None)}
#: Python refuses to convert longer decimal literals by default, and so does JSON.
_LONGEST_INTEGER = 640
_LARGEST_FLOAT_TEXT = {"inf", "-inf", "nan"}


class ExpressionLowering:
    """Lowers expressions.

    Args:
        place: Returns the span of a node in the text of the file.
    """

    def __init__(self, place: Callable[[cst.CSTNode], Span]) -> None:
        self._place = place
        # One entry per function that is being lowered: whether a `yield` was met in it.
        self._yields: List[bool] = [False]

    def expression(self, node: cst.CSTNode) -> ir.Expression:
        """Lowers an expression; what the records have no word for becomes `Opaque`."""
        lower = _EXPRESSION.get(type(node))
        return lower(self, node) if lower is not None else ir.Opaque(self._place(node), ())

    def _optional(self, node: Optional[cst.CSTNode]) -> Optional[ir.Expression]:
        return None if node is None else self.expression(node)

    def _name(self, node: cst.Name) -> ir.Expression:
        constant = _CONSTANTS.get(node.value)
        if constant is not None:
            return ir.Literal(self._place(node), constant[0], constant[1])
        return ir.Name(self._place(node), node.value)

    def _attribute(self, node: cst.Attribute) -> ir.Expression:
        name_at = self._place(node.attr)
        return ir.Attribute(self._place(node), self.expression(node.value), node.attr.value, name_at)

    def _integer(self, node: cst.Integer) -> ir.Expression:
        value = int(node.value, 0) if len(node.value) <= _LONGEST_INTEGER else None
        return ir.Literal(self._place(node), "int", value)

    def _float(self, node: cst.Float) -> ir.Expression:
        value: Optional[float] = float(node.value)
        # JSON has no word for an infinity (`1e999`).
        return ir.Literal(self._place(node), "float", None if repr(value) in _LARGEST_FLOAT_TEXT else value)

    def _imaginary(self, node: cst.Imaginary) -> ir.Expression:
        return ir.Literal(self._place(node), "complex", None)

    def _ellipsis(self, node: cst.Ellipsis) -> ir.Expression:
        return ir.Literal(self._place(node), "ellipsis", None)

    def _string(self, node: cst.SimpleString) -> ir.Expression:
        text = _evaluate_string(node.value)
        if isinstance(text, str):
            return ir.Literal(self._place(node), "str", text)
        return ir.Literal(self._place(node), "str" if text is None else "bytes", None)

    def _concatenated(self, node: cst.ConcatenatedString) -> ir.Expression:
        pieces: List[cst.CSTNode] = [node.left]
        rest: cst.CSTNode = node.right
        while isinstance(rest, cst.ConcatenatedString):
            pieces.append(rest.left)
            rest = rest.right
        pieces.append(rest)
        at = Span(self._place(pieces[0]).start, self._place(pieces[-1]).end)
        parts: List[Union[str, ir.Expression]] = []
        for piece in map(self.expression, pieces):
            if isinstance(piece, ir.Literal) and isinstance(piece.value, str):
                parts.append(piece.value)
            elif isinstance(piece, ir.FormattedString):
                parts.extend(piece.parts)
            else:
                return (
                    ir.Literal(at, "bytes", None)
                    if isinstance(piece, ir.Literal)
                    else ir.Opaque(at, (piece,))
                )
        if all(isinstance(part, str) for part in parts):
            return ir.Literal(at, "str", "".join(map(str, parts)))
        return ir.FormattedString(at, tuple(parts))

    def _formatted(self, node: cst.FormattedString) -> ir.Expression:
        parts: List[Union[str, ir.Expression]] = []
        for part in node.parts:
            if isinstance(part, cst.FormattedStringText):
                text = part.value.replace("{{", "{").replace("}}", "}")
                raw = "r" in node.prefix or "\\" not in text
                quote = node.start[len(node.prefix) :]
                evaluated = text if raw else _evaluate_string(quote + text + quote)
                parts.append(evaluated if isinstance(evaluated, str) else text)
            elif isinstance(part, cst.FormattedStringExpression):
                parts.append(self.expression(part.expression))
        return ir.FormattedString(self._place(node), tuple(parts))

    def _template(self, node: cst.CSTNode) -> ir.Expression:
        parts = [
            self.expression(part.expression)
            for part in node.parts  # type: ignore[attr-defined]
            if hasattr(part, "expression")
        ]
        return ir.Opaque(self._place(node), tuple(parts))

    def _argument(self, node: cst.Arg) -> ir.Argument:
        keyword = node.keyword.value if node.keyword is not None else None
        value = self.expression(node.value)
        start = self._place(node.keyword).start if node.keyword is not None else value.at.start
        return ir.Argument(Span(start, value.at.end), node.star, keyword, value)

    def _call(self, node: cst.Call) -> ir.Expression:
        function = self.expression(node.func)
        return ir.Call(self._place(node), function, tuple(self._argument(arg) for arg in node.args))

    def _subscript(self, node: cst.Subscript) -> ir.Expression:
        indices = [self._index(element.slice) for element in node.slice]
        place = self._place(node)
        index = indices[0] if len(indices) == 1 else ir.Display(place, "tuple", tuple(indices))
        return ir.Subscript(place, self.expression(node.value), index)

    def _index(self, node: cst.BaseSlice) -> ir.Expression:
        if isinstance(node, cst.Slice):
            return ir.Slice(
                self._place(node),
                self._optional(node.lower),
                self._optional(node.upper),
                self._optional(node.step),
            )
        assert isinstance(node, cst.Index)
        value = self.expression(node.value)
        return ir.Starred(self._place(node), value) if node.star else value

    def _starred(self, node: cst.StarredElement) -> ir.Expression:
        return ir.Starred(self._place(node), self.expression(node.value))

    def _display(self, node: Union[cst.Tuple, cst.List, cst.Set]) -> ir.Expression:
        elements = tuple(
            self._starred(element)
            if isinstance(element, cst.StarredElement)
            else self.expression(element.value)
            for element in node.elements
        )
        return ir.Display(self._place(node), type(node).__name__.lower(), elements)

    def _dict(self, node: cst.Dict) -> ir.Expression:
        items = []
        for element in node.elements:
            value = self.expression(element.value)
            if isinstance(element, cst.DictElement):
                key = self.expression(element.key)
                items.append(ir.DictItem(Span(key.at.start, value.at.end), key, value))
            else:
                items.append(ir.DictItem(self._place(element), None, value))
        return ir.DictDisplay(self._place(node), tuple(items))

    def _binary(self, node: cst.BinaryOperation) -> ir.Expression:
        # A sum leans to the left: it is walked in a loop, since it may be hundreds of terms long.
        spine = [node]
        while isinstance(spine[-1].left, cst.BinaryOperation):
            spine.append(spine[-1].left)
        left = self.expression(spine[-1].left)
        for part in reversed(spine):
            left = ir.Binary(self._place(part), symbol(part.operator), left, self.expression(part.right))
        return left

    def _unary(self, node: cst.UnaryOperation) -> ir.Expression:
        return ir.Unary(self._place(node), symbol(node.operator), self.expression(node.expression))

    def _boolean(self, node: cst.BooleanOperation) -> ir.Expression:
        operator = symbol(node.operator)
        values: List[ir.Expression] = [self.expression(node.right)]
        rest: cst.BaseExpression = node.left
        while isinstance(rest, cst.BooleanOperation) and not rest.lpar and symbol(rest.operator) == operator:
            values.append(self.expression(rest.right))
            rest = rest.left
        values.append(self.expression(rest))
        return ir.Boolean(self._place(node), operator, tuple(reversed(values)))

    def _comparison(self, node: cst.Comparison) -> ir.Expression:
        return ir.Comparison(
            self._place(node),
            self.expression(node.left),
            tuple(symbol(target.operator) for target in node.comparisons),
            tuple(self.expression(target.comparator) for target in node.comparisons),
        )

    def _conditional(self, node: cst.IfExp) -> ir.Expression:
        return ir.Conditional(
            self._place(node),
            self.expression(node.test),
            self.expression(node.body),
            self.expression(node.orelse),
        )

    def _await(self, node: cst.Await) -> ir.Expression:
        return ir.Await(self._place(node), self.expression(node.expression))

    def _yield(self, node: cst.Yield) -> ir.Expression:
        self._yields[-1] = True
        if isinstance(node.value, cst.From):
            return ir.Yield(self._place(node), self.expression(node.value.item), True)
        return ir.Yield(self._place(node), self._optional(node.value), False)

    def _walrus(self, node: cst.NamedExpr) -> ir.Expression:
        return ir.Walrus(self._place(node), self.expression(node.target), self.expression(node.value))

    def _lambda(self, node: cst.Lambda) -> ir.Expression:
        self._yields.append(False)
        body = self.expression(node.body)
        self._yields.pop()
        return ir.Lambda(self._place(node), self._parameters(node.params), body)

    def _comprehension(self, node: Union[cst.GeneratorExp, cst.ListComp, cst.SetComp]) -> ir.Expression:
        kind = {cst.GeneratorExp: "generator", cst.ListComp: "list", cst.SetComp: "set"}[type(node)]
        element = self.expression(node.elt)
        return ir.Comprehension(self._place(node), kind, element, None, self._clauses(node.for_in))

    def _dict_comprehension(self, node: cst.DictComp) -> ir.Expression:
        key, value = self.expression(node.key), self.expression(node.value)
        return ir.Comprehension(self._place(node), "dict", key, value, self._clauses(node.for_in))

    def _clauses(self, clause: cst.CompFor) -> Tuple[ir.Clause, ...]:
        clauses = []
        current: Optional[cst.CompFor] = clause
        while current is not None:
            clauses.append(
                ir.Clause(
                    self.expression(current.target),
                    self.expression(current.iter),
                    tuple(self.expression(condition.test) for condition in current.ifs),
                    current.asynchronous is not None,
                )
            )
            current = current.inner_for_in
        return tuple(clauses)

    def _parameters(self, node: cst.Parameters) -> Tuple[ir.Parameter, ...]:
        groups: List[Tuple[str, Sequence[cst.Param]]] = [
            ("positional-only", node.posonly_params),
            ("plain", node.params),
            ("variadic", [node.star_arg] if isinstance(node.star_arg, cst.Param) else []),
            ("keyword-only", node.kwonly_params),
            ("keywords", [node.star_kwarg] if node.star_kwarg is not None else []),
        ]
        return tuple(
            ir.Parameter(
                self._place(parameter.name),
                parameter.name.value,
                kind,
                self.expression(parameter.annotation.annotation)
                if parameter.annotation is not None
                else None,
                self._optional(parameter.default),
            )
            for kind, group in groups
            for parameter in group
        )


def _evaluate_string(source: str) -> Union[str, bytes, None]:
    try:
        value = ast.literal_eval(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, (str, bytes)) else None


_OPERATORS: Dict[Type[cst.CSTNode], str] = {
    cst.Add: "+",
    cst.Subtract: "-",
    cst.Multiply: "*",
    cst.Divide: "/",
    cst.FloorDivide: "//",
    cst.Modulo: "%",
    cst.Power: "**",
    cst.MatrixMultiply: "@",
    cst.LeftShift: "<<",
    cst.RightShift: ">>",
    cst.BitAnd: "&",
    cst.BitOr: "|",
    cst.BitXor: "^",
    cst.And: "and",
    cst.Or: "or",
    cst.Not: "not",
    cst.Minus: "-",
    cst.Plus: "+",
    cst.BitInvert: "~",
    cst.Equal: "==",
    cst.NotEqual: "!=",
    cst.LessThan: "<",
    cst.LessThanEqual: "<=",
    cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=",
    cst.In: "in",
    cst.NotIn: "not in",
    cst.Is: "is",
    cst.IsNot: "is not",
    cst.AddAssign: "+=",
    cst.SubtractAssign: "-=",
    cst.MultiplyAssign: "*=",
    cst.DivideAssign: "/=",
    cst.FloorDivideAssign: "//=",
    cst.ModuloAssign: "%=",
    cst.PowerAssign: "**=",
    cst.MatrixMultiplyAssign: "@=",
    cst.LeftShiftAssign: "<<=",
    cst.RightShiftAssign: ">>=",
    cst.BitAndAssign: "&=",
    cst.BitOrAssign: "|=",
    cst.BitXorAssign: "^=",
}


def symbol(node: cst.CSTNode) -> str:
    """Returns an operator as it is written."""
    return _OPERATORS[type(node)]


_EXPRESSION: Dict[Type[cst.CSTNode], Callable[..., ir.Expression]] = {
    cst.Name: ExpressionLowering._name,
    cst.Attribute: ExpressionLowering._attribute,
    cst.Integer: ExpressionLowering._integer,
    cst.Float: ExpressionLowering._float,
    cst.Imaginary: ExpressionLowering._imaginary,
    cst.Ellipsis: ExpressionLowering._ellipsis,
    cst.SimpleString: ExpressionLowering._string,
    cst.ConcatenatedString: ExpressionLowering._concatenated,
    cst.FormattedString: ExpressionLowering._formatted,
    cst.Call: ExpressionLowering._call,
    cst.Subscript: ExpressionLowering._subscript,
    cst.StarredElement: ExpressionLowering._starred,
    cst.Tuple: ExpressionLowering._display,
    cst.List: ExpressionLowering._display,
    cst.Set: ExpressionLowering._display,
    cst.Dict: ExpressionLowering._dict,
    cst.BinaryOperation: ExpressionLowering._binary,
    cst.UnaryOperation: ExpressionLowering._unary,
    cst.BooleanOperation: ExpressionLowering._boolean,
    cst.Comparison: ExpressionLowering._comparison,
    cst.IfExp: ExpressionLowering._conditional,
    cst.Await: ExpressionLowering._await,
    cst.Yield: ExpressionLowering._yield,
    cst.NamedExpr: ExpressionLowering._walrus,
    cst.Lambda: ExpressionLowering._lambda,
    cst.GeneratorExp: ExpressionLowering._comprehension,
    cst.ListComp: ExpressionLowering._comprehension,
    cst.SetComp: ExpressionLowering._comprehension,
    cst.DictComp: ExpressionLowering._dict_comprehension,
    cst.TemplatedString: ExpressionLowering._template,
}
