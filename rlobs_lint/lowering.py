"""Lowers a LibCST tree to the records of `ir`: the visitor of the scan.

The tree is walked once, dispatching on the type of each node; white space and parentheses, three
quarters of a tree, are never entered.
"""

from __future__ import annotations

import ast
from typing import Callable, Dict, List, Optional, Sequence, Tuple, Type, Union

import libcst as cst

from rlobs_lint import ir
from rlobs_lint.model import Span

_CONSTANTS = {"True": ("bool", True), "False": ("bool", False), "None": ("None", None)}
#: Python refuses to convert longer decimal literals by default, and so does JSON.
_LONGEST_INTEGER = 640
_LARGEST_FLOAT_TEXT = {"inf", "-inf", "nan"}


class Lowering:
    """Lowers one module.

    Args:
        place: Returns the span of a node in the text of the file.
    """

    def __init__(self, place: Callable[[cst.CSTNode], Span]) -> None:
        self._place = place
        # One entry per function that is being lowered: whether a `yield` was met in it.
        self._yields: List[bool] = [False]

    def module(self, module: cst.Module) -> Tuple[ir.Statement, ...]:
        """Returns the statements of the module."""
        return self._statements(module.body)

    # --- statements -----------------------------------------------------------------------------

    def _statements(self, nodes: Sequence[cst.CSTNode]) -> Tuple[ir.Statement, ...]:
        lowered: List[ir.Statement] = []
        for node in nodes:
            if isinstance(node, (cst.SimpleStatementLine, cst.SimpleStatementSuite)):
                for small in node.body:
                    lower_small = _SMALL.get(type(small))
                    if lower_small is not None:
                        lowered.append(lower_small(self, small))
            else:
                lower_compound = _COMPOUND.get(type(node))
                if lower_compound is not None:
                    lowered.append(lower_compound(self, node))
        return tuple(lowered)

    def _suite(self, suite: cst.BaseSuite) -> Tuple[ir.Statement, ...]:
        if isinstance(suite, cst.SimpleStatementSuite):
            return self._statements([suite])
        return self._statements(suite.body)

    def _header(self, node: cst.CSTNode, body: cst.BaseSuite, start: Optional[int] = None) -> Span:
        begin = self._place(node).start if start is None else start
        if isinstance(body, cst.IndentedBlock):
            return Span(begin, self._place(body.header).start)
        return Span(begin, self._place(body).start)

    def _expression_statement(self, node: cst.Expr) -> ir.Statement:
        return ir.Evaluate(self._place(node), self.expression(node.value))

    def _assign(self, node: cst.Assign) -> ir.Statement:
        targets = tuple(self.expression(target.target) for target in node.targets)
        return ir.Assign(self._place(node), targets, self.expression(node.value))

    def _annotated_assign(self, node: cst.AnnAssign) -> ir.Statement:
        return ir.AnnotatedAssign(
            self._place(node),
            self.expression(node.target),
            self.expression(node.annotation.annotation),
            self._optional(node.value),
        )

    def _augmented_assign(self, node: cst.AugAssign) -> ir.Statement:
        operator = _symbol(node.operator)[:-1]
        return ir.AugmentedAssign(
            self._place(node), self.expression(node.target), operator, self.expression(node.value)
        )

    def _return(self, node: cst.Return) -> ir.Statement:
        return ir.Return(self._place(node), self._optional(node.value))

    def _raise(self, node: cst.Raise) -> ir.Statement:
        cause = node.cause.item if node.cause is not None else None
        return ir.Raise(self._place(node), self._optional(node.exc), self._optional(cause))

    def _assert(self, node: cst.Assert) -> ir.Statement:
        return ir.Assert(self._place(node), self.expression(node.test), self._optional(node.msg))

    def _delete(self, node: cst.Del) -> ir.Statement:
        target = self.expression(node.target)
        targets = target.elements if isinstance(target, ir.Display) else (target,)
        return ir.Delete(self._place(node), targets)

    def _declaration(self, node: Union[cst.Global, cst.Nonlocal]) -> ir.Statement:
        keyword = "global" if isinstance(node, cst.Global) else "nonlocal"
        return ir.Declaration(self._place(node), keyword, tuple(item.name.value for item in node.names))

    def _jump(self, node: cst.CSTNode) -> ir.Statement:
        return ir.Jump(self._place(node), type(node).__name__.lower())

    def _import(self, node: Union[cst.Import, cst.LazyImport]) -> ir.Statement:
        return ir.Import(self._place(node), tuple(self._imported(alias) for alias in node.names))

    def _import_from(self, node: Union[cst.ImportFrom, cst.LazyImportFrom]) -> ir.Statement:
        star = isinstance(node.names, cst.ImportStar)
        names = () if isinstance(node.names, cst.ImportStar) else tuple(map(self._imported, node.names))
        module = _dotted(node.module) if node.module is not None else ""
        return ir.ImportFrom(self._place(node), module, len(node.relative), names, star)

    def _imported(self, alias: cst.ImportAlias) -> ir.ImportedName:
        bound = alias.asname.name if alias.asname is not None else None
        name = bound.value if isinstance(bound, cst.Name) else None
        at = self._place(alias.name)
        return ir.ImportedName(at, _dotted(alias.name), name)

    def _if(self, node: cst.If) -> ir.Statement:
        # A chain of `elif` is walked in a loop: it may be hundreds long.
        chain = [node]
        while isinstance(chain[-1].orelse, cst.If):
            chain.append(chain[-1].orelse)
        last = chain[-1].orelse
        otherwise = self._suite(last.body) if isinstance(last, cst.Else) else ()
        for part in reversed(chain):
            lowered = ir.If(
                self._place(part),
                self._header(part, part.body),
                self.expression(part.test),
                self._suite(part.body),
                otherwise,
            )
            otherwise = (lowered,)
        return otherwise[0]

    def _for(self, node: cst.For) -> ir.Statement:
        return ir.For(
            self._place(node),
            self._header(node, node.body),
            self.expression(node.target),
            self.expression(node.iter),
            self._suite(node.body),
            self._suite(node.orelse.body) if node.orelse is not None else (),
            node.asynchronous is not None,
        )

    def _while(self, node: cst.While) -> ir.Statement:
        return ir.While(
            self._place(node),
            self._header(node, node.body),
            self.expression(node.test),
            self._suite(node.body),
            self._suite(node.orelse.body) if node.orelse is not None else (),
        )

    def _with(self, node: cst.With) -> ir.Statement:
        items = tuple(
            ir.ContextItem(
                self.expression(item.item),
                self.expression(item.asname.name) if item.asname is not None else None,
            )
            for item in node.items
        )
        header = self._header(node, node.body)
        body = self._suite(node.body)
        return ir.With(self._place(node), header, items, body, node.asynchronous is not None)

    def _try(self, node: Union[cst.Try, cst.TryStar]) -> ir.Statement:
        handlers = tuple(
            ir.Handler(
                self._place(handler),
                self._header(handler, handler.body),
                self._optional(handler.type),
                _bound_name(handler.name),
                self._suite(handler.body),
            )
            for handler in node.handlers
        )
        return ir.Try(
            self._place(node),
            self._header(node, node.body),
            self._suite(node.body),
            handlers,
            self._suite(node.orelse.body) if node.orelse is not None else (),
            self._suite(node.finalbody.body) if node.finalbody is not None else (),
        )

    def _match(self, node: cst.Match) -> ir.Statement:
        at = self._place(node)
        header = Span(at.start, self._place(node.whitespace_after_colon).start)
        cases = tuple(self._case(case) for case in node.cases)
        return ir.Match(at, header, self.expression(node.subject), cases)

    def _case(self, node: cst.MatchCase) -> ir.Case:
        values: List[ir.Expression] = []
        captures: List[str] = []
        self._pattern(node.pattern, values, captures)
        pattern = node.pattern
        irrefutable = isinstance(pattern, cst.MatchAs) and pattern.pattern is None and node.guard is None
        return ir.Case(
            self._place(node),
            self._header(node, node.body),
            tuple(values),
            tuple(captures),
            irrefutable,
            self._optional(node.guard),
            self._suite(node.body),
        )

    def _pattern(self, node: cst.CSTNode, values: List[ir.Expression], captures: List[str]) -> None:
        if isinstance(node, (cst.MatchValue, cst.MatchSingleton)):
            values.append(self.expression(node.value))
            return
        if isinstance(node, (cst.MatchAs, cst.MatchStar)) and node.name is not None:
            captures.append(node.name.value)
        if isinstance(node, cst.MatchMapping) and node.rest is not None:
            captures.append(node.rest.value)
        if isinstance(node, cst.MatchClass):
            values.append(self.expression(node.cls))
        for child in node.children:
            if isinstance(
                child,
                (
                    cst.MatchPattern,
                    cst.MatchStar,
                    cst.MatchSequenceElement,
                    cst.MatchMappingElement,
                    cst.MatchKeywordElement,
                    cst.MatchOrElement,
                ),
            ):
                self._pattern(child, values, captures)

    def _decorators(self, nodes: Sequence[cst.Decorator]) -> Tuple[ir.Decorator, ...]:
        lowered = []
        for node in nodes:
            value = self.expression(node.decorator)
            # The node's own place holds its blank lines: the sign is found from the expression.
            lowered.append(
                ir.Decorator(Span(self._place(node.whitespace_after_at).start - 1, value.at.end), value)
            )
        return tuple(lowered)

    def _function(self, node: cst.FunctionDef) -> ir.Statement:
        at = self._place(node)
        name_at = self._place(node.name)
        decorators = self._decorators(node.decorators)
        start = decorators[0].at.start if decorators else at.start
        self._yields.append(False)
        body = self._suite(node.body)
        is_generator = self._yields.pop()
        return ir.FunctionDef(
            at,
            self._header(node, node.body, start),
            Span(at.start, name_at.end),
            node.name.value,
            name_at,
            self._parameters(node.params),
            self.expression(node.returns.annotation) if node.returns is not None else None,
            decorators,
            body,
            node.asynchronous is not None,
            is_generator,
        )

    def _class(self, node: cst.ClassDef) -> ir.Statement:
        at = self._place(node)
        name_at = self._place(node.name)
        decorators = self._decorators(node.decorators)
        start = decorators[0].at.start if decorators else at.start
        bases = tuple(self._argument(base) for base in (*node.bases, *node.keywords))
        return ir.ClassDef(
            at,
            self._header(node, node.body, start),
            Span(at.start, name_at.end),
            node.name.value,
            name_at,
            bases,
            decorators,
            self._suite(node.body),
        )

    # --- expressions ----------------------------------------------------------------------------

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
            left = ir.Binary(self._place(part), _symbol(part.operator), left, self.expression(part.right))
        return left

    def _unary(self, node: cst.UnaryOperation) -> ir.Expression:
        return ir.Unary(self._place(node), _symbol(node.operator), self.expression(node.expression))

    def _boolean(self, node: cst.BooleanOperation) -> ir.Expression:
        operator = _symbol(node.operator)
        values: List[ir.Expression] = [self.expression(node.right)]
        rest: cst.BaseExpression = node.left
        while isinstance(rest, cst.BooleanOperation) and not rest.lpar and _symbol(rest.operator) == operator:
            values.append(self.expression(rest.right))
            rest = rest.left
        values.append(self.expression(rest))
        return ir.Boolean(self._place(node), operator, tuple(reversed(values)))

    def _comparison(self, node: cst.Comparison) -> ir.Expression:
        return ir.Comparison(
            self._place(node),
            self.expression(node.left),
            tuple(_symbol(target.operator) for target in node.comparisons),
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


def _dotted(node: cst.CSTNode) -> str:
    """Returns `a.b.c` of a chain of names."""
    parts: List[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    parts.append(node.value if isinstance(node, cst.Name) else "")
    return ".".join(reversed(parts))


def _bound_name(node: Optional[cst.AsName]) -> Optional[str]:
    return node.name.value if node is not None and isinstance(node.name, cst.Name) else None


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


def _symbol(node: cst.CSTNode) -> str:
    return _OPERATORS[type(node)]


_SMALL: Dict[Type[cst.CSTNode], Callable[..., ir.Statement]] = {
    cst.Expr: Lowering._expression_statement,
    cst.Assign: Lowering._assign,
    cst.AnnAssign: Lowering._annotated_assign,
    cst.AugAssign: Lowering._augmented_assign,
    cst.Return: Lowering._return,
    cst.Raise: Lowering._raise,
    cst.Assert: Lowering._assert,
    cst.Del: Lowering._delete,
    cst.Global: Lowering._declaration,
    cst.Nonlocal: Lowering._declaration,
    cst.Pass: Lowering._jump,
    cst.Break: Lowering._jump,
    cst.Continue: Lowering._jump,
    cst.Import: Lowering._import,
    cst.ImportFrom: Lowering._import_from,
    cst.LazyImport: Lowering._import,
    cst.LazyImportFrom: Lowering._import_from,
}

_COMPOUND: Dict[Type[cst.CSTNode], Callable[..., ir.Statement]] = {
    cst.If: Lowering._if,
    cst.For: Lowering._for,
    cst.While: Lowering._while,
    cst.With: Lowering._with,
    cst.Try: Lowering._try,
    cst.TryStar: Lowering._try,
    cst.Match: Lowering._match,
    cst.FunctionDef: Lowering._function,
    cst.ClassDef: Lowering._class,
}

_EXPRESSION: Dict[Type[cst.CSTNode], Callable[..., ir.Expression]] = {
    cst.Name: Lowering._name,
    cst.Attribute: Lowering._attribute,
    cst.Integer: Lowering._integer,
    cst.Float: Lowering._float,
    cst.Imaginary: Lowering._imaginary,
    cst.Ellipsis: Lowering._ellipsis,
    cst.SimpleString: Lowering._string,
    cst.ConcatenatedString: Lowering._concatenated,
    cst.FormattedString: Lowering._formatted,
    cst.Call: Lowering._call,
    cst.Subscript: Lowering._subscript,
    cst.StarredElement: Lowering._starred,
    cst.Tuple: Lowering._display,
    cst.List: Lowering._display,
    cst.Set: Lowering._display,
    cst.Dict: Lowering._dict,
    cst.BinaryOperation: Lowering._binary,
    cst.UnaryOperation: Lowering._unary,
    cst.BooleanOperation: Lowering._boolean,
    cst.Comparison: Lowering._comparison,
    cst.IfExp: Lowering._conditional,
    cst.Await: Lowering._await,
    cst.Yield: Lowering._yield,
    cst.NamedExpr: Lowering._walrus,
    cst.Lambda: Lowering._lambda,
    cst.GeneratorExp: Lowering._comprehension,
    cst.ListComp: Lowering._comprehension,
    cst.SetComp: Lowering._comprehension,
    cst.DictComp: Lowering._dict_comprehension,
    cst.TemplatedString: Lowering._template,
}
