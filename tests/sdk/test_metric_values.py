"""What may be reported as metrics: the linter, which only reads, against the SDK, which tries."""

from __future__ import annotations

from pathlib import Path
from typing import Dict

from tests.linting import REQUIREMENTS, Project
from tests.sdk.harness import Harness

DEFINITIONS = """\
import json
import math
from collections import Counter, OrderedDict, namedtuple
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from fractions import Fraction
from uuid import uuid4


class Level(Enum):
    HIGH = 1


class Grade(IntEnum):
    HIGH = 1


@dataclass
class Sizes:
    turns: int = 1


Pair = namedtuple("Pair", "left right")
"""
VALUES = """
1; 1.0; True; len([1]); round(1.5); sum([1, 2]); abs(-1); max(1, 2); 1 / 2; 1 == 1; int('1'); float('1')
bool(0); Decimal('1'); Fraction(1, 2); Grade.HIGH; Level.HIGH.value; math.sqrt(4); [1][0]
'high'; '0.5'; str(1); json.dumps({}); f'{1}%'; b'high'; None; 1j; datetime.now(); date.today(); timedelta(1)
Level.HIGH; uuid4(); Sizes(); Pair(1, 2); object(); lambda: 1; len
[1]; (1,); {1}; {'a': 1}; list((1,)); dict(a=1); sorted([1]); [1 for _ in 'ab']; set()
float('nan'); float('inf'); math.nan; -math.inf; 1e999
"""
KEYS = "'turns'; Level.HIGH.name; str(1); f'turn_{1}'; 1; 1.5; True; None; (1, 2)"
MAPPINGS = """
{}; None; dict(turns=1); dict([('turns', 1)]); OrderedDict(turns=1); Counter('ab'); asdict(Sizes())
vars(Sizes()); {**{'turns': 1}}; {key: 1 for key in 'ab'}; {'a': 1} | {'b': 2}
[('turns', 1)]; (('turns', 1),); {'turns'}; json.dumps({'turns': 1}); 1.0; Sizes()
dict(turns=1).items(); 'turns'; []
"""
REPORTED = (
    *(f"{{'value': {value}}}" for line in VALUES.split("\n") for value in line.split("; ") if value),
    *(f"{{{key}: 1}}" for key in KEYS.split("; ")),
    *(mapping for line in MAPPINGS.split("\n") for mapping in line.split("; ") if mapping),
)
REWARD = """\
from dashscope.finetune.reinforcement import AbstractRewardProcessor, Reward, RewardInput, RewardOutput
from dashscope.finetune.reinforcement.component.observability import observe_processor
{definitions}

class AnswerReward(AbstractRewardProcessor):
    @observe_processor
    async def process(self, input: RewardInput) -> RewardOutput:
        score = float(str(input.ground_truth) in str(input.agent_output.messages))
        return RewardOutput(reward=Reward(reward_score=score, reward_metrics={metrics}))
"""
#: The rules about what the SDK refuses, or cannot send.
ABOUT_VALUES = ("RLO401", "RLO402", "RLO408", "RLO411")
#: Where the two differ. `fine` for the SDK and reported: text that spells a number, which the SDK turns
#: into one, and the document does not want. `refused` and not reported: types that the linter does not
#: know, where it is silent.
DIFFERING: Dict[str, str] = {
    "{'value': '0.5'}": "fine",
    "{'value': str(1)}": "fine",
    "{'value': Pair(1, 2)}": "refused",
    "{'value': object()}": "refused",
    "{'value': len}": "refused",
}


def test_the_linter_reports_what_the_sdk_refuses(harness: Harness, tmp_path: Path) -> None:
    is_fine = harness.probe("tests.sdk.probes:metrics", DEFINITIONS, REPORTED)
    files: Dict[str, str] = {"requirements.txt": REQUIREMENTS}
    for number, metrics in enumerate(REPORTED):
        files[f"functions/reward{number}.py"] = REWARD.format(definitions=DEFINITIONS, metrics=metrics)
    found = Project(tmp_path).write(files).lint().findings
    reported = {Path(finding.path).stem for finding in found if finding.code in ABOUT_VALUES}
    differing = {
        metrics: "fine" if fine else "refused"
        for number, (metrics, fine) in enumerate(zip(REPORTED, is_fine))
        if fine is (f"reward{number}" in reported)
    }
    assert differing == DIFFERING
