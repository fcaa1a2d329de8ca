"""What fixes make of the cases under `fixtures/` and of the rules' examples."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Callable, Dict, List, Mapping

import pytest

from rlobs_lint.checking.checked import Checked
from rlobs_lint.checking.engine import Engine
from rlobs_lint.fixes.fix import fix
from rlobs_lint.model import Applicability
from rlobs_lint.rulebook import registry
from rlobs_lint.rulebook.rule import Rule
from tests.checkout import ROOT
from tests.linting import REQUIREMENTS, Project, read_files
from tests.rules.test_rules import PROCESSOR, UNMARKED

FIXTURES = ROOT / "fixtures"
#: Not the example workspace, which is to look as a user's does: `test_readme` fixes it.
CASES = sorted(path for path in FIXTURES.glob("RLO*/*") if path.is_dir())
EACH_CASE = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
FIXABLE = [rule for rule in registry.all_rules() if "safe" in rule.fixes]

#: Python files written another way; a fix must do the same to them.
VARIANTS: Dict[str, Callable[[bytes], bytes]] = {
    "CRLF": lambda code: re.sub(rb"(?<!\r)\n", b"\r\n", code),
    "no final newline": lambda code: code[:-1] if code.endswith(b"\n") else code,
    "BOM": lambda code: code if code.startswith(b"\xef\xbb\xbf") else b"\xef\xbb\xbf" + code,
}


def _files(case: Path) -> Dict[str, bytes]:
    unwanted = ("expected/", "EXPECT")
    return {name: content for name, content in read_files(case).items() if not name.startswith(unwanted)}


def _expected(case: Path) -> Dict[str, bytes]:
    return read_files(case / "expected") if (case / "expected").is_dir() else {}


def _check(root: Path, files: Mapping[str, bytes]) -> List[Checked]:
    return list(Project(root).write(dict(files)).lint().checked)


def _fixed(root: Path, files: Mapping[str, bytes]) -> Dict[str, bytes]:
    """Returns the files that safe fixes change; they change nothing the second time, and nothing is left."""
    changed: Dict[str, bytes] = {}
    for checked in _check(root / "before", files):
        outcome = fix(Engine(use_cache=False), checked)
        assert not outcome.kept_back
        for file in outcome.files:
            changed[Path(file.path).relative_to(root / "before").as_posix()] = file.data
    for checked in _check(root / "after", {**files, **changed}):
        again = fix(Engine(use_cache=False), checked)
        assert not again.files and not again.findings and not again.kept_back
    return changed


@EACH_CASE
def test_a_case_is_fixed_as_recorded(case: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    changed = _fixed(tmp_path, _files(case))
    if request.config.getoption("--update-fixtures"):
        shutil.rmtree(case / "expected", ignore_errors=True)
        for name, content in changed.items():
            path = case / "expected" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    assert changed == _expected(case)


@pytest.mark.parametrize("variant", VARIANTS)
@EACH_CASE
def test_a_case_written_another_way_is_fixed_the_same(case: Path, variant: str, tmp_path: Path) -> None:
    files, expected = _files(case), _expected(case)
    if not any(name.endswith(".py") for name in expected):
        return
    write = VARIANTS[variant]
    varied = {name: write(code) if name.endswith(".py") else code for name, code in files.items()}
    changed = _fixed(tmp_path, varied)
    assert changed == {name: write(code) if name.endswith(".py") else code for name, code in expected.items()}


@pytest.mark.parametrize("rule", FIXABLE, ids=lambda rule: rule.code)
def test_a_rules_example_becomes_what_it_wants_instead(rule: Rule, tmp_path: Path) -> None:
    page = registry.documentation(type(rule))
    examples = {block.path: _unmarked(block.code) for block in page.blocks("Example")}
    instead = {block.path: block.code.encode() for block in page.blocks("Use instead")}
    common: Dict[str, bytes] = {
        "requirements.txt": REQUIREMENTS.encode(),
        "functions/processor.py": PROCESSOR.encode(),
    }
    files = {name: code for name, code in {**common, **examples}.items() if code.strip()}
    changed = _fixed(tmp_path, files)
    assert {name: changed.get(name, files.get(name)) for name in instead} == instead
    left = [
        finding
        for checked in _check(tmp_path / "left", {**files, **changed})
        for finding in checked.findings
        if finding.fix is not None and finding.fix.applicability is Applicability.SAFE
    ]
    assert not left


def _unmarked(code: str) -> bytes:
    return UNMARKED.sub(b"", code.encode())
