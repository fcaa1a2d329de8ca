"""Requirement files are read as pip reads them: joined, split, judged, and placed."""

from __future__ import annotations

import subprocess
import sys
from typing import List, Tuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from rlobs_lint.model import Span
from rlobs_lint.project.requirements import lines
from rlobs_lint.project.requirements.lines import (
    CONSTRAINTS,
    DIRECT,
    INCLUDE,
    NAMED,
    OPTIONS,
    REFUSED,
    UNCLEAR,
    Line,
    logical_lines,
    may_hold_secret,
    normalise,
    read_lines,
)
from tests.project.requirements.building import line_of

#: Pieces that bring out what is special about these files.
PIECES = st.sampled_from(
    [
        *("opentelemetry-api", "OpenTelemetry_SDK", "foo", "==1.41.1", ">=2", "~=1", "=", "[a]", "(", ")"),
        *(
            ",",
            ";",
            "@",
            " ; python_version > '3'",
            "\\",
            "\\\n",
            "\\\r\n",
            "\n",
            "\r\n",
            "\r",
            "\x0b",
            "\x0c",
        ),
        *("\x1c", "\x85", "\u2028", " ", "\t", "\xa0", "#", " # note", "# note\\\n", "-r ", "-c base.txt"),
        *(
            "--hash=sha256:ab",
            "-e .",
            "--pre",
            "-",
            "'",
            '"',
            "${NAME}",
            "https://host/a.whl",
            "./a",
            "\0",
            "é",
        ),
    ]
)
TEXTS = st.one_of(st.lists(PIECES, max_size=16).map("".join), st.text(max_size=60))


def texts_of(text: str) -> List[str]:
    return [line.text for line in logical_lines(text)]


# --- lines ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", []),
        ("\n\n  \n# only a comment\n", []),
        ("foo\nbar", ["foo", "bar"]),
        ("  foo \t\n", ["foo"]),
        ("foo==1 # note", ["foo==1"]),
        ("foo==1\t#note", ["foo==1"]),
        ("foo==1#note", ["foo==1#note"]),
        ("a @ https://h/x#sha256=1", ["a @ https://h/x#sha256=1"]),
        ("    # via bar", []),
        ("foo \\\n  ==1", ["foo   ==1"]),
        ("fo\\\no", ["foo"]),
        ("foo \\\r\n==1\r\nbar", ["foo ==1", "bar"]),
        ("foo \\\n# note\nbar", ["foo", "bar"]),
        ("foo \\\n   # note\nbar", ["foo", "bar"]),
        ("foo # note \\\nbar\nlast", ["foo", "last"]),
        ("# note \\\nbar", ["bar"]),
        ("foo \\\n\nbar", ["foo", "bar"]),
        ("foo \\", ["foo"]),
        ("foo \\\n", ["foo"]),
        ("\\", []),
        ("\\\\foo\\\nbar", ["foobar"]),
        ("foo \\ \nbar", ["foo \\", "bar"]),
        ("a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g\rh", list("abcdefgh")),
    ],
)
def test_lines_are_joined_and_stripped(text: str, wanted: List[str]) -> None:
    assert texts_of(text) == wanted


@given(TEXTS)
def test_every_character_of_a_line_knows_its_place(text: str) -> None:
    end = 0
    for line in logical_lines(text):
        assert end <= line.extent.start < line.extent.end <= len(text)
        end = line.extent.end
        places = [line.span(index, index + 1) for index in range(len(line.text))]
        assert "".join(text[place.start : place.end] for place in places) == line.text
        assert all(line.extent.start <= place.start < line.extent.end for place in places)
        assert places == sorted(places)
        assert line.span(0, len(line.text)) == Span(places[0].start, places[-1].end)
        assert line.span(0, 0) == Span(places[0].start, places[0].start)
        assert line.span(len(line.text), len(line.text)) == Span(places[-1].end, places[-1].end)


def test_a_place_behind_a_joined_part_stays_beside_its_text() -> None:
    text = "foo\\\n\\\n==1"
    (line,) = logical_lines(text)
    assert line.text == "foo==1"
    assert line.span(3, 3) == Span(3, 3)
    assert line.span(3, 6) == Span(7, 10)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("--index-url https://user:secret@host/simple", True),
        ("foo @ git+https://token@host/foo", True),
        ("--token=secret", True),
        ("-p --my-password secret", True),
        ("foo==1 --hash=sha256:ab", False),
        ("-r base.txt", False),
        ("tokenizers==0.20", False),
        ("foo==1 # a token", False),
    ],
)
def test_lines_that_may_hold_a_secret(line: str, wanted: bool) -> None:
    assert may_hold_secret(line) is wanted


# --- what they ask for ----------------------------------------------------------------------------


@given(TEXTS)
def test_nothing_is_too_odd_to_be_read(text: str) -> None:
    for line in read_lines(text):
        assert line.extent.start <= line.at.start < line.at.end <= line.extent.end
        assert bool(line.problem) == (line.kind == REFUSED)
        if line.kind == NAMED:
            assert line.at.start <= line.specifier_at.start <= line.specifier_at.end <= line.at.end
            written = text[line.specifier_at.start : line.specifier_at.end]
            assert "".join(written.replace("\\", "").split()) == "".join(line.specifier.split())


@pytest.mark.parametrize(
    ("text", "name", "specifier", "marker"),
    [
        ("foo", "foo", "", ""),
        ("OpenTelemetry_API==1.41.1", "opentelemetry-api", "==1.41.1", ""),
        ("opentelemetry.api", "opentelemetry-api", "", ""),
        ("a--b__c..d>=1", "a-b-c-d", ">=1", ""),
        ("Dashscope[agentic_rl] >= 1 ; python_version>'3'", "dashscope", ">= 1", "python_version>'3'"),
        ("dashscope (>=1.2)", "dashscope", ">=1.2", ""),
        ("dashscope ( >=1.2 , <2 )", "dashscope", ">=1.2 , <2", ""),
        ("foo()", "foo", "", ""),
        ("foo[]", "foo", "", ""),
        ("foo [ a , b ]", "foo", "", ""),
        ("foo;", "foo", "", ""),
        ("foo==1.41.*", "foo", "==1.41.*", ""),
        ("foo===nonsense", "foo", "===nonsense", ""),
        ("foo~=1.4,!=1.5", "foo", "~=1.4,!=1.5", ""),
        ("foo==1+local", "foo", "==1+local", ""),
        ("foo == 1 -r ignored.txt", "foo", "== 1", ""),
        ("foo\t==\t1", "foo", "==\t1", ""),
    ],
)
def test_named_requirements(text: str, name: str, specifier: str, marker: str) -> None:
    line = line_of(text)
    assert (line.kind, line.name, line.specifier, line.marker) == (NAMED, name, specifier, marker)
    assert text[line.specifier_at.start : line.specifier_at.end] == specifier


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("foo", "foo"),
        ("foo ; python_version>'3'", "foo"),
        ("foo [a] # c", "foo [a]"),
        ("foo ()", "foo ("),
        (" foo  ", " foo"),
    ],
)
def test_a_version_goes_right_behind_name_and_extras(text: str, before: str) -> None:
    at = line_of(text).specifier_at
    assert at.start == at.end and text[: at.start] == before


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("foo @ https://host/foo.whl", DIRECT),
        ("foo@git+https://host/foo", DIRECT),
        ("git+ssh://git@host/foo.git#egg=foo", DIRECT),
        ("https://user:secret@host/foo.tar.gz", DIRECT),
        ("file:///opt/foo.whl", DIRECT),
        ("./foo", DIRECT),
        ("vendor/foo", DIRECT),
        (".\\foo.whl", DIRECT),
        ("foo-1.0-py3-none-any.whl", DIRECT),
        ("foo.tar.gz ; python_version>'3'", DIRECT),
        ("foo==1#a/b.whl", DIRECT),
        ("foo#a/b", DIRECT),
        ("-e .", DIRECT),
        ("--editable=git+https://host/foo#egg=foo", DIRECT),
        ("--index-url https://user:secret@host/simple", OPTIONS),
        ("-i https://host foo", OPTIONS),
        ("--pre", OPTIONS),
        ("--hash=sha256:ab", OPTIONS),
        ("--extra https://host", OPTIONS),
        ("-- foo", OPTIONS),
        ("--index-url https://${TOKEN}@host/simple", OPTIONS),
        ("${PACKAGE}", UNCLEAR),
        ("foo==${VERSION}", UNCLEAR),
        ("foo --hash=${HASH}", UNCLEAR),
        ("--req base.txt", UNCLEAR),
        ("foo -e bar", UNCLEAR),
        ("foo>=1.*", UNCLEAR),
        ("foo (<2.*,>=1+cpu)", UNCLEAR),
        ("foo!=1.0-custom", UNCLEAR),
        ("foo===", UNCLEAR),
        ("foo===1)", UNCLEAR),
        ("foo===1 ,>=1+x", UNCLEAR),
        ("foo===1 ,>=1.*", UNCLEAR),
        ("foo>=1.0<2.0", UNCLEAR),
        ("foo>=1,", UNCLEAR),
        ("foo_", UNCLEAR),
        ("foo_[a]>=1,", UNCLEAR),
        ("foo" + "_" * 2000 + ">=1.*", UNCLEAR),
        ("foo" + "-foo" * 2000, UNCLEAR),
        ("--pre " * 10_000, UNCLEAR),
    ],
)
def test_other_kinds(text: str, kind: str) -> None:
    assert line_of(text).kind == kind


@pytest.mark.parametrize(
    ("text", "kind", "target"),
    [
        ("-r base.txt", INCLUDE, "base.txt"),
        ("-rbase.txt", INCLUDE, "base.txt"),
        ("-r=base.txt", INCLUDE, "=base.txt"),
        ("--requirement base.txt", INCLUDE, "base.txt"),
        ("--requirement=base.txt", INCLUDE, "base.txt"),
        ("--requirem base.txt", INCLUDE, "base.txt"),
        ("-r 'a b.txt' # c", INCLUDE, "a b.txt"),
        ("-r a\\ b.txt", INCLUDE, "a b.txt"),
        ("-r \\\n  base.txt", INCLUDE, "base.txt"),
        ("-r a.txt -r b.txt", INCLUDE, "a.txt"),
        ("-c pins.txt -r a.txt", INCLUDE, "a.txt"),
        ("-r https://host/base.txt", INCLUDE, "https://host/base.txt"),
        ("-r ${FILES}/base.txt", INCLUDE, ""),
        ("-c pins.txt", CONSTRAINTS, "pins.txt"),
        ("-cpins.txt", CONSTRAINTS, "pins.txt"),
        ("--constraint=pins.txt", CONSTRAINTS, "pins.txt"),
        ("--constr pins.txt", CONSTRAINTS, "pins.txt"),
    ],
)
def test_includes_in_every_spelling(text: str, kind: str, target: str) -> None:
    line = line_of(text)
    assert (line.kind, line.target) == (kind, target)


@pytest.mark.parametrize(
    ("text", "problem", "option"),
    [
        ("pkg=1", "operator", ""),
        ("pkg[a] = 1", "operator", ""),
        ("dashscope>=1.25.19#x", "comment", ""),
        ("foo==1# c", "comment", ""),
        ("foo===1# c", "comment", ""),
        ("foo (===1# c)", "comment", ""),
        ("foo==1# see a/b", "comment", ""),
        ("foo[a]>=1,<2#see https://host/a", "comment", ""),
        ("foo===1# a\\b", "comment", ""),
        ("foo# see a/b", "comment", ""),
        ("foo===1 c", "line", ""),
        ("foo===1 <2", "line", ""),
        ("foo bar", "line", ""),
        ("foo >=1 <2", "line", ""),
        ("foo>=1,,<2", "line", ""),
        ("foo~=1", "line", ""),
        ("foo==", "line", ""),
        ("foo==latest", "line", ""),
        ("foo>=latest", "line", ""),
        ("foo==1.0-custom", "line", ""),
        ("foo==.1", "line", ""),
        ("foo==1；python_version>'3'", "line", ""),
        ("föö", "line", ""),
        ("'foo'", "line", ""),
        ("foo[a", "line", ""),
        ("foo[a,]>=1", "line", ""),
        ("foo(>=1", "line", ""),
        ("foo @", "line", ""),
        ("foo ; python_version", "line", ""),
        ("foo ; python_version > 3", "line", ""),
        ("foo ; nothing == 'x'", "line", ""),
        ("foo\t--pre", "line", ""),
        ("foo\u3000==1", "line", ""),
        ("-r", "line", ""),
        ("-r 'x", "line", ""),
        ("foo --hash", "line", ""),
        ("foo --hash=md5:ab", "line", ""),
        ("foo --hash=ab", "line", ""),
        ("--pre=yes", "line", ""),
        ("--upgrade", "option", "--upgrade"),
        ("--token=secret", "option", "--token"),
        ("foo -U", "option", "-U"),
        ("-Ufoo", "option", "-U"),
    ],
)
def test_what_every_pip_refuses(text: str, problem: str, option: str) -> None:
    line = line_of(text)
    assert (line.kind, line.problem, line.target) == (REFUSED, problem, option)


@pytest.mark.parametrize(
    ("text", "hashed"),
    [
        ("foo==1 --hash=sha256:ab", True),
        ("foo==1 \\\n    --hash=sha256:ab \\\n    --hash=sha512:cd # c", True),
        ("foo==1 --hash sha384:ab --pre", True),
        ("https://host/foo.whl --hash=sha256:ab", True),
        ("--require-hashes", True),
        ("--hash=sha256:ab", False),
        ("foo==1", False),
    ],
)
def test_hashes(text: str, hashed: bool) -> None:
    assert line_of(text).hashed is hashed


@pytest.mark.parametrize(
    ("text", "mentioned"),
    [
        ("Opentelemetry_API", True),
        ("opentelemetry-api-extras", False),
        ("opentelemetry-api=1.41.1", True),
        ("'opentelemetry-api==1.41.1'", True),
        ("foo bar opentelemetry.api", True),
        ("opentelemetry-api==${VERSION}", True),
        ("opentelemetry-api @ https://host/x.whl", True),
        ("git+https://host/x.git#egg=opentelemetry-api", True),
        ("git+https://host/x.git#subdirectory=opentelemetry-api", True),
        ("-e ./vendor/opentelemetry_api", True),
        ("wheels/opentelemetry_api-1.41.1-py3-none-any.whl", True),
        ("wheels/opentelemetry_api_extras-1.41.1-py3-none-any.whl", False),
        ("https://host/opentelemetry-api-1.41.1.tar.gz", True),
        ("--find-links ./opentelemetry-api", False),
        ("-r opentelemetry-api", False),
    ],
)
def test_what_a_line_mentions(text: str, mentioned: bool) -> None:
    assert line_of(text).mentions("opentelemetry-api") is mentioned


def test_a_long_chain_of_lines_is_read_in_one_go() -> None:
    text = "a\\\n" * 50_000 + "foo" + " " * 50_000 + "#x\n" + "\\" * 50_000
    (line,) = read_lines(text)
    assert line.kind == UNCLEAR


@given(st.from_regex(lines._PLAIN, fullmatch=True))
def test_the_short_cut_takes_only_what_the_parser_takes(text: str) -> None:
    parsed = Requirement(text)
    line = line_of(text)
    assert (line.kind, line.name) == (NAMED, canonicalize_name(parsed.name))
    assert SpecifierSet(line.specifier) == parsed.specifier
    assert line.extras == bool(parsed.extras)


@given(st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?", fullmatch=True))
def test_names_are_normalised_as_everybody_does(name: str) -> None:
    assert normalise(name) == canonicalize_name(name)


def test_plain_files_are_read_and_judged_without_heavy_imports() -> None:
    program = (
        "import sys\n"
        "from rlobs_lint.project.requirements.pins import RIGHT, standing\n"
        "from rlobs_lint.project.requirements.lines import read_lines\n"
        "lines = list(read_lines('a == 1.0\\nb[x]>=1.0,<2 # c\\nc \\\\\\n --hash=sha256:ab\\n'))\n"
        "assert len(lines) == 3 and standing(lines[0], '1.0') == RIGHT\n"
        "print([name for name in ('packaging', 'optparse', 'libcst', 'yaml') if name in sys.modules])\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_the_place_of_a_requirement_leaves_out_comment_and_options() -> None:
    text = "# head\n  foo >=1 ; python_version>'3'  --hash=sha256:ab # c\n"
    line: Line = line_of(text)
    assert text[line.at.start : line.at.end] == "foo >=1 ; python_version>'3'"
    assert text[line.extent.start : line.extent.end] == text.splitlines()[1]


def test_kinds_have_names_of_their_own() -> None:
    kinds: Tuple[str, ...] = (NAMED, DIRECT, INCLUDE, CONSTRAINTS, OPTIONS, UNCLEAR, REFUSED)
    assert len(set(kinds)) == len(kinds)
