"""What every rule must have, and that its documentation tells the truth."""

from __future__ import annotations

import re
import string
from pathlib import Path
from typing import Dict, FrozenSet, Iterator, List, Mapping, Tuple, Union

import pytest

from rlobs_lint import rules
from rlobs_lint.model import Applicability, Severity, Text
from rlobs_lint.rulebook import registry
from rlobs_lint.rulebook.rule import SECTIONS_EN, SECTIONS_ZH, CodeBlock, Rule
from tests.linting import PROCESSOR, REQUIREMENTS, UNMARKED, Project, expectations
from tests.rules.mending import mended

#: Every documented rule: its name, its severity, and the kinds of fix that its findings may carry.
DOCUMENTED: Mapping[str, Tuple[str, str, str]] = {
    "RLO101": ("missing-observe-processor", "error", "safe"),
    "RLO102": ("misplaced-observe-processor", "error", "unsafe"),
    "RLO103": ("reward-func-without-entry-span", "error", "safe"),
    "RLO104": ("invalid-process-signature", "error", "none"),
    "RLO105": ("wrong-observability-import", "error", "safe"),
    "RLO106": ("sync-wrapper-around-async", "error", "none"),
    "RLO201": ("untraced-llm-client", "error", "safe"),
    "RLO202": ("trace-client-after-use", "error", "safe"),
    "RLO203": ("trace-client-unsupported", "error", "safe none"),
    "RLO204": ("observe-llm-signature", "error", "safe unsafe"),
    "RLO205": ("observe-llm-call-arguments", "error", "safe none"),
    "RLO206": ("observe-llm-generator", "warning", "none"),
    "RLO207": ("llm-call-without-span", "warning", "none"),
    "RLO208": ("traced-client-bypassed", "warning", "none"),
    "RLO209": ("span-outside-its-trace", "warning", "none"),
    "RLO301": ("trace-tool-before-get-tools", "error", "safe"),
    "RLO302": ("untraced-tools", "error", "safe none"),
    "RLO303": ("trace-tool-unsupported", "error", "none"),
    "RLO304": ("server-side-observe-tool", "warning", "none"),
    "RLO305": ("observe-tool-order", "error", "safe"),
    "RLO306": ("trace-call-result-used", "error", "safe"),
    "RLO401": ("nested-metrics", "error", "none"),
    "RLO402": ("non-float-metric", "error", "safe none"),
    "RLO403": ("high-cardinality-metric-key", "error", "none"),
    "RLO404": ("too-many-metrics", "warning", "none"),
    "RLO405": ("reward-score-in-metrics", "warning", "unsafe none"),
    "RLO406": ("debug-metric", "warning", "none"),
    "RLO407": ("metric-key-name", "warning", "none"),
    "RLO408": ("non-string-metric-key", "error", "none"),
    "RLO409": ("sub-metrics-dropped", "warning", "none"),
    "RLO410": ("dropped-metrics-argument", "error", "none"),
    "RLO411": ("non-finite-metric", "error", "none"),
    "RLO501": ("missing-otel-pin", "error", "safe none"),
    "RLO502": ("wrong-otel-pin", "error", "safe unsafe none"),
    "RLO503": ("missing-requirements", "error", "safe"),
    "RLO504": ("invalid-requirement", "error", "none"),
    "RLO601": ("tracing-disabled", "warning", "none"),
    "RLO602": ("duplicate-component-name", "error", "none"),
    "RLO603": ("unresolved-classpath", "error", "none"),
    "RLO604": ("unknown-metric-weight", "warning", "none"),
    "RLO605": ("unnamed-reward", "warning", "none"),
    "RLO606": ("excluded-from-upload", "error", "none"),
    "RLO607": ("tracer-provider-replaced", "error", "none"),
    "RLO608": ("unreadable-sub-weight", "error", "none"),
    "RLO701": ("unguarded-messages", "warning", "none"),
    "RLO702": ("failed-without-error", "warning", "none"),
    "RLO703": ("constant-reward", "warning", "none"),
    "RLO801": ("invalid-dataset-line", "error", "none"),
    "RLO802": ("invalid-dataset-messages", "error", "none"),
    "RLO803": ("invalid-rollout-extra", "error", "none"),
    "RLO901": ("syntax-error", "error", "none"),
    "RLO902": ("unreadable-file", "error", "none"),
    "RLO903": ("unused-suppression", "warning", "safe"),
}
RULES = registry.all_rules()
FIXABLE = [rule for rule in RULES if "safe" in rule.fixes]
BY_CODE = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)


def _placeholders(text: str) -> FrozenSet[str]:
    return frozenset(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)


def _projects(blocks: Tuple[CodeBlock, ...]) -> Iterator[Dict[str, bytes]]:
    """Yields the files of each workspace that the blocks describe: a path that comes again begins one."""
    files: Dict[str, bytes] = {}
    for block in blocks:
        if block.path in files:
            yield files
            files = {}
        files[block.path] = block.code.encode("utf-8")
    if files:
        yield files


def _lint(folder: Path, files: Mapping[str, bytes]) -> Mapping[Tuple[str, int, str], int]:
    """Lints an example. What it leaves out is there and clean: the requirements and a processor."""
    written: Dict[str, Union[str, bytes]] = {
        "requirements.txt": REQUIREMENTS,
        "functions/processor.py": PROCESSOR,
    }
    written.update(files)
    datasets = []
    for name, content in files.items():
        if not UNMARKED.sub(b"", content).strip():
            del written[name]  # a file of nothing but a mark stands for one that is missing
        elif name.endswith(".jsonl"):
            written[name] = UNMARKED.sub(b"", content)  # JSON has no comments
            datasets.append(name)
    return Project(folder).write(written).lint(".", *datasets).places


@BY_CODE
def test_it_is_what_is_documented(rule: Rule) -> None:
    name, severity, fixes = DOCUMENTED[rule.code]
    assert (rule.name, rule.severity.value) == (name, severity)
    assert set(fixes.split()) <= set(rule.fixes)
    assert set(rule.fixes) <= set(fixes.split()) | {"none"}, (
        "a fix may be missing, but not be of another kind"
    )
    assert isinstance(rule.severity, Severity)


@BY_CODE
def test_its_file_is_named_after_it(rule: Rule) -> None:
    file = type(rule).__module__.rsplit(".", 1)[1]
    assert file == f"{rule.code}_{rule.name}".lower().replace("-", "_")


def test_every_rule_file_holds_one_rule() -> None:
    files = [path for path in Path(rules.__path__[0]).glob("*.py") if path.name != "__init__.py"]
    assert len(files) == len(RULES)


def test_every_documented_rule_is_there() -> None:
    assert {rule.code for rule in RULES} == set(DOCUMENTED)


def test_codes_and_names_are_unique() -> None:
    assert len({rule.code for rule in RULES}) == len({rule.name for rule in RULES}) == len(RULES)


@BY_CODE
def test_its_messages_say_the_same_in_both_languages(rule: Rule) -> None:
    assert rule.messages
    for key, text in rule.messages.items():
        assert isinstance(text, Text)
        assert text.en.strip() == text.en and text.zh.strip() == text.zh and text.en and text.zh
        assert _placeholders(text.en) == _placeholders(text.zh), key
        assert re.search("[\u4e00-\u9fff]", text.zh), f"{key} is not Chinese"


@BY_CODE
def test_its_documentation_has_its_sections(rule: Rule) -> None:
    fixable = set(rule.fixes) != {"none"}
    for language, titles, about_fixes in (
        ("en", SECTIONS_EN, "Fix safety"),
        ("zh", SECTIONS_ZH, "修复安全性"),
    ):
        page = registry.documentation(type(rule), language)
        wanted = [title for title in titles if title != about_fixes or fixable]
        assert list(page.sections) == wanted
        assert all(text.strip() for text in page.sections.values())
        assert page.summary and "\n" not in page.summary


@BY_CODE
def test_its_example_is_flagged_where_it_says(rule: Rule, tmp_path: Path) -> None:
    projects = list(_projects(registry.documentation(type(rule)).blocks("Example")))
    found_codes: List[str] = []
    for number, files in enumerate(projects):
        wanted = expectations(files)
        assert _lint(tmp_path / str(number), files) == wanted
        found_codes += [code for _, _, code in wanted]
    assert set(found_codes) == {rule.code}


@BY_CODE
def test_what_it_wants_instead_is_clean(rule: Rule, tmp_path: Path) -> None:
    projects = list(_projects(registry.documentation(type(rule)).blocks("Use instead")))
    assert projects
    for number, files in enumerate(projects):
        assert not _lint(tmp_path / str(number), files)


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
    changed = mended(Project(tmp_path / "before").write(files).lint(), files, tmp_path / "after")
    assert {name: changed.get(name, files.get(name)) for name in instead} == instead
    left = Project(tmp_path / "left").write({**files, **changed}).lint().findings
    assert not [one for one in left if one.fix is not None and one.fix.applicability is Applicability.SAFE]


def _unmarked(code: str) -> bytes:
    return UNMARKED.sub(b"", code.encode())
