"""Whether anything but the SDK reads an entry of reported metrics, so that a fix may change it."""

from __future__ import annotations

import textwrap

import pytest

from rlobs_lint.flow.questions.metrics import keys, values
from tests.flow.judging import PREAMBLE, analyse

_END = "return RewardOutput(reward=Reward(reward_score=size, reward_metrics={metrics}))\n"


def _reward(body: str, metrics: str = "metrics", beside: str = "") -> str:
    """Returns a module with a reward processor around the body of its `process`."""
    code = textwrap.dedent(body).strip("\n") + "\n" + _END.format(metrics=metrics)
    return (
        PREAMBLE
        + "import copy\nimport logging\n\nlogger = logging.getLogger(__name__)\n\n"
        + "class Some(AbstractRewardProcessor):\n"
        + "    @observe_processor\n"
        + "    async def process(self, input):\n"
        + "        size = len(str(input.ground_truth))\n"
        + textwrap.indent(code, " " * 8)
        + textwrap.indent(textwrap.dedent(beside), "    ")
    )


def _is_text_only_reported(source: str, beside: str = "x = 1\n") -> bool:
    """Says whether the text `2` among a source's metrics is only reported."""
    _, analysis = analyse({"functions/processor.py": source, "functions/beside.py": beside})
    (bad,) = (one for one in analysis.metrics.values(values.NON_NUMBER) if one.text == "2")
    return analysis.metrics.is_only_reported(bad.given.site, bad.given.key, True)


def _is_score_only_reported(source: str, beside: str = "x = 1\n") -> bool:
    """Says whether the entry `reward_score` among a source's metrics is only reported."""
    _, analysis = analyse({"functions/processor.py": source, "functions/beside.py": beside})
    (bad,) = analysis.metrics.keys(keys.SCORE_NAME)
    return analysis.metrics.is_only_reported(bad.site, bad.key, False)


#: Ways to make metrics with the text `2` that nothing reads as text.
ONLY_REPORTED = [
    'metrics = {"level": "2"}',
    'metrics = dict(level="2")',
    'metrics = {}\nmetrics["level"] = "2"',
    'metrics = {}\nmetrics.update(level="2")',
    'metrics = {}\nmetrics.setdefault("level", "2")',
    'metrics = {"a": 1.0}\nmetrics |= {"level": "2"}',
    'first = {"level": "2"}\nmetrics = {**first, "size": size}',
    'first = {"level": "2"}\nmetrics = first.copy()',
    'metrics = {"level": "2", "size": size}\nprint(metrics["size"], metrics.get("size"))',
    'metrics = {"level": "2"}\nlogger.info("metrics: %s", metrics)\nprint(metrics)',
    'metrics = {"level": "2"}\nif not metrics:\n    print("none")',
    'metrics = {"level": "2"}\nif "level" in metrics and len(metrics) > 1:\n    print("there")',
    'self.metrics = {"level": "2"}\nmetrics = self.metrics',
]
#: The same where code sees the text.
READ_AS_TEXT = [
    'metrics = {"level": "2"}\nprint("level " + metrics["level"])',
    'metrics = {"level": "2"}\nprint("level " + metrics.get("level"))',
    'metrics = {"level": "2"}\nfor key, value in metrics.items():\n    print(key + value)',
    'metrics = {"level": "2"}\nprint("%(level)s" % metrics)',
    'metrics = {}\nmetrics["level"] = level = "2"\nprint("level " + level)',
    'metrics = {"level": "2"}\nother = metrics\nprint("level " + other["level"])',
    'metrics = {"level": "2"}\nself.metrics = metrics\nprint("level " + self.metrics["level"])',
    'metrics = {"level": "2"}\nkey = "level"\nprint("level " + metrics[key])',
    'metrics = {"level": "2"}\nunknown(metrics)',
    'metrics = {"level": "2"}\nprint("level " + copy.deepcopy(metrics)["level"])',
    'metrics = {"level": "2"}\nprint(lambda: metrics["level"] + "!")',
    'metrics = other = {"level": "2"}\nprint("level " + other["level"])',
    'metrics = {**(kept := {"level": "2"})}\nprint("level " + kept["level"])',
]


@pytest.mark.parametrize("body", ONLY_REPORTED)
def test_text_that_nothing_reads(body: str) -> None:
    assert _is_text_only_reported(_reward(body))


@pytest.mark.parametrize("body", READ_AS_TEXT)
def test_text_that_code_reads(body: str) -> None:
    assert not _is_text_only_reported(_reward(body))


HELPERS = {
    "returns": (
        "metrics = self.collect()",
        """
            def collect(self):
                return {"level": "2"}
        """,
    ),
    "shows a part": (
        'metrics = {"level": "2", "size": size}\nself.show(metrics)',
        """
            def show(self, shown):
                print("size %s" % shown["size"])
        """,
    ),
}
READING_HELPERS = {
    "fills what its caller may read": (
        "metrics = {}\nself.fill(metrics)\nprint('level ' + metrics['level'])",
        """
            def fill(self, target):
                target["level"] = "2"
        """,
    ),
    "returns what another caller reads": (
        "metrics = self.collect()",
        """
            def collect(self):
                return {"level": "2"}

            def describe(self):
                return "level " + self.collect()["level"]
        """,
    ),
    "shows it": (
        'metrics = {"level": "2"}\nself.show(metrics)',
        """
            def show(self, shown):
                print("level " + shown["level"])
        """,
    ),
    "keeps it": (
        'metrics = {"level": "2"}\nself.keep(metrics)',
        """
            def keep(self, kept):
                self.kept = kept

            def describe(self):
                return "level " + self.kept["level"]
        """,
    ),
}


@pytest.mark.parametrize("name", HELPERS)
def test_helpers_that_do_not_read_it(name: str) -> None:
    body, beside = HELPERS[name]
    assert _is_text_only_reported(_reward(body, beside=beside))


@pytest.mark.parametrize("name", READING_HELPERS)
def test_helpers_that_do(name: str) -> None:
    body, beside = READING_HELPERS[name]
    assert not _is_text_only_reported(_reward(body, beside=beside))


def test_another_file_that_reads_the_attribute() -> None:
    source = _reward('self.metrics = {"level": "2"}', metrics="self.metrics")
    assert _is_text_only_reported(source)
    assert _is_text_only_reported(source, 'def show(some):\n    print("size %s" % some.metrics["size"])\n')
    assert not _is_text_only_reported(
        source, 'def show(some):\n    print("level " + some.metrics["level"])\n'
    )
    assert not _is_text_only_reported(source, "def show(some):\n    return some.metrics\n")


def test_a_score_as_text() -> None:
    literal = 'return RewardOutput(reward=Reward(reward_score="2"))'
    assert _is_text_only_reported(_reward(f"metrics = {{}}\nif size:\n    {literal}"))


#: Ways to repeat the score that nothing reads, with which it may be dropped.
SCORE_ONLY_REPORTED = [
    'metrics = {"reward_score": size}',
    "metrics = dict(reward_score=size)",
    'metrics = {"a": 1.0}\nmetrics["reward_score"] = size',
    'metrics = {"reward_score": size}\nlogger.info("metrics: %s", metrics)',
    'metrics = {"a": 1.0, "reward_score": size}\nprint(metrics)\nprint(metrics["a"])',
]
#: The same where code would miss it.
SCORE_READ = [
    'metrics = {"reward_score": size}\nsize = metrics["reward_score"]',
    'metrics = {"reward_score": size}\nsize = metrics.get("reward_score", 0)',
    'metrics = {"reward_score": size}\nsize = sum(metrics.values())',
    'metrics = {"reward_score": size}\nsize = len(metrics)',
    'metrics = {"reward_score": size}\nif metrics:\n    size = 2',
    'metrics = {"reward_score": size}\nif "reward_score" in metrics:\n    size = 2',
    'metrics = {"reward_score": size}\nmetrics["reward_score"] += 1',
    'metrics = {"reward_score": size}\ndel metrics["reward_score"]\nmetrics["reward_score"] = 1',
    'metrics = {"reward_score": size}\nlogger.info("score %(reward_score)s", metrics)',
    'metrics = {"reward_score": size}\nprint("{reward_score}".format(**metrics))',
]


@pytest.mark.parametrize("body", SCORE_ONLY_REPORTED)
def test_a_score_that_nothing_reads(body: str) -> None:
    assert _is_score_only_reported(_reward(body))


@pytest.mark.parametrize("body", SCORE_READ)
def test_a_score_that_code_reads(body: str) -> None:
    _, analysis = analyse({"functions/processor.py": _reward(body)})
    found = list(analysis.metrics.keys(keys.SCORE_NAME))
    assert found
    assert not all(analysis.metrics.is_only_reported(one.site, one.key, False) for one in found)


def test_a_score_read_from_the_result() -> None:
    source = _reward('metrics = {"reward_score": size}')
    assert _is_score_only_reported(source, "def show(reward):\n    print(reward.reward_score)\n")
    assert not _is_score_only_reported(
        source, 'def show(reward):\n    print(reward.reward_metrics["reward_score"])\n'
    )
