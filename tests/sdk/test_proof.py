"""The page about the proofs: it says what the claims say, and every rule is on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlobs_lint.rulebook import registry
from tests.sdk import claims, proof
from tests.sdk.proof import compact

CLAIMED = {claim.code for claim in claims.load()}


def test_the_page_is_current() -> None:
    """What the claims expect is what the runs show: `test_claims` sees to that."""
    expected = proof.page(lambda _, show: (show.broken, show.fixed))
    assert proof.PAGE.read_text(encoding="utf-8") == expected, "python -m tests.sdk.proof --write"


def test_every_rule_is_proven_or_said_why_not() -> None:
    codes = {rule.code for rule in registry.all_rules()}
    assert CLAIMED | set(proof.NOT_RUN) == codes
    assert not CLAIMED & set(proof.NOT_RUN)


@pytest.mark.parametrize(
    ("seen", "wanted"),
    [
        ("HTTP 200\n", "HTTP 200<br>no span"),
        ("HTTP 200\nCHAIN a\n  ROLLOUT b\n    LLM c\n", "HTTP 200<br>`CHAIN(ROLLOUT(LLM))`"),
        ("HTTP 200\nCHAIN a\n  LLM c\n  TOOL d\n", "HTTP 200<br>`CHAIN(LLM, TOOL)`"),
        ("HTTP 200\nlogs a warning\nCHAIN a\nLLM c\n", "HTTP 200<br>*warning*<br>`CHAIN` + `LLM`"),
        (
            "HTTP 500 TypeError\nCHAIN a, failed\n  LLM c, without output, failed\n",
            "HTTP 500 TypeError<br>`CHAIN[failed](LLM[without output, failed])`",
        ),
        ("does not start: ImportError\n", "does not start: ImportError<br>no span"),
    ],
)
def test_a_run_in_one_line(seen: str, wanted: str) -> None:
    assert compact(seen) == wanted


def test_the_folder_of_claims_holds_nothing_else() -> None:
    folders = {path for path in claims.FOLDER.glob("*/*") if path.is_dir()}
    assert folders == {path.parent for path in claims.FOLDER.glob("*/*/claim.toml")}
    assert all(Path(claim.folder / "fixed").exists() is (claim.fix == "hand") for claim in claims.load())
