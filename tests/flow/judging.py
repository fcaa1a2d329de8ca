"""Judges sources by the span views of the value flow alone, without rules, fixes or files."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from typing import Counter as CounterOf
from typing import Dict, Iterator, Mapping, Tuple, Union

from rlobs_lint.facts.deep_stack import with_deep_stack
from rlobs_lint.facts.module import Module
from rlobs_lint.facts.scan_file import scan
from rlobs_lint.files.settings import Settings
from rlobs_lint.files.source import SourceFile, decode_python
from rlobs_lint.flow.analysis import Analysis
from rlobs_lint.flow.domain.values import Site
from rlobs_lint.rulebook.workspace import Workspace

ROOT = "/project"
PREAMBLE = """\
from dashscope.finetune.reinforcement import (
    AbstractRewardProcessor, AbstractRolloutProcessor, AgentOutput, Reward, RewardOutput, RolloutOutput,
    TaskStatus, aggregate_func, reward_func, sub_reward_func,
)
from dashscope.finetune.reinforcement.component.observability import (
    observe_llm, observe_processor, observe_tool, trace_client, trace_tool,
)
"""
_MARK = re.compile(r"#\s*expect:\s*(RLO\d{3}(?:[,\s]+RLO\d{3})*)")

Places = CounterOf[Tuple[str, int, str]]


def build(files: Mapping[str, str]) -> Workspace:
    """Builds a workspace in memory of files by relative path."""
    modules: Dict[str, Module] = {}
    for relative, text in files.items():
        path = f"{ROOT}/{relative}"
        source = decode_python(path, text.encode())
        assert isinstance(source, SourceFile)
        facts = scan(source)
        assert facts.error is None, facts.error
        modules[path] = Module(path, relative, source, facts)
    return Workspace(ROOT, Settings(ROOT), modules)


def analyse(files: Mapping[str, str]) -> Tuple[Workspace, Analysis]:
    """Builds and runs a workspace."""
    workspace = build(files)
    return workspace, with_deep_stack(lambda: Analysis(workspace, [ROOT]))


def found(files: Mapping[str, str]) -> Places:
    """Returns the places of RLO1xx to RLO3xx in a workspace."""
    workspace, analysis = analyse(files)

    def place(site: Site, code: str) -> Tuple[str, int, str]:
        module = workspace.modules[site.path]
        return module.relative, module.source.position(site.span.start).row, code

    return Counter(place(site, code) for site, code in _judged(analysis))


def _judged(analysis: Analysis) -> Iterator[Tuple[Site, str]]:
    entry, llm, tools = analysis.entry_spans, analysis.llm_spans, analysis.tool_spans
    for process in entry.undecorated():
        yield Site(process.module.path, process.node.signature), "RLO101"
    for misplaced in entry.misplaced():
        yield misplaced.site, "RLO102"
    for cls in entry.reward_classes():
        yield Site(cls.module.path, cls.node.signature), "RLO103"
    for bad in entry.bad_signatures():
        yield Site(bad.process.module.path, bad.process.node.signature), "RLO104"
    for wrong in entry.wrong_names():
        yield wrong.site, "RLO105"
    for lost in entry.lost_coroutines():
        yield lost[0], "RLO106"
    for code, records in (
        ("RLO201", llm.untraced()),
        ("RLO202", llm.late()),
        ("RLO203", llm.unsupported()),
        ("RLO205", analysis.observed_functions.calls()),
        ("RLO207", llm.bare()),
        ("RLO208", llm.bypassed()),
        ("RLO209", llm.detached()),
        ("RLO301", tools.premature()),
        ("RLO302", tools.untraced()),
        ("RLO303", tools.unsupported()),
        ("RLO305", tools.wrong_orders()),
        ("RLO306", tools.results_used()),
    ):
        for record in records:  # type: ignore[attr-defined]
            yield record.site, code
    for site, _ in tools.on_servers():
        yield site, "RLO304"


def expected(files: Mapping[str, str]) -> Places:
    """Returns the places that `# expect:` comments mark."""
    places: Places = Counter()
    for relative, text in files.items():
        for row, line in enumerate(text.split("\n"), 1):
            match = _MARK.search(line)
            for code in re.findall(r"RLO\d{3}", match.group(1)) if match else ():
                places[relative, row, code] += 1
    return places


def check(sources: Union[str, Mapping[str, str]]) -> None:
    """Asserts that a source, or several files, show exactly what their comments mark.

    A single source gets the imports of the SDK in front.
    """
    if isinstance(sources, str):
        sources = {"functions/processor.py": PREAMBLE + textwrap.dedent(sources)}
    assert found(sources) == expected(sources)
