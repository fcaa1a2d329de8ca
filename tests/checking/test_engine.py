"""From files to findings: what is read, what is reported, and what a mistake in a rule may cost."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, Iterator, List, Mapping, Tuple, Union

import pytest

from rlobs_lint.checking.engine import Engine
from rlobs_lint.checking.fingerprints import fingerprints
from rlobs_lint.files import rule_names
from rlobs_lint.files.finding_files import Scope, WorkspaceFiles
from rlobs_lint.files.settings import Overrides
from rlobs_lint.model import FILE_START, Applicability, Finding, Fix, Severity, Text
from rlobs_lint.rulebook import registry
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace
from tests.conftest import BuildProject
from tests.linting import PROCESSOR, REQUIREMENTS, Linted, Project

BROKEN = "def\n"
UNDECORATED = PROCESSOR.replace("    @observe_processor\n", "")
JOB = """\
functions:
- type: rollout
  name: demo
  fcmodel:
    zipdir: ./
    classpath: functions.generated.rollout.Processor
"""


def _places(linted: Linted) -> List[Tuple[str, str]]:
    return sorted((path, code) for path, _, code in linted.places.elements())


# --- reading --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "codes"),
    [
        (b"", []),
        (b"# only a comment", []),
        (b"\xef\xbb\xbfx = 1\r\n", []),
        ("# -*- coding: gbk -*-\nx = '观测'\n".encode("gbk"), []),
        (b"#!/bin/x\n# -*- coding: latin-1 -*-\nx = '\xe9'\n", []),
        (b"\n\n# -*- coding: latin-1 -*-\nx = '\xe9'\n", ["RLO902"]),
        (b"x = '\xe9'\n", ["RLO902"]),
        ("x = 1\n".encode("utf-16"), ["RLO902"]),
        (b"# coding: no-such-thing\n", ["RLO902"]),
        (b"\x89PNG\r\n\x1a\n\x00\x00", ["RLO902"]),
        (b"x = 1\x00\n", ["RLO901"]),
        (b"x = (\n", ["RLO901"]),
        (b"if x:\n\ty\n        z\n", ["RLO901"]),
        (b"x = 1 \\", ["RLO901"]),
    ],
)
def test_any_bytes_give_a_finding_or_none(workspace: BuildProject, content: bytes, codes: List[str]) -> None:
    assert list(workspace({"functions/x.py": content}).lint().codes) == codes


def test_unreadable_files_are_findings_and_the_rest_goes_on(workspace: BuildProject) -> None:
    project = workspace({"functions/a.py": BROKEN, "functions/b.py": b"\xff", "functions/p.py": UNDECORATED})
    project.write({"requirements.txt": REQUIREMENTS})
    assert _places(project.lint()) == [
        ("functions/a.py", "RLO901"),
        ("functions/b.py", "RLO902"),
        ("functions/p.py", "RLO101"),
    ]


def test_a_pipe_and_a_dangling_link_are_findings(workspace: BuildProject) -> None:
    import os

    project = workspace({"functions/p.py": "x = 1\n"})
    os.mkfifo(project.root / "functions" / "pipe.py")
    (project.root / "functions" / "gone.py").symlink_to(project.root / "functions" / "nowhere.py")
    assert _places(project.lint()) == [("functions/gone.py", "RLO902"), ("functions/pipe.py", "RLO902")]


def test_yaml_that_is_no_text_counts_only_where_it_looks_like_a_job(workspace: BuildProject) -> None:
    files: Mapping[str, Union[str, bytes]] = {
        "a.yaml": b"x: \xe9\n",
        "b.yaml": b"name: \xe9\nfunctions:\n",
        "c.yaml": "functions:\n".encode("utf-16"),
    }
    project = workspace({**files, "functions/p.py": "x = 1\n"})
    assert _places(project.lint()) == [("b.yaml", "RLO902"), ("c.yaml", "RLO902")]
    assert _places(project.lint("a.yaml")) == [("a.yaml", "RLO902")], "a named file is not dropped"


def test_bytes_can_stand_in_for_a_file(workspace: BuildProject) -> None:
    project = workspace({"functions/p.py": "x = 1\n"})
    assert project.lint("functions/p.py", overlay={"functions/p.py": BROKEN}).codes == ("RLO901",)
    assert project.lint("functions/new.py", overlay={"functions/new.py": BROKEN}).codes == ("RLO901",)


# --- what is reported -----------------------------------------------------------------------------


@pytest.fixture
def full(workspace: BuildProject) -> Project:
    """A workspace with a finding in each kind of file."""
    return workspace(
        {
            "functions/a/p.py": UNDECORATED,
            "functions/b/q.py": UNDECORATED,
            "functions/b/__init__.py": "",
            "tools.py": BROKEN,
            "requirements.txt": REQUIREMENTS.split("\n", 1)[1],
            "job.yaml": "functions:\n- type: rollout\n  name: x\n  fcmodel: [\ndatasets: []\n",
            "other.yaml": "functions:\n- type: rollout\n"
            "  fcmodel:\n    classpath: functions/a/p.py:Processor\n"
            "datasets:\n- file_name: data.jsonl\n",
            "data.jsonl": "nonsense\n",
            "named.jsonl": "nonsense\n",
        }
    )


EVERYTHING = [
    ("data.jsonl", "RLO801"),
    ("functions/a/p.py", "RLO101"),
    ("functions/b/q.py", "RLO101"),
    ("job.yaml", "RLO901"),
    ("requirements.txt", "RLO501"),
    ("tools.py", "RLO901"),
]


def _without(*places: str) -> List[Tuple[str, str]]:
    return [place for place in EVERYTHING if place[0] not in places]


@pytest.mark.parametrize(
    ("named", "reported"),
    [
        (["."], EVERYTHING),
        (["functions"], _without("tools.py")),
        (["functions/a"], _without("tools.py", "functions/b/q.py")),
        (["functions/a/p.py"], [("functions/a/p.py", "RLO101"), ("requirements.txt", "RLO501")]),
        (["tools.py"], [("requirements.txt", "RLO501"), ("tools.py", "RLO901")]),
        (["requirements.txt"], [("requirements.txt", "RLO501")]),
        (["job.yaml"], [("job.yaml", "RLO901")]),
        (["other.yaml"], []),
        (["named.jsonl"], [("named.jsonl", "RLO801")]),
        (["job.yaml", "functions/b"], _without("tools.py", "functions/a/p.py")),
        (["functions/a", "functions/b"], _without("tools.py")),
        (["functions/a/p.py", "."], EVERYTHING),
    ],
    ids=str,
)
def test_only_what_was_named_is_reported(
    full: Project, named: List[str], reported: List[Tuple[str, str]]
) -> None:
    assert _places(full.lint(*named)) == reported


def test_slices_of_the_files_together_report_what_the_whole_does(full: Project) -> None:
    names = ["functions/a/p.py", "functions/b/q.py", "tools.py", "requirements.txt", "job.yaml", "data.jsonl"]
    found = {place for name in names for place in full.lint(name).places}
    assert found == set(full.lint(*names).places)


def test_a_file_behind_a_link_is_reported_once(workspace: BuildProject) -> None:
    project = workspace({"common/x.py": BROKEN, "functions/p.py": "x = 1\n"})
    (project.root / "functions" / "common").symlink_to(project.root / "common")
    assert _places(project.lint()) == [("common/x.py", "RLO901")]
    assert _places(project.lint("functions")) == [("functions/common/x.py", "RLO901")]


def test_an_ignored_file_is_linted_when_function_code_needs_it(workspace: BuildProject) -> None:
    files = {
        ".gitignore": "generated/\nsecret*.py\n",
        "requirements.txt": REQUIREMENTS,
        "functions/p.py": PROCESSOR + "\nfrom functions.generated import helper\nfrom .secret import KEY\n",
        "functions/__init__.py": "",
        "functions/generated/helper.py": BROKEN,
        "functions/generated/unused.py": BROKEN,
        "functions/secret.py": "from functions import secret_too\n",
        "functions/secret_too.py": BROKEN,
        "functions/secret_unused.py": BROKEN,
    }
    assert _places(workspace(files).lint()) == [
        ("functions/generated/helper.py", "RLO901"),
        ("functions/secret_too.py", "RLO901"),
    ]


def test_an_ignored_file_is_linted_when_a_job_names_it(workspace: BuildProject) -> None:
    files = {
        ".gitignore": "generated/\n",
        "requirements.txt": REQUIREMENTS,
        "job.yaml": JOB,
        "functions/__init__.py": "",
        "functions/generated/__init__.py": "",
        "functions/generated/rollout.py": UNDECORATED,
    }
    assert ("functions/generated/rollout.py", "RLO101") in _places(workspace(files).lint())


def test_an_excluded_file_stays_excluded(workspace: BuildProject) -> None:
    files = {
        "rlobs-lint.toml": "extend-exclude = ['generated']\n",
        "functions/p.py": "import functions.generated.helper\n",
        "functions/generated/helper.py": BROKEN,
    }
    assert workspace(files).lint().codes == ()


# --- order, selection, fixes ----------------------------------------------------------------------


def test_findings_are_in_order_and_unique(full: Project) -> None:
    findings = full.lint().findings
    assert list(findings) == sorted(set(findings), key=Finding.sort_key)


def test_what_is_not_selected_does_not_run(full: Project) -> None:
    linted = full.lint(overrides=Overrides(select=("RLO9",)))
    assert set(linted.codes) == {"RLO901"}


class _Failing(Rule):
    """A rule with a mistake."""

    code = "RLO998"
    name = "failing"
    severity = Severity.ERROR
    messages = {"x": Text("x", "x")}

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        yield self.finding(f"{workspace.root}/functions/p.py", FILE_START, "x")
        raise KeyError("not there")


class _Fixable(Rule):
    """A rule with a safe and an unsafe fix."""

    code = "RLO999"
    name = "fixable"
    severity = Severity.WARNING
    fixes = ("safe", "unsafe")
    messages = {"safe": Text("safe", "safe"), "unsafe": Text("unsafe", "unsafe")}

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        path = f"{workspace.root}/functions/p.py"
        for name in ("safe", "unsafe"):
            yield self.finding(path, FILE_START, name, fix=Fix(Applicability(name), Text("x", "x"), path))


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes some rules the only ones."""

    def install(*rules: Rule) -> None:
        monkeypatch.setattr(registry, "all_rules", lambda: rules)
        monkeypatch.setattr(rule_names, "rule_names", lambda: {rule.code: rule.name for rule in rules})

    return install


def _check(project: Project) -> Tuple[Tuple[Finding, ...], List[str]]:
    root = str(project.root)
    from rlobs_lint.files.settings import SettingsReader

    settings = SettingsReader().settings_of(root)
    files = WorkspaceFiles(root, settings, Scope(True), (f"{root}/functions/p.py",), ())
    checked = Engine(use_cache=False).check(files)
    return checked.findings, [f"{crash.code} {crash.reason}" for crash in checked.crashes]


def test_a_rule_that_fails_is_named_and_silences_no_other(
    workspace: BuildProject, only: Callable[..., None]
) -> None:
    only(_Failing(), _Fixable())
    findings, crashes = _check(workspace({"functions/p.py": "x = 1\n"}))
    assert [finding.code for finding in findings] == ["RLO998", "RLO999", "RLO999"]
    (crash,) = crashes
    assert crash.startswith("RLO998 KeyError: 'not there' (test_engine.py:")


@pytest.mark.parametrize(
    ("toml", "kinds"),
    [
        ("", ["safe", "unsafe"]),
        ("unfixable = ['fixable']", [None, None]),
        ("fixable = []", [None, None]),
        ("fixable = ['RLO999']", ["safe", "unsafe"]),
        ("extend-safe-fixes = ['RLO999']", ["safe", "safe"]),
        ("extend-unsafe-fixes = ['RLO999']", ["unsafe", "unsafe"]),
    ],
)
def test_the_settings_decide_about_fixes(
    workspace: BuildProject, only: Callable[..., None], toml: str, kinds: List[object]
) -> None:
    only(_Fixable())
    findings, _ = _check(workspace({"functions/p.py": "x = 1\n", "rlobs-lint.toml": toml}))
    assert [finding.fix and finding.fix.applicability.value for finding in findings] == kinds
    assert all(bool(finding.unfixable) == (finding.fix is None) for finding in findings)


# --- fingerprints ---------------------------------------------------------------------------------


IDLE = "x = 1  # rlobs: ignore[RLO101]\n"


def _fingerprints(project: Project, *paths: str) -> List[str]:
    return [
        name
        for checked in project.lint(*paths).checked
        for name in fingerprints(checked.workspace, checked.findings).values()
    ]


def test_fingerprints_are_unique_and_outlive_other_lines(tmp_path: Path) -> None:
    body = f"def f():\n    {IDLE}    {IDLE}\ndef g():\n    {IDLE}"
    before = _fingerprints(Project(tmp_path / "a").write({"functions/p.py": body}))
    assert len(set(before)) == len(before) == 3
    after = _fingerprints(
        Project(tmp_path / "b").write({"functions/p.py": "import os\n\n" + body.replace("    ", "\t")})
    )
    assert after == before
    added = _fingerprints(Project(tmp_path / "c").write({"functions/p.py": f"def e():\n    {IDLE}{body}"}))
    assert set(before) < set(added)


def test_a_fingerprint_names_the_path_below_the_repository(tmp_path: Path) -> None:
    project = Project(tmp_path / "repo").write({"a/functions/p.py": IDLE, "b/functions/p.py": IDLE})
    names = _fingerprints(project, "a", "b")
    assert len(set(names)) == 2
    assert _fingerprints(project, "a/functions") == names[:1]
