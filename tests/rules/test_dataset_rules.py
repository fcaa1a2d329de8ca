from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from rlobs_lint.rulebook import registry
from rlobs_lint.texts import fill
from tests.linting import Project

JOB = "functions:\n- {type: rollout}\ndatasets:\n- file_name: data/train.jsonl\n"
GOOD = '{"messages": [{"role": "user", "content": "3*7=?"}]}'
BAD = {
    "RLO801": "[]",
    "RLO802": '{"messages": []}',
    "RLO803": GOOD[:-1] + ', "rollout_extra": 1}',
}


@pytest.mark.parametrize("code", sorted(BAD))
@pytest.mark.parametrize(("count", "last"), [(20, 1), (21, 1), (22, 2), (70, 50)])
def test_the_21st_finding_counts_the_rest(tmp_path: Path, code: str, count: int, last: int) -> None:
    files = {"data/train.jsonl": f"{GOOD}\n" + f"{BAD[code]}\n" * count, "job.yaml": JOB}
    findings = Project(tmp_path).write(files).lint().findings
    assert [finding.location.start.row for finding in findings] == list(range(2, min(count, 21) + 2))
    assert dict(findings[-1].parameters).get("count", 1) == last


def test_every_reason_has_its_sentence(tmp_path: Path) -> None:
    lines = [
        "\ufeff" + GOOD, "", "{", "[]", GOOD + GOOD, '{"a": NaN}', '{"a":' + "[" * 200_000, "{}",
        *(f'{{"messages": {messages}}}' for messages in (
            "1", "[]", "[1]", "[{}]", '[{"role": "x"}]', '[{"role": "user"}]',
            '[{"role": "user", "content": 1}]', '[{"role": "user", "content": [1]}]',
        )),
        GOOD[:-1] + ', "rollout_extra": "{x}"}', GOOD,
    ]  # fmt: skip
    linted = Project(tmp_path).write({"data/train.jsonl": "\n".join(lines), "job.yaml": JOB}).lint()
    for code in BAD:
        rule = registry.rule_of(code)
        assert rule is not None
        found = {finding.message for finding in linted.findings if finding.code == code}
        assert {key for key, text in rule.messages.items() if text not in found} <= {"rest", "too-long"}, code
    for finding in linted.findings:
        for language in ("en", "zh"):
            assert "{" not in fill(finding.message, finding.parameters, language).replace("'{'", "")


def test_bytes_that_are_not_utf8_have_one_finding(tmp_path: Path) -> None:
    files = {"data/train.jsonl": b'{\n{"messages": 1}\n\xff\n', "job.yaml": JOB}
    linted = Project(tmp_path).write(files).lint()
    assert linted.places == Counter({("data/train.jsonl", 1, "RLO902"): 1})


def test_a_named_file_is_judged_without_any_job(tmp_path: Path) -> None:
    project = Project(tmp_path).write({"data/other.jsonl": "{\n", "data/more.jsonl": "{\n"})
    assert project.lint("data/other.jsonl").places == Counter({("data/other.jsonl", 1, "RLO801"): 1})
    assert project.lint().codes == ()


def test_a_dataset_that_is_not_reported_is_not_read(tmp_path: Path) -> None:
    files = {"data/train.jsonl": "{\n", "job.yaml": JOB, "functions/a.py": ""}
    project = Project(tmp_path).write(files)
    linted = project.lint("functions/a.py", "job.yaml")
    assert linted.codes == ()
    assert [checked.workspace.datasets for checked in linted.checked] == [()]
    assert project.lint("functions").codes == ("RLO801",)


def test_an_excluded_dataset_is_not_read_unless_it_is_named(tmp_path: Path) -> None:
    settings = '[tool.rlobs-lint]\nextend-exclude = ["data/"]\n'
    files = {"data/train.jsonl": "{\n", "job.yaml": JOB, "pyproject.toml": settings}
    project = Project(tmp_path).write(files)
    assert project.lint().codes == ()
    assert project.lint("data/train.jsonl").codes == ("RLO801",)


def test_a_dataset_that_git_ignores_is_read(tmp_path: Path) -> None:
    files = {"data/train.jsonl": "{\n", "job.yaml": JOB, ".gitignore": "data/\n"}
    assert Project(tmp_path).write(files).lint().codes == ("RLO801",)
