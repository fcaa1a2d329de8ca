"""What the value flow finds out about metrics, scores and results."""

from __future__ import annotations

import textwrap
from collections import Counter
from typing import Iterator, Mapping, Tuple, Union

import pytest

from rlobs_lint.flow.analysis import Analysis
from rlobs_lint.flow.domain.values import Site
from rlobs_lint.flow.questions.metrics import keys, values
from tests.flow.judging import PREAMBLE, analyse, expected

_KEY_CODES = {
    keys.NON_STRING: "RLO408",
    keys.BAD_NAME: "RLO407",
    keys.UNBOUNDED_KEY: "RLO403",
    keys.ID_NAME: "RLO403",
    keys.SCORE_NAME: "RLO405",
    keys.DEBUG_NAME: "RLO406",
}
_VALUE_CODES = {
    values.NO_MAPPING: "RLO401",
    values.NESTED: "RLO401",
    values.NON_FINITE: "RLO411",
    values.NON_NUMBER: "RLO402",
}


def _judged(analysis: Analysis) -> Iterator[Tuple[Site, str]]:
    metrics, rewards = analysis.metrics, analysis.rewards
    for key in metrics.keys(*_KEY_CODES):
        yield key.site, _KEY_CODES[key.what]
    for value in metrics.values(*_VALUE_CODES):
        yield value.given.site, _VALUE_CODES[value.what]
    for many in metrics.too_many(10):
        yield many.site, "RLO404"
    for parts in rewards.dropped_parts():
        yield Site(parts.module.path, parts.node.signature), "RLO409"
    for argument in rewards.dropped_arguments():
        yield argument.site, "RLO410"
    for site, _ in rewards.replaced_providers():
        yield site, "RLO607"
    for part in rewards.unreadable_parts():
        yield part.site, "RLO608"
    for site in rewards.unguarded_reads():
        yield site, "RLO701"
    for failure in rewards.silent_failures():
        yield failure.site, "RLO702"
    for constant in rewards.constant_rewards():
        yield constant.site, "RLO703"


def check(sources: Union[str, Mapping[str, str]]) -> None:
    """Asserts that a source, or several files, show exactly what their comments mark."""
    if isinstance(sources, str):
        sources = {"functions/processor.py": PREAMBLE + textwrap.dedent(sources)}
    workspace, analysis = analyse(sources)
    found: Counter[Tuple[str, int, str]] = Counter()
    for site, code in _judged(analysis):
        module = workspace.modules[site.path]
        found[module.relative, module.source.position(site.span.start).row, code] += 1
    assert found == expected(sources)


def process(body: str) -> str:
    """Returns a reward processor around the body of its `process`, whose input is `input`."""
    return (
        "class Some(AbstractRewardProcessor):\n"
        "    @observe_processor\n"
        "    async def process(self, input):\n"
        "        size = len(str(input.ground_truth))\n"
        + textwrap.indent(textwrap.dedent(body).strip("\n"), " " * 8)
        + "\n        return RewardOutput(reward=Reward(reward_score=size, reward_metrics=metrics))\n"
    )


# --- dictionaries -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        """
        metrics = {"a": [1]}  # expect: RLO401
        """,
        """
        metrics = {"a": [1]}
        metrics["a"] = 1.0
        """,
        """
        metrics = {"a": [1], "b": "x"}
        del metrics["a"]
        metrics.pop("b")
        """,
        """
        metrics = {"a": [1]}  # expect: RLO401
        if size:
            del metrics["a"]
        """,
        """
        metrics = {name: [] for name in ("a", "b")}
        for name in ("a", "b"):
            metrics[name] = float(len(metrics[name]))
        """,
        """
        metrics = dict.fromkeys(("a", "b"))
        for name in metrics:
            metrics[name] = 1.0
        """,
        """
        metrics = dict.fromkeys(("a", "b"))  # expect: RLO402
        metrics["a"] = 1.0
        """,
        """
        metrics = {"a": 1.0}
        metrics.setdefault("a", [1])
        metrics.setdefault("b", [1])  # expect: RLO401
        """,
        """
        metrics = {}
        if size:
            metrics["a"] = 1.0
        metrics.setdefault("a", [1])  # expect: RLO401
        """,
        """
        metrics = {}
        metrics |= {"a": "x"}  # expect: RLO402
        metrics = metrics | {"b": "y"}  # expect: RLO402
        metrics = {**metrics, "c": "z"}  # expect: RLO402
        """,
        """
        values = {"a": 1.0, "b": "x", "c": [1], "d": None}
        metrics = {key: value for key, value in values.items() if isinstance(value, float)}
        """,
        """
        values = {"a": 1.0, "b": "x", "c": [1], "d": None}
        metrics = {}
        for key, value in values.items():
            if value is None or isinstance(value, (str, list)):
                continue
            metrics[key] = value
        """,
        """
        values = {"a": 1.0, "b": "x", "c": [1]}
        metrics = {key: values[key] for key in values if key not in ("b", "c")}
        """,
        """
        values = {"a": 1.0, "text": "x"}
        metrics = {key: value for key, value in values.items() if not key.startswith("te")}
        """,
        """
        metrics = {"a": 1.0}
        reward = Reward(reward_score=size, reward_metrics=metrics)
        metrics["late"] = "x"
        metrics = {}
        """,
        """
        metrics = {"a": 1.0}
        reward = Reward(reward_score=size, reward_metrics=metrics)
        reward.reward_metrics["late"] = "x"  # expect: RLO402
        """,
        """
        def put(target, key, value):
            target[key] = value  # expect: RLO402
        metrics = {}
        put(metrics, "a", 1.0)
        put(metrics, "b", "x")
        """,
        """
        import functools
        metrics = {}
        set_text = functools.partial(metrics.__setitem__, "a")
        """,
    ],
)
def test_dictionaries(body: str) -> None:
    check(process(body))


# --- types --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        """
        ok, value = (False, "no answer") if size < 3 else (True, 0.5)
        metrics = {"value": value}
        """,
        """
        value = "none" if size < 3 else 0.5
        metrics = {"value": value}  # expect: RLO402
        """,
        """
        best = None
        for word in str(input.ground_truth).split():
            if best is None or len(word) > best:
                best = len(word)
        metrics = {"best": best, "none": None}  # expect: RLO402
        """,
        """
        metrics = {"value": 0.5 if size else None}  # expect: RLO402
        """,
        """
        value = None
        if size:
            value = 0.5
        metrics = {"value": value}
        """,
        """
        value: str = input.ground_truth
        metrics = {"value": value}  # expect: RLO402
        """,
        """
        value = input.ground_truth
        if isinstance(value, str):
            value = float(value)
        metrics = {"value": value}
        """,
        """
        from datetime import datetime, timedelta
        begin = datetime.now()
        passed = datetime.now() - begin
        metrics = {"passed": passed, "end": begin + passed}  # expect: RLO402, RLO402
        metrics["half"] = passed / 2  # expect: RLO402
        metrics["share"] = passed / timedelta(minutes=1)
        metrics["seconds"] = (datetime.now() - begin).total_seconds()
        """,
        """
        import math
        low = math.inf
        for word in str(input.ground_truth).split():
            low = min(low, len(word))
        metrics = {"low": low, "lowest": -math.inf}  # expect: RLO411
        """,
        """
        value = float("nan")
        if size:
            value = 0.5
        metrics = {"value": value}  # expect: RLO411
        """,
        """
        import math
        value = float("nan") if size else 0.5
        if math.isnan(value):
            value = 0.0
        metrics = {"value": value}
        """,
        """
        metrics = {"value": "%.2f" % size, "other": "{}".format(size)}  # expect: RLO402, RLO402
        """,
        """
        metrics = {"messages": input.agent_output.messages}  # expect: RLO401
        """,
    ],
)
def test_types(body: str) -> None:
    check(process(body))


# --- loops over a dictionary's keys and items ---------------------------------------------------


@pytest.mark.parametrize(
    "keys", ["list(metrics)", "sorted(metrics)", "tuple(metrics)", "set(metrics.keys())"]
)
def test_lists_that_a_loop_replaces(keys: str) -> None:
    check(
        process(
            f"""
            metrics = {{"size": [], "turns": []}}
            for message in input.agent_output.messages or []:
                metrics["size"].append(len(str(message)))
                metrics["turns"].append(1)
            for key in {keys}:
                metrics[key] = sum(metrics[key]) / max(1, len(metrics[key]))
            """
        )
    )


@pytest.mark.parametrize(
    "body",
    [
        """
        values = {"a": [1.0], "b": "x"}
        metrics = {key: values[key] for key in list(values)}  # expect: RLO401
        """,
        """
        values = {"b": "x", "a": 1.0}
        metrics = {}
        for key, value in sorted(values.items()):
            if key != "b":
                metrics[key] = value
        """,
        """
        metrics = {"a": 1.0, "b": "x"}
        metrics.popitem()
        """,
        """
        metrics = {"a": "x", "b": 1.0}  # expect: RLO402
        metrics.popitem()
        """,
    ],
)
def test_loops_over_keys_and_items(body: str) -> None:
    check(process(body))


@pytest.mark.parametrize(
    ("cut", "kept"),
    [
        ("dict(list(metrics.items())[:{}])", 10),
        ("dict(sorted(metrics.items(), key=lambda item: -item[1])[:{}])", 10),
        ("dict(itertools.islice(metrics.items(), {}))", 10),
        ("dict(itertools.islice(metrics.items(), 2, {}))", 12),
        ("{{key: metrics[key] for key in sorted(metrics)[:{}]}}", 10),
    ],
)
@pytest.mark.parametrize(
    "made",
    [
        '{f"k{number}": 1.0 for number in range(20)}',
        '{f"k{number}": 1.0 for number in range(20) if number < size}',
    ],
)
def test_keys_that_are_cut(cut: str, kept: int, made: str) -> None:
    body = f"import itertools\nmetrics = {made}\nmetrics = "
    marked = "reward_metrics=metrics))"
    check(process(body + cut.format(kept)))
    more = process(body + cut.format(kept + 1)).replace(marked, f"{marked}  # expect: RLO404")
    check(more)


def test_keys_that_are_deleted_are_not_counted() -> None:
    check(
        process(
            """
            metrics = {f"k{number}": 1.0 for number in range(20)}
            for key in list(metrics)[10:]:
                del metrics[key]
            metrics = {key: metrics[key] for key in list(metrics)[-10:]}
            """
        )
    )


# --- what conditions show -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        """
        metrics = {"first": None}
        if size:
            metrics["first"] = 1.0
        if metrics["first"] is None:
            metrics["first"] = 0.0
        """,
        """
        metrics = {"first": None}
        if metrics.get("first") is None:
            metrics.pop("first", None)
        """,
        """
        metrics = {"first": None, "second": "x"}  # expect: RLO402
        if not metrics["first"]:
            metrics["first"] = float(size)
        """,
        """
        metrics = {"first": None}
        while metrics["first"] is None:
            metrics["first"] = float(size)
        """,
        """
        metrics = {"n": 1.0, "best": None, "text": "x"}  # expect: RLO402
        if size:
            metrics["best"] = 1.0
        for key in list(metrics):
            if metrics[key] is None:
                del metrics[key]
        """,
        """
        metrics = {"n": 1.0, "best": None}
        missing = [key for key in metrics if metrics[key] is None]
        for key in missing:
            del metrics[key]
        """,
        """
        metrics = {"n": 1.0, "best": None}
        for key in [key for key, value in metrics.items() if value is None]:
            metrics.pop(key)
        """,
        """
        metrics = {"n": 1.0, "best": None}  # expect: RLO402
        for key in [key for key, value in metrics.items() if value is None]:
            print(key)
        """,
        """
        metrics = {"n": 1.0, "best": None}  # expect: RLO402
        if metrics["n"] is None:
            del metrics["best"]
        """,
        """
        metrics = {"n": 1.0, "sizes": [1.0]}
        for key in metrics:
            if isinstance(metrics[key], list):
                metrics[key] = sum(metrics[key])
        """,
        """
        values = {"n": 1.0, "best": None}
        metrics = {key: values[key] for key in values if values[key] is not None}
        values["late"] = values["best"]
        metrics["best"] = values["late"]  # expect: RLO402
        """,
    ],
)
def test_entries_that_conditions_ask_about(body: str) -> None:
    check(process(body))


_PREDICATES = """
NUMBERS = (int, float)


def is_number(value):
    return isinstance(value, NUMBERS) and not isinstance(value, bool)


def is_text(value):
    if value is None:
        return
    if isinstance(value, str):
        return True
    return False


is_float = lambda value: type(value) is float


"""


@pytest.mark.parametrize(
    "filtered",
    [
        "{key: value for key, value in values.items() if is_number(value)}",
        "{key: value for key, value in values.items() if is_float(value)}",
        "{key: value for key, value in values.items() if type(value) in (int, float)}",
        "{key: value for key, value in values.items() if type(value) not in (str, list, type(None))}",
        "{key: value for key, value in values.items() if type(value) == float}",
        '{key: value for key, value in values.items() if type(value).__name__ == "float"}',
        "{key: values[key] for key in values if is_number(values[key])}",
        "{key: values[key] for key in sorted(values) if isinstance(values[key], NUMBERS)}",
        "dict(filter(lambda item: isinstance(item[1], float), values.items()))",
        "dict(filter(lambda item: is_number(item[1]), values.items()))",
        "{key: value for key, value in values.items() if value is not None and not is_text(value)}",
    ],
)
def test_filters(filtered: str) -> None:
    held = '{"a": float(size), "b": "x", "c": None, "d": "y" if size else 1.0, "e": None if size else 1.0}'
    check(_PREDICATES + process(f"values = {held}\nmetrics = {filtered}"))


def test_filters_that_let_texts_through() -> None:
    check(
        _PREDICATES
        + process(
            """
            values = {"a": 1.0, "b": "x"}
            metrics = {key: value for key, value in values.items() if is_text(value)}  # expect: RLO402
            """
        )
    )


@pytest.mark.parametrize(
    "cases",
    [
        "case int() | float():\n    metrics[key] = value",
        "case str() | None:\n    continue\ncase _:\n    metrics[key] = value",
        "case str():\n    metrics[key] = 1\ncase None:\n    pass\ncase other:\n    metrics[key] = other",
        'case "x":\n    metrics[key] = 1.0\ncase float():\n    metrics[key] = value',
        "case [*_] | {}:\n    pass\ncase float(number):\n    metrics[key] = number",
        "case str():\n    metrics[key] = value  # expect: RLO402",
        "case _:\n    metrics[key] = value  # expect: RLO402",
        "case str() if size:\n    pass\ncase _:\n    metrics[key] = value  # expect: RLO402",
    ],
)
def test_patterns(cases: str) -> None:
    matching = "for key, value in values.items():\n    match value:\n" + textwrap.indent(cases, " " * 8)
    check(process('values = {"a": float(size), "b": "x"}\nmetrics = {}\n' + matching))


@pytest.mark.parametrize(
    "given",
    [
        '0.0 if best == float("inf") else best',
        "best if best < math.inf else 0.0",
        "best if best != math.inf else 0.0",
        "best if math.inf > best else 0.0",
        "best if best not in (math.inf, -math.inf) else 0.0",
        "best if input.agent_output.messages else 0.0",
        "best if math.isfinite(best) else 0.0",
        "best if size else math.inf  # expect: RLO411",
        "0.0 if best == -math.inf else float('inf')  # expect: RLO411",
    ],
)
def test_infinities_that_conditions_exclude(given: str) -> None:
    value, _, mark = given.partition("  #")
    check(
        process(
            f"""
            import math
            best = math.inf
            for message in input.agent_output.messages or []:
                best = min(best, len(str(message)))
            metrics = {{"shortest": {value}}}{"  #" + mark if mark else ""}
            """
        )
    )


@pytest.mark.parametrize(
    "body",
    [
        """
        value = 1 / size if size else float("nan")
        if value != value:
            value = 0.0
        metrics = {"value": value}
        """,
        """
        value = 1 / size if size else float("nan")
        metrics = {"value": value if value == value else 0.0}
        """,
        """
        value = 1 / size if size else float("nan")
        if value == value:
            size = 1
        metrics = {"value": value}  # expect: RLO411
        """,
        """
        value = float("-inf") if size else 1.0
        metrics = {"value": value if value > float("-inf") else -1.0}
        """,
        """
        value = float("inf") if size else 1.0
        metrics = {"value": value} if value < 100 else {}
        """,
        """
        import math
        values = {"a": math.nan, "b": 1.0}
        metrics = {key: value for key, value in values.items() if math.isfinite(value)}
        """,
    ],
)
def test_numbers_that_comparisons_exclude(body: str) -> None:
    check(process(body))


# --- dataclasses --------------------------------------------------------------------------------


def test_dataclasses_inside_dataclasses_become_dictionaries() -> None:
    check(
        "from dataclasses import asdict, dataclass, field\n"
        "@dataclass\n"
        "class Inner:\n"
        "    a: float = 0.0\n"
        "@dataclass\n"
        "class Outer:\n"
        "    b: float = 0.0\n"
        "    inner: Inner = field(default_factory=Inner)\n"
        + process(
            """
            metrics = asdict(Outer())  # expect: RLO401
            metrics.update(asdict(Outer())["inner"])
            metrics["object"] = Inner()  # expect: RLO402
            """
        )
    )


# --- unpacking ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        """
        rows = [("a", 1.0, "why"), ("b", 2.0, "x")]
        metrics = {name: value for name, value, *_ in rows}
        """,
        """
        rows = [("a", 1.0, "why"), ("b", 2.0, "x")]
        metrics = {}
        for name, value, *_ in rows:
            metrics[name] = value
        """,
        """
        metrics = {}
        for *_, name, value in [("why", "a", 1.0), ("why", "b", 1.0)]:
            metrics[name] = value
        """,
        """
        metrics = {}
        for name, *values in [("a", 1.0, 0.5), ("b", 2.0, 1.5)]:
            metrics[name] = sum(values) / len(values)
            metrics[f"{name}_all"] = values  # expect: RLO401
        """,
        """
        first, *rest = [1.0, "x", "y"]
        *_, last = ("a", "why", 2.0)
        metrics = {"first": first, "rest": len(rest), "text": rest[0], "last": last}  # expect: RLO402
        """,
        """
        def judge(text):
            return float(len(text)), "why", "details"
        value, *_ = judge(str(input))
        _, *texts = judge(str(input))
        metrics = {"value": value, "text": texts[1]}  # expect: RLO402
        """,
        """
        value, *reasons = [1.0, *(str(message) for message in input.agent_output.messages or [])]
        metrics = {"value": value}
        """,
        """
        name, (_, value) = ("a", ("why", 1.0))
        metrics = {name: value}
        """,
    ],
)
def test_unpacking(body: str) -> None:
    check(process(body))


@pytest.mark.parametrize(
    "body",
    [
        """
        if size > 3:
            value = 1.0
        else:
            value = None
        metrics = {"value": value}  # expect: RLO402
        """,
        """
        if size > 3:
            value = 1.0
        else:
            value = None
        metrics = {}
        if value is not None:
            metrics["value"] = value
        """,
        """
        if size > 3:
            value = 1.0
        else:
            value = None
        metrics = {}
        if size > 3:
            metrics["value"] = value
        """,
        """
        if not input.ground_truth:
            value = None
            known = False
        else:
            value = 1.0
            known = True
        metrics = {"value": value} if known else {}
        """,
        """
        try:
            value = float(input.ground_truth)
        except ValueError:
            print("no number")
            value = None
        metrics = {"value": value}  # expect: RLO402
        """,
        """
        try:
            value = float(input.ground_truth)
        except ValueError:
            value = None
        if value is None:
            return RewardOutput(status=TaskStatus.FAILED, error="no number")
        metrics = {"value": value}
        """,
        """
        value = None
        try:
            value = float(input.ground_truth)
        except ValueError:
            value = None
        metrics = {"value": value}
        """,
        """
        def build(value):
            return {"value": value}
        if size > 3:
            value = 1.0
        else:
            value = None
        metrics = build(value)
        """,
    ],
)
def test_none_as_one_of_two_choices(body: str) -> None:
    check(process(body))


# --- keys ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        """
        metrics = {f"a_{word}": 1.0 for word in str(input.ground_truth).split()}  # expect: RLO403
        """,
        """
        kind = input.ground_truth
        metrics = {f"a_{kind}": 1.0} if kind in {"x", "y"} else {}
        """,
        """
        kind = input.ground_truth
        if kind not in ("x", "y"):
            kind = "other"
        metrics = {f"a_{kind}": 1.0}
        """,
        """
        kind = {"x": "ex", "y": "why"}.get(input.ground_truth, "other")
        metrics = {kind: 1.0}
        """,
        """
        metrics = {f"a_{min(size, 3)}": 1.0, f"b_{size % 3}": 1.0, f"c_{size > 3}": 1.0}
        metrics[f"d_{size // 10}"] = 1.0
        """,
        """
        metrics = {f"a_{size}": 1.0, f"b_{max(size, 3)}": 1.0}  # expect: RLO403, RLO403
        """,
        """
        metrics = {f"{number}_{name}": 1.0 for number, name in enumerate(("a", "b"), 1)}
        """,
        """
        rows = enumerate(input.agent_output.messages or [])
        metrics = {f"a_{number}": 1.0 for number, _ in rows}  # expect: RLO403
        """,
        """
        metrics = {"%s-%d" % (name, 3): 1.0 for name in ("a", "b")}
        """,
        """
        import re
        metrics = {word: 1.0 for word in re.findall("[a-z]+", str(input.ground_truth))}  # expect: RLO403
        """,
        """
        from collections import Counter
        text = str(input.agent_output.messages[-1]) if input.agent_output.messages else ""
        counted = Counter(text.split())
        metrics = {word: float(number) for word, number in counted.most_common(5)}  # expect: RLO403
        metrics.update({f"{word}_share": 1.0 for word in text.split()})  # expect: RLO403
        """,
        """
        from collections import Counter
        counted = Counter(str(input.ground_truth).split())
        metrics = {word: counted[word] for word in ("yes", "no")}
        metrics.update({word: 1.0 for word in counted if word in ("so", "so-so")})
        metrics["most"] = counted.most_common(1)[0][1]
        """,
        """
        from collections import Counter
        counted = Counter(message["role"] for message in input.agent_output.messages or [])
        metrics = {f"{role}_turns": float(number) for role, number in counted.most_common()}
        """,
        """
        from typing import Literal
        def level(text) -> Literal["easy", "hard"]:
            return text[:4]
        metrics = {f"{level(str(input.ground_truth))}_done": 1.0}
        """,
        """
        metrics = {message["role"]: 1.0 for message in input.agent_output.messages or []}
        """,
        """
        metrics = {f"own_{key}": value for key, value in input.agent_output.rollout_metrics.items()}
        """,
        """
        metrics = dict(zip(("a", "b"), (1.0, 2.0)), c=3.0)
        """,
        """
        metrics = {1: 1.0, "reward_score": 1.0}  # expect: RLO408, RLO405
        metrics.update({"debug/user_id": 1.0, "debug_x": 1.0})  # expect: RLO407, RLO406
        """,
    ],
)
def test_keys(body: str) -> None:
    check(process(body))


def test_eleven_keys_are_too_many_and_ten_are_not() -> None:
    ten = 'metrics = {f"k{number}": 1.0 for number in range(%d)}'
    check(process(ten % 10))
    check(process(ten % 11).replace("reward_metrics=metrics))", "reward_metrics=metrics))  # expect: RLO404"))


# --- reward classes -----------------------------------------------------------------------------

_PARTS = """
@reward_func("quality")
class Quality(AbstractRewardProcessor):{class_mark}
    @sub_reward_func("length", 1.0)
    async def length(self, input):
        size = len(str(input.ground_truth))
        return RewardOutput(reward=Reward(reward_score=size, reward_metrics={{"size": size}}))

{aggregate}
"""


@pytest.mark.parametrize(
    ("aggregate", "dropped"),
    [
        ("", True),
        (
            "@aggregate_func\n"
            "async def merge(self, parts):\n"
            "    return RewardOutput(reward=Reward(reward_score=self.get_total(parts)))\n",
            True,
        ),
        (
            "@aggregate_func\n"
            "async def merge(self, parts):\n"
            "    total = sum(part.reward.reward_score for part in parts.values())\n"
            "    metrics = {'parts': len(parts)}\n"
            "    return RewardOutput(reward=Reward(reward_score=total, reward_metrics=metrics))\n",
            True,
        ),
        (
            "@aggregate_func\n"
            "async def merge(self, parts):\n"
            "    metrics = self.get_reward_metrics(parts)\n"
            "    total = self.get_total(parts)\n"
            "    return RewardOutput(reward=Reward(reward_score=total, reward_metrics=metrics))\n",
            False,
        ),
        (
            "@aggregate_func\n"
            "def merge(self, parts):\n"
            "    metrics = {}\n"
            "    for part in parts.values():\n"
            "        metrics.update(part.reward.reward_metrics)\n"
            "    total = self.get_total(parts)\n"
            "    return RewardOutput(reward=Reward(reward_score=total, reward_metrics=metrics))\n",
            False,
        ),
        (
            "@aggregate_func\n"
            "async def merge(self, parts):\n"
            "    import elsewhere\n"
            "    return elsewhere.merge(parts)\n",
            False,
        ),
    ],
)
def test_metrics_of_parts(aggregate: str, dropped: bool) -> None:
    mark = "  # expect: RLO409" if dropped else ""
    check(_PARTS.format(class_mark=mark, aggregate=textwrap.indent(aggregate, "    ")))


def test_merged_parts_are_counted_under_their_names() -> None:
    merging = (
        "@aggregate_func\n"
        "async def merge(self, parts):\n"
        "    metrics = self.get_reward_metrics(parts)\n"
        "    metrics.update({f'own{number}': 1.0 for number in range(NUMBER)})\n"
        "    total = self.get_total(parts)\n"
        "    return RewardOutput(reward=Reward(reward_score=total, reward_metrics=metrics))\n"
    )
    for number, mark in ((9, ""), (10, "  # expect: RLO404")):
        aggregate = textwrap.indent(merging.replace("NUMBER", str(number)), "    ")
        check(_PARTS.format(class_mark=mark, aggregate=aggregate))


# --- guards -------------------------------------------------------------------------------------

_GUARDED = """
def asked(input):
    return bool(input.agent_output.messages)


class Some(AbstractRewardProcessor):
    def complete(self, input):
        if not asked(input):
            return False
        return len(input.agent_output.messages) > 1

    @observe_processor
    async def process(self, input):
        messages = input.agent_output.messages
        text = ""
{body}
        return RewardOutput(reward=Reward(reward_score=len(str(text))))
"""


@pytest.mark.parametrize(
    "body",
    [
        "text = messages[-1]  # expect: RLO701",
        "text = messages[-1] if messages else ''",
        "text = messages[-1] if messages is not None else ''  # expect: RLO701",
        "if len(messages) == 0:\n    return None\ntext = messages[0]",
        "if len(messages) != 0:\n    text = messages[0]",
        "if len(messages) < 1:\n    raise ValueError\ntext = messages[0]",
        "if 0 < len(messages):\n    text = messages[0]",
        "if len(messages) > 5 or messages[0]:  # expect: RLO701\n    pass",
        "if asked(input):\n    text = messages[-1]",
        "if not asked(input):\n    return None\ntext = messages[-1]",
        "if asked(input) is False:\n    return None\ntext = messages[-1]",
        "ok = asked(input)\nif ok:\n    text = messages[-1]",
        "ok = asked(input)\ntext = messages[-1]  # expect: RLO701",
        "if self.complete(input):\n    text = messages[-2]",
        "if not self.complete(input):\n    return None\ntext = messages[-2]",
        "count = len(messages or [])\nif count:\n    text = messages[0]",
        "empty = not messages\nif not empty:\n    text = messages[0]",
        "for number in range(len(messages)):\n    text = messages[number]",
        "for message in messages or []:\n    text = messages[0]",
        "while messages:\n    text = messages[0]\n    break",
        "if any(message for message in messages or []):\n    text = messages[0]",
        "if any(not message for message in messages or []):\n    pass\ntext = messages[0]  # expect: RLO701",
        "try:\n    text = messages[0]\nexcept (TypeError, IndexError):\n    pass",
        "try:\n    text = messages[0]  # expect: RLO701\nexcept ValueError:\n    pass",
        "from contextlib import suppress\nwith suppress(Exception):\n    text = messages[0]",
    ],
)
def test_guards(body: str) -> None:
    check(_GUARDED.format(body=textwrap.indent(body, " " * 8)))


# --- scores -------------------------------------------------------------------------------------

_SCORED = """
class Some(AbstractRewardProcessor):
    base = 0.0

    def raised(self):
        self.base = 1.0

    @observe_processor
    async def process(self, input):
        text = str(input.ground_truth)
{body}
"""


@pytest.mark.parametrize(
    "body",
    [
        "return RewardOutput(reward=Reward(reward_score=1.0))  # expect: RLO703",
        "return RewardOutput(reward=Reward(reward_score=self.base))  # expect: RLO703",
        "if text:\n    self.raised()\nreturn RewardOutput(reward=Reward(reward_score=self.base))",
        "score = 0.0\nif text:\n    score += 1\nreturn RewardOutput(reward=Reward(reward_score=score))",
        "found = {}\nif text:\n    found['x'] = 1\n"
        "return RewardOutput(reward=Reward(reward_score=1.0 if found else 0.0))",
        "found = []\nif text:\n    found.append(1)\n"
        "return RewardOutput(reward=Reward(reward_score=0.0 if not found else 1.0))",
        "found = {}\nif text:\n    found['x'] = 1\nscore = 1.0\n"
        "for value in found.values():\n    score -= value\n"
        "return RewardOutput(reward=Reward(reward_score=score))",
        "found = {}\nif text:\n    found['x'] = 1\n"
        "return RewardOutput(reward=Reward(reward_score=len(found)))",
        "scores = {'a': 0.0}\nfor key in scores:\n    scores[key] = len(text)\n"
        "return RewardOutput(reward=Reward(reward_score=scores['a']))",
        "scores = {'a': 0.0}\nif text:\n    scores['a'] = 1.0\n"
        "return RewardOutput(reward=Reward(reward_score=scores.get('a', 0.0)))",
        "if text:\n    reward = Reward(reward_score=0.0)\n"
        "    return RewardOutput(reward=reward, status=TaskStatus.FAILED, error='x')\n"
        "return RewardOutput(reward=Reward(reward_score=1.0))  # expect: RLO703",
        "if text:\n    return elsewhere(text)\nreturn RewardOutput(reward=Reward(reward_score=1.0))",
        "import elsewhere\nresult = {'score': 1.0}\nelsewhere.fill(result)\n"
        "return RewardOutput(reward=Reward(reward_score=result['score']))",
    ],
)
def test_scores(body: str) -> None:
    check(_SCORED.format(body=textwrap.indent(body, " " * 8)))


# --- results ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        "return RolloutOutput(status=TaskStatus.FAILED)  # expect: RLO702",
        "return RolloutOutput(status='failed', error='')  # expect: RLO702",
        "return RolloutOutput(status=TaskStatus.FAILED, error=str(input))",
        "return RolloutOutput(status=TaskStatus.FAILED, error=None, **elsewhere.fields())",
        "out = RolloutOutput(status=TaskStatus.FAILED)\nout.error = 'x'\nreturn out",
        "return RolloutOutput(agent_output=AgentOutput(messages=[], metrics={}))  # expect: RLO410",
        "return RolloutOutput(agent_output={'messages': [], 'score': 1.0})  # expect: RLO410",
        "return RolloutOutput(agent_output=AgentOutput(messages=[]), rollout_metrics={})  # expect: RLO410",
        "return RolloutOutput(agent_output=AgentOutput(messages=[]), trace={})",
    ],
)
def test_results(body: str) -> None:
    check(
        "class Some(AbstractRolloutProcessor):\n"
        "    @observe_processor\n"
        "    async def process(self, input):\n"
        "        import elsewhere\n" + textwrap.indent(body, " " * 8)
    )


def test_conditions_that_name_each_other_come_to_an_end() -> None:
    check(
        _GUARDED.format(
            body=textwrap.indent(
                "a = len(str(input)) > 3\na = not a\nb = not a\na = not b\n"
                "if a and not b:\n    text = messages[0]  # expect: RLO701",
                " " * 8,
            )
        )
    )


def test_only_function_code_is_judged() -> None:
    check(
        {
            "functions/reward.py": PREAMBLE + "class Some(AbstractRewardProcessor):\n"
            "    @observe_processor\n"
            "    async def process(self, input):\n"
            "        return RewardOutput(reward=Reward(reward_score=len(str(input))))\n"
            "if __name__ == '__main__':\n"
            "    print(Reward(reward_score='1', reward_metrics=[]))\n",
            "tests/test_reward.py": PREAMBLE + "Reward(reward_score='1', reward_metrics=[])\n",
            "try_it.py": PREAMBLE + "Reward(reward_score='1', reward_metrics=[])\n",
        }
    )


def test_keys_put_into_an_assigned_mapping() -> None:
    check(
        """
        class Some(AbstractRewardProcessor):
            @observe_processor
            async def process(self, input):
                size = len(str(input.ground_truth))
                reward = Reward(reward_score=size)
                reward.reward_metrics = {"size": size}
                reward.reward_metrics["user_id"] = size  # expect: RLO403
                reward.reward_metrics["why"] = "short"  # expect: RLO402
                reward.reward_metrics.update(late="x")  # expect: RLO402
                return RewardOutput(reward=reward)
        """
    )


def test_a_mapping_that_is_assigned_on_one_path_only() -> None:
    check(
        """
        class Some(AbstractRewardProcessor):
            @observe_processor
            async def process(self, input):
                size = len(str(input.ground_truth))
                reward = Reward(reward_score=size)
                notes = {}
                if size > 3:
                    reward.reward_metrics = notes
                    notes["size"] = size
                else:
                    notes["why"] = "short"
                return RewardOutput(reward=reward)
        """
    )


def test_what_a_class_declares_holds_for_what_is_assigned_later() -> None:
    check(
        """
        from dataclasses import dataclass
        from typing import Optional

        @dataclass
        class Episode:
            turns: int = 0
            seconds: float = 0.0
            stop_reason: str = ""
            answer: Optional[str] = None
            rest = None

        class Some(AbstractRewardProcessor):
            @observe_processor
            async def process(self, input):
                size = len(str(input.ground_truth))
                episode = Episode()
                episode.turns = input.extra["turns"]
                episode.seconds = clock.passed()
                episode.stop_reason = answer.choices[0].finish_reason
                episode.rest = answer.rest
                metrics = {
                    "turns": episode.turns,
                    "seconds": episode.seconds,
                    "stop": episode.stop_reason,  # expect: RLO402
                    "rest": episode.rest,
                }
                return RewardOutput(reward=Reward(reward_score=size, reward_metrics=metrics))
        """
    )


@pytest.mark.parametrize(
    ("value", "may_convert"),
    [
        ("str(size)", True),
        ('f"{size}"', True),
        ('"0.5" if size else "short"', True),
        ('b"0.5"', True),
        ('"short"', False),
        ("None", False),
    ],
)
def test_text_that_may_spell_a_number(value: str, may_convert: bool) -> None:
    source = PREAMBLE + process(f'metrics = {{"value": {value}}}')
    _, analysis = analyse({"functions/processor.py": source})
    found = {bad.may_convert for bad in analysis.metrics.values(values.NON_NUMBER)}
    assert found and (True in found) == may_convert
