"""The rules as users read about them: the table of all, and the page of one."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, List, Tuple

from rlobs_lint.files.rule_names import nearest
from rlobs_lint.model import Text
from rlobs_lint.rulebook import registry
from rlobs_lint.rulebook.rule import Documentation, Rule
from rlobs_lint.texts import UserError

_UNKNOWN = Text(
    "there is no rule `{wanted}`; the nearest is `{nearest}`", "没有规则 `{wanted}`；最接近的是 `{nearest}`"
)
_HEADING = Text("{severity}, fix: {fixes}", "{severity}，修复：{fixes}")
_WORDS = {
    "error": Text("error", "错误"),
    "warning": Text("warning", "警告"),
    "safe": Text("safe", "安全"),
    "unsafe": Text("unsafe", "不安全"),
    "none": Text("none", "无"),
}
_SHORT = {"safe": "S", "unsafe": "U", "none": "–"}
#: Where the examples, which need no translation, stand in the Chinese page.
_EXAMPLES = {"Example": "示例", "Use instead": "改为"}
#: How an example marks the lines that are reported; a block of nothing but a mark is a missing file.
_MARK = re.compile(r"# expect: (?=RLO\d)")
_ABSENCE = re.compile(r"^(# file: .*\n)# expect: (RLO\d{3})$(?=\n```)", re.MULTILINE)
_ABSENT = Text("there is no such file", "没有这个文件")


def listing(output_format: str, language: str) -> str:
    """Returns all rules, as a table or as JSON.

    Args:
        output_format: `text` or `json`.
        language: `en` or `zh`.
    """
    rules = registry.all_rules()
    if output_format == "json":
        return json.dumps([_record(rule, language) for rule in rules], indent=2) + "\n"
    width = max(len(rule.name) for rule in rules)
    return "".join(_row(rule, width, language) for rule in rules)


def page(wanted: str, output_format: str, language: str) -> str:
    """Returns the page of one rule, as Markdown or as JSON.

    Args:
        wanted: Its code or name.
        output_format: `text` or `json`.
        language: `en` or `zh`.

    Raises:
        UserError: There is no such rule.
    """
    rule = registry.rule_of(wanted)
    if rule is None:
        raise UserError(_UNKNOWN, wanted=wanted, nearest=nearest(wanted))
    if output_format == "json":
        return json.dumps(_record(rule, language), indent=2) + "\n"
    return f"{document(rule, language)}\n{rule.url()}\n"


def document(rule: Rule, language: str) -> str:
    """Returns what there is to know about a rule, as Markdown.

    Args:
        rule: The rule.
        language: `en` or `zh`.
    """
    severity, fixes = kind(rule, language)
    facts = (_HEADING.zh if language == "zh" else _HEADING.en).format(severity=severity, fixes=fixes)
    summary = registry.documentation(type(rule), language).summary
    return f"# {rule.name} ({rule.code})\n\n{summary}\n\n{facts}\n\n{_sections(rule, language)}"


def kind(rule: Rule, language: str) -> Tuple[str, str]:
    """Returns the words for a rule's severity, and for the kinds of fix that its findings may carry."""
    return _word(rule.severity.value, language), "/".join(_word(fixes, language) for fixes in rule.fixes)


def _word(key: str, language: str) -> str:
    return _WORDS[key].zh if language == "zh" else _WORDS[key].en


def _row(rule: Rule, width: int, language: str) -> str:
    fixes = "/".join(_SHORT[kind] for kind in rule.fixes)
    severity = rule.severity.value[0].upper()
    summary = registry.documentation(type(rule), language).summary
    return f"{rule.code}  {rule.name:<{width}}  {severity}  {fixes:<5}  {summary}\n"


def _record(rule: Rule, language: str) -> Dict[str, Any]:
    document = registry.documentation(type(rule), language)
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity.value,
        "fix": rule.fixes[0],
        "fixes": list(rule.fixes),
        "summary": document.summary,
        "explanation": _sections(rule, language),
        "source": document.sections["依据" if language == "zh" else "Source"].strip(),
        "url": rule.url(),
    }


def _sections(rule: Rule, language: str) -> str:
    """Returns the sections of a page; the Chinese one takes its examples from the English one."""
    english = registry.documentation(type(rule), "en")
    if language != "zh":
        return _show_marks(_written(english), language)
    chinese = dict(registry.documentation(type(rule), "zh").sections)
    ordered: Dict[str, str] = {}
    for title, text in chinese.items():
        ordered[title] = text
        if title == "影响":
            ordered.update((_EXAMPLES[name], _blocks(english.sections[name])) for name in _EXAMPLES)
    return _show_marks(_written(Documentation("", ordered)), language)


def _show_marks(text: str, language: str) -> str:
    """Returns the text of a page with the marks of its examples turned into arrows."""
    absent = _ABSENT.zh if language == "zh" else _ABSENT.en
    return _MARK.sub("# <-- ", _ABSENCE.sub(rf"\1# <-- \2: {absent}", text))


def _written(document: Documentation) -> str:
    return "\n".join(f"## {title}\n\n{text.strip()}\n" for title, text in document.sections.items())


def _blocks(section: str) -> str:
    """Returns the fenced blocks of a section without the sentences between them."""
    kept: List[str] = []
    inside = False
    for line in section.splitlines():
        if line.startswith("```"):
            inside = not inside
            kept.append(line)
        elif inside:
            kept.append(line)
    return "\n".join(kept)
