"""Reads the recorded cases of codemods: what stands before, what after, and which places are meant.

A file under `golden/` holds the cases of one codemod. A case begins with `=== its name`, perhaps with
parameters (`| function=trace_client`); the code before follows, and below `---` the code after, or below
`--- refused` the reason. In the code before, `«` and `»` enclose the target, `‹` and `›` the further
place that a codemod names. `§` stands for the SDK's observability module.
"""

from __future__ import annotations

from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

from rlobs_lint.codemods._base import carry_out, codemod
from rlobs_lint.codemods._changes import CannotFixError, apply
from rlobs_lint.codemods._file import PythonFile
from rlobs_lint.codemods._merging import put_together

from rlobs_lint import sdk
from rlobs_lint.facts.scan_file import scan
from rlobs_lint.files.source import SourceFile, decode_python
from rlobs_lint.fixes.verify import complaint
from rlobs_lint.model import Scalar, Span, Target

FOLDER = Path(__file__).parent / "golden"
#: What a codemod calls its further place.
FURTHER_PLACES = {
    "move_trace_call": "after",
    "move_observe_processor": "process",
    "reorder_decorators": "below",
}


class Case(NamedTuple):
    """One recorded case; `after` is `None` where the change is refused, with the reason."""

    codemod: str
    name: str
    parameters: Tuple[Tuple[str, Scalar], ...]
    marked: str
    after: Optional[str]
    reason: str


def read_cases() -> Iterator[Case]:
    """Yields all recorded cases."""
    for path in sorted(FOLDER.glob("*.txt")):
        text = path.read_text(encoding="utf-8").replace("§", sdk.OBSERVABILITY)
        for piece in text.split("=== ")[1:]:
            heading, _, code = piece.partition("\n")
            name, *given = (part.strip() for part in heading.split("|"))
            parameters = tuple(tuple(one.partition("=")[::2]) for one in given)
            before, _, rest = code.partition("---")
            kind, _, after = rest.partition("\n")
            refused = kind.strip() == "refused"
            reason = after.strip() if refused else ""
            yield Case(path.stem, name, parameters, before, None if refused else after, reason)


def unmarked(marked: str) -> Tuple[str, Dict[str, Span]]:
    """Returns code without its marks, and the places that they enclosed, by the opening mark."""
    places: Dict[str, Span] = {}
    opened: List[Tuple[str, int]] = []
    text: List[str] = []
    for character in marked:
        if character in "«‹":
            opened.append((character, len(text)))
        elif character in "»›":
            mark, start = opened.pop()
            places[mark] = Span(start, len(text))
        else:
            text.append(character)
    return "".join(text), places


def run(case: Case, before: str, data: bytes) -> Optional[bytes]:
    """Carries a case out on a file, and returns the file's bytes after it; `None` where it is refused.

    Args:
        case: The case, for its codemod and parameters.
        before: The code with its marks.
        data: The bytes of the file, without them.
    """
    text, places = unmarked(before)
    source = decode_python("/workspace/functions/processor.py", data)
    assert isinstance(source, SourceFile) and source.text == text
    file = PythonFile(source)
    parameters = list(case.parameters)
    if "‹" in places:
        name = FURTHER_PLACES[case.codemod]
        parameters += [(f"{name}_start", places["‹"].start), (f"{name}_end", places["‹"].end)]
    target = Target(case.codemod, places["«"], tuple(parameters))
    change = carry_out(file, (target,))
    command = codemod(case.codemod)
    assert {new.name for new in change.imports} <= set(command.needs), "it imports what it does not declare"
    assert command.orphans or not change.orphans
    edits = put_together(file, (change,))
    assert edits is not None
    after = source.encode(apply(text, edits))
    changed = decode_python(source.path, after)
    assert isinstance(changed, SourceFile)
    assert complaint(source, scan(source), changed, edits) is None
    return after


__all__ = ["CannotFixError", "Case", "read_cases", "run", "unmarked"]
