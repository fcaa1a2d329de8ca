"""Every claim: the linter finds the mistake, the SDK shows the consequence, the fix ends both."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sdk import claims
from tests.sdk.claims import Claim, Show
from tests.sdk.harness import Harness
from tests.sdk.outcome import said, text

CLAIMS = claims.load()
SHOWS = [(claim, show) for claim in CLAIMS for show in claim.shows]
BY_CLAIM = pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.name)
BY_SHOW = pytest.mark.parametrize(
    ("claim", "show"), SHOWS, ids=[f"{claim.name}-{show.run.processor}" for claim, show in SHOWS]
)


@BY_CLAIM
def test_the_linter_reports_the_rule_at_its_place_and_nothing_else(claim: Claim, tmp_path: Path) -> None:
    assert {code for _, _, code in claim.expected} == {claim.code, *claim.also}
    linted = claim.write_broken(tmp_path).lint()
    assert linted.places == claim.expected
    if claim.fix != "hand":
        safe = [finding.fix.applicability.value for finding in linted.findings if finding.fix is not None]
        assert len(safe) == len(linted.findings) and set(safe) == {claim.fix}


@BY_CLAIM
def test_the_fixed_project_is_clean(claim: Claim, tmp_path: Path) -> None:
    assert not claim.write_fixed(tmp_path).lint().findings


@BY_SHOW
def test_the_sdk_shows_the_consequence(claim: Claim, show: Show, harness: Harness, tmp_path: Path) -> None:
    outcome = harness.run(claim.write_broken(tmp_path).root, show.run)
    assert text(outcome) == show.broken
    assert show.says in said(outcome)


@BY_SHOW
def test_the_sdk_shows_the_whole_tree_once_it_is_fixed(
    claim: Claim, show: Show, harness: Harness, tmp_path: Path
) -> None:
    outcome = harness.run(claim.write_fixed(tmp_path).root, show.fixed_run)
    assert text(outcome) == show.fixed, said(outcome)


@BY_CLAIM
def test_the_runs_differ_unless_only_a_document_asks_for_it(claim: Claim) -> None:
    assert all((show.broken == show.fixed) is claim.documented for show in claim.shows)
