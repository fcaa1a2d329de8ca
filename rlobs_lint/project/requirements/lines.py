"""Requirement files as pip reads them: how it joins their lines, and what each of them asks for.

Checked against the parsers of pip 22.0, 23.2.1, 24.0 and 26.3. Where these disagree, or the answer
depends on the machine that installs, a line counts as unclear, and nothing is claimed about it.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from typing import FrozenSet, Iterator, List, NamedTuple, Tuple

from rlobs_lint.model import Span
from rlobs_lint.project.requirements import line_options

#: What a line asks for. `NAMED`: a package by its name. `DIRECT`: a URL, a path, an archive or an
#: editable project. `UNCLEAR`: a line that only some pips take, or that environment variables complete.
NAMED, DIRECT, INCLUDE, CONSTRAINTS, OPTIONS, UNCLEAR, REFUSED = (
    "named", "direct", "include", "constraints", "options", "unclear", "refused",
)  # fmt: skip

_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
_VERSION = r"v?\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?(?:\.post\d+)?(?:\.dev\d+)?"
_CLAUSE = rf"(?:(?:==|!=|<=|>=|<|>) *{_VERSION}|(?:==|!=) *\d+(?:\.\d+)*\.\*|~= *\d+(?:\.\d+)+)"
_HEAD = re.compile(rf"({_NAME})\s*(\[[^\]]*\])?\s*", re.ASCII)
# Forms so common and so plain that the parser need not be imported to know that pip takes them.
_PLAIN = re.compile(rf"{_NAME}(?:\[{_NAME}(?: *, *{_NAME})*\])? *(?:{_CLAUSE}(?: *, *{_CLAUSE})*)?", re.ASCII)
# Until 24.1 pip took any word for a version. In an inequality such a word still means something.
_LOOSE_INEQUALITY = re.compile(r"(?:!=|<=|>=|<|>)\s*v?\d[^\s;()#]*", re.ASCII)
_TRAILING_UNDERSCORES = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*?)_+(?=[^A-Za-z0-9._-]|$)")
_ADDRESS = re.compile(r"(?:https?|file|ftp|ssh|sftp|(?:git|hg|bzr|svn)(?:\+\w+)?):", re.IGNORECASE)
_ARCHIVE = re.compile(
    r"\.(?:zip|whl|tar|tgz|tbz|txz|tlz|tar\.(?:gz|bz2|xz|lz|lzma))\s*(?:;|$)", re.IGNORECASE
)
_DIRECT = re.compile(
    rf"[^;]*(?:/|\\)|\.|{_ADDRESS.pattern}"
    rf"|{_NAME}\s*(?:\[[^\]]*\])?\s*@\s*\S"
    rf"|[^;]*{_ARCHIVE.pattern}",
    re.IGNORECASE,
)
#: A longer requirement (characters) is a mistake of some kind, but too costly to judge.
_LONGEST = 4000
_VARIABLE = re.compile(r"\$\{[A-Z0-9_]+\}")
_PRIVATE = re.compile(r"://|--?[\w-]*(?:token|pass|secret|key)", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_SINGLE_EQUALS = re.compile(rf"{_NAME}\s*(?:\[[^\]]*\])?\s*=(?!=)")


class LogicalLine(NamedTuple):
    """A line after pip has joined continuations and dropped the comment; never blank.

    Attributes:
        text: What is left, without white space at its ends.
        pieces: Where parts of `text` begin: index in `text`, offset in the file.
        extent: All its rows in the file, comment included, without the last line end.
    """

    text: str
    pieces: Tuple[Tuple[int, int], ...]
    extent: Span

    def span(self, start: int, end: int) -> Span:
        """Returns where the characters from `start` to before `end` of `text` stand in the file."""
        if start == end:
            place = self._offset(start - 1) + 1 if start else self._offset(0)
            return Span(place, place)
        return Span(self._offset(start), self._offset(end - 1) + 1)

    def _offset(self, index: int) -> int:
        start, offset = self.pieces[bisect_right(self.pieces, (index, sys.maxsize)) - 1]
        return offset + index - start


class Line(NamedTuple):
    """What one logical line asks for.

    Attributes:
        kind: One of the constants of this module.
        at: The requirement, or the whole line where it is none.
        extent: All its rows, comment included, without the last line end.
        name: Normalised name of a named requirement, else empty.
        extras: Whether a named requirement has extras.
        specifier: Its version clauses as written, without brackets.
        specifier_at: Where they stand; empty, behind name and extras, where there are none.
        marker: Its environment marker, without the semicolon; also of a direct or an unclear line.
        hashed: Whether the line demands hashes.
        editable: Whether it is an editable project.
        target: The path or URL of an include or constraints line, empty where a variable is in it; the
            unknown option where that is the problem.
        words: What a line that is no named requirement mentions, normalised; never for display.
        problem: Why pip refuses the line: `operator`, `comment`, `option` or `line`.
    """

    kind: str
    at: Span
    extent: Span
    name: str = ""
    extras: bool = False
    specifier: str = ""
    specifier_at: Span = Span(0, 0)
    marker: str = ""
    hashed: bool = False
    editable: bool = False
    target: str = ""
    words: FrozenSet[str] = frozenset()
    problem: str = ""

    def mentions(self, name: str) -> bool:
        """Whether a line of whatever kind speaks of a package; for archives, by their file names."""
        if self.kind == NAMED:
            return self.name == name
        return name in self.words or any(re.match(rf"{re.escape(name)}-\d", word) for word in self.words)


def normalise(name: str) -> str:
    """Returns a distribution name in its normal form (`packaging` does so too, but costs an import)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def may_hold_secret(line: str) -> bool:
    """Whether a line must not be shown: addresses and some options hold passwords and tokens."""
    return _PRIVATE.search(line) is not None


def read_lines(text: str) -> Iterator[Line]:
    """Yields what the lines of a requirements file ask for, blank ones and comments left out."""
    return map(_read_line, logical_lines(text))


def logical_lines(text: str) -> Iterator[LogicalLine]:
    """Joins and strips lines as pip does; it splits wherever `str.splitlines` does."""
    pending: List[Tuple[str, int]] = []
    start = first = end = 0
    for physical in text.splitlines(keepends=True):
        line = physical.splitlines()[0]
        if not pending:
            first = start
        end = start + len(line)
        if not _is_comment(line):
            joined = line.strip("\\") if is_continued(line) else line
            pending.append((joined, start + line.find(joined)))
        if not is_continued(line):
            yield from _finish(pending, Span(first, end))
            pending = []
        start += len(physical)
    yield from _finish(pending, Span(first, end))


def is_continued(line: str) -> bool:
    """Whether pip joins a line of the file with the next one: a comment never is, whatever it ends in."""
    return line.endswith("\\") and not _is_comment(line)


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def _finish(parts: List[Tuple[str, int]], extent: Span) -> Iterator[LogicalLine]:
    joined = "".join(part for part, _ in parts)
    text = joined[: _comment_start(joined)]
    skipped = len(text) - len(text.lstrip())
    text = text.strip()
    if not text:
        return
    pieces: List[Tuple[int, int]] = []
    index = -skipped
    for part, offset in parts:
        if part and index + len(part) > 0:
            pieces.append((max(index, 0), offset + max(-index, 0)))
        index += len(part)
    yield LogicalLine(text, tuple(pieces), extent)


def _comment_start(text: str) -> int:
    index = text.find("#")
    while index > 0 and not text[index - 1].isspace():
        index = text.find("#", index + 1)
    return len(text) if index < 0 else index


def _read_line(line: LogicalLine) -> Line:
    requirement, options_text = _split_options(line.text)
    whole = line.span(0, len(line.text))
    has_variable = _VARIABLE.search(options_text) is not None
    options = line_options.Options()
    try:
        if options_text:
            options = line_options.parse(options_text)
    except line_options.RefusedOptionsError as error:
        if not has_variable:
            return _refused(line, "option" if error.option else "line", error.option)
        return Line(UNCLEAR, whole, line.extent, words=_words(line.text))
    except line_options.UnclearOptionsError:
        return Line(UNCLEAR, whole, line.extent, words=_words(line.text))
    if requirement:
        return _read_requirement(line, requirement, options)
    if options.editable:
        return Line(DIRECT, whole, line.extent, editable=True, words=_words(options.editable))
    if options.include or options.constraints:
        kind = INCLUDE if options.include else CONSTRAINTS
        target = "" if has_variable else options.include or options.constraints
        return Line(kind, whole, line.extent, target=target)
    return Line(OPTIONS, whole, line.extent, hashed=options.require_hashes)


def _split_options(text: str) -> Tuple[str, str]:
    """Splits as pip does: options begin with the first word, after a blank, that starts with `-`."""
    if text.startswith("-"):
        return "", text
    requirement, separator, options = text.partition(" -")
    return requirement.rstrip(" "), separator.lstrip() + options


def _read_requirement(line: LogicalLine, text: str, options: line_options.Options) -> Line:
    at = line.span(0, len(text.rstrip()))
    # In an address, a semicolon without a blank behind it is part of the address.
    body, _, marker = text.partition("; " if _ADDRESS.match(text) else ";")
    verdict = UNCLEAR
    if _has_glued_comment(text):
        verdict = REFUSED
    elif _DIRECT.match(text):
        verdict = DIRECT
    elif not options.editable and not _VARIABLE.search(text) and len(text) <= _LONGEST:
        verdict = _judge(body.strip(), marker.strip())
    if verdict in (DIRECT, UNCLEAR):
        words = _words(text)
        return Line(verdict, at, line.extent, marker=marker.strip(), hashed=options.hashed, words=words)
    head = _HEAD.match(body)
    if verdict == REFUSED or head is None:
        return _refused(line, _problem(text))
    start, end = head.end(), len(body.rstrip())
    if body[start : start + 1] == "(":
        start, end = start + 1, end - 1
    specifier = body[start:end].strip()
    start = body.index(specifier, start) if specifier else len(body[:start].rstrip())
    return Line(
        NAMED,
        at,
        line.extent,
        name=normalise(head.group(1)),
        extras=bool(head.group(2) and head.group(2).strip("[] \t")),
        specifier=specifier,
        specifier_at=line.span(start, start + len(specifier)),
        marker=marker.strip(),
        hashed=options.hashed,
    )


def _has_glued_comment(text: str) -> bool:
    """Whether a comment has no blank before it, so that its slashes look like those of a path or URL."""
    before, sign, after = text.partition("#")
    if not sign or not _DIRECT.match(text) or _ARCHIVE.search(text) or len(text) > _LONGEST:
        return False
    has_version = re.search("[=<>]", before) is not None
    return (has_version or after[:1].isspace()) and _judge(before.strip(), "") == NAMED


def _judge(body: str, marker: str) -> str:
    """Tells whether pip takes a requirement and its marker: `NAMED`, `UNCLEAR` or `REFUSED`."""
    if not marker and _PLAIN.fullmatch(body):
        return NAMED
    from packaging.markers import InvalidMarker, Marker
    from packaging.requirements import InvalidRequirement, Requirement

    # 26.3 takes underscores behind the name, a comma behind the last clause and `===` before nothing; 24.0
    # takes none of them, 26.4 not the last.
    mended = re.sub(r",(\s*\)?)$", r"\1", _TRAILING_UNDERSCORES.sub(r"\1", body))
    mended = re.sub(r"===\s*(?=[,;)]|$)", "===0", mended)
    try:
        if marker:
            Marker(marker)
        Requirement(mended)
    except InvalidMarker:
        return REFUSED
    except InvalidRequirement:
        return UNCLEAR if _is_loose(mended) else REFUSED
    except (ValueError, RecursionError):
        return UNCLEAR
    return NAMED if mended == body else UNCLEAR


def _is_loose(body: str) -> bool:
    """Whether pip before 24.1 takes a requirement, and could find a version for it (`>=1.*`, `>=1+x`)."""
    head = _HEAD.match(body)
    if head is None:
        return False
    if "===" in body:
        # Behind it pips take any word, even none; to some a comma or a bracket is a part of it.
        words = (r"===\s*[^\s;),]*", r"===\s*\S*")
        return any(_judge(re.sub(word, "==1", body), "") != REFUSED for word in words)
    clauses = re.sub(r"^\((.*)\)$", r"\1", body[head.end() :]).split(",")
    loose = [clause.strip() for clause in clauses if not _is_standard(clause)]
    return (
        bool(loose)
        and all(map(_LOOSE_INEQUALITY.fullmatch, loose))
        and _judge(head.group().strip(), "") == NAMED
    )


def _is_standard(clause: str) -> bool:
    from packaging.specifiers import InvalidSpecifier, Specifier

    try:
        Specifier(clause)
    except InvalidSpecifier:
        return False
    return True


def _refused(line: LogicalLine, problem: str, option: str = "") -> Line:
    at = line.span(0, len(line.text))
    return Line(REFUSED, at, line.extent, words=_words(line.text), problem=problem, target=option)


def _problem(text: str) -> str:
    if "#" in text:
        return "comment"
    return "operator" if _SINGLE_EQUALS.match(text) else "line"


def _words(text: str) -> FrozenSet[str]:
    return frozenset(normalise(word).rstrip("-") for word in _WORD.findall(text))
