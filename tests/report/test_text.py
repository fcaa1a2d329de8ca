"""The formats for people: lines that editors understand, carets that stand where they should."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Tuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlobs_lint.model import Applicability, Edit, Finding, Fix, Note, Position, Range, Span, Text
from rlobs_lint.report import render
from rlobs_lint.report.outcome import Outcome
from rlobs_lint.report.text import _columns, _window
from tests.linting import Project

SAY = Text("{name} is wrong", "{name} 有误")


def _range(row: int, column: int, end_row: int, end_column: int) -> Range:
    return Range(Position(row, column), Position(end_row, end_column))


def _outcome(folder: Path, text: str, location: Range, language: str = "en", **parts: object) -> Outcome:
    """Makes an outcome with one finding in a file."""
    project = Project(folder).write({"functions/x.py": text})
    (checked,) = project.lint().checked
    finding = Finding("RLO901", str(folder / "functions/x.py"), location, SAY, (("name", "It"),))
    options = {key: parts.pop(key) for key in ("colour", "quiet", "unsafe_fixes") if key in parts}
    finding = finding._replace(**parts)  # type: ignore[arg-type]
    return Outcome((checked._replace(findings=(finding,)),), language, str(folder), **options)  # type: ignore[arg-type]


def _frame(text: str, location: Range, folder: Path) -> Tuple[str, str]:
    """Returns the source line and the caret line of the one finding."""
    lines = render("text", _outcome(folder, text, location, quiet=True)).split("\n")
    return lines[2], lines[3]


def test_concise_is_one_line_a_finding(tmp_path: Path) -> None:
    outcome = _outcome(tmp_path, "x = 1\n", _range(1, 5, 1, 6))
    assert render("concise", outcome) == (
        "functions/x.py:1:5: RLO901 It is wrong\nFound 1 error and 0 warnings in 1 file.\n"
    )
    assert (
        render("concise", outcome._replace(quiet=True, language="zh"))
        == "functions/x.py:1:5: RLO901 It 有误\n"
    )


def test_text_shows_source_notes_help_and_rule(tmp_path: Path) -> None:
    path = str(tmp_path / "functions/x.py")
    outcome = _outcome(
        tmp_path,
        "import a\nx = a.b(1)\n",
        _range(2, 5, 2, 11),
        notes=(
            Note(
                path, _range(1, 8, 1, 9), Text("{what} is imported here", "此处导入 {what}"), (("what", "a"),)
            ),
        ),
        fix=Fix(Applicability.SAFE, Text("Call {name}", "调用 {name}"), path),
    )
    assert render("text", outcome) == (
        "functions/x.py:2:5: RLO901 [*] It is wrong\n"
        "  |\n"
        "2 | x = a.b(1)\n"
        "  |     ^^^^^^\n"
        "  = note: functions/x.py:1:8: a is imported here\n"
        "  = help: Call It\n"
        "  = rule: syntax-error (https://github.com/rlobs-lint/rlobs-lint/blob/main/docs/rules/syntax-error.md)\n"
        "\n"
        "Found 1 error and 0 warnings in 1 file.\n"
        "[*] 1 finding can be fixed with `--fix`.\n"
    )
    chinese = render("text", outcome._replace(language="zh"))
    assert "  = 说明: functions/x.py:1:8: 此处导入 a\n  = 修复: 调用 It\n  = 规则: syntax-error" in chinese
    assert "已检查 1 个文件：1 个错误，0 个警告。\n[*] 1 个问题可用 `--fix` 修复。" in chinese


def test_text_shows_what_a_fix_changes(tmp_path: Path) -> None:
    path, other = str(tmp_path / "functions/x.py"), str(tmp_path / "new.txt")
    text = "import a\r\nx = b(1)\r\n\ty = 2\r\n"
    start = text.index("b(")
    edits = (
        Edit(path, Span(0, 0), "import c\r\n"),
        Edit(path, Span(start, start + 1), "c"),
        Edit(path, Span(start + 2, start + 3), "2"),
        Edit(other, Span(0, 0), "\x1b[31m\n"),
    )
    fix = Fix(Applicability.SAFE, Text("Call c", "调用 c"), path, edits=edits)
    shown = render("text", _outcome(tmp_path, text, _range(2, 5, 2, 9), fix=fix))
    assert (
        "  = help: Call c\n"
        "  | + import c\n"
        "  | - x = b(1)\n"
        "  | + x = c(2)\n"
        "  | new.txt:\n"
        "  | + \\x1b[31m\n"
        "  = rule: syntax-error"
    ) in shown


def test_a_change_shows_no_secrets_and_not_too_much(tmp_path: Path) -> None:
    path = str(tmp_path / "functions/x.py")
    required = str(tmp_path / "requirements.txt")
    edits = (
        Edit(required, Span(0, 0), "--index-url https://me:token@host\n"),
        Edit(path, Span(0, 0), "x\n" * 50),
    )
    fix = Fix(Applicability.SAFE, Text("Change", "修改"), path, edits=edits)
    shown = render("text", _outcome(tmp_path, "x = 1\n", _range(1, 1, 1, 2), fix=fix))
    assert "token" not in shown and "| + …" in shown
    assert shown.count("| + x") == 19 and "  | …\n" in shown


def test_an_unsafe_fix_is_marked_only_when_asked_for(tmp_path: Path) -> None:
    fix = Fix(Applicability.UNSAFE, Text("Try", "尝试"), str(tmp_path))
    outcome = _outcome(tmp_path, "x = 1\n", _range(1, 1, 1, 2), fix=fix)
    text = render("text", outcome)
    assert "[*]" not in text
    assert "help (unsafe fix): Try" in text
    assert "1 finding more can be fixed with `--fix --unsafe-fixes`." in text
    text = render("text", outcome._replace(unsafe_fixes=True))
    assert "RLO901 [*] It" in text and "[*] 1 finding can be fixed" in text


def test_a_missing_fix_gives_its_reason(tmp_path: Path) -> None:
    outcome = _outcome(tmp_path, "x\n", _range(1, 1, 1, 2), unfixable=Text("it has hashes", "含有哈希"))
    assert "  = note: no fix is offered: it has hashes\n" in render("text", outcome)


@pytest.mark.parametrize(
    ("text", "location", "line", "carets"),
    [
        ("x = 1\n", _range(1, 1, 1, 1), "1 | x = 1", "  | ^"),
        ("x = 1\n", _range(1, 5, 1, 6), "1 | x = 1", "  |     ^"),
        ("观测 = 追踪(x)\n", _range(1, 6, 1, 8), "1 | 观测 = 追踪(x)", "  |        ^^^^"),
        ("\tx = 1\n", _range(1, 2, 1, 3), "1 |     x = 1", "  |     ^"),
        ("ab\tx = 1\n", _range(1, 4, 1, 5), "1 | ab  x = 1", "  |     ^"),
        ("x = '\x1b' + y\n", _range(1, 12, 1, 13), "1 | x = '\\x1b' + y", "  |             ^"[:-1] + "  ^"),
        ("x = 'e\u0301' + y\n", _range(1, 12, 1, 13), "1 | x = 'e\u0301' + y", "  |           ^"),
        ("f(\n  1,\n)\n", _range(1, 1, 3, 2), "1 | f(", "  | ^^"),
        ("x = 1   \ny\n", _range(1, 5, 2, 1), "1 | x = 1", "  |     ^"),
        ("x = 1\n", _range(1, 99, 1, 120), "1 | x = 1", "  |      ^"),
        ("\ufeffx = 1\n", _range(1, 1, 1, 2), "1 | x = 1", "  | ^"),
        ("\r\n\r\nx = 1\r\n", _range(3, 1, 3, 2), "3 | x = 1", "  | ^"),
    ],
)
def test_carets_stand_below_the_finding(
    tmp_path: Path, text: str, location: Range, line: str, carets: str
) -> None:
    assert _frame(text, location, tmp_path) == (line, carets)


def test_a_long_line_is_shown_around_the_finding(tmp_path: Path) -> None:
    text = "x = [" + "1, " * 2000 + "wrong, " + "2, " * 2000 + "]\n"
    column = text.index("wrong") + 1
    line, carets = _frame(text, _range(1, column, 1, column + 5), tmp_path)
    assert len(line) < 200
    assert line[carets.index("^") : carets.rindex("^") + 1] == "wrong"
    assert line.count("…") == 2


def test_a_row_that_does_not_exist_has_no_frame(tmp_path: Path) -> None:
    text = render("text", _outcome(tmp_path, "", _range(1, 1, 1, 1), quiet=True))
    assert text.split("\n")[1].startswith("  = rule")


def test_colours_surround_and_change_nothing_else(tmp_path: Path) -> None:
    import re

    outcome = _outcome(tmp_path, "x = 1\n", _range(1, 5, 1, 6))
    coloured = render("text", outcome._replace(colour=True))
    assert "\x1b[31m" in coloured
    assert re.sub(r"\x1b\[\d+m", "", coloured) == render("text", outcome)


@pytest.mark.parametrize(
    ("language", "says"), [("en", "Nothing found in 1 file.\n"), ("zh", "已检查 1 个文件，未发现问题。\n")]
)
def test_a_clean_run_says_so(tmp_path: Path, language: str, says: str) -> None:
    outcome = _outcome(tmp_path, "x = 1\n", _range(1, 1, 1, 1))
    clean = outcome._replace(checked=(outcome.checked[0]._replace(findings=()),), language=language)
    assert render("text", clean) == render("concise", clean) == says
    assert render("text", clean._replace(quiet=True)) == ""


@given(
    st.text(alphabet=st.characters(exclude_characters="\r\n"), max_size=300),
    st.integers(1, 320),
    st.integers(0, 40),
)
def test_any_line_is_laid_out_in_one_row(line: str, column: int, length: int) -> None:
    window = _window(line, _range(1, column, 1, column + length))
    assert not any(unicodedata.category(character) in ("Cc", "Cs") for character in window.text)
    assert window.length >= 1
    assert 0 <= window.indent <= _columns(window.text) + 200
