"""The JSON document: stable keys, places that can be used, valid whatever is in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List

from rlobs_lint.fixes.fix import with_edits
from rlobs_lint.model import FILE_START, Applicability, Edit, Finding, Fix, Span, Text
from rlobs_lint.report import render
from rlobs_lint.report.outcome import Outcome
from rlobs_lint.version import __version__
from tests.linting import PROCESSOR, REQUIREMENTS, Project

UNDECORATED = PROCESSOR.replace("    @observe_processor\n", "")


def _outcome(project: Project, *paths: str) -> Outcome:
    return Outcome(tuple(map(with_edits, project.lint(*paths).checked)), "en", str(project.root))


def _document(outcome: Outcome) -> Dict[str, Any]:
    text = render("json", outcome)
    assert text.isascii() and text.endswith("}\n")
    document: Dict[str, Any] = json.loads(text)
    return document


def _apply(project: Project, edits: List[Dict[str, Any]]) -> None:
    """Carries edits out as a program that reads the document would: by rows and columns in characters."""
    for edit in sorted(
        edits, key=lambda edit: (edit["location"]["row"], edit["location"]["column"]), reverse=True
    ):
        path = project.root / edit["filename"]
        text = path.read_bytes().decode("utf-8") if path.exists() else ""
        lines = text.splitlines(keepends=True)

        def offset(place: Dict[str, int], lines: List[str] = lines) -> int:
            return sum(map(len, lines[: place["row"] - 1])) + place["column"] - 1

        start, end = offset(edit["location"]), offset(edit["end_location"])
        path.write_bytes((text[:start] + edit["content"] + text[end:]).encode("utf-8"))


def test_the_document_is_the_documented_one(tmp_path: Path) -> None:
    project = Project(tmp_path).write({"functions/p.py": UNDECORATED, "requirements.txt": REQUIREMENTS})
    document = _document(_outcome(project))
    assert list(document) == ["version", "tool", "findings", "summary"]
    assert document["version"] == 1
    assert document["tool"] == {"name": "rlobs-lint", "version": __version__}
    assert document["summary"] == {"files": 2, "findings": 1, "fixable": 1, "fixed": 0}
    (finding,) = document["findings"]
    assert {key: finding[key] for key in ("code", "name", "severity", "filename", "location", "url")} == {
        "code": "RLO101",
        "name": "missing-observe-processor",
        "severity": "error",
        "filename": "functions/p.py",
        "location": {"row": 6, "column": 5},
        "url": "https://github.com/rlobs-lint/rlobs-lint/blob/main/docs/rules/missing-observe-processor.md",
    }
    assert finding["end_location"]["row"] == 6 and finding["end_location"]["column"] > 5
    assert len(finding["fingerprint"]) == 16
    assert finding["fix"]["applicability"] == "safe" and finding["fix"]["message"]
    assert set(finding["fix"]["edits"][0]) == {"filename", "content", "location", "end_location"}


def test_the_edits_of_a_fix_can_be_carried_out(tmp_path: Path) -> None:
    text = UNDECORATED.replace("class Processor", "观测 = '😀'; 追踪 = 1\n\n\nclass Processor").replace(
        "\n", "\r\n"
    )
    project = Project(tmp_path).write({"functions/p.py": text, "requirements.txt": REQUIREMENTS})
    document = _document(_outcome(project))
    _apply(project, [edit for finding in document["findings"] for edit in finding["fix"]["edits"]])
    assert _document(_outcome(project))["findings"] == []
    assert b"\r\n    @observe_processor\r\n" in (project.root / "functions/p.py").read_bytes()


def test_a_fix_may_make_a_file(tmp_path: Path) -> None:
    project = Project(tmp_path).write({"functions/p.py": PROCESSOR})
    (finding,) = _document(_outcome(project))["findings"]
    assert (finding["code"], finding["filename"]) == ("RLO503", "requirements.txt")
    assert finding["location"] == finding["end_location"] == {"row": 1, "column": 1}
    (edit,) = finding["fix"]["edits"]
    assert edit["location"] == edit["end_location"] == {"row": 1, "column": 1}
    _apply(project, [edit])
    assert _document(_outcome(project))["findings"] == []


def test_columns_count_characters(tmp_path: Path) -> None:
    project = Project(tmp_path).write(
        {"functions/x.py": "\ufeff观测 = '😀'; x = 1  # rlobs: ignore[RLO101]\n"}
    )
    (finding,) = _document(_outcome(project))["findings"]
    assert finding["location"] == {"row": 1, "column": 18}
    assert finding["end_location"] == {"row": 1, "column": 41}


def test_where_there_is_no_fix_it_is_null(tmp_path: Path) -> None:
    project = Project(tmp_path).write({"functions/x.py": "def\n"})
    (finding,) = _document(_outcome(project))["findings"]
    assert finding["fix"] is None and finding["unfixable"] is None
    assert finding["location"] == finding["end_location"] == {"row": 1, "column": 4}


def test_why_there_is_no_fix_is_an_additional_key(tmp_path: Path) -> None:
    hashed = [*REQUIREMENTS.splitlines(keepends=True)[1:], "x==1 --hash=sha256:ab\n"]
    project = Project(tmp_path).write({"functions/p.py": UNDECORATED, "requirements.txt": "".join(hashed)})
    fixable, hopeless = _document(_outcome(project))["findings"]
    assert fixable["fix"] and fixable["unfixable"] is None
    assert hopeless["fix"] is None
    assert hopeless["unfixable"] == "pip refuses a line without a hash beside lines that have one"
    chinese = _document(_outcome(project)._replace(language="zh"))["findings"][1]["unfixable"]
    assert chinese == "已有哈希的文件中，pip 会拒绝没有哈希的行"


def test_fingerprints_differ_for_equal_findings_on_one_line(tmp_path: Path) -> None:
    project = Project(tmp_path).write({"functions/x.py": "x = 1  # rlobs: ignore[X, X]\n" * 2})
    findings = _document(_outcome(project))["findings"]
    assert len({finding["fingerprint"] for finding in findings}) == len(findings) == 4


def test_anything_in_messages_and_names_is_valid_json(tmp_path: Path) -> None:
    project = Project(tmp_path).write({"functions/x.py": "x = 1\n"})
    (checked,) = project.lint().checked
    path = str(tmp_path / "functions" / "\udcff\x1b\n.py")
    at = FILE_START
    fix = Fix(Applicability.SAFE, Text("\ud800", "\ud800"), path, edits=(Edit(path, Span(0, 0), "\udcff"),))
    finding = Finding("RLO901", path, at, Text("{x}", "{x}"), (("x", "\x00\u2028\udcff"),), fix)
    outcome = Outcome((checked._replace(findings=(finding,)),), "en", str(tmp_path))
    (written,) = _document(outcome)["findings"]
    assert written["filename"] == "functions/\udcff\x1b\n.py"
    assert written["message"] == "\\x00\\u2028\\xff"


def test_errors_are_an_additional_key(tmp_path: Path) -> None:
    project = Project(tmp_path).write({"functions/x.py": "x = 1\n"})
    assert _document(_outcome(project)._replace(errors=("gone",)))["errors"] == ["gone"]
