"""What a rule is: its identity, its messages in two languages, its documentation and its check."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Union

from rlobs_lint.model import Finding, Fix, Note, Range, Scalar, Severity, Text, parameters

if TYPE_CHECKING:
    from rlobs_lint.rulebook.workspace import Workspace

#: Every rule's page, by its name.
DOCUMENTATION_URL = "https://github.com/rlobs-lint/rlobs-lint/blob/main/docs/rules/{name}.md"

SECTIONS_EN = ("What it does", "Why it matters", "Example", "Use instead", "Fix safety", "Source")
SECTIONS_ZH = ("作用", "影响", "修复安全性", "依据")

_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
_BLOCK = re.compile(r"^```(\w+)\n(?:# file: (\S+)\n)?(.*?)^```$", re.MULTILINE | re.DOTALL)


class CodeBlock(NamedTuple):
    """A fenced block of a rule's documentation.

    Attributes:
        language: The word behind the fence: `python`, `text`, `yaml`, `json`.
        path: Where the block belongs in a workspace; a Python block without a `# file:` line is
            `functions/processor.py`.
        code: The text.
    """

    language: str
    path: str
    code: str


class Documentation(NamedTuple):
    """A rule's page: one sentence, and sections by their title."""

    summary: str
    sections: Mapping[str, str]

    def blocks(self, section: str) -> Tuple[CodeBlock, ...]:
        """Returns the fenced blocks of a section, in order."""
        return tuple(
            CodeBlock(match.group(1), match.group(2) or "functions/processor.py", match.group(3))
            for match in _BLOCK.finditer(self.sections.get(section, ""))
        )


class Rule(ABC):
    """A kind of mistake.

    A rule is one file in `rlobs_lint.rules`. The file's docstring is the English documentation; its
    constant `CHINESE` says the same in Chinese, without the examples. A rule reads the workspace's
    analyses and yields findings: it sees no syntax tree, opens no file and keeps no state.

    Attributes:
        code: `RLO` and three digits.
        name: The mistake in kebab-case, so that "ignore missing-observe-processor" reads well.
        severity: Error or warning.
        fixes: What a finding may carry: `safe`, `unsafe`, `none`, in this order.
        messages: The sentences of the findings by a key of the rule's own.
        speaks_last: Whether it judges what is known only when all other rules have spoken.
        reports_missing_files: Whether a finding may stand in a file that does not exist.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    severity: ClassVar[Severity]
    fixes: ClassVar[Tuple[str, ...]] = ("none",)
    messages: ClassVar[Mapping[str, Text]]
    speaks_last: ClassVar[bool] = False
    reports_missing_files: ClassVar[bool] = False

    @abstractmethod
    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields the findings of one workspace, in any order."""

    def finding(
        self,
        path: str,
        location: Range,
        message: Union[str, Text],
        values: Mapping[str, Scalar] = MappingProxyType({}),
        *,
        fix: Optional[Fix] = None,
        unfixable: Optional[Text] = None,
        notes: Tuple[Note, ...] = (),
    ) -> Finding:
        """Makes a finding of this rule.

        Args:
            path: Absolute path of the file.
            location: Where it stands.
            message: A key of `messages`, or a sentence made from one of them.
            values: What stands for the sentence's placeholders.
            fix: How to mend it.
            unfixable: Why no fix is offered, where one might be expected.
            notes: Further places.
        """
        text = self.messages[message] if isinstance(message, str) else message
        return Finding(self.code, path, location, text, parameters(values), fix, unfixable, notes)

    @classmethod
    def url(cls) -> str:
        """Returns the address of the rule's page."""
        return DOCUMENTATION_URL.format(name=cls.name)


def read_documentation(text: str) -> Documentation:
    """Splits a rule's documentation into its summary and sections."""
    pieces: List[str] = _SECTION.split(text.strip())
    sections: Dict[str, str] = {}
    for title, body in zip(pieces[1::2], pieces[2::2]):
        sections[title.strip()] = body.strip() + "\n"
    return Documentation(pieces[0].strip(), sections)
