"""What tests share: workspaces made of a few texts, linted in this process, and marked expectations."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Counter as CounterOf
from typing import Dict, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from rlobs_lint import sdk
from rlobs_lint.checking.checked import Checked
from rlobs_lint.checking.engine import Engine
from rlobs_lint.checking.shared_files import check_all, without_repeats
from rlobs_lint.facts.deep_stack import with_deep_stack
from rlobs_lint.files.finding_files import Finder
from rlobs_lint.files.settings import Overrides, SettingsReader
from rlobs_lint.model import Finding
from rlobs_lint.texts import fill

#: Every documented pin: what a workspace needs for its requirements to be complete.
REQUIREMENTS = "".join(f"{name}=={version}\n" for name, version in sdk.PINS.items())
#: A processor that no rule has anything to say about.
PROCESSOR = """\
from dashscope.finetune.reinforcement import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor


class Processor(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        return await self.answer(input)
"""
#: What is taken out of a file to be rid of its marks.
UNMARKED = re.compile(rb" *# expect: RLO[0-9]{3}.*")

Expected = CounterOf[Tuple[str, int, str]]

_MARK = re.compile(rb"#\s*expect:\s*(RLO\d{3}(?:[,\s]+RLO\d{3})*)")
_LINE_END = re.compile(rb"\r\n|\r|\n")


class Linted(NamedTuple):
    """A workspace after its check."""

    root: Path
    checked: Tuple[Checked, ...]
    engine: Engine

    @property
    def findings(self) -> Tuple[Finding, ...]:
        return tuple(finding for checked in self.checked for finding in checked.findings)

    @property
    def codes(self) -> Tuple[str, ...]:
        return tuple(finding.code for finding in self.findings)

    @property
    def places(self) -> Expected:
        """How often each code was found, by relative path and row."""
        return Counter(
            (Path(finding.path).relative_to(self.root).as_posix(), finding.location.start.row, finding.code)
            for finding in self.findings
        )

    @property
    def messages(self) -> Tuple[str, ...]:
        return tuple(fill(finding.message, finding.parameters, "en") for finding in self.findings)


class Project:
    """A folder that holds one workspace or more.

    Args:
        root: An empty folder; it becomes a repository, so that nothing above it counts.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / ".git").mkdir(parents=True, exist_ok=True)

    def write(self, files: Mapping[str, Union[str, bytes]]) -> Project:
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return self

    def lint(
        self,
        *paths: str,
        overrides: Optional[Overrides] = None,
        force_exclude: bool = False,
        ignore_suppressions: bool = False,
        overlay: Optional[Mapping[str, Union[str, bytes]]] = None,
        engine: Optional[Engine] = None,
    ) -> Linted:
        """Lints paths relative to the root, the root itself where none are given, without a cache on disk.

        An engine of an earlier call remembers the facts of what it has read, as it does during one run.
        """
        named = [str(self.root / path) for path in paths] or [str(self.root)]
        given = {
            str(self.root / name): content.encode("utf-8") if isinstance(content, str) else content
            for name, content in (overlay or {}).items()
        }
        finder = Finder(SettingsReader(overrides or Overrides()), force_exclude)
        engine = engine or Engine(use_cache=False, ignore_suppressions=ignore_suppressions)
        found = finder.discover(named, frozenset(given))
        checked = with_deep_stack(lambda: without_repeats(check_all(engine, found.workspaces, given)))
        linted = Linted(self.root, checked, engine)
        crashes = [crash for checked in linted.checked for crash in checked.crashes]
        assert not crashes, crashes
        return linted


def read_files(folder: Path) -> Dict[str, bytes]:
    """Returns the files below a folder by relative path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def expectations(files: Mapping[str, bytes]) -> Expected:
    """Returns the findings that marks in the files, and a file `EXPECT` among them, ask for."""
    wanted: Expected = Counter()
    for name, content in files.items():
        if name == "EXPECT":
            for line in content.decode("utf-8").splitlines():
                words = line.split("#")[0].split()
                if words:
                    path, row = words[0].rsplit(":", 1)
                    wanted.update((path, int(row), code) for code in words[1:])
            continue
        for row, line in enumerate(_LINE_END.split(content), 1):
            wanted.update((name, row, code) for code in marked_codes(line))
    return wanted


def marked_codes(line: bytes) -> Sequence[str]:
    """Returns the codes that the mark of a line names."""
    match = _MARK.search(line)
    return re.findall("RLO[0-9]{3}", match.group(1).decode()) if match else []


def suppressed(content: bytes) -> bytes:
    """Returns a file with its marks turned into suppressions."""
    return _MARK.sub(rb"# rlobs: ignore[\1]", content)
