"""The rules' pages, made from the rules' files: `python -m rlobs_lint.rulebook.pages docs/rules`.

Each rule has a page in English and, in the folder `zh`, in Chinese; a table of all stands before them.
"""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path
from typing import Dict, List, Mapping, NamedTuple

from rlobs_lint.model import Text
from rlobs_lint.rulebook import catalogue, registry
from rlobs_lint.rulebook.rule import Rule

#: What the rules of one first digit are about.
FAMILIES: Mapping[str, Text] = {
    "RLO1": Text("ENTRY spans of processors", "处理器的 ENTRY Span"),
    "RLO2": Text("LLM spans", "LLM Span"),
    "RLO3": Text("TOOL spans", "TOOL Span"),
    "RLO4": Text("Custom metrics", "自定义指标"),
    "RLO5": Text("Requirements", "依赖"),
    "RLO6": Text("Submission: components, environment, upload", "提交：组件、环境变量与上传"),
    "RLO7": Text("Results of rollouts and rewards", "Rollout 与 Reward 的返回结果"),
    "RLO8": Text("Datasets", "数据集"),
    "RLO9": Text("Files and comments", "文件与注释"),
}
_INDEX = "README.md"


class _Edition(NamedTuple):
    """The words and ways of the pages of one language.

    Attributes:
        language: `en` or `zh`.
        folder: Where its pages stand below the folder of all, with a final `/` or empty.
        other: From there to the pages of the other language.
        other_name: How that language calls itself.
        all_rules: The words for the way back to the table.
        notice: What is said to editors of a page.
        title: The heading of the table.
        introduction: What stands above the table.
        columns: The heads of the table.
    """

    language: str
    folder: str
    other: str
    other_name: str
    all_rules: str
    notice: str
    title: str
    introduction: str
    columns: str


_EDITIONS = (
    _Edition(
        "en",
        "",
        "zh/",
        "中文",
        "All rules",
        "Made from the rules' files by `python -m rlobs_lint.rulebook.pages docs/rules`: edit those.",
        "Rules",
        """\
The same text is printed by `rlobs-lint explain CODE`, and this table by `rlobs-lint rules`.

Severity: an *error* loses data or fails at run time, a *warning* may mislead. Fix: *safe* ones are made by
`--fix`; *unsafe* ones, which may change more than a span, need `--unsafe-fixes` as well; *none* stands where
only the author of the code knows what was meant. Where several stand, it depends on the code.
""",
        "| Code | Name | Severity | Fix | What it reports |",
    ),
    _Edition(
        "zh",
        "zh/",
        "../",
        "English",
        "全部规则",
        "本页由 `python -m rlobs_lint.rulebook.pages docs/rules` 从规则文件生成，请修改规则文件。",
        "规则",
        """\
`rlobs-lint explain 代码` 打印相同的内容，`rlobs-lint rules` 打印这张表。

级别：*错误*会丢失数据或在运行时失败，*警告*可能造成误导。修复：*安全*的修复由 `--fix` 执行；*不安全*的修复
可能改变 Span 之外的行为，需要同时指定 `--unsafe-fixes`；*无*表示只有代码作者知道原意；多项时取决于代码。
""",
        "| 代码 | 名称 | 级别 | 修复 | 报告的问题 |",
    ),
)


def pages() -> Dict[str, str]:
    """Returns the text of every page by its path below the folder of all, with `/`."""
    written: Dict[str, str] = {}
    for edition in _EDITIONS:
        written[edition.folder + _INDEX] = _index(edition)
        for rule in registry.all_rules():
            written[f"{edition.folder}{rule.name}.md"] = _page(rule, edition)
    return written


def _page(rule: Rule, edition: _Edition) -> str:
    title, rest = catalogue.document(rule, edition.language).split("\n", 1)
    ways = f"[{edition.all_rules}]({_INDEX}) · [{edition.other_name}]({edition.other}{rule.name}.md)"
    return f"<!-- {edition.notice} -->\n\n{title}\n\n{ways}\n{rest}"


def _index(edition: _Edition) -> str:
    way = f"[{edition.other_name}]({edition.other}{_INDEX})"
    sections: List[str] = [
        f"<!-- {edition.notice} -->\n\n# {edition.title}\n\n{way}\n\n{edition.introduction}"
    ]
    for family, rules in groupby(registry.all_rules(), key=lambda rule: rule.code[:4]):
        name = FAMILIES[family].zh if edition.language == "zh" else FAMILIES[family].en
        rows = "".join(_row(rule, edition.language) for rule in rules)
        sections.append(f"## {family}xx {name}\n\n{edition.columns}\n|---|---|---|---|---|\n{rows}")
    return "\n".join(sections)


def _row(rule: Rule, language: str) -> str:
    severity, fixes = catalogue.kind(rule, language)
    summary = registry.documentation(type(rule), language).summary.replace("|", "\\|")
    return f"| {rule.code} | [{rule.name}]({rule.name}.md) | {severity} | {fixes} | {summary} |\n"


def write(folder: Path) -> None:
    """Writes all pages, and removes those of rules that are no more.

    Args:
        folder: Where the pages stand; it need not exist.
    """
    wanted = pages()
    for name, text in wanted.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8"))
    for path in sorted(folder.rglob("*.md")):
        if path.relative_to(folder).as_posix() not in wanted:
            path.unlink()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m rlobs_lint.rulebook.pages FOLDER")
    write(Path(sys.argv[1]))
