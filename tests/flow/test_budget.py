"""What a processor that runs through too much code leaves behind for the next one: nothing."""

from __future__ import annotations

import pytest

from rlobs_lint.flow.interpreter import machine
from tests.flow.judging import PREAMBLE, check

_SOURCE = """
from openai import OpenAI


class Long(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input):
        for turn in range(3):
            self.tools.registry.of(self.names.of(turn)).first.of(turn).run(self.tools.registry.all())
{steps}


class Short(AbstractRolloutProcessor):
    @observe_processor
    async def process(self, input):
        create = OpenAI().chat.completions.create  # expect: RLO201
"""


@pytest.mark.parametrize("budget", range(300, 316))
def test_a_processor_that_breaks_off_in_the_middle_of_a_call_changes_nothing_for_the_next(
    budget: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "STEPS_PER_ROOT", budget)
    steps = "\n".join(["        self.tools.registry.of(1).run()"] * 80)
    check({"functions/processor.py": PREAMBLE + _SOURCE.format(steps=steps)})
