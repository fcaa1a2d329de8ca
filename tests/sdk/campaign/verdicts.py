"""What the SDK shows of a run, what the linter says, and where the two differ."""

from __future__ import annotations

import re
from contextlib import redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Set, Tuple

from rlobs_lint.cli import commands
from tests.linting import Linted, Project, read_files
from tests.sdk.campaign.projects import CALLS, CampaignProject, telling
from tests.sdk.harness import Harness, Run
from tests.sdk.outcome import Answer, Outcome, Span

KINDS = ("ENTRY", "LLM", "TOOL")
_ENTRIES = ("ROLLOUT", "REWARD", "GROUP_REWARD")
#: Which findings tell of which loss.
_TOLD_BY: Mapping[str, re.Pattern[str]] = {
    "ENTRY": re.compile("RLO10"),
    "LLM": re.compile("RLO(2|10[56])"),
    "TOOL": re.compile("RLO(3|209|10[56])"),
    "METRICS": re.compile("RLO4"),
    "CRASH": re.compile("RLO[1-47]"),
}
_JUDGED = re.compile("RLO[1-4]")
#: What a message says of metrics or scores that are refused: by their models, or on the way to JSON.
_REFUSED = re.compile("reward_metrics|rollout_metrics|reward_score|Out of range float|Reward\\b")
_KEY = re.compile(r"[^/\s'\"{}]+")
_MOST_METRICS = 10


class Shown(NamedTuple):
    """What the SDK showed of a run.

    Attributes:
        made: How many calls of each kind the project made.
        whole: How many spans of each kind were whole, and in their rollout.
        broken: The spans that were not, as text.
        metrics: What is wrong with the metrics that arrived.
        crash: What went wrong.
        answers: The bodies of the answers.
    """

    made: Mapping[str, int]
    whole: Mapping[str, int]
    broken: Tuple[str, ...]
    metrics: Tuple[str, ...]
    crash: str
    answers: Tuple[Any, ...]

    @property
    def losses(self) -> Set[str]:
        """What was lost: kinds of spans, `METRICS`, `CRASH`."""
        lost = {kind for kind in KINDS if self.whole[kind] < self.made[kind]}
        lost |= {"METRICS"} if self.metrics else set()
        return lost | ({"CRASH"} if self.crash else set())

    @property
    def doubled(self) -> Set[str]:
        """The kinds of which there are more spans than calls."""
        return {kind for kind in KINDS if self.whole[kind] > self.made[kind]}


class Judged(NamedTuple):
    """A project after its run and its check.

    Attributes:
        shown: What the SDK showed.
        linted: What the linter said.
    """

    shown: Shown
    linted: Linted

    @property
    def disagreements(self) -> Set[str]:
        """Where the two differ: `miss LLM`, `false alarm RLO302`."""
        lost, codes = self.shown.losses, set(self.linted.codes)
        missed = {f"miss {loss}" for loss in lost if not any(map(_TOLD_BY[loss].match, codes))}
        false = {
            f"false alarm {code}"
            for code in codes
            if _JUDGED.match(code) and not any(_TOLD_BY[loss].match(code) for loss in lost)
        }
        return missed | false


class Fixed(NamedTuple):
    """A project before and after `--fix`.

    Attributes:
        before: As it was written.
        after: As the fix left it; the same where there was nothing to fix.
    """

    before: Judged
    after: Judged

    @property
    def disagreements(self) -> Set[str]:
        """Where SDK and linter differ before the fix, and what the fix leaves wrong."""
        found = self.before.disagreements
        if self.after is self.before:
            return found
        left = self.after.disagreements - found
        left |= {f"double {kind}" for kind in self.after.shown.doubled - self.before.shown.doubled}
        return found | {f"after the fix: {one}" for one in left}


def judge(harness: Harness, project: CampaignProject) -> Fixed:
    """Runs and checks a project, and once more as `--fix` leaves it, if that changes anything."""
    with TemporaryDirectory() as place:
        written = Project(Path(place)).write(project.files)
        before = _judge(harness, project, written)
        if not before.linted.findings:
            return Fixed(before, before)
        files = read_files(written.root)
        with redirect_stdout(TextIOWrapper(BytesIO())):
            commands.run(["check", "--isolated", "--no-cache", "--quiet", "--fix", place])
        if read_files(written.root) == files:
            return Fixed(before, before)
        return Fixed(before, _judge(harness, project, written))


def _judge(harness: Harness, project: CampaignProject, written: Project) -> Judged:
    with TemporaryDirectory() as place:
        run = Project(Path(place)).write(telling(read_files(written.root), project.tools))
        return Judged(_run(harness, project, run.root), written.lint())


# --- what a run shows -----------------------------------------------------------------------------


def _run(harness: Harness, project: CampaignProject, folder: Path) -> Shown:
    calls = folder / ".git" / "calls"
    calls.touch()
    asked, called = len(harness.asked), len(harness.called())
    run = Run(project.processor, project.kind, project.inputs, environment={CALLS: str(calls)})
    outcome = harness.run(folder, run)
    made = {
        "ENTRY": len(outcome.answers),
        "LLM": len(harness.asked) - asked,
        "TOOL": len(harness.called()) - called + len(calls.read_text(encoding="utf-8").splitlines()),
    }
    first = next((row for row, span in enumerate(outcome.spans) if span.kind == "CHAIN"), 0)
    early, spans = list(_flat(outcome.spans[:first])), list(_flat(outcome.spans[first:]))
    whole = {kind: sum(_kind(span) == kind and not _flaw(span) for span in spans) for kind in KINDS}
    for span in early:  # what `setup` calls is in no rollout, and cannot be
        whole[_kind(span)] += 1
    metrics = tuple(_wrong_metrics(outcome.answers, project.metrics))
    return Shown(
        made,
        whole,
        tuple(f"{span.kind} {span.name}: {_flaw(span)}" for span in spans if _flaw(span)),
        metrics,
        _crash(outcome, bool(metrics)),
        tuple(answer.body for answer in outcome.answers),
    )


def _flat(spans: Iterable[Span]) -> Iterator[Span]:
    for span in spans:
        yield span
        yield from _flat(span.children)


def _kind(span: Span) -> str:
    return "ENTRY" if span.kind in _ENTRIES else span.kind


def _flaw(span: Span) -> str:
    """Returns what keeps a span from being whole; a span of a call that failed has no output."""
    if span.kind == "CHAIN":
        return ""
    missing = () if span.failed else span.missing
    flaws = [f"without {' and '.join(missing)}"] if missing else []
    flaws += ["of another call"] if span.strange else []
    return ", ".join([*flaws, *(["in no rollout"] if span.is_lost else [])])


def _crash(outcome: Outcome, has_wrong_metrics: bool) -> str:
    if outcome.problem is not None:
        return f"{outcome.problem}: {outcome.message}"
    for answer in outcome.answers:
        if answer.error is not None and not has_wrong_metrics:
            return f"HTTP {answer.status} {answer.error}: {answer.message}"
    return ""


def _wrong_metrics(answers: Tuple[Answer, ...], wanted: Tuple[str, ...]) -> Iterator[str]:
    found: List[Set[str]] = []
    for answer in answers:
        if answer.error is not None:
            if _REFUSED.search(answer.message):
                yield f"refused: {answer.message}"
            return
        found.extend(_metrics(answer.body))
    for metrics in found:
        if not metrics.issuperset(wanted):
            yield f"dropped: {sorted(set(wanted) - metrics)}"
        if len(metrics) > _MOST_METRICS:
            yield f"{len(metrics)} metrics"
        if not all(map(_KEY.fullmatch, metrics)) or "reward_score" in metrics:
            yield f"keys: {sorted(metrics)}"
    if found and set.union(*found) - set.intersection(*found) - set(wanted):
        yield f"other keys in each answer: {sorted(set.union(*found))}"


def _metrics(body: Mapping[str, Any]) -> Iterator[Set[str]]:
    """Yields the metrics that an answer holds: one of them for each reward of a group."""
    reward, output = body.get("reward"), body.get("agent_output")
    if isinstance(reward, dict):
        for one in reward.get("rewards", [reward]):
            yield set(one.get("reward_metrics") or ())
    elif isinstance(output, dict):
        yield set(output.get("rollout_metrics") or ())
    elif isinstance(body.get("agent_output"), list):
        for one in body["agent_output"]:
            yield set(one.get("rollout_metrics") or ())


# --- as text ------------------------------------------------------------------------------------------


def text(judged: Fixed) -> str:
    """Returns both sides as text."""
    lines = _lines(judged.before)
    if judged.after is not judged.before:
        lines += ["after the fix:", *(f"  {line}" for line in _lines(judged.after))]
        changed = judged.before.shown.answers != judged.after.shown.answers
        lines += ["  other answers"] if changed else []
    return "\n".join(lines)


def _lines(judged: Judged) -> List[str]:
    shown = judged.shown
    counts: Dict[str, str] = {kind: f"{shown.whole[kind]} of {shown.made[kind]}" for kind in KINDS}
    lines = [", ".join(f"{kind} {count}" for kind, count in counts.items())]
    lines += [*shown.broken, *(f"metrics {one}" for one in shown.metrics)]
    lines += [shown.crash] if shown.crash else []
    for (path, row, code), count in sorted(judged.linted.places.items()):
        lines.append(f"{path}:{row} {code}" + (f" ({count} times)" if count > 1 else ""))
    return lines
