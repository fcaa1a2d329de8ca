"""What rules ask about an upload: the doors to the questions, each opened when it is first asked for."""

from __future__ import annotations

from functools import cached_property

from rlobs_lint.flow.questions.classes import Classes
from rlobs_lint.flow.questions.entry_spans import EntrySpans
from rlobs_lint.flow.questions.llm_spans import LlmSpans
from rlobs_lint.flow.questions.metrics.metrics import Metrics
from rlobs_lint.flow.questions.observed_functions import ObservedFunctions
from rlobs_lint.flow.questions.rewards import Rewards
from rlobs_lint.flow.questions.submissions import Submissions
from rlobs_lint.flow.questions.tool_spans import ToolSpans
from rlobs_lint.flow.run import Run


class Analysis(Run):
    """A run of an upload, and all that can be asked about it."""

    @cached_property
    def entry_spans(self) -> EntrySpans:
        """Who opens the ENTRY spans."""
        return EntrySpans(self, self.submissions)

    @cached_property
    def llm_spans(self) -> LlmSpans:
        """Which LLM calls make a span."""
        return LlmSpans(self)

    @cached_property
    def observed_functions(self) -> ObservedFunctions:
        """Which functions are under `@observe_llm`, and how they are called."""
        return ObservedFunctions(self)

    @cached_property
    def tool_spans(self) -> ToolSpans:
        """Which tool calls make a span."""
        return ToolSpans(self)

    @cached_property
    def submissions(self) -> Submissions:
        """What submission scripts build and submit."""
        return Submissions(self)

    @cached_property
    def metrics(self) -> Metrics:
        """What is wrong with the metrics and scores that are reported."""
        return Metrics(self)

    @cached_property
    def rewards(self) -> Rewards:
        """What is wrong with how results are built and parts are put together."""
        return Rewards(self, self.entry_spans)

    @cached_property
    def classes(self) -> Classes:
        """What the classes that classpaths name are."""
        return Classes(self)
