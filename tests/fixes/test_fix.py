from __future__ import annotations

from pathlib import Path
from typing import Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import pytest
from rlobs_lint.codemods._changes import apply

from rlobs_lint import sdk
from rlobs_lint.checking.checked import Checked
from rlobs_lint.checking.engine import Engine
from rlobs_lint.facts import ir
from rlobs_lint.facts.module import Module
from rlobs_lint.facts.scopes import walk_statements
from rlobs_lint.fixes import rounds
from rlobs_lint.fixes.fix import Fixed, fix, run_codemod, with_edits, without_vain_fixes
from rlobs_lint.model import Applicability, Edit, Finding, Fix, Severity, Span, Target, Text
from rlobs_lint.rulebook import registry
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace
from rlobs_lint.rules.rlo903_unused_suppression import UnusedSuppression
from tests.linting import REQUIREMENTS, Project

TRACING = f"from {sdk.OBSERVABILITY} import"
SAY = Text("{what}", "{what}")


def _rule(
    given_code: str, look: Callable[[Module], Iterator[Tuple[Span, Optional[Fix]]]], fixes: str = "safe"
) -> Rule:
    """Makes a rule of a function that says where a module is at fault, and what would mend it."""

    class Made(Rule):
        code = given_code
        name = f"rule-{given_code.lower()}"
        severity = Severity.ERROR
        messages = {"found": Text("found", "发现")}

        def check(self, workspace: Workspace) -> Iterator[Finding]:
            for path, module in workspace.modules.items():
                for span, plan in look(module):
                    yield self.finding(path, module.range(span), "found", fix=plan)

    Made.fixes = (fixes,)
    return Made()


def _plan(module: Module, target: Target, applicability: Applicability = Applicability.SAFE) -> Fix:
    return Fix(applicability, SAY, module.path, (target,))


def _functions(body: Sequence[ir.Statement]) -> Iterator[ir.FunctionDef]:
    for statement in walk_statements(body):
        if isinstance(statement, (ir.FunctionDef, ir.ClassDef)):
            if isinstance(statement, ir.FunctionDef):
                yield statement
            yield from _functions(statement.body)


def _undecorated(module: Module) -> Iterator[Tuple[Span, Optional[Fix]]]:
    for function in _functions(module.facts.body):
        if function.name == "process" and not function.decorators:
            yield function.signature, _plan(module, Target("add_observe_processor", function.at))


def _untraced(module: Module) -> Iterator[Tuple[Span, Optional[Fix]]]:
    """Looks for clients by text: `x = OpenAI()` without `trace_client(x)`, and unnamed ones."""
    import re

    text = module.source.text
    for match in re.finditer(r"(?:([\w.]+) = )?\b(OpenAI\(\))", text):
        name = match.group(1)
        if name is None or f"trace_client({name})" not in text:
            span = Span(*match.span(2))
            yield span, _plan(module, Target("add_trace_call", span, (("function", "trace_client"),)))


def _writes(
    word: str, replacement: str, applicability: Applicability = Applicability.SAFE
) -> Callable[[Module], Iterator[Tuple[Span, Optional[Fix]]]]:
    """Makes a look for a word that a direct edit replaces."""

    def look(module: Module) -> Iterator[Tuple[Span, Optional[Fix]]]:
        start = module.source.text.find(word)
        if start >= 0:
            span = Span(start, start + len(word))
            yield span, Fix(applicability, SAY, module.path, edits=(Edit(module.path, span, replacement),))

    return look


class Fixing:
    """A project whose only rules are the given ones."""

    def __init__(self, root: Path, patch: pytest.MonkeyPatch, rules: Sequence[Rule]) -> None:
        self.project = Project(root)
        self.root = root
        self.engine = Engine(use_cache=False, jobs=1)
        patch.setattr(registry, "all_rules", lambda: tuple(rules))

    def check(self, files: Dict[str, Union[str, bytes]]) -> Checked:
        self.project.write(files)
        (checked,) = self.project.lint().checked
        return checked

    def fix(self, files: Dict[str, Union[str, bytes]], unsafe: bool = False) -> Fixed:
        return fix(self.engine, self.check(files), unsafe=unsafe)

    def texts(self, fixed: Fixed) -> Dict[str, str]:
        return {Path(file.path).relative_to(self.root).as_posix(): file.data.decode() for file in fixed.files}


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Fixing]:
    return lambda *rules: Fixing(tmp_path, monkeypatch, rules)


PROCESS = _rule("RLO101", _undecorated)
CLIENT = _rule("RLO201", _untraced)


def test_twenty_findings_are_fixed_at_once_and_import_each_name_once(make: Callable[..., Fixing]) -> None:
    method = "    def process(self, input):\n        client = OpenAI()\n        return client\n"
    classes = "".join(f"\n\nclass Rollout{number}:\n{method}" for number in range(10))
    project = make(PROCESS, CLIENT)
    fixed = project.fix({"functions/a.py": f"from openai import OpenAI\n{classes}"})
    text = project.texts(fixed)["functions/a.py"]
    assert len(fixed.findings) == 20 and not fixed.kept_back and not fixed.checked.findings
    assert text.splitlines()[1] == f"{TRACING} observe_processor, trace_client"
    assert text.count("import observe_processor") == 1
    assert text.count("    @observe_processor\n    def process") == 10
    assert text.count("        client = OpenAI()\n        trace_client(client)\n        return client") == 10


def test_findings_in_one_statement_wait_for_one_another(make: Callable[..., Fixing]) -> None:
    project = make(CLIENT)
    fixed = project.fix({"functions/a.py": "def f():\n    return g(OpenAI(), OpenAI(), OpenAI())\n"})
    assert project.texts(fixed)["functions/a.py"].splitlines()[3:] == [
        "def f():",
        "    client = OpenAI()",
        "    trace_client(client)",
        "    llm_client = OpenAI()",
        "    trace_client(llm_client)",
        "    traced_client = OpenAI()",
        "    trace_client(traced_client)",
        "    return g(client, llm_client, traced_client)",
    ]
    assert len(fixed.findings) == 3


def _unwrapped(module: Module) -> Iterator[Tuple[Span, Optional[Fix]]]:
    for statement in walk_statements(module.facts.body):
        if isinstance(statement, ir.ClassDef) and f"{statement.name}.process =" not in module.source.text:
            yield statement.signature, _plan(module, Target("wrap_process", statement.at))


def test_a_class_is_wrapped_below_what_its_last_statement_gets(make: Callable[..., Fixing]) -> None:
    project = make(_rule("RLO103", _unwrapped), PROCESS, CLIENT)
    code = "class A:\n    def process(self, x=1):\n        client = OpenAI()"
    fixed = project.fix({"functions/a.py": f"{TRACING} observe_processor, trace_client\n\n\n{code}"})
    assert not fixed.kept_back and len(fixed.findings) == 3
    assert project.texts(fixed)["functions/a.py"].splitlines()[3:] == [
        "class A:",
        "    @observe_processor",
        "    def process(self, x=1):",
        "        client = OpenAI()",
        "        trace_client(client)",
        "",
        "",
        "A.process = observe_processor(A.process)",
    ]


def test_a_default_is_named_above_the_decorator_that_is_added(make: Callable[..., Fixing]) -> None:
    code = "def process(x=OpenAI()):\n    return x\n"
    fixed = make(PROCESS, CLIENT).fix(
        {"functions/a.py": f"{TRACING} observe_processor, trace_client\n\n\n{code}"}
    )
    (file,) = fixed.files
    assert file.data.decode().splitlines()[3:] == [
        "client = OpenAI()",
        "trace_client(client)",
        "@observe_processor",
        "def process(x=client):",
        "    return x",
    ]


def test_two_findings_on_a_line_are_both_fixed(make: Callable[..., Fixing]) -> None:
    project = make(CLIENT)
    fixed = project.fix({"functions/a.py": f"{TRACING} trace_client\na = OpenAI(); b = OpenAI(); c = a\n"})
    assert project.texts(fixed)["functions/a.py"].splitlines()[1:] == [
        "a = OpenAI()", "trace_client(a)", "b = OpenAI()", "trace_client(b)", "c = a",
    ]  # fmt: skip


def test_a_fixed_workspace_is_left_alone(make: Callable[..., Fixing]) -> None:
    project = make(PROCESS, CLIENT)
    files: Dict[str, Union[str, bytes]] = {"functions/a.py": "class A:\n    def process(self, x): pass\n"}
    first = project.fix(files)
    second = project.fix({**project.texts(first)})
    assert first.files and not second.files and not second.findings


def test_a_finding_that_goes_with_the_fix_of_another_counts(make: Callable[..., Fixing]) -> None:
    same = [_rule(code, _writes("old", new)) for code, new in (("RLO401", "new"), ("RLO402", "newer"))]
    fixed = make(*same).fix({"functions/a.py": "x = old\n"})
    assert [finding.code for finding in fixed.findings] == ["RLO401", "RLO402"]
    assert not fixed.checked.findings
    unfixable = _rule(
        "RLO403", lambda module: iter([(Span(0, 1), None)] if "old" in module.source.text else ())
    )
    fixed = make(same[0], unfixable).fix({"functions/a.py": "x = old\n"})
    assert [finding.code for finding in fixed.findings] == ["RLO401"], "nothing was offered for the other"


def test_comments_are_judged_when_all_else_is_done(make: Callable[..., Fixing]) -> None:
    def brought_up(module: Module) -> Iterator[Tuple[Span, Optional[Fix]]]:
        start = module.source.text.find("new")
        if start >= 0:
            yield Span(start, start + 3), None

    project = make(_rule("RLO401", _writes("old", "new")), _rule("RLO402", brought_up), UnusedSuppression())
    text = "x = old  # rlobs: ignore[RLO402] known\ny = 1  # rlobs: ignore[RLO402]\n"
    fixed = project.fix({"functions/a.py": text})
    assert project.texts(fixed)["functions/a.py"] == "x = new  # rlobs: ignore[RLO402] known\ny = 1\n"
    assert [finding.code for finding in fixed.findings] == ["RLO401", "RLO903"]
    assert not fixed.checked.findings


def test_unsafe_fixes_are_made_on_request_only(make: Callable[..., Fixing]) -> None:
    project = make(_rule("RLO405", _writes("old", "new", Applicability.UNSAFE), "unsafe"))
    files: Dict[str, Union[str, bytes]] = {"functions/a.py": "x = 'old'\n"}
    assert project.fix(files).files == ()
    assert project.texts(project.fix(files, unsafe=True)) == {"functions/a.py": "x = 'new'\n"}


def test_unwanted_and_suppressed_findings_are_left_alone(make: Callable[..., Fixing]) -> None:
    project = make(PROCESS)
    code = "class A:\n    def process(self, x): pass{}\n\n\nclass B:\n    def process(self, x): pass\n"
    hidden = project.fix({"functions/a.py": code.format("  # rlobs: ignore[RLO101]")})
    assert project.texts(hidden)["functions/a.py"].count("@") == 1
    files = {"functions/a.py": code.format(""), "functions/b.py": code.format("")}
    checked = project.check(dict(files))
    unwanted = fix(project.engine, checked, wanted=lambda finding: finding.path.endswith("b.py"))
    assert set(project.texts(unwanted)) == {"functions/b.py"}
    assert [Path(finding.path).name for finding in unwanted.checked.findings] == ["a.py", "a.py"]


def test_what_a_fix_brings_up_is_fixed_as_well(make: Callable[..., Fixing]) -> None:
    chain = [_rule(f"RLO30{number}", _writes(f"<{number}>", f"<{number + 1}>")) for number in range(1, 6)]
    project = make(*chain)
    fixed = project.fix({"functions/a.py": "x = '<1>'\n"})
    assert project.texts(fixed) == {"functions/a.py": "x = '<6>'\n"}
    assert [finding.code for finding in fixed.findings] == ["RLO301", "RLO302", "RLO303", "RLO304", "RLO305"]


def test_two_fixes_that_undo_each_other_leave_the_file_alone_and_are_named(
    make: Callable[..., Fixing],
) -> None:
    project = make(_rule("RLO101", _writes("<a>", "<b>")), _rule("RLO103", _writes("<b>", "<a>")), CLIENT)
    fixed = project.fix({"functions/a.py": "x = '<a>'\n", "functions/b.py": "c = OpenAI()\n"})
    (kept,) = fixed.kept_back
    assert (Path(kept.path).name, kept.codes) == ("a.py", ("RLO101",))
    assert set(project.texts(fixed)) == {"functions/b.py"}
    assert [finding.code for finding in fixed.findings] == ["RLO201"]
    assert [finding.code for finding in fixed.checked.findings] == ["RLO101"]


def test_a_fix_that_mends_nothing_is_not_made_and_not_offered(make: Callable[..., Fixing]) -> None:
    project = make(_rule("RLO101", _writes("x", "xx")), _rule("RLO103", _writes("old", "new")), CLIENT)
    files: Dict[str, Union[str, bytes]] = {
        "functions/a.py": "x = 'old'\n",
        "functions/b.py": "c = OpenAI()\n",
    }
    fixed = project.fix(files)
    assert not fixed.kept_back
    assert project.texts(fixed)["functions/a.py"] == "x = 'new'\n" and len(fixed.files) == 2
    offered = without_vain_fixes(project.engine, project.check(files))
    for checked in (fixed.checked, offered):
        (left,) = [finding for finding in checked.findings if finding.code == "RLO101"]
        assert left.fix is None and left.unfixable is not None
    assert all(finding.fix for finding in offered.findings if finding.code != "RLO101")


def test_a_vain_fix_that_another_fix_brings_up_is_not_made(make: Callable[..., Fixing]) -> None:
    project = make(_rule("RLO101", _writes("old", "x")), _rule("RLO103", _writes("x", "xx")))
    fixed = project.fix({"functions/a.py": "a = 'old'\n"})
    assert not fixed.kept_back and project.texts(fixed) == {"functions/a.py": "a = 'x'\n"}
    assert [(finding.code, finding.fix) for finding in fixed.checked.findings] == [("RLO103", None)]


def test_an_unsafe_fix_that_mends_nothing_is_not_offered(make: Callable[..., Fixing]) -> None:
    project = make(_rule("RLO405", _writes("x", "xx", Applicability.UNSAFE), "unsafe"))
    checked = project.check({"functions/a.py": "x = 1\n"})
    (left,) = without_vain_fixes(project.engine, checked).findings
    assert left.fix is None and left.unfixable is not None


@pytest.mark.parametrize("replacement", ["x = (", "if x:\n        y = 1", "pass\n  z = 1"])
def test_a_fix_that_breaks_the_file_is_not_written(replacement: str, make: Callable[..., Fixing]) -> None:
    project = make(_rule("RLO101", _writes("y = 1", replacement)), CLIENT)
    fixed = project.fix(
        {"functions/a.py": "if a:\n    y = 1\n    z = 2\n", "functions/b.py": "c = OpenAI()\n"}
    )
    (kept,) = fixed.kept_back
    assert kept.codes == ("RLO101",) and kept.reason
    assert set(project.texts(fixed)) == {"functions/b.py"}


def test_a_codemod_that_fails_leaves_the_file_alone(
    make: Callable[..., Fixing], monkeypatch: pytest.MonkeyPatch
) -> None:
    from rlobs_lint.codemods import add_observe_processor

    def fail(*_: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr(add_observe_processor, "add_decorator", fail)
    project = make(PROCESS)
    checked = project.check({"functions/a.py": "class A:\n    def process(self, x): pass\n"})
    (kept,) = fix(project.engine, checked).kept_back
    assert kept.codes == ("RLO101",) and "lost" in kept.reason
    settled = with_edits(checked)
    assert [crash.code for crash in settled.crashes] == ["RLO101"]
    assert [(finding.fix, bool(finding.unfixable)) for finding in settled.findings] == [(None, True)]


def test_a_target_that_is_not_there_is_not_guessed(make: Callable[..., Fixing]) -> None:
    def look(module: Module) -> Iterator[Tuple[Span, Optional[Fix]]]:
        yield Span(0, 1), _plan(module, Target("add_observe_processor", Span(1, 3)))

    (kept,) = make(_rule("RLO101", look)).fix({"functions/a.py": "class A:\n    pass\n"}).kept_back
    assert "add_observe_processor" in kept.reason


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (
            b"x = 1\rclass A:\r    def process(self, x): pass\r",
            "the file has lone carriage returns as line ends",
        ),
        (
            b"# -*- coding: ascii -*-\nold = 1\n",
            "the file's encoding cannot express the new text",
        ),
    ],
)
def test_a_fix_that_cannot_be_made_says_why(code: bytes, reason: str, make: Callable[..., Fixing]) -> None:
    project = make(PROCESS, _rule("RLO105", _targeted_words))
    checked = project.check({"functions/a.py": code})
    assert [finding.unfixable.en for finding in with_edits(checked).findings if finding.unfixable] == [reason]
    fixed = fix(project.engine, checked)
    assert (fixed.files, fixed.findings, fixed.kept_back) == ((), (), ())


def _targeted_words(module: Module) -> Iterator[Tuple[Span, Optional[Fix]]]:
    for span, plan in _writes("old", "旧")(module):
        target = Target("remove_suppression", _comment(module), (("content", "# -*- coding: ascii -*-"),))
        assert plan is not None
        yield span, plan._replace(targets=(target,))


def _comment(module: Module) -> Span:
    return Span(0, module.source.text.index("\n"))


def test_a_fix_in_two_files_is_made_in_both_or_in_none(make: Callable[..., Fixing]) -> None:
    def look(module: Module) -> Iterator[Tuple[Span, Optional[Fix]]]:
        other = str(Path(module.path).parent.parent / "requirements.txt")
        if module.source.text.startswith("old"):
            edits = (Edit(module.path, Span(0, 3), "new"), Edit(other, Span(0, 0), "made==1\n"))
            yield Span(0, 3), Fix(Applicability.SAFE, SAY, module.path, edits=edits)

    project = make(_rule("RLO501", look))
    fixed = project.fix({"functions/a.py": "old = 1\n"})
    assert project.texts(fixed) == {"functions/a.py": "new = 1\n", "requirements.txt": "made==1\n"}
    broken = make(_rule("RLO501", look), _rule("RLO502", _writes("new", "new = (")))
    fixed = broken.fix({"functions/a.py": "old = 1\n"})
    assert fixed.files == () and [kept.codes for kept in fixed.kept_back] == [("RLO502",)]


def test_the_targets_of_a_fix_may_be_in_two_files(make: Callable[..., Fixing]) -> None:
    def look(module: Module) -> Iterator[Tuple[Span, Optional[Fix]]]:
        other = str(Path(module.path).with_name("b.py"))
        for function in _functions(module.facts.body):
            if function.name == "process" and not function.decorators and module.path.endswith("a.py"):
                targets = tuple(
                    Target("add_observe_processor", function.at, (), path) for path in (module.path, other)
                )
                yield function.signature, Fix(Applicability.SAFE, SAY, module.path, targets)

    code = "class A:\n    def process(self, x): pass\n"
    project = make(_rule("RLO101", look))
    fixed = project.fix({"functions/a.py": code, "functions/b.py": code})
    assert set(project.texts(fixed)) == {"functions/a.py", "functions/b.py"}
    assert all("    @observe_processor\n" in text for text in project.texts(fixed).values())
    (finding,) = with_edits(project.check({"functions/a.py": code, "functions/b.py": code})).findings
    assert finding.fix is not None and len({edit.path for edit in finding.fix.edits}) == 2


CALLED = {
    "requirements.txt": REQUIREMENTS,
    "functions/llm.py": (
        f"{TRACING} observe_llm\n\n\n@observe_llm\n"
        "async def call(model, messages, temperature=0):\n    return {'m': model}\n"
    ),
    "functions/rollout.py": (
        f"from {sdk.ROOT} import AbstractRolloutProcessor\n{TRACING} observe_processor\n"
        "from .llm import call\n\n\nclass Rollout(AbstractRolloutProcessor):\n    @observe_processor\n"
        "    async def process(self, input):\n        return await call('m', input.messages, 3)\n"
    ),
}
MENDED = "call(model='m', messages=input.messages, temperature=3)"


@pytest.mark.parametrize(
    ("settings", "comment"),
    [
        ("", ""),
        ("select = ['RLO204']\n", ""),
        ("ignore = ['RLO205']\n", ""),
        ("unfixable = ['RLO205']\n", ""),
        ("[per-file-ignores]\n'functions/rollout.py' = ['RLO205']\n", ""),
        ("", "  # rlobs: ignore[RLO205]"),
    ],
)
def test_a_function_and_its_calls_are_fixed_together(settings: str, comment: str, tmp_path: Path) -> None:
    rollout = CALLED["functions/rollout.py"].rstrip("\n") + comment + "\n"
    files = {**CALLED, "rlobs-lint.toml": settings, "functions/rollout.py": rollout}
    (checked,) = Project(tmp_path).write(files).lint().checked
    fixed = fix(Engine(use_cache=False, jobs=1), checked)
    texts = {Path(file.path).name: file.data.decode() for file in fixed.files}
    assert "call(*, model, messages, temperature=0)" in texts["llm.py"] and MENDED in texts["rollout.py"]
    assert not fixed.checked.findings and not fixed.kept_back


@pytest.mark.parametrize("unsafe", [False, True])
@pytest.mark.parametrize(
    ("named", "comment"), [("functions/llm.py", ""), ("functions", "# rlobs: skip-file\n")]
)
def test_a_function_is_left_alone_whose_calls_may_not_be_changed(
    named: str, comment: str, unsafe: bool, tmp_path: Path
) -> None:
    files = {**CALLED, "functions/rollout.py": comment + CALLED["functions/rollout.py"]}
    (checked,) = Project(tmp_path).write(files).lint(named).checked
    (finding,) = checked.findings
    assert (finding.code, finding.fix) == ("RLO204", None) and finding.unfixable is not None
    assert not fix(Engine(use_cache=False, jobs=1), checked, unsafe=unsafe).files


@pytest.mark.parametrize(
    "files",
    [
        {"functions/broken.py": "from .llm import call\ncall('m', [1]\n"},
        {"tests/test_llm.py": "from functions.llm import call\n\n\ndef test_it():\n    call('m', [1])\n"},
    ],
)
def test_a_call_that_cannot_be_mended_makes_it_unsafe(files: Dict[str, str], tmp_path: Path) -> None:
    (checked,) = Project(tmp_path).write({**CALLED, **files}).lint("functions").checked
    (finding,) = [finding for finding in checked.findings if finding.code == "RLO204"]
    assert finding.fix is not None and finding.fix.applicability is Applicability.UNSAFE


CODES = [
    "class A:\n    def process(self, x): pass\n\n\n"
    "class B:\n    def process(self, x):\n        return OpenAI()\n",
    "def f(x):\r\n    if x: return OpenAI()\r\n",
    "import os\nfrom x import (\n    y,\n)\na = OpenAI(); b = OpenAI()\n",
    "\ufeffx = 1\n\n\nclass A:\n\tdef process(self, x):\n\t\treturn g(OpenAI())",
]


@pytest.mark.parametrize("code", CODES)
def test_the_edits_of_a_finding_are_what_fixing_it_alone_writes(
    code: str, make: Callable[..., Fixing]
) -> None:
    project = make(PROCESS, CLIENT)
    checked = project.check({"functions/a.py": code})
    findings = with_edits(checked).findings
    assert findings
    for finding in findings:
        assert finding.fix is not None and not finding.fix.targets
        edits = sorted(finding.fix.edits, key=lambda edit: edit.span)
        ends = [edit.span.end for edit in edits]
        assert all(end < edit.span.start for end, edit in zip(ends, edits[1:])), "edits touch one another"
        module = checked.workspace.modules[finding.path]
        by_offsets = module.source.encode(apply(module.source.text, edits))
        place = (finding.code, finding.location)
        alone = _first_round(project, checked, place)
        assert by_offsets == alone


def _first_round(project: Fixing, checked: Checked, place: object) -> bytes:
    """Returns what one round writes that fixes one finding."""
    done: List[bool] = []

    def only_once(finding: Finding) -> bool:
        if done or (finding.code, finding.location) != place:
            return False
        done.append(True)
        return True

    (file,) = fix(project.engine, checked, wanted=only_once).files
    return file.data


def test_a_codemod_by_itself_makes_its_own_fixes(make: Callable[..., Fixing]) -> None:
    code = "class A:\n    def process(self, x):\n        client = OpenAI()\n"
    project = make(PROCESS, CLIENT)
    project.check({"functions/a.py": code})
    path = str(project.root / "functions/a.py")
    for filename in (path, None):
        outcome = run_codemod("add_observe_processor", filename, code.encode())
        assert outcome.data is not None and outcome.warnings == ()
        assert b"@observe_processor" in outcome.data and b"trace_client" not in outcome.data
    assert run_codemod("wrap_process", path, code.encode()).data == code.encode()


def test_only_so_many_rounds_are_made(make: Callable[..., Fixing], monkeypatch: pytest.MonkeyPatch) -> None:
    chain = [_rule(f"RLO30{number}", _writes(f"<{number}>", f"<{number + 1}>")) for number in range(1, 6)]
    monkeypatch.setattr(rounds, "MOST_ROUNDS", 4)
    fixed = make(*chain).fix({"functions/a.py": "x = '<1>'\n"})
    assert [kept.codes for kept in fixed.kept_back] == [("RLO305",)]


LONG = "observe_llm, trace_client, observe_processor, trace_tool"


@pytest.mark.parametrize("imported", ["observe_processor", "observe_processor, trace_client", LONG])
def test_an_import_that_a_later_round_wants_again_stays_as_it_is(imported: str, tmp_path: Path) -> None:
    code = (
        f"from {sdk.ROOT} import AbstractRolloutProcessor\n{TRACING} {imported}\n\n\n"
        "DECORATORdef plain(x):\n    return x\n\n\n"
        "class P(AbstractRolloutProcessor):\n"
        "    PROCESSasync def process(self, input):\n        return plain(input)\n"
    )
    misplaced = code.replace("DECORATOR", "@observe_processor\n").replace("PROCESS", "")
    mended = code.replace("DECORATOR", "").replace("PROCESS", "@observe_processor\n    ")
    files = {"functions/a.py": misplaced, "requirements.txt": REQUIREMENTS}
    (checked,) = Project(tmp_path).write(files).lint().checked
    (file,) = fix(Engine(use_cache=False, jobs=1), checked, unsafe=True).files
    assert file.data.decode() == mended


def test_an_import_that_nothing_wants_again_goes(tmp_path: Path) -> None:
    code = (
        f"from {sdk.ROOT} import AbstractRolloutProcessor\n{TRACING} observe_processor\n\n\n"
        "@observe_processor\ndef plain(x):\n    return x\n\n\n"
        "class P(AbstractRolloutProcessor):\n"
        "    async def process(self, input):  # rlobs: ignore[RLO101]\n        return 1\n"
    )
    files = {"functions/a.py": code, "requirements.txt": REQUIREMENTS}
    (checked,) = Project(tmp_path).write(files).lint().checked
    (file,) = fix(Engine(use_cache=False, jobs=1), checked, unsafe=True).files
    assert "observe_processor" not in file.data.decode()


@pytest.mark.parametrize("written", ["observe_processor", "obs.observe_processor", "op"])
def test_a_process_gets_one_of_several_decorators(written: str, tmp_path: Path) -> None:
    code = (
        f"from {sdk.ROOT} import AbstractRolloutProcessor\n{TRACING} observe_processor\n"
        f"{TRACING} observe_processor as op\nimport {sdk.OBSERVABILITY} as obs\n\n\n"
        "class P(AbstractRolloutProcessor):\n    async def process(self, input):\n        return 1\n\n"
        f"    @{written}\n    async def before(self, x):\n        return x\n\n"
        "    @observe_processor(capture_io_attributes=False)\n"
        "    async def after(self, x):\n        return x\n"
    )
    text = _fixed_text(code, tmp_path)
    assert text.count("    @") == 1 and "observe_processor\n    async def process" in text.replace("@op", "@")


@pytest.mark.parametrize(
    ("function", "left"),
    [
        ("def f():\n    IMPORT\n\n    @NAME\n    def g(x):\n        return x\n\n    return g", ()),
        ("def f():\n    IMPORT\n\n    @NAME()\n    def g(x):\n        return x\n\n    return g", ()),
        ("def f():\n    IMPORT\n\n    @NAME\n    def g(x):\n        return NAME\n\n    return g", ("f",)),
        (
            "def f():\n    IMPORT\n\n    @NAME\n    def g(x):\n        return x\n\n    return g\n\n\n"
            "def h():\n    IMPORT\n    return NAME",
            ("h",),
        ),
        ("def f():\n    IMPORT\n    return 1\n\n\nIMPORT\n\n\n@NAME\ndef g(x):\n    return x", ("f",)),
    ],
)
@pytest.mark.parametrize(
    ("imported", "name"),
    [
        (f"{TRACING} observe_processor", "observe_processor"),
        (f"from {sdk.COMPONENT} import observability as ob", "ob.observe_processor"),
        (f"import {sdk.OBSERVABILITY} as ob", "ob.observe_processor"),
    ],
)
def test_an_import_of_a_function_goes_with_its_last_use(
    imported: str, name: str, function: str, left: Tuple[str, ...], tmp_path: Path
) -> None:
    written = function.replace("IMPORT", imported).replace("NAME", name)
    holder = "class P(AbstractRolloutProcessor):\n    pass\n"
    text = _fixed_text(
        f"from {sdk.ROOT} import AbstractRolloutProcessor\n\n\n{written}\n\n\n{holder}", tmp_path
    )
    assert f"@{name}" not in text
    functions = text.split("def ")[1:]
    assert tuple(one[0] for one in functions if imported in one) == left


def _fixed_text(code: str, root: Path) -> str:
    """Returns what all fixes make of one file."""
    files = {"functions/a.py": code, "requirements.txt": REQUIREMENTS}
    (checked,) = Project(root).write(files).lint().checked
    (file,) = fix(Engine(use_cache=False, jobs=1), checked, unsafe=True).files
    return file.data.decode()
