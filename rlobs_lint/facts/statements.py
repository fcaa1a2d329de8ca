"""Lowers a LibCST tree to the records of `ir`: the visitor of the scan, and statements.

The tree is walked once, dispatching on the type of each node; white space and parentheses, three
quarters of a tree, are never entered.
"""

from __future__ import annotations

from typing import Callable, Dict, List, Optional, Sequence, Tuple, Type, Union

import libcst as cst

from rlobs_lint.facts import ir
from rlobs_lint.facts.expressions import ExpressionLowering, symbol
from rlobs_lint.model import Span


class Lowering(ExpressionLowering):
    """Lowers one module."""

    def module(self, module: cst.Module) -> Tuple[ir.Statement, ...]:
        """Returns the statements of the module."""
        return self._statements(module.body)

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
        operator = symbol(node.operator)[:-1]
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
