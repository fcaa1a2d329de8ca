"""What comments hide: `# rlobs: ignore[RLO101]`, `# noqa: RLO101`, `# rlobs: skip-file`.

A comment hides findings of the statement that it stands on or, alone on its line, right above.
"""

from __future__ import annotations

import re
from typing import Dict, FrozenSet, Iterable, Iterator, List, NamedTuple, Optional, Set, Tuple

from rlobs_lint.comments.commented_files import CommentedFile
from rlobs_lint.facts.ir import Comment
from rlobs_lint.files import rule_names
from rlobs_lint.model import Finding, Span
from rlobs_lint.rulebook import registry

_PIECE = re.compile(r"(?:^|(?<=\s))#+")
_OWN = re.compile(r"#+\s*rlobs\s*:\s*", re.IGNORECASE)
_ALMOST_OWN = re.compile(
    r"#+\s*rlobs(?:[-_ ]?lint)?\s*[:\uff1a]?\s*(?:ignore|skip-file)\b|#+\s*rlobs\s*[:\uff1a]", re.I
)
_NOQA = re.compile(r"#+\s*noqa\s*:\s*", re.IGNORECASE)
_SKIP_FILE = re.compile(r"skip-file(?![\w-])", re.IGNORECASE)
_IGNORE_LIST = re.compile(r"ignore\s*\[([^\[\]]*)\]", re.IGNORECASE)
_IGNORE_ALL = re.compile(r"ignore(?=\s|$)(?!\s*\[)", re.IGNORECASE)
_WORD = re.compile(r"[^\s,]+")
_OUR_CODE = re.compile(r"RLO\w*", re.IGNORECASE)
_ANY_CODE = re.compile(r"[A-Za-z]+[0-9]+|[a-z]+(?:-[a-z0-9]+)+")


class Word(NamedTuple):
    """A code or name in a comment.

    Attributes:
        at: Where it stands in the file.
        text: As written.
        code: The code of the rule that it means; `None` where there is no such rule.
    """

    at: Span
    text: str
    code: Optional[str]


class Directive(NamedTuple):
    """One order in a comment, which may hold several, also for other tools.

    Attributes:
        kind: `ignore` (the rules of `words`), `ignore-all`, `skip-file` or `malformed`.
        at: Where it stands in the file, without the blanks behind it.
        comment: The comment that it is in.
        words: The codes and names that mean our rules, or would.
        listed: Everything in the list, words for other tools included.
    """

    kind: str
    at: Span
    comment: Comment
    words: Tuple[Word, ...] = ()
    listed: Tuple[Word, ...] = ()

    def without(self, words: Iterable[Word]) -> str:
        """Returns the text of the comment when some words have gone, or all of it that is ours."""
        text, base = self.comment.text, self.comment.at.start
        gone = set(words)
        kept = [word for word in self.listed if word not in gone]
        if not kept:
            before, after = text[: self.at.start - base].rstrip(), text[self.at.end - base :].lstrip()
            return "  ".join(filter(None, (before, after)))
        start, end = self.listed[0].at.start - base, self.listed[-1].at.end - base
        separator = (
            ", "
            if len(self.listed) < 2
            else text[self.listed[0].at.end - base : self.listed[1].at.start - base]
        )
        return text[:start] + separator.join(word.text for word in kept) + text[end:]


class Idle(NamedTuple):
    """A part of a comment that does nothing.

    Attributes:
        kind: `unused`, `unknown`, `empty` or `malformed`.
        directive: The order that it is in.
        words: The words concerned; none where it is the whole order.
    """

    kind: str
    directive: Directive
    words: Tuple[Word, ...] = ()


class Suppressions:
    """The comments of one file, and what they have hidden.

    Args:
        file: The file.
        selected: Codes of the rules that run for it.
    """

    def __init__(self, file: CommentedFile, selected: FrozenSet[str]) -> None:
        self.file = file
        self._selected = selected
        directives = [directive for comment in file.comments for directive in parse_comment(comment)]
        self.skips_file = any(part.kind == "skip-file" and part.at.start < file.head for part in directives)
        self._directives = [part for part in directives if part.kind != "skip-file"]
        self._used: Set[Tuple[Directive, str]] = set()
        self._by_row: Dict[int, List[Directive]] = {}
        for directive in self._directives:
            self._by_row.setdefault(file.source.position(directive.at.start).row, []).append(directive)

    def hides(self, finding: Finding) -> bool:
        """Whether a finding of the file is hidden; what hides it counts as used from then on."""
        if self.skips_file:
            return True
        hidden = False
        for directive in self._beside(finding):
            # A comment never speaks about itself, unless it says so.
            all_of_them = directive.kind == "ignore-all" and finding.code not in registry.last_codes()
            if all_of_them or any(word.code == finding.code for word in directive.words):
                self._used.add((directive, finding.code))
                hidden = True
        return hidden

    def idle(self) -> Iterator[Idle]:
        """Yields what has hidden nothing, after every finding was asked about."""
        for directive in () if self.skips_file else self._directives:
            yield from self._idle_parts(directive)

    def _idle_parts(self, directive: Directive) -> Iterator[Idle]:
        if directive.kind == "malformed":
            yield Idle("malformed", directive)
        elif directive.kind == "ignore-all":
            every_rule_ran = len(self._selected) == len(rule_names.all_codes())
            if every_rule_ran and all(user != directive for user, _ in self._used):
                yield Idle("unused", directive)
        elif not directive.words:
            yield Idle("empty", directive)
        else:
            unused = [word for word in directive.words if self._is_unused(directive, word)]
            if len(unused) == len(directive.words):
                yield Idle("unused", directive, tuple(unused))
            else:
                yield from (Idle("unused", directive, (word,)) for word in unused)
            yield from (Idle("unknown", directive, (word,)) for word in directive.words if word.code is None)

    def _is_unused(self, directive: Directive, word: Word) -> bool:
        return word.code in self._selected and (directive, word.code) not in self._used

    def _beside(self, finding: Finding) -> Iterator[Directive]:
        if not self._by_row:
            return
        first, last = self.file.rows(finding.location)
        for row in range(first, last + 1):
            yield from self._by_row.get(row, ())
        row = first - 1
        while any(directive.comment.alone for directive in self._by_row.get(row, ())):
            yield from self._by_row[row]
            row -= 1


def parse_comment(comment: Comment) -> Iterator[Directive]:
    """Yields the orders in a comment that are for this tool."""
    signs = [match.start() for match in _PIECE.finditer(comment.text)]
    for start, end in zip(signs, [*signs[1:], len(comment.text)]):
        text = comment.text[start:end].rstrip()
        at = Span(comment.at.start + start, comment.at.start + start + len(text))
        directive = _parse_own(text, at, comment) or _parse_noqa(text, at, comment)
        if directive is not None:
            yield directive


def _parse_own(text: str, at: Span, comment: Comment) -> Optional[Directive]:
    own = _OWN.match(text)
    if own is None:
        return Directive("malformed", at, comment) if _ALMOST_OWN.match(text) else None
    if _SKIP_FILE.match(text, own.end()):
        return Directive("skip-file", at, comment)
    listed = _IGNORE_LIST.match(text, own.end())
    if listed is not None:
        words = tuple(_words(text, listed.start(1), listed.end(1), at.start))
        return Directive("ignore", at, comment, words, words)
    everything = _IGNORE_ALL.match(text, own.end())
    if everything is None or _begins_with_code(text[everything.end() :]):
        return Directive("malformed", at, comment)
    return Directive("ignore-all", at, comment)


def _parse_noqa(text: str, at: Span, comment: Comment) -> Optional[Directive]:
    noqa = _NOQA.match(text)
    if noqa is None:
        return None
    listed: List[Word] = []
    for word in _words(text, noqa.end(), len(text), at.start):
        if not _ANY_CODE.fullmatch(word.text) and not _OUR_CODE.fullmatch(word.text):
            break  # the reason begins
        listed.append(word)
    ours = tuple(word for word in listed if word.code is not None or _OUR_CODE.fullmatch(word.text))
    return Directive("ignore", at, comment, ours, tuple(listed)) if ours else None


def _words(text: str, start: int, end: int, base: int) -> Iterator[Word]:
    for match in _WORD.finditer(text, start, end):
        at = Span(base + match.start(), base + match.end())
        yield Word(at, match.group(), rule_names.code_of(match.group()))


def _begins_with_code(text: str) -> bool:
    word = _WORD.search(text)
    if word is None:
        return False
    first = word.group().strip(":=()")
    return _OUR_CODE.fullmatch(first) is not None or rule_names.is_rule_name(first)
