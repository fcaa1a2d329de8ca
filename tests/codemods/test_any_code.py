"""Codemods on code that nobody wrote for them: they change what they are told to, or say why not."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Iterator, List, Tuple

import libcst as cst
import pytest
from rlobs_lint.codemods._base import carry_out
from rlobs_lint.codemods._changes import CannotFixError, Change, apply
from rlobs_lint.codemods._file import PythonFile
from rlobs_lint.codemods._merging import put_together

import rlobs_lint
from rlobs_lint.facts.ir import ModuleFacts
from rlobs_lint.facts.scan_file import parse, scan
from rlobs_lint.files.source import SourceFile, read_python
from rlobs_lint.fixes.verify import complaint
from rlobs_lint.model import Span, Target

FOLDER = Path(rlobs_lint.__file__).parent
#: Files of this project, as examples of real code: of each room the one whose size is nearest to 8,000 bytes.
ROOMS = ("checking", "comments", "facts", "files", "fixes", "project", "report")
FILES = tuple(
    min(sorted((FOLDER / room).rglob("*.py")), key=lambda path: abs(path.stat().st_size - 8000))
    .relative_to(FOLDER)
    .as_posix()
    for room in ROOMS
)
EACH_FILE = pytest.mark.parametrize("name", FILES)


def _targets(file: PythonFile) -> Iterator[Target]:
    """Yields targets for every codemod all over a file."""
    nodes = file.nodes
    for call in nodes.of_kind((cst.Call,)):
        span = nodes.span(call)
        yield Target("add_trace_call", span, (("function", "trace_client"),))
        yield Target("unwrap_trace_call", span)
        yield Target("trace_the_class", span, (("class", "Client"),))
        yield Target("pass_by_keyword", span, (("names", "first,second,third"),))
        function = nodes.function(call)
        around = list(nodes.of_kind((cst.Call,), function)) if function is not None else []
        # To the place of all others would be the square of them; one in seven meets near and far ones.
        for other in around[around.index(call) % 7 :: 7] if around else ():
            place = nodes.span(other)
            if other is not call:
                yield Target(
                    "move_trace_call", span, (("after_start", place.start), ("after_end", place.end))
                )
    for kind, name in ((cst.FunctionDef, "add_observe_processor"), (cst.ClassDef, "wrap_process")):
        for node in nodes.of_kind((kind,)):
            yield Target(name, nodes.span(node))
    for decorator in nodes.of_kind((cst.Decorator,)):
        yield Target("move_observe_processor", nodes.span(decorator))
    for key in nodes.of_kind((cst.SimpleString,)):
        yield Target("remove_metric", nodes.span(key))
    for comment in nodes.comments():
        yield Target("remove_suppression", comment, (("content", ""),))


def _changes(file: PythonFile) -> Iterator[Tuple[Target, Change]]:
    for target in _targets(file):
        try:
            yield target, carry_out(file, (target,))
        except CannotFixError as error:
            assert error.reason.en and error.reason.zh


def _demand_sound(file: PythonFile, facts: ModuleFacts, changes: List[Change], keeps_comments: bool) -> None:
    edits = put_together(file, changes)
    assert edits is not None
    text = apply(file.source.text, edits)
    after = SourceFile(file.source.path, text.encode(), text, "utf-8")
    assert complaint(file.source, facts, after, edits) is None, changes
    if keeps_comments:
        spans = parse(text)
        comments = Counter(node.value for node in spans.places.comments)
        assert not Counter(_comments(file)) - comments, changes


def _comments(file: PythonFile) -> List[str]:
    return [file.source.text[span.start : span.end] for span in file.nodes.comments()]


def _file(name: str) -> Tuple[PythonFile, ModuleFacts]:
    source = read_python(str(FOLDER / name))
    assert isinstance(source, SourceFile)
    return PythonFile(source), scan(source)


@EACH_FILE
def test_a_change_reaches_no_further_than_it_says(name: str) -> None:
    file, facts = _file(name)
    changes = list(_changes(file))
    assert len({target.codemod for target, _ in changes}) > 5
    # One in thirty is enough to meet each shape many times.
    for target, change in changes[::30]:
        _demand_sound(file, facts, [change], target.codemod != "remove_suppression")


@EACH_FILE
def test_many_changes_at_once_are_as_sound_as_one(name: str) -> None:
    file, facts = _file(name)
    accepted: List[Change] = []
    names: List[str] = []
    for target in list(_targets(file))[::7]:
        try:
            change = carry_out(file, (target,), names)
            fits = target.codemod not in ("pass_by_keyword",) and put_together(file, [*accepted, change])
        except CannotFixError:
            continue
        if fits:
            accepted.append(change)
            names += change.names
    assert len(accepted) > 10
    _demand_sound(file, facts, accepted, False)


def test_a_place_that_holds_no_such_node_is_left_alone() -> None:
    file, _ = _file(FILES[0])
    from rlobs_lint.codemods._base import TargetGoneError

    with pytest.raises(TargetGoneError):
        carry_out(file, (Target("add_observe_processor", Span(0, 1)),))
