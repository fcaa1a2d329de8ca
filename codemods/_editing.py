"""What a codemod writes with: it collects the edits of one change, statement by statement."""

from __future__ import annotations

from typing import FrozenSet, Iterable, List, Optional, Sequence, Tuple

import libcst as cst

from rlobs_lint.model import Edit, Span, Target, Text

from ._changes import CannotFixError, Change, NewImport
from ._file import PythonFile
from ._nodes import Statement

#: Scope nodes: a name bound in one is not seen outside of it.
_FUNCTIONS = (cst.FunctionDef, cst.Lambda)


class Editing:
    """Collects one change to a file.

    Attributes:
        target: What is being carried out.

    Args:
        file: The file.
        taken: Names that other changes of the same round give to values.
    """

    def __init__(self, file: PythonFile, taken: FrozenSet[str] = frozenset()) -> None:
        self.file = file
        self.nodes = file.nodes
        self.source = file.source
        self.target = Target("", Span(0, 0))
        self._taken = taken
        self._edits: List[Edit] = []
        self._imports: List[NewImport] = []
        self._orphans: List[str] = []
        self._names: List[str] = []
        self._opened: List[cst.SimpleStatementSuite] = []
        self._moved: List[Span] = []
        self._dropped: List[Span] = []
        self._entered: List[Span] = []

    def change(self) -> Change:
        """Returns what was collected."""
        return Change(
            edits=tuple(dict.fromkeys(self._edits)),
            imports=tuple(dict.fromkeys(self._imports)),
            orphans=tuple(self._orphans),
            names=tuple(self._names),
            moved=tuple(self._moved),
            dropped=tuple(self._dropped),
            entered=tuple(self._entered),
        )

    # --- text -----------------------------------------------------------------------------------

    def replace(self, span: Span, content: str) -> None:
        """Puts `content` in the place of a span; at one place, behind what is inserted there already."""
        same = [edit for edit in self._edits if edit.span == span and span.start == span.end]
        if same:
            self._edits[self._edits.index(same[0])] = same[0]._replace(content=same[0].content + content)
        elif self.source.text[span.start : span.end] != content:
            self._edits.append(Edit(self.source.path, span, content))

    def insert(self, offset: int, content: str) -> None:
        """Puts `content` in front of a character."""
        self.replace(Span(offset, offset), content)

    def delete(self, span: Span) -> None:
        """Takes a span away."""
        self.replace(span, "")

    # --- names ----------------------------------------------------------------------------------

    def sdk_name(self, name: str, user: cst.CSTNode, offset: Optional[int] = None) -> str:
        """Returns how a place can write a name of the SDK, and has it imported where it is not.

        Args:
            name: As the SDK calls it, `trace_client`.
            user: A node of the place where the name will stand.
            offset: The place itself, where it is not the beginning of that node.
        """
        place = self.nodes.span(user).start if offset is None else offset
        before = place if self.nodes.runs_at_import(user) else None
        way = self.file.bindings.way_to(name, place, before is not None)
        if way.alias is not None or way.is_missing:
            self._imports.append(NewImport(name, way.alias, before))
        return way.expression

    def import_as(self, name: str, alias: Optional[str], before: Optional[int]) -> None:
        """Has a name of the SDK imported under the very name that the file uses for it."""
        self._imports.append(NewImport(name, alias, before))

    def move_import(self, alias: cst.ImportAlias) -> None:
        """Has an imported name come from the module that is documented to have it."""
        self._moved.append(self.nodes.span(alias))

    def drop_import(self, alias: cst.ImportAlias) -> None:
        """Has an imported name go, and with the last one its statement."""
        self._dropped.append(self.nodes.span(alias))

    def orphan(self, name: str) -> None:
        """Notes that a use of a name is gone; an empty one is none."""
        if name:
            self._orphans.append(name)

    def enter(self, node: cst.CSTNode) -> None:
        """Notes that an ENTRY span is opened around what a node defines: no other change may do the same."""
        span = self.nodes.span(node)
        if span not in self._entered:
            self._entered.append(span)

    def comment_free(self, span: Span) -> None:
        """Makes sure that no comment would be lost with a span of code.

        Raises:
            CannotFixError: There is one.
        """
        if any(span.start <= comment.start < span.end for comment in self.nodes.comments()):
            raise CannotFixError(Text("a comment would be lost", "会丢失一条注释"))

    def fresh_name(self, wanted: Sequence[str], user: cst.CSTNode) -> str:
        """Returns a name for a value that nothing around `user` uses yet.

        Args:
            wanted: Good names, best first.
            user: A node of the statement in front of which the name will be bound.

        Raises:
            CannotFixError: The statement stands in a class body, where a name would become an attribute.
        """
        holder = self.nodes.enclosing(user, (*_FUNCTIONS, cst.ClassDef))
        if isinstance(holder, cst.ClassDef):
            raise CannotFixError(
                Text("a name for it would become a class attribute", "给它的名字会成为类属性")
            )
        outermost = holder
        for ancestor in self.nodes.ancestors(user):
            if isinstance(ancestor, cst.FunctionDef):
                outermost = ancestor
        own = outermost.name if isinstance(outermost, cst.FunctionDef) else None
        used = {name.value for name in self.nodes.names(outermost) if name is not own}
        used |= self._taken | set(self._names)
        numbered = (f"{wanted[0]}_{number}" for number in range(2, len(used) + 3))
        name = next(name for name in (*wanted, *numbered) if name not in used)
        self._names.append(name)
        return name

    # --- statements -----------------------------------------------------------------------------

    def before(self, statement: Statement, lines: Iterable[str]) -> None:
        """Puts statements in front of another, in its block."""
        content = tuple(lines)
        line = self.nodes.parent(statement)
        start = self.nodes.span(statement).start
        if isinstance(statement, (cst.FunctionDef, cst.ClassDef)) and statement.decorators:
            start = self.nodes.span(statement.decorators[0]).start
        if isinstance(line, cst.SimpleStatementSuite):
            self._open_suite(line)
            index = line.body.index(statement)
            if index:
                self._between(line.body[index - 1], statement, content)
            else:
                indent = self._indentation(statement)
                self.insert(start, "".join(f"{text}{self.nodes.newline(start)}{indent}" for text in content))
            return
        if isinstance(line, cst.SimpleStatementLine) and line.body[0] is not statement:
            self._between(line.body[line.body.index(statement) - 1], statement, content)
            return
        first = self.nodes.line_start(start)
        self._demand_own_line(first)
        indent, newline = self.nodes.indentation(start), self.nodes.newline(start)
        self.insert(first, "".join(f"{indent}{text}{newline}" for text in content))

    def after(self, statement: Statement, lines: Iterable[str]) -> None:
        """Puts statements behind another, in its block and in front of whatever follows on its line."""
        content = tuple(lines)
        line = self.nodes.parent(statement)
        if isinstance(line, (cst.SimpleStatementLine, cst.SimpleStatementSuite)):
            if isinstance(line, cst.SimpleStatementSuite):
                self._open_suite(line)
            if line.body[-1] is not statement:
                self._between(statement, line.body[line.body.index(statement) + 1], content)
                return
        indent, end = self._indentation(statement), self.nodes.logical_end(statement)
        newline = self.nodes.newline(end)
        self.insert(end, "".join(f"{newline}{indent if text else ''}{text}" for text in content))

    def first_in(self, body: cst.BaseSuite, lines: Iterable[str]) -> None:
        """Puts statements at the beginning of a block, above comments that stand there."""
        content = tuple(lines)
        if isinstance(body, cst.SimpleStatementSuite):
            self.before(body.body[0], content)
            return
        assert isinstance(body, cst.IndentedBlock)
        end = self.nodes.span(body.header.newline).start
        indent, newline = self.nodes.indentation(self.nodes.span(body).start), self.nodes.newline(end)
        self.insert(end, "".join(f"{newline}{indent}{text}" for text in content))

    def remove_lines(self, start: int, end: int) -> None:
        """Takes whole lines away, from that of one character to that of another.

        Of the blank lines that then stand together, or first in a block, one goes, too.
        """
        nodes = self.nodes
        first, following = nodes.line_start(start), nodes.next_line(end)
        if nodes.line_end(end) == following and first:
            # The file goes on to end without a line end.
            self.delete(Span(nodes.line_end(first - 1), following))
            return
        above = self.source.text[nodes.line_start(max(first - 1, 0)) : first].split("#")[0].strip()
        is_blank = (
            following < len(self.source.text) and not self.source.text[following : nodes.line_end(following)]
        )
        if is_blank and (not above or above.endswith(":")):
            following = nodes.next_line(following)
        self.delete(Span(first, following))

    def remove(self, statement: Statement, keep_comment: bool = True, comments: Sequence[Span] = ()) -> None:
        """Takes a statement away, with all in it; `pass` stays where its block would be empty.

        Args:
            statement: The statement.
            keep_comment: Whether a comment behind a simple statement stays, on a line of its own.
            comments: Comment lines right above that go with it.
        """
        line = self.nodes.parent(statement)
        span, end = self.nodes.span(statement), self.nodes.logical_end(statement)
        behind: Optional[int] = None
        if isinstance(line, (cst.SimpleStatementLine, cst.SimpleStatementSuite)):
            if len(line.body) > 1:
                self._remove_beside(statement, line.body)
                return
            comment = line.trailing_whitespace.comment
            behind = self.nodes.span(comment).start if comment is not None and keep_comment else None
        if isinstance(line, cst.SimpleStatementSuite) or self._is_alone(statement):
            if comments:
                first = self.nodes.line_start(comments[0].start)
                self.delete(Span(first, self.nodes.line_start(span.start)))
            self.replace(
                Span(span.start, end if behind is None else behind), "pass" if behind is None else "pass  "
            )
        elif behind is not None:
            self.delete(Span(span.start, behind))
        else:
            self.remove_lines(comments[0].start if comments else span.start, end)

    def _remove_beside(self, statement: Statement, line: Sequence[cst.BaseSmallStatement]) -> None:
        """Takes one of several statements on a line away, with the semicolon between it and the others."""
        index = [id(other) for other in line].index(id(statement))
        span = self.nodes.span(statement)
        if index + 1 < len(line):
            self.delete(Span(span.start, self.nodes.span(line[index + 1]).start))
        else:
            semicolon = line[index].semicolon
            end = self.nodes.span(semicolon).end if isinstance(semicolon, cst.Semicolon) else span.end
            self.delete(Span(self.nodes.span(line[index - 1]).end, end))

    def _is_alone(self, statement: Statement) -> bool:
        """Whether nothing else stands in an indented block."""
        line = self.nodes.parent(statement)
        block = self.nodes.parent(line) if isinstance(line, cst.SimpleStatementLine) else line
        return isinstance(block, cst.IndentedBlock) and len(block.body) == 1

    def _indentation(self, statement: Statement) -> str:
        """Returns the indentation of a statement's block; in a one-line block, what it would be."""
        line = self.nodes.parent(statement)
        if not isinstance(line, cst.SimpleStatementSuite):
            start = self.nodes.span(statement).start
            if isinstance(line, cst.SimpleStatementLine):
                start = self.nodes.span(line.body[0]).start
            return self.nodes.indentation(start)
        header = self.nodes.span(self.nodes.parent(line)).start
        return self.nodes.indentation(header) + self.nodes.module.default_indent

    def _open_suite(self, suite: cst.SimpleStatementSuite) -> None:
        """Puts the statements behind a colon on a line of their own: `if a: b` has no room for more."""
        if suite in self._opened:
            return
        self._opened.append(suite)
        start = self.nodes.span(suite.body[0]).start
        colon = self.nodes.span(suite.leading_whitespace).start
        self.replace(Span(colon, start), self.nodes.newline(colon) + self._indentation(suite.body[0]))

    def _between(self, left: Statement, right: cst.CSTNode, lines: Tuple[str, ...]) -> None:
        indent, start = self._indentation(left), self.nodes.span(left).end
        newline = self.nodes.newline(start)
        content = "".join(f"{newline}{indent}{text}" for text in lines)
        self.replace(Span(start, self.nodes.span(right).start), f"{content}{newline}{indent}")

    def _demand_own_line(self, line_start: int) -> None:
        if self.source.text[:line_start].rstrip("\r\n").endswith("\\"):
            raise CannotFixError(Text("a backslash joins it to the line above", "反斜杠把它与上一行连在一起"))
