"""What was seen of a run: the server's answers and the spans, as values and as text."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

#: What the console shows of each kind of span, and the attribute behind it.
SHOWN: Mapping[str, Mapping[str, str]] = {
    "LLM": {
        "model": "gen_ai.request.model",
        "input": "gen_ai.input.messages",
        "output": "gen_ai.output.messages",
        "tokens": "gen_ai.usage.output_tokens",
    },
    "TOOL": {"arguments": "gen_ai.tool.call.arguments", "result": "gen_ai.tool.call.result"},
    "ROLLOUT": {"input": "input.value", "output": "output.value"},
    "REWARD": {"input": "input.value", "output": "output.value"},
    "GROUP_REWARD": {"input": "input.value", "output": "output.value"},
    "CHAIN": {},
}
_ENTRIES = ("ROLLOUT", "REWARD", "GROUP_REWARD")
_ROLLOUT_ID = "bailian.agentic_rl.rollout_id"
#: What stands on a span in place of a result that was not awaited or not yet made.
_RANDOM_NAME = re.compile(r"(rollout|reward|group_reward)-[0-9a-f]{8}")
_PENDING = re.compile(r"<(coroutine|generator|async_generator) object")


class Span(NamedTuple):
    """A span of the console's tree.

    Attributes:
        kind: `gen_ai.span.kind`.
        name: Its name.
        missing: What the console shows of such a span and this one does not have.
        strange: What the span of a processor has, but not from the processor's own call.
        failed: Whether its status is ERROR.
        is_lost: Whether it lacks the rollout's id, so that no rollout shows it.
        children: Spans below it.
    """

    kind: str
    name: str
    missing: Tuple[str, ...]
    strange: Tuple[str, ...]
    failed: bool
    is_lost: bool
    children: Tuple[Span, ...]


class Answer(NamedTuple):
    """What the server answered to one request.

    Attributes:
        status: The HTTP status.
        body: What it sent.
        error: The type of the exception behind a status of 500.
        message: Its message.
    """

    status: int
    body: Mapping[str, Any]
    error: Optional[str]
    message: str


class Outcome(NamedTuple):
    """What came of a run.

    Attributes:
        submitted: The functions that were submitted, as text.
        problem: The type of the exception that kept the server from starting, if one did, and what it
            kept from what: `does not start: ImportError`.
        message: Its message.
        answers: The answers.
        spans: The roots of the span trees.
        attributes: The attributes of all spans, in the order in which they began.
        log: What was logged as a warning or worse, or warned of.
    """

    submitted: Tuple[str, ...]
    problem: Optional[str]
    message: str
    answers: Tuple[Answer, ...]
    spans: Tuple[Span, ...]
    attributes: Tuple[Mapping[str, Any], ...]
    log: Tuple[str, ...]


def read(seen: Mapping[str, Any]) -> Outcome:
    """Returns the outcome that a run told of."""
    problem = seen["problem"]
    answers = []
    for answer in seen["answers"]:
        error = answer["error"] if answer["status"] >= 500 else None
        error = error or {"type": None, "message": ""}
        answers.append(Answer(answer["status"], answer["body"], error["type"], error["message"]))
    attributes = tuple(span["attributes"] for span in seen["spans"] if span["kind"])
    return Outcome(
        tuple(_submitted(function) for function in seen["submitted"]),
        f"does not {problem['where']}: {problem['type']}" if problem else None,
        problem["message"] if problem else "",
        tuple(answers),
        _forest(seen["spans"], [answer.body for answer in answers if answer.status == 200]),
        attributes,
        tuple(seen["log"]),
    )


def _submitted(function: Mapping[str, Any]) -> str:
    name = "under a random name" if _RANDOM_NAME.fullmatch(function["name"]) else f"as {function['name']}"
    told = f"submits a {function['kind']} {name}"
    return f"{told}, weights {_numbers(function['weights'])}" if function["weights"] else told


def _forest(spans: Sequence[Mapping[str, Any]], bodies: Sequence[Any]) -> Tuple[Span, ...]:
    """Returns the trees of the spans that the console knows; others are passed through."""
    known = {span["id"] for span in spans}
    below: Dict[Optional[str], List[Mapping[str, Any]]] = {}
    for span in spans:
        parent = span["parent"] if span["parent"] in known else None
        below.setdefault(parent, []).append(span)

    def build(parent: Optional[str]) -> Iterator[Span]:
        for span in below.get(parent, ()):
            children = tuple(build(span["id"]))
            if span["kind"] is None:
                yield from children
            else:
                yield _span(span, children, bodies)

    return tuple(build(None))


def _span(span: Mapping[str, Any], children: Tuple[Span, ...], bodies: Sequence[Any]) -> Span:
    kind, attributes = span["kind"], span["attributes"]
    missing = tuple(shown for shown, name in SHOWN[kind].items() if not _is_filled(attributes.get(name)))
    strange = tuple(_strange(attributes, bodies, missing)) if kind in _ENTRIES else ()
    return Span(kind, span["name"], missing, strange, span["failed"], _ROLLOUT_ID not in attributes, children)


def _is_filled(value: Any) -> bool:
    """Whether an attribute says something; messages without any content do not."""
    if not isinstance(value, str):
        return value is not None
    if _PENDING.search(value):
        return False
    try:
        messages = json.loads(value)
    except ValueError:
        return bool(value)
    if not isinstance(messages, list) or not all("parts" in message for message in messages):
        return True
    parts = [part for message in messages for part in message["parts"]]
    return any(part.get("content") or part.get("name") or part.get("response") for part in parts)


def _strange(attributes: Mapping[str, Any], bodies: Sequence[Any], missing: Sequence[str]) -> Iterator[str]:
    if "input" not in missing and "func_type" not in json.loads(attributes["input.value"]):
        yield "input"
    if "output" not in missing and bodies and json.loads(attributes["output.value"]) not in bodies:
        yield "output"


# --- as text ------------------------------------------------------------------------------------


def tree(spans: Iterable[Span], depth: int = 0) -> Iterator[str]:
    """Yields the lines of span trees: kind, name and what is wrong."""
    for span in spans:
        yield f"{'  ' * depth}{span.kind} {span.name}{''.join(f', {flaw}' for flaw in _flaws(span))}"
        yield from tree(span.children, depth + 1)


def _flaws(span: Span) -> Iterator[str]:
    if span.missing:
        yield f"without {' and '.join(span.missing)}"
    if span.strange:
        yield f"with another {' and '.join(span.strange)}"
    if span.failed:
        yield "failed"
    if span.is_lost:
        yield "in no rollout"


def _answer(answer: Answer) -> str:
    if answer.error is not None:
        return f"HTTP {answer.status} {answer.error}"
    told = f"HTTP {answer.status}"
    reward, output = answer.body.get("reward"), answer.body.get("agent_output")
    if answer.body.get("status") == "failed":
        told += f", failed with error {json.dumps(answer.body.get('error'))}"
    for reported in reward.get("rewards", [reward]) if isinstance(reward, dict) else ():
        told += f", score {reported['reward_score']:g}"
        if reported.get("reward_metrics") is not None:
            told += f", metrics {_numbers(reported['reward_metrics'])}"
    if isinstance(output, dict) and output.get("rollout_metrics"):
        told += f", metrics {_numbers(output['rollout_metrics'])}"
    return told


def _numbers(metrics: Mapping[str, Any]) -> str:
    return json.dumps(metrics, ensure_ascii=False, sort_keys=True)


def text(outcome: Outcome) -> str:
    """Returns what was seen as lines: how the server fared, whether it logged anything, the spans."""
    lines = [*outcome.submitted]
    lines += [outcome.problem] if outcome.problem is not None else []
    lines += [_answer(answer) for answer in outcome.answers]
    lines += ["logs a warning"] if outcome.log else []
    return "\n".join([*lines, *tree(outcome.spans)]) + "\n"


def said(outcome: Outcome) -> str:
    """Returns the messages of all errors, and the log."""
    errors = (outcome.message, *(answer.message for answer in outcome.answers))
    return "\n".join([*errors, *outcome.log]).strip()
