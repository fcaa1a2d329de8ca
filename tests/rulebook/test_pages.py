"""The rules' pages: they say what the rules' files say, and their links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rlobs_lint.rulebook import catalogue, registry
from rlobs_lint.rulebook.pages import FAMILIES, pages, write
from rlobs_lint.rulebook.rule import DOCUMENTATION_URL, Rule
from tests.checkout import ROOT
from tests.linting import read_files

FOLDER = ROOT / "docs" / "rules"
LINK = re.compile(r"\]\(([^)]+)\)")
EACH_RULE = pytest.mark.parametrize("rule", registry.all_rules(), ids=lambda rule: rule.code)
EACH_LANGUAGE = pytest.mark.parametrize("language", ["en", "zh"])


def test_the_pages_are_current() -> None:
    recorded = {name: content.decode("utf-8") for name, content in read_files(FOLDER).items()}
    assert recorded == pages(), "python -m rlobs_lint.rulebook.pages docs/rules"


def test_every_link_between_the_pages_leads_to_a_page() -> None:
    written = pages()
    for name, text in written.items():
        folder = Path(name).parent
        targets = [target for target in LINK.findall(text) if target.endswith(".md")]
        assert targets
        for target in targets:
            assert (FOLDER / folder / target).resolve().relative_to(FOLDER.resolve()).as_posix() in written


@EACH_RULE
def test_the_address_of_a_rule_is_that_of_its_page(rule: Rule) -> None:
    assert rule.url() == DOCUMENTATION_URL.format(name=rule.name)
    path = rule.url().split("/docs/rules/")[1]
    assert f"# {rule.name} ({rule.code})" in pages()[path].splitlines()


def test_every_family_has_a_name_and_rules() -> None:
    assert list(FAMILIES) == sorted({rule.code[:4] for rule in registry.all_rules()})


@EACH_LANGUAGE
@EACH_RULE
def test_arrows_stand_where_the_example_is_reported(rule: Rule, language: str) -> None:
    example = registry.documentation(type(rule)).sections["Example"]
    text = catalogue.document(rule, language)
    assert "expect:" not in text
    assert text.count(f"# <-- {rule.code}") == example.count("# expect:") > 0


@EACH_LANGUAGE
def test_a_missing_file_is_called_so(language: str) -> None:
    rule = registry.rule_of("RLO503")
    assert rule is not None
    arrow = {"en": "# <-- RLO503: there is no such file", "zh": "# <-- RLO503: 没有这个文件"}[language]
    assert f"```text\n# file: requirements.txt\n{arrow}\n```" in catalogue.document(rule, language)


def test_pages_of_rules_that_are_no_more_are_removed(tmp_path: Path) -> None:
    for name in ("gone.md", "zh/gone.md"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("old", encoding="utf-8")
    (tmp_path / "kept.txt").write_text("not ours", encoding="utf-8")
    write(tmp_path)
    assert set(read_files(tmp_path)) == {*pages(), "kept.txt"}
