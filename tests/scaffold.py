"""Lays out a new rule: `python -m tests.scaffold RLO999 name-of-the-mistake`.

It writes the rule's file, a case that is reported and one that is clean, and a claim. What only the author
knows is marked in them, and tests fail until it is filled in; the command says which ones to run.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Dict, Sequence

from rlobs_lint import sdk
from rlobs_lint.rulebook.rule import SECTIONS_EN, SECTIONS_ZH
from tests.checkout import ROOT
from tests.linting import REQUIREMENTS

#: What no file of the repository may hold, as `tests/test_repository.py` says.
LEFT = "TO" + "DO"

_ABOUT_FIXES = ("Fix safety", "修复安全性")
_CLEAN = f"""\
from {sdk.ROOT} import AbstractRolloutProcessor, RolloutInput, RolloutOutput
from {sdk.OBSERVABILITY} import observe_processor


class Rollout(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input: RolloutInput) -> RolloutOutput:
        return await self.answer(input)
"""
_RULE = '''\
"""{left}: the mistake in one sentence.

{english}"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """{left}：用一句话说明问题。

{chinese}"""


class {class_name}(Rule):
    """{left}: Reports what?"""

    code = "{code}"
    name = "{name}"
    severity = Severity.WARNING
    messages = {{
        "found": Text(
            "{left}: what is wrong, what the console will lack, and what to do.",
            "{left}：哪里有问题、控制台会缺少什么、应该怎么做。",
        ),
    }}

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields a finding for each such place."""
        # {left}: `self.finding(path, location, "found", {{"placeholder": value}})` for each.
        yield from ()
'''
_CLAIM = '''\
fix = "hand"

[[run]]
claim = "{left}: what happens because of the mistake, in one sentence."
processor = "functions.processor.Rollout"
broken = """
{left}
"""
fixed = """
{left}
"""
'''


def files_of(code: str, name: str) -> Dict[str, str]:
    """Returns the files of a rule that is still to be written, by their paths in the repository."""
    flagged = _CLEAN.replace("(input)\n", f"(input)  # expect: {code}\n")
    blocks = {"Example": f"```python\n{flagged}```", "Use instead": f"```python\n{_CLEAN}```"}
    english, chinese = (
        "\n".join(
            f"## {title}\n\n{blocks.get(title, mark)}\n" for title in titles if title not in _ABOUT_FIXES
        )
        for titles, mark in ((SECTIONS_EN, f"{LEFT}: fill this in."), (SECTIONS_ZH, f"{LEFT}：待填写。"))
    )
    words = {
        "left": LEFT,
        "code": code,
        "name": name,
        "class_name": "".join(word.title() for word in name.split("-")),
        "english": english,
        "chinese": chinese,
    }
    cases, claim = f"fixtures/{code}", f"tests/sdk/claims/{code}/example"
    return {
        f"rlobs_lint/rules/{code.lower()}_{name.replace('-', '_')}.py": _RULE.format(**words),
        f"{cases}/example/functions/processor.py": flagged,
        f"{cases}/example/requirements.txt": REQUIREMENTS,
        f"{cases}/clean_example/functions/processor.py": _CLEAN,
        f"{cases}/clean_example/requirements.txt": REQUIREMENTS,
        f"{claim}/claim.toml": _CLAIM.format(**words),
        f"{claim}/broken/functions/processor.py": flagged,
        f"{claim}/fixed/functions/processor.py": _CLEAN,
    }


def scaffold(root: Path, code: str, name: str) -> Sequence[str]:
    """Writes the files of a new rule; returns their paths in the repository.

    Raises:
        ValueError: The code or the name is none, or another rule has it.
    """
    if not re.fullmatch(r"RLO\d{3}", code) or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", name):
        raise ValueError("give a code and a name: RLO999 name-of-the-mistake")
    for taken in (f"{code.lower()}_*.py", f"rlo???_{name.replace('-', '_')}.py"):
        for path in (root / "rlobs_lint" / "rules").glob(taken):
            raise ValueError(f"there is {path.name} already")
    files = files_of(code, name)
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("utf-8"))
    return tuple(files)


def main() -> None:
    """Lays out the rule that the command line names."""
    try:
        code, name = sys.argv[1:] if len(sys.argv) == 3 else ("", "")
        written = scaffold(ROOT, code, name)
    except ValueError as error:
        sys.exit(str(error))
    sys.stdout.write("".join(f"{path}\n" for path in written))
    sys.stdout.write(
        "What is left: python -m pytest tests/test_repository.py tests/rules tests/rulebook tests/sdk\n"
    )


if __name__ == "__main__":
    main()
