"""What comments hide, and which of them are idle. The findings come from a rule made for it."""

from __future__ import annotations

import re
from typing import Iterator, List, Tuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlobs_lint.comments.commented_files import CommentedFile, python_file, requirements_file, yaml_file
from rlobs_lint.comments.suppressions import Suppressions, parse_comment
from rlobs_lint.facts.ir import Comment
from rlobs_lint.facts.module import Module
from rlobs_lint.facts.scan_file import scan
from rlobs_lint.files.source import SourceFile, decode_python, decode_utf8
from rlobs_lint.model import Finding, Position, Range, Span, Text
from rlobs_lint.rulebook import registry
from rlobs_lint.rules.rlo903_unused_suppression import UnusedSuppression

ALL = frozenset(rule.code for rule in registry.all_rules())
#: Two rules that need no more than to exist.
CODES = ("RLO901", "RLO902")


def _python(text: str) -> CommentedFile:
    source = decode_python("/w/x.py", text.encode())
    assert isinstance(source, SourceFile)
    return python_file(Module("/w/x.py", "x.py", source, scan(source)))


def _findings(source: SourceFile) -> Iterator[Finding]:
    """Yields a finding for each `<901>` or `<902>` in a text, at the sign before it."""
    for match in re.finditer(r"_(90[12])_", source.text):
        place = source.position(match.start())
        yield Finding(f"RLO{match.group(1)}", source.path, Range(place, place), Text("x", "x"))


def _left(file: CommentedFile, selected: frozenset[str] = ALL) -> Tuple[List[str], List[Tuple[int, str]]]:
    """Returns the codes of the findings that stay, and row and kind of each idle part of a comment."""
    suppressions = Suppressions(file, selected)
    left = [finding.code for finding in _findings(file.source) if not suppressions.hides(finding)]
    idle = [
        (
            file.source.position(part.words[0].at.start if part.words else part.directive.at.start).row,
            part.kind,
        )
        for part in suppressions.idle()
    ]
    return left, idle


HIDING = {
    "on the line": "f(_901_)  # rlobs: ignore[RLO901]\n",
    "by name": "f(_901_)  # rlobs: ignore[syntax-error]\n",
    "all rules": "f(_901_, _902_)  # rlobs: ignore\n",
    "all rules, with a reason": "f(_901_)  # rlobs: ignore - generated\n",
    "several": "f(_901_, _902_)  # rlobs: ignore[RLO901, unreadable-file]\n",
    "blanks, case and a reason": "f(_901_)  #rlobs : Ignore [ rlo901 ] since it is old\n",
    "blanks only between": "f(_901_, _902_)  # rlobs: ignore[RLO901 RLO902]\n",
    "noqa": "f(_901_)  # noqa: RLO901\n",
    "noqa among others": "f(_901_)  # NOQA:F401,RLO901,E501 because\n",
    "noqa by name": "f(_901_)  # noqa: syntax-error\n",
    "behind other tools' comments": "f(_901_)  # type: ignore # pylint: disable=x # rlobs: ignore[RLO901]\n",
    "two of ours": "f(_901_, _902_)  # noqa: RLO901  # rlobs: ignore[RLO902]\n",
    "several signs": "f(_901_)  ## rlobs: ignore[RLO901]\n",
    "above": "# rlobs: ignore[RLO901]\nf(_901_)\n",
    "two above": "# rlobs: ignore[RLO901]\n# rlobs: ignore[RLO902]\nf(_901_, _902_)\n",
    "above, indented": "if x:\n    # rlobs: ignore[RLO901]\n    f(_901_)\n",
    "last line of a call": "f(\n    _901_,\n)  # rlobs: ignore[RLO901]\n",
    "first line of a call": "f(  # rlobs: ignore[RLO901]\n    1,\n    _901_,\n)\n",
    "inside a call": "f(\n    1,\n    # rlobs: ignore[RLO901]\n    _901_,\n)\n",
    "continued by a backslash": "x = 1 + \\\n    _901_  # rlobs: ignore[RLO901]\n",
    "beside a long string": 'x = f("""\n_901_\n""")  # rlobs: ignore[RLO901]\n',
    "colon of a def": "def f(\n    _901_,\n):  # rlobs: ignore[RLO901]\n    pass\n",
    "a def by its decorator": "@a  # rlobs: ignore[RLO901]\n@b\ndef _901_():\n    pass\n",
    "between decorators": "@a\n# rlobs: ignore[RLO901]\n@b\ndef _901_(): pass\n",
    "above the decorators": "# rlobs: ignore[RLO901]\n@a\n@b\ndef _901_(): pass\n",
    "a decorator by its def": "@_901_\nclass C:  # rlobs: ignore[RLO901]\n    pass\n",
    "header of a with": "with a(), \\\n    _901_:  # rlobs: ignore[RLO901]\n    pass\n",
    "header of an elif": "if a:\n    pass\nelif _901_:  # rlobs: ignore[RLO901]\n    pass\n",
    "an except": "try:\n    pass\nexcept _901_:  # rlobs: ignore[RLO901]\n    pass\n",
    "a case": "match x:\n    case _901_.y:  # rlobs: ignore[RLO901]\n        pass\n",
    "statements that share a line": "a = 1; f(_901_)  # rlobs: ignore[RLO901]\n",
    "first line of a file with a mark": "\ufefff(_901_)  # rlobs: ignore[RLO901]\n",
    "carriage returns": "a = 1\r\nf(\r\n  _901_\r\n)  # rlobs: ignore[RLO901]\r\n",
    "lone carriage returns": "a = 1\rf(_901_)  # rlobs: ignore[RLO901]\r",
    "wide characters": "字 = '字'; f(_901_)  # rlobs: ignore[RLO901] 原因\n",
    "skip-file": "#!/usr/bin/env python\n# rlobs: skip-file\n'''doc'''\nf(_901_, _902_)\n",
    "skip-file with a reason": "# rlobs: skip-file, generated\nf(_901_)\n",
}


@pytest.mark.parametrize("text", HIDING.values(), ids=HIDING.keys())
def test_it_hides_and_is_not_idle(text: str) -> None:
    assert _left(_python(text)) == ([], [])


NOT_HIDING = {
    "another rule": ("f(_901_)  # rlobs: ignore[RLO902]\n", [(1, "unused")]),
    "a string": ("f(_901_, '# rlobs: ignore[RLO901]')\n", []),
    "a long string": ('f(_901_, """\n# rlobs: ignore[RLO901]\n""")\n', []),
    "two lines above": ("# rlobs: ignore[RLO901]\n\nf(_901_)\n", [(1, "unused")]),
    "above, but not alone": ("x = 1  # rlobs: ignore[RLO901]\nf(_901_)\n", [(1, "unused")]),
    "below": ("f(_901_)\n# rlobs: ignore[RLO901]\n", [(2, "unused")]),
    "on a def, for its body": ("def f():  # rlobs: ignore[RLO901]\n    g(_901_)\n", [(1, "unused")]),
    "in a body, for its def": ("def _901_():\n    g()  # rlobs: ignore[RLO901]\n", [(2, "unused")]),
    "plain noqa": ("f(_901_)  # noqa\n", []),
    "noqa for others": ("f(_901_)  # noqa: F401\n", []),
    "noqa with a reason that names a rule": ("f(_901_)  # noqa: F401 as RLO901 says\n", []),
    "prefix": ("f(_901_)  # rlobs: ignore[RLO9]\n", [(1, "unknown")]),
    "letter for digit": ("f(_901_)  # rlobs: ignore[RLO9O1]\n", [(1, "unknown")]),
    "unknown in noqa": ("f(_901_)  # noqa: RLO999\n", [(1, "unknown")]),
    "empty list": ("f(_901_)  # rlobs: ignore[]\n", [(1, "empty")]),
    "open list": ("f(_901_)  # rlobs: ignore[RLO901\n", [(1, "malformed")]),
    "no brackets": ("f(_901_)  # rlobs: ignore RLO901\n", [(1, "malformed")]),
    "equals sign": ("f(_901_)  # rlobs: ignore=RLO901\n", [(1, "malformed")]),
    "other order": ("f(_901_)  # rlobs: disable\n", [(1, "malformed")]),
    "longer word": ("f(_901_)  # rlobs: ignored\n", [(1, "malformed")]),
    "no colon": ("f(_901_)  # rlobs ignore[RLO901]\n", [(1, "malformed")]),
    "name of the program": ("f(_901_)  # rlobs-lint: ignore[RLO901]\n", [(1, "malformed")]),
    "Chinese colon": ("f(_901_)  # rlobs：ignore[RLO901]\n", [(1, "malformed")]),
    "Chinese brackets": ("f(_901_)  # rlobs: ignore【RLO901】\n", [(1, "malformed")]),
    "prose about the tool": ("f(_901_)  # rlobs-lint: run it before the upload\n", []),
    "prose that quotes": ("f(_901_)  # say `# rlobs: ignore[RLO901]` here\n", []),
    "skip-file too late": ("f(_901_)\n# rlobs: skip-file\n", []),
    "skip-file behind the docstring": ("'''doc'''\n# rlobs: skip-file\nf(_901_)\n", []),
}


@pytest.mark.parametrize(("text", "idle"), NOT_HIDING.values(), ids=NOT_HIDING.keys())
def test_it_hides_nothing(text: str, idle: List[Tuple[int, str]]) -> None:
    assert _left(_python(text)) == (["RLO901"], idle)


def test_known_codes_beside_unknown_ones_hide() -> None:
    assert _left(_python("f(_901_)  # rlobs: ignore[RLO999, RLO901]\n")) == ([], [(1, "unknown")])


def test_each_unused_code_is_idle_unless_all_are() -> None:
    assert _left(_python("f(_901_)  # rlobs: ignore[RLO901, RLO902, RLO903]\n")) == ([], [(1, "unused")] * 2)
    assert _left(_python("f()  # rlobs: ignore[RLO901, RLO902]\n")) == ([], [(1, "unused")])


def test_what_was_not_run_is_not_judged() -> None:
    only = frozenset({"RLO901", "RLO903"})
    assert _left(_python("f()  # rlobs: ignore[RLO902]\n"), only) == ([], [])
    assert _left(_python("f()  # rlobs: ignore\n"), only) == ([], [])
    assert _left(_python("f()  # rlobs: ignore[RLO901, RLO902]\n"), only) == ([], [(1, "unused")])
    assert _left(_python("f()  # rlobs: ignore\n")) == ([], [(1, "unused")])


def test_a_broken_file_can_be_skipped_but_nothing_else() -> None:
    assert _python("# rlobs: skip-file\ndef _901_\n").comments
    assert _left(_python("# rlobs: skip-file\ndef _901_\n")) == ([], [])
    assert _left(_python("def _901_  # rlobs: ignore[RLO901]\n"))[0] == ["RLO901"]


# --- requirements and YAML ------------------------------------------------------------------------


def _requirements(text: str) -> CommentedFile:
    source = decode_utf8("/w/requirements.txt", text.encode())
    assert isinstance(source, SourceFile)
    return requirements_file(source)


def _yaml(text: str) -> CommentedFile:
    source = decode_utf8("/w/job.yaml", text.encode())
    assert isinstance(source, SourceFile)
    return yaml_file(source)


@pytest.mark.parametrize(
    "text",
    [
        "_901_==1  # rlobs: ignore[RLO901]\n",
        "# rlobs: ignore[RLO901]\n_901_==1\n",
        "  # noqa: RLO901\n_901_==1\n",
        "_901_==1 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb  # noqa: RLO901\n",
        "x==1 \\\n    --hash=sha256:_901_  # noqa: RLO901\n",
        "# rlobs: skip-file\n_901_==1\n",
        "\t# rlobs: skip-file\r\n_901_==1\r\n",
    ],
)
def test_comments_of_requirements_hide(text: str) -> None:
    assert _left(_requirements(text)) == ([], [])


def test_a_sign_without_a_blank_is_no_comment_of_requirements() -> None:
    assert _left(_requirements("_901_ @ https://x/y#rlobs: ignore[RLO901]\n")) == (["RLO901"], [])


def test_a_comment_on_another_requirement_hides_nothing() -> None:
    assert _left(_requirements("_901_==1\ny==2  # noqa: RLO901\n")) == (["RLO901"], [(2, "unused")])


@pytest.mark.parametrize(
    "text",
    [
        "a: _901_  # rlobs: ignore[RLO901]\n",
        "# rlobs: ignore[RLO901]\na: _901_\n",
        "a:\n  # noqa: RLO901\n  - _901_\n",
        "a: {b: 1,\n  c: _901_,\n  d: 2}  # noqa: RLO901\n",
        "a: [  # noqa: RLO901\n  1, {x: _901_}\n]\n",
        'a: "one\n  _901_"  # noqa: RLO901\n',
        "# rlobs: skip-file\na: _901_\n",
    ],
)
def test_comments_of_yaml_hide(text: str) -> None:
    assert _left(_yaml(text)) == ([], [])


@pytest.mark.parametrize(
    "text",
    [
        "a: '_901_  # rlobs: ignore[RLO901]'\n",
        "a: |\n  _901_\n  # rlobs: ignore[RLO901]\nb: 1\n",
        "a: _901_#rlobs: ignore[RLO901]\n",
    ],
)
def test_strings_of_yaml_hide_nothing(text: str) -> None:
    assert _left(_yaml(text)) == (["RLO901"], [])


def test_broken_yaml_still_has_comments() -> None:
    assert _left(_yaml("a: [_901_  # noqa: RLO901\nb: }\n"))[0] == []


# --- the rule -------------------------------------------------------------------------------------


def _judged(file: CommentedFile) -> List[Finding]:
    suppressions = Suppressions(file, ALL)
    for finding in _findings(file.source):
        suppressions.hides(finding)
    return list(UnusedSuppression().judge(suppressions))


def _contents(file: CommentedFile) -> List[object]:
    targets = [finding.fix.targets[0] for finding in _judged(file) if finding.fix is not None]
    assert all(target.codemod == "remove_suppression" for target in targets)
    assert all(file.source.text[target.span.start] == "#" for target in targets)
    return [target.parameter("content") for target in targets]


@pytest.mark.parametrize(
    ("comment", "contents"),
    [
        ("# rlobs: ignore[RLO901]", [""]),
        ("# rlobs: ignore", [""]),
        ("# rlobs: ignore[RLO901] with a reason", [""]),
        ("# noqa: RLO901", [""]),
        ("# noqa:RLO901,F401", ["# noqa:F401"]),
        ("# noqa: F401, RLO901 , E501 why", ["# noqa: F401, E501 why"]),
        ("# noqa: RLO901 F401", ["# noqa: F401"]),
        ("# type: ignore  # rlobs: ignore[RLO901]", ["# type: ignore"]),
        ("# rlobs: ignore[RLO901]  # type: ignore", ["# type: ignore"]),
        ("# a # rlobs: ignore[RLO901] # b", ["# a  # b"]),
        ("# rlobs: ignore[RLO999]", []),
        ("# rlobs: ignore[]", []),
        ("# rlobs: nonsense", []),
    ],
)
def test_a_fix_leaves_what_is_not_idle(comment: str, contents: List[str]) -> None:
    assert _contents(_python(f"f()  {comment}\n")) == contents


def test_a_fix_of_one_code_leaves_the_others() -> None:
    file = _python("f(_901_)  # rlobs: ignore[RLO902, RLO901, RLO903] why\n")
    assert _contents(file) == [
        "# rlobs: ignore[RLO901, RLO903] why",
        "# rlobs: ignore[RLO902, RLO901] why",
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a==1  # noqa: RLO901\nb==2\n", "a==1\nb==2\n"),
        ("a==1\n  # noqa: RLO901\nb==2\n", "a==1\nb==2\n"),
        ("a==1\r\n# noqa: RLO901\r\n", "a==1\r\n"),
        ("a==1  # noqa: RLO901, F401\n", "a==1  # noqa: F401\n"),
        ("a==1\n# noqa: RLO901", "a==1\n"),
    ],
)
def test_requirements_are_edited_directly(before: str, after: str) -> None:
    (finding,) = _judged(_requirements(before))
    assert finding.fix is not None
    (edit,) = finding.fix.edits
    assert before[: edit.span.start] + edit.content + before[edit.span.end :] == after


def test_a_comment_can_excuse_itself() -> None:
    file = _python("f()  # rlobs: ignore[RLO901, RLO903]\n")
    suppressions = Suppressions(file, ALL)
    findings = list(UnusedSuppression().judge(suppressions))
    assert findings and all(suppressions.hides(finding) for finding in findings)
    assert not any(
        Suppressions(_python("f()  # rlobs: ignore\n"), ALL).hides(finding) for finding in findings
    )


def test_findings_stand_at_the_code_or_the_comment() -> None:
    file = _python("f(_901_)  # rlobs: ignore[RLO901, RLO902]\ng()  # a # noqa: RLO901 b\n")
    places = {(finding.location.start, finding.location.end) for finding in _judged(file)}
    assert places == {
        (Position(1, 35), Position(1, 41)),
        (Position(2, 10), Position(2, 26)),
    }


@given(st.text(alphabet="# rlobs:ignoreqa[]RLO9012,-\t字", max_size=60))
def test_any_comment_can_be_read(text: str) -> None:
    comment = Comment(Span(7, 7 + len(text) + 1), "#" + text, True)
    for directive in parse_comment(comment):
        assert comment.at.start <= directive.at.start < directive.at.end <= comment.at.end
        for words in ((), directive.words[:1], directive.words):
            rest = directive.without(words) if directive.listed or not words else ""
            assert len(rest) <= len(comment.text) + 2
