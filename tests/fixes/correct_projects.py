"""Correct function projects, made at random, in which each element that may be broken is marked.

A mark reads `{{RLO101:right|wrong}}`: the text is correct with `right`; with `wrong` it has that fault, and
the safe fix of the fault is to bring `right` back.
"""

from __future__ import annotations

import re
from typing import Dict, List, Mapping, NamedTuple, Sequence, Tuple

from hypothesis import strategies as st

from rlobs_lint import sdk

MARK = re.compile(r"\{\{(RLO\d{3}):((?:[^|{}]|\{[^{]|\}[^}])*)\|((?:[^|{}]|\{[^{]|\}[^}])*)\}\}")
_SIGNS = re.compile(r"(?:\{\{RLO\d{3}:|\||\}\})*")
OBSERVABILITY = "dashscope.finetune.reinforcement.component.observability"
NAMES = ("observe_llm", "observe_processor", "observe_tool", "trace_client", "trace_tool")


class Element(NamedTuple):
    """Something that may be broken: where its mark stands, and which rule then finds what."""

    path: str
    number: int
    code: str


class Layout(NamedTuple):
    """How a file is written."""

    indent: str
    newline: str
    mark: bytes
    ends_with_newline: bool

    def write(self, text: str) -> bytes:
        """Returns the bytes of a text with four blanks to each level and line feeds."""
        lines = text.split("\n")
        for index, line in enumerate(lines):
            code = line.lstrip(" ")
            depth, rest = divmod(len(line) - len(code), 4)
            lines[index] = self.indent * depth + " " * rest + code
        text = "\n".join(lines)
        if not self.ends_with_newline:
            text = text.rstrip("\n")
        return self.mark + text.replace("\n", self.newline).encode()


class CorrectProject(NamedTuple):
    """A project whose files hold marks, and how its Python files are laid out."""

    files: Mapping[str, str]
    layouts: Mapping[str, Layout]

    @property
    def elements(self) -> Tuple[Element, ...]:
        return tuple(
            Element(path, number, match[1])
            for path, text in self.files.items()
            for number, match in enumerate(MARK.finditer(text))
        )

    def build(self, broken: Sequence[Element] = ()) -> Dict[str, bytes]:
        """Returns the files, right but for some elements."""
        return {path: self._write(path, text, broken) for path, text in self.files.items()}

    def _write(self, path: str, text: str, broken: Sequence[Element]) -> bytes:
        wrong = {element.number for element in broken if element.path == path}
        parts: List[str] = []
        end = 0
        for number, match in enumerate(MARK.finditer(text)):
            parts += (text[end : match.start()], match[3 if number in wrong else 2])
            end = match.end()
        text = "".join((*parts, text[end:]))
        return self.layouts[path].write(text) if path in self.layouts else text.encode()


layouts = st.builds(
    Layout,
    indent=st.sampled_from(["    ", "  ", "\t"]),
    newline=st.sampled_from(["\n", "\r\n"]),
    mark=st.sampled_from([b"", b"\xef\xbb\xbf"]),
    ends_with_newline=st.booleans(),
)

_nothing_much = st.sampled_from(
    ["", "", "# 说明\n", "LIMIT = 3  # 上限\n", 'TEXT = """\n  中文🙂\n"""\n', "x = 1; y = 2\n"]
)
_docstrings = st.sampled_from(["", '"""一个处理器。"""\n', "# coding: utf-8\n", '# !\n"""Doc."""\n\n'])
_futures = st.sampled_from(["", "from __future__ import annotations\n"])
_own_names = st.sampled_from(["llm", "model", "_client", "聊天"])


def _indented(text: str, levels: int = 1) -> str:
    """Indents lines, also those that stand in a mark."""
    indent = "    " * levels
    lines = []
    for line in text.splitlines(keepends=True):
        # A mark within a line moves with it; one of whole lines stays, and what it holds moves.
        start = 0 if MARK.match(line) else _SIGNS.match(line).end()  # type: ignore[union-attr]
        lines.append(line[:start] + indent + line[start:] if line[start:].strip() else line)
    return "".join(lines)


@st.composite
def _imports(draw: st.DrawFn, names: Sequence[str]) -> Tuple[str, str]:
    """Draws the imports of some names, and what stands before each name where it is used."""
    style = draw(st.sampled_from(["one", "each", "parentheses", "module"]))
    if style == "module":
        return f"import {OBSERVABILITY} as tracing\n", "tracing."
    if style == "each":
        return "".join(f"from {OBSERVABILITY} import {name}\n" for name in names), ""
    if style == "parentheses":
        listed = "".join(f"    {name},\n" for name in names)
        return f"from {OBSERVABILITY} import (\n{listed})\n", ""
    if draw(st.booleans()):
        wrong = "dashscope.finetune.reinforcement"
        listed = f"(\n{''.join(f'    {name},' + chr(10) for name in names)})" if len(names) > 1 else names[0]
        return f"from {{{{RLO105:{OBSERVABILITY}|{wrong}}}}} import {listed}\n", ""
    return f"from {OBSERVABILITY} import {', '.join(names)}\n", ""


@st.composite
def _client(draw: st.DrawFn, prefix: str) -> Tuple[str, str, str]:
    """Draws the import, the method and the use of an LLM client."""
    attribute = draw(_own_names)
    module, built = draw(
        st.sampled_from(
            [
                ("from openai import AsyncOpenAI", "AsyncOpenAI()"),
                ("from langchain_openai import ChatOpenAI", 'ChatOpenAI(\n    model="m",  # 模型\n)'),
                ("from openai import AsyncOpenAI", 'AsyncOpenAI(api_key="k", base_url="u")'),
            ]
        )
    )
    name = f"self.{attribute}"
    call = f"{prefix}trace_client({name})"
    building = f"{name} = {built}\n"
    form = draw(st.sampled_from(["missing", "late", "result", "branch"]))
    if form == "missing":
        building += f"{{{{RLO201:{call}\n|}}}}"
    elif form == "branch":
        nested = _indented(f"{building}{{{{RLO201:{call}\n|}}}}")
        building = f"if not hasattr(self, {attribute!r}):\n{nested}"
    elif form == "result":
        building += f"{{{{RLO306:|{name} = }}}}{call}\n"
    else:
        building += f"{call}\n"
    use = (
        f"answer = await {name}.ainvoke(input.messages)\n"
        if "langchain" in module
        else f'answer = await {name}.chat.completions.create(model="m", messages=input.messages)\n'
    )
    if form == "late":
        return module, "", f"{name} = {built}\n{{{{RLO202:{call}\n{use}|{use}{call}\n}}}}"
    return module, building, use


@st.composite
def _tools(draw: st.DrawFn, prefix: str) -> str:
    """Draws statements that get tools and use one."""
    name = draw(st.sampled_from(["tools", "self.tools", "工具"]))
    got = f'{name} = await MultiServerMCPClient({{"search": {{}}}}).get_tools()\n'
    call = f"{prefix}trace_tool({name})"
    form = draw(st.sampled_from(["missing", "result", "for"]))
    traced = {
        "missing": f"{{{{RLO302:{call}\n|}}}}",
        "result": f"{{{{RLO306:|{name} = }}}}{call}\n",
        "for": f"{{{{RLO302:{call}\n|}}}}for tool in {name}:\n    print(tool.name)\n",
    }[form]
    return f"{got}{traced}found = await {name}[0].ainvoke({{}})\n"


@st.composite
def rollouts(draw: st.DrawFn) -> str:
    """Draws the module of a rollout processor."""
    imports, prefix = draw(_imports(list(NAMES)))
    module, building, use = draw(_client(prefix))
    stages = [use]
    if draw(st.booleans()):
        stages.append(draw(_tools(prefix)))
    if draw(st.booleans()):
        stages.append(
            'thought = await think({{RLO205:model="m", messages=input.messages|"m", input.messages}})\n'
        )
    stages.append("noted = lookup.invoke({})\n")
    body = "".join(draw(st.permutations(stages)))
    own = draw(st.sampled_from(["", "    @own\n"]))
    setup = f"    def setup(self):\n{_indented(building, 2)}\n" if building else ""
    return "".join(
        (
            draw(_docstrings),
            draw(_futures),
            "from dashscope.finetune.reinforcement import (\n",
            "    AbstractRolloutProcessor,\n    RolloutInput,\n    RolloutOutput,\n)\n",
            imports,
            "from langchain_core.tools import tool\n",
            "from langchain_mcp_adapters.client import MultiServerMCPClient\n",
            f"{module}\n\n",
            draw(_nothing_much),
            "def own(function):\n    return function\n\n\n",
            f"@{prefix}observe_llm\n",
            "async def think({{RLO204:*, |}}model, messages):\n",
            "    return {'role': 'assistant', 'content': model}\n\n\n",
            f"{{{{RLO305:@tool\n@{prefix}observe_tool\n|@{prefix}observe_tool\n@tool\n}}}}",
            'def lookup():\n    """查找。"""\n    return "found"\n\n\n',
            "class Agent(AbstractRolloutProcessor):\n",
            draw(st.sampled_from(["", '    """代理。"""\n\n'])),
            setup,
            own,
            f"{{{{RLO101:    @{prefix}observe_processor\n|}}}}",
            "    async def process(self, input: RolloutInput) -> RolloutOutput:\n",
            _indented(body, 2),
            "        said = {'role': 'assistant', 'content': str(answer)}\n",
            "        return RolloutOutput(agent_output={'messages': [said]})\n",
        )
    )


@st.composite
def rewards(draw: st.DrawFn) -> str:
    """Draws the module of a reward processor."""
    imports, prefix = draw(_imports(["observe_processor"]))
    keys = draw(st.lists(st.sampled_from(["accuracy", "length", "format_score"]), min_size=1, unique=True))
    values = draw(st.lists(st.sampled_from(["1.0", "0.5", "2.0"]), min_size=len(keys), max_size=len(keys)))
    metrics = ", ".join(f'"{key}": {{{{RLO402:{value}|"{value}"}}}}' for key, value in zip(keys, values))
    return "".join(
        (
            draw(_docstrings),
            "from dashscope.finetune.reinforcement import (\n",
            "    AbstractRewardProcessor,\n    Reward,\n    RewardInput,\n    RewardOutput,\n)\n",
            imports,
            "\n\n",
            draw(_nothing_much),
            "class Length(AbstractRewardProcessor):\n",
            f"{{{{RLO101:    @{prefix}observe_processor\n|}}}}",
            "    def process(self, input: RewardInput) -> RewardOutput:\n",
            "        score = float(len(input.messages))\n",
            f"        metrics = {{{metrics}}}\n",
            "        return RewardOutput(reward=Reward(reward_score=score, reward_metrics=metrics))\n",
        )
    )


@st.composite
def requirements(draw: st.DrawFn) -> str:
    """Draws a complete list of requirements; a missing pin is put back at the end."""
    pins = draw(st.permutations(list(sdk.PINS.items())))
    lines = [f"{name}=={version}\n" for name, version in pins]
    name, version = pins[0]
    lines[0] = f"{name}{{{{RLO502:==|>=}}}}{version}\n"
    name, version = pins[-1]
    lines[-1] = f"{{{{RLO501:{name}=={version}\n|}}}}"
    others = draw(
        st.lists(st.sampled_from(["openai\n", "# 其他\n", "langchain-openai>=0.3  # 模型\n"]), unique=True)
    )
    return "".join((*others, *lines))


@st.composite
def projects(draw: st.DrawFn) -> CorrectProject:
    """Draws a correct project."""
    files = {
        "functions/rollout.py": draw(rollouts()),
        "functions/reward.py": draw(rewards()),
        "requirements.txt": draw(requirements()),
    }
    return CorrectProject(files, {path: draw(layouts) for path in files if path.endswith(".py")})
