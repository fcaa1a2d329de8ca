"""What the rules about requirements say, what they mend, and what they keep to themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, List, Optional, Tuple, Union

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rlobs_lint import sdk
from rlobs_lint.files.settings import Overrides
from rlobs_lint.files.source import SourceFile
from rlobs_lint.model import Applicability, Finding
from rlobs_lint.report import FORMATS
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace
from rlobs_lint.rules.rlo501_missing_otel_pin import MissingOtelPin
from rlobs_lint.rules.rlo502_wrong_otel_pin import WrongOtelPin
from rlobs_lint.rules.rlo503_missing_requirements import MissingRequirements
from rlobs_lint.rules.rlo504_invalid_requirement import InvalidRequirement
from tests.command_line import Tool
from tests.linting import REQUIREMENTS, Project
from tests.project.building import rendered
from tests.project.requirements.building import PROCESSOR, applied, workspace_of
from tests.project.requirements.test_lines import TEXTS

RULES: Tuple[Rule, ...] = (MissingOtelPin(), WrongOtelPin(), MissingRequirements(), InvalidRequirement())
PINS = [f"{name}=={version}" for name, version in sdk.PINS.items()]
SECRET = "hunter2"


def found(workspace: Workspace) -> List[Finding]:
    return sorted((finding for rule in RULES for finding in rule.check(workspace)), key=Finding.sort_key)


def only(root: Path, files: Dict[str, Union[str, bytes]]) -> Finding:
    (finding,) = found(workspace_of(root, files))
    return finding


def without(name: str) -> str:
    return "".join(f"{pin}\n" for pin in PINS if not pin.startswith(f"{name}=="))


def with_line(line: str) -> str:
    """The documented requirements, with another line for the API."""
    return line + "\n" + without("opentelemetry-api")


def applicability(finding: Finding) -> Optional[Applicability]:
    return finding.fix.applicability if finding.fix is not None else None


# --- RLO501 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "english", "chinese"),
    [
        ("opentelemetry-api", "the server does not start or exports no span", "服务将无法启动"),
        ("opentelemetry-sdk", "the server does not start or exports no span", "服务将无法启动"),
        ("opentelemetry-exporter-otlp-proto-http", "every span is lost", "仅日志中有一行提示"),
        ("opentelemetry-processor-baggage", "nothing is logged", "没有任何提示"),
        ("loongsuite-util-genai", "no LLM call and no tool call", "没有任何 LLM 调用"),
    ],
)
def test_a_missing_pin_is_named_with_what_goes_dark(
    tmp_path: Path, name: str, english: str, chinese: str
) -> None:
    finding = only(tmp_path, {"requirements.txt": without(name)})
    sentences = rendered(finding)
    assert english in sentences[0] and chinese in sentences[1]
    assert all(f"`{name}=={sdk.PINS[name]}`" in sentence for sentence in sentences)
    assert applicability(finding) is Applicability.SAFE


def test_missing_pins_come_and_are_added_in_documented_order(tmp_path: Path) -> None:
    findings = found(workspace_of(tmp_path, {"requirements.txt": "fastapi\n"}))
    assert [dict(finding.parameters)["requirement"] for finding in findings] == PINS
    edits = [edit for finding in findings if finding.fix for edit in finding.fix.edits]
    assert applied("fastapi\n", edits) == "fastapi\n" + REQUIREMENTS


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"requirements.txt": "foo==1 --hash=sha256:ab\n"}, "hash"),
        ({"requirements.txt": "--require-hashes\n"}, "hash"),
        ({"requirements.txt": "-r a.txt\n", "a.txt": "foo==1 --hash=sha256:ab\n"}, "hash"),
        (
            {"requirements.txt": "-c c.txt\n", "c.txt": "".join(f"{name}<0.1\n" for name in sdk.PINS)},
            "constraints",
        ),
    ],
)
def test_a_pin_that_pip_would_refuse_is_not_added(tmp_path: Path, files: Dict[str, str], reason: str) -> None:
    findings = found(workspace_of(tmp_path, dict(files)))
    assert [finding.code for finding in findings] == ["RLO501"] * 5
    for finding in findings:
        assert finding.fix is None and finding.unfixable is not None and reason in finding.unfixable.en


def test_pins_of_the_settings_replace_the_documented_ones(tmp_path: Path) -> None:
    workspace = workspace_of(tmp_path, {"requirements.txt": "a==1\n"})
    workspace.settings = workspace.settings._replace(pins={"A": "2", "Company_Tracing": "3"})
    missing, wrong = found(workspace)
    assert "`company-tracing==3` is missing: your settings ask for it" in rendered(missing)[0]
    assert wrong.code == "RLO502"


# --- RLO502 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "fix", "words"),
    [
        ("opentelemetry-api", Applicability.SAFE, "`opentelemetry-api` has no version"),
        ("opentelemetry-api>=1.30", Applicability.SAFE, "`opentelemetry-api>=1.30` leaves the version open"),
        ("opentelemetry-api==1.41.*", Applicability.SAFE, "leaves the version open"),
        (
            "opentelemetry-api==1.40.0",
            Applicability.UNSAFE,
            "`opentelemetry-api==1.40.0` is not the documented",
        ),
        ("opentelemetry-api<1.41", Applicability.SAFE, "is not the documented version"),
    ],
)
def test_a_wrong_pin_is_mended_as_far_as_it_was_meant(
    tmp_path: Path, line: str, fix: Applicability, words: str
) -> None:
    text = with_line(line)
    finding = only(tmp_path, {"requirements.txt": text})
    assert (finding.code, applicability(finding)) == ("RLO502", fix)
    assert words in rendered(finding)[0] and "`opentelemetry-api==1.41.1`" in rendered(finding)[1]
    assert finding.location == ((1, 1), (1, len(line) + 1))
    assert finding.fix is not None and applied(text, finding.fix.edits) == with_line(
        "opentelemetry-api==1.41.1"
    )


def test_a_wrong_constraint_is_told_at_its_line(tmp_path: Path) -> None:
    files = {
        "requirements.txt": "-c c.txt\n" + with_line("opentelemetry-api"),
        "c.txt": "# held\nopentelemetry-api==1.40\n",
    }
    finding = only(tmp_path, dict(files))
    assert (Path(finding.path).name, finding.location.start.row) == ("c.txt", 2)
    assert "The constraint `opentelemetry-api==1.40`" in rendered(finding)[0]
    assert applicability(finding) is Applicability.UNSAFE


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"requirements.txt": with_line("opentelemetry-api==1.40 --hash=sha256:ab")}, "hashes"),
        ({"requirements.txt": with_line("opentelemetry-api") + "foo==1 --hash=sha256:ab\n"}, "hashes"),
        (
            {
                "requirements.txt": "-c c.txt\n" + with_line("opentelemetry-api"),
                "c.txt": "opentelemetry-api<1.41\n",
            },
            "constraints",
        ),
        ({"requirements.txt": "-r ../base.txt\n", "../base.txt": with_line("opentelemetry-api")}, "outside"),
    ],
)
def test_a_wrong_pin_that_cannot_be_mended_says_why(
    tmp_path: Path, files: Dict[str, str], reason: str
) -> None:
    finding = only(tmp_path / "workspace", dict(files))
    assert finding.code == "RLO502" and finding.fix is None
    assert finding.unfixable is not None and reason in finding.unfixable.en


def test_a_file_that_two_folders_include_is_judged_once(tmp_path: Path) -> None:
    job = "functions:\n" + "".join(
        f"- type: reward\n  name: {zipdir}\n  fcmodel: {{zipdir: ./{zipdir}, classpath: reward.Quality}}\n"
        for zipdir in ("a", "b")
    )
    files = {
        "job.yaml": job,
        "a/requirements.txt": "-r ../shared.txt\n",
        "b/requirements.txt": "-r ../shared.txt\n",
        "shared.txt": with_line("opentelemetry-api==1.40") + "foo=1\n",
    }
    findings = found(workspace_of(tmp_path, dict(files)))
    assert [(Path(finding.path).name, finding.code) for finding in findings] == [
        ("shared.txt", "RLO502"),
        ("shared.txt", "RLO504"),
    ]


# --- RLO503 ---------------------------------------------------------------------------------------


def test_a_missing_file_is_created_with_the_pins_and_says_nothing_else(tmp_path: Path) -> None:
    finding = only(tmp_path, {})
    assert (finding.code, Path(finding.path).name, finding.location) == (
        "RLO503",
        "requirements.txt",
        ((1, 1), (1, 1)),
    )
    assert finding.fix is not None and applied("", finding.fix.edits) == REQUIREMENTS
    assert applicability(finding) is Applicability.SAFE


def test_a_link_to_nowhere_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").symlink_to(tmp_path.parent / "nowhere.txt")
    finding = only(tmp_path, {})
    assert finding.code == "RLO503" and finding.fix is None and finding.unfixable is not None


def test_without_pins_there_is_nothing_to_create(tmp_path: Path) -> None:
    workspace = workspace_of(tmp_path, {})
    workspace.settings = workspace.settings._replace(pins={})
    (finding,) = found(workspace)
    assert finding.fix is None and finding.unfixable is not None


def test_a_script_is_told_where_its_path_leads_nowhere(tmp_path: Path) -> None:
    script = (
        "from dashscope.finetune.reinforcement import RewardFunctionComponent, FunctionComponentModel\n"
        "component = RewardFunctionComponent(name='a', fcmodel=FunctionComponentModel(\n"
        "    classpath='functions.reward.Quality',\n"
        "    requirements_path='reqs.txt'))\n"
    )
    finding = only(tmp_path, {"requirements.txt": REQUIREMENTS, "submit.py": script})
    assert (finding.code, Path(finding.path).name, finding.location.start.row) == ("RLO503", "submit.py", 4)
    assert finding.fix is None


# --- RLO504 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("foo=1", "pip cannot read `=` here"),
        ("foo>=1#c", "pip takes this `#` for a part"),
        ("foo bar", "pip cannot read this line"),
        (f"--token={SECRET}", "pip knows no option `--token`"),
        ("-r nothing.txt", "`nothing.txt` does not exist"),
        ("-r requirements.txt", "`requirements.txt` is still being read"),
    ],
)
def test_a_refused_line_says_what_to_do(tmp_path: Path, line: str, words: str) -> None:
    finding = only(tmp_path, {"requirements.txt": REQUIREMENTS + f"  {line} # c\n"})
    assert (finding.code, finding.fix) == ("RLO504", None)
    assert finding.location == ((6, 3), (6, 3 + len(line)))
    assert rendered(finding)[0].startswith(words) and SECRET not in str(finding)


def test_lines_are_refused_without_processors_too(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("foo=1\n")
    findings = found(Workspace(str(tmp_path), workspace_of(tmp_path / "other", {}).settings, {}))
    assert [finding.code for finding in findings] == ["RLO504"]


def test_of_a_stray_file_only_the_syntax_counts(tmp_path: Path) -> None:
    files = {"requirements.txt": REQUIREMENTS, "dev.txt": "opentelemetry-api==1\nfoo=1\n-r none.txt\n"}
    findings = found(workspace_of(tmp_path, dict(files), named=["dev.txt"]))
    assert [(finding.code, finding.location.start.row) for finding in findings] == [
        ("RLO504", 2),
        ("RLO504", 3),
    ]


def test_rows_are_those_of_an_editor_whatever_pip_splits_at(tmp_path: Path) -> None:
    text = REQUIREMENTS + "a\x0bb\u2028foo=1\r\n\x0cbar=1\n"
    findings = found(workspace_of(tmp_path, {"requirements.txt": text}))
    assert [finding.location.start for finding in findings] == [(6, 5), (7, 2)]


# --- all of them ----------------------------------------------------------------------------------


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXTS, st.booleans())
def test_safe_fixes_lead_to_clean_pins_whatever_the_file_holds(
    tmp_path: Path, text: str, at_once: bool
) -> None:
    workspace = workspace_of(tmp_path, {"requirements.txt": text.encode("utf-8", "replace")})
    path = str(tmp_path / "requirements.txt")
    for _ in range(12):
        source = workspace.read(path)
        assert isinstance(source, SourceFile)
        fixes = [finding.fix for finding in found(workspace) if applicability(finding) is Applicability.SAFE]
        if not fixes:
            break
        edits = [edit for fix in (fixes if at_once else fixes[:1]) if fix is not None for edit in fix.edits]
        after = source.encode(applied(source.text, edits))
        workspace = Workspace(str(tmp_path), workspace.settings, workspace.modules, overlay={path: after})
    left = [finding for finding in found(workspace) if finding.code in ("RLO501", "RLO502")]
    assert all(finding.unfixable or applicability(finding) is Applicability.UNSAFE for finding in left)


@pytest.mark.parametrize(
    "options",
    [
        *(["--output-format", name] for name in FORMATS),
        ["--diff", "--unsafe-fixes"],
        ["--fix", "--show-fixes"],
    ],
    ids=lambda options: options[-1],
)
def test_secrets_are_never_shown(tool: Tool, options: List[str]) -> None:
    lines = [
        f"--index-url https://user:{SECRET}@host/simple",
        f"--extra_index https://user:{SECRET}@host/simple",
        f"foo @ https://{SECRET}@host/foo.whl",
        "opentelemetry-api>=1",
        f"--api-token={SECRET}",
        f"-e git+https://{SECRET}@host/foo#egg=foo",
        f"bar ; nonsense --index-url=https://{SECRET}@host",
    ]
    files = {"functions/reward.py": PROCESSOR, "requirements.txt": "".join(f"{line}\n" for line in lines)}
    tool.project.write(files)
    status, out, err = tool(*options, ".")
    output = out + err
    assert status == 1 and ("opentelemetry-api" in output or "RLO502" in output)
    assert SECRET not in output


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "gbk", "latin-1"])
def test_a_file_that_is_not_utf8_has_one_finding(tmp_path: Path, encoding: str) -> None:
    text = "opentelemetry-api\n# \u00e9\n" if encoding != "gbk" else "# -*- coding: gbk -*-\n# 依赖\nfoo=1\n"
    files = {"functions/reward.py": PROCESSOR, "requirements.txt": text.encode(encoding)}
    linted = Project(tmp_path).write(files).lint("requirements.txt")
    assert list(linted.places.elements()) == [("requirements.txt", 1, "RLO902")]
    assert "save it as UTF-8" in linted.messages[0]


def test_a_named_python_file_brings_the_requirements_along(tmp_path: Path) -> None:
    files = {
        "functions/reward.py": PROCESSOR,
        "functions/other.py": "",
        "requirements.txt": "-r more.txt\nfoo=1\n",
        "more.txt": "bar=1\n" + REQUIREMENTS,
    }
    project = Project(tmp_path).write(files)
    wanted = [("more.txt", 1, "RLO504"), ("requirements.txt", 2, "RLO504")]
    assert sorted(project.lint("functions/other.py").places.elements()) == wanted
    assert sorted(project.lint("more.txt").places.elements()) == wanted[:1]


def test_an_excluded_file_is_read_but_not_reported(tmp_path: Path) -> None:
    files = {
        "functions/reward.py": PROCESSOR,
        "requirements.txt": "-r shared/more.txt\nfoo=1\n",
        "shared/more.txt": "bar=1\nopentelemetry-api\n" + without("opentelemetry-api"),
        "pyproject.toml": '[tool.rlobs-lint]\nextend-exclude = ["shared/"]\n',
    }
    project = Project(tmp_path).write(files)
    assert list(project.lint().places.elements()) == [("requirements.txt", 2, "RLO504")]
    assert sorted(project.lint("shared/more.txt").codes) == ["RLO502", "RLO504"]
    project.write(
        {"pyproject.toml": '[tool.rlobs-lint]\nextend-exclude = ["*.txt"]\n', "shared/more.txt": b"\xff"}
    )
    assert not project.lint("functions").codes
    (tmp_path / "requirements.txt").unlink()
    assert not project.lint("functions").codes


def test_a_comment_on_any_row_of_a_requirement_hides_its_finding(tmp_path: Path) -> None:
    line = (
        "opentelemetry-api==1.40 \\\n    --hash=sha256:ab \\\n    --hash=sha256:cd  # rlobs: ignore[RLO502]"
    )
    files = {"functions/reward.py": PROCESSOR, "requirements.txt": with_line(line)}
    assert not Project(tmp_path).write(files).lint("requirements.txt", overrides=Overrides()).codes
