"""What becomes of the answers of a client: which code would notice that a traced one's are of another type.

Traced, the synchronous `create` of an OpenAI client returns an object that hands every attribute on to the
answer, and is no `ChatCompletion`. Code that reads attributes sees no difference; code that asks for the
type, goes through the answer or has it checked or written by pydantic does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Iterable

from rlobs_lint import sdk
from rlobs_lint.flow.domain.heap import MappingContent, SequenceContent
from rlobs_lint.flow.domain.observations import AnswerInspected
from rlobs_lint.flow.domain.state import State
from rlobs_lint.flow.domain.values import Atom, External, Unknown, Value

if TYPE_CHECKING:
    from rlobs_lint.flow.domain.arguments import Arguments
    from rlobs_lint.flow.interpreter.machine import Machine

#: Functions that see what their first argument is, and not only its attributes.
_INSPECTING = frozenset(
    """
    builtins.dict builtins.type builtins.vars builtins.list builtins.tuple builtins.iter builtins.enumerate
    copy.copy dataclasses.asdict dataclasses.is_dataclass inspect.getmro
    """.split()
)
#: Methods of pydantic, on whatever model or adapter, that check or write what they are given.
VALIDATING = frozenset(
    {"model_validate", "validate_python", "parse_obj", "from_orm", "validate", "dump_python", "dump_json"}
)
_PYDANTIC = ("pydantic", "pydantic_core")
#: How far containers are looked through for answers.
_DEEPEST = 3


class Answers:
    """Hears of what is done with answers, for a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def given(self, name: str, arguments: Arguments, state: State) -> None:
        """Hears of a call of something outside the workspace, by its dotted name or that of a method."""
        if name == "builtins.isinstance":
            if not self._asks_for_builtins(arguments.value(1, "class_or_tuple"), state):
                self._inspected(arguments.value(0, "obj"))
        elif name in _INSPECTING:
            self._inspected(arguments.value(0, ""))
        elif _is_checking(name):
            self.checked(arguments, state)

    def built(self, bases: Iterable[str], arguments: Arguments, state: State) -> None:
        """Hears of an instance of a workspace class that inherits some classes outside of it."""
        if any(base.startswith((*_PYDANTIC, "sdk.")) for base in bases):
            self.checked(arguments, state)

    def checked(self, arguments: Arguments, state: State) -> None:
        """Hears of values that pydantic checks or writes, whole containers of them included."""
        for argument in arguments.everything():
            self._all_inspected(argument.value, state, 0)

    def gone_through(self, atom: Atom) -> None:
        """Hears of something that is gone through, element by element."""
        self._inspected((atom,))

    def _all_inspected(self, value: Value, state: State, depth: int) -> None:
        self._inspected(value)
        for atom in value if depth < _DEEPEST else ():
            content = self._machine.contents.of(atom, state)
            if isinstance(content, SequenceContent):
                self._all_inspected(content.any(), state, depth + 1)
            elif isinstance(content, MappingContent):
                self._all_inspected(content.values(), state, depth + 1)

    def _inspected(self, value: Value) -> None:
        numbers: Dict[int, None] = {}
        for atom in value:
            if isinstance(atom, Unknown) and atom.answer_of >= 0:
                numbers[atom.answer_of] = None
        for number in numbers:
            self._machine.ledger.note(AnswerInspected(number))

    def _asks_for_builtins(self, types: Value, state: State) -> bool:
        """Whether an answer is none of some types either way: `isinstance(answer, (str, dict))`."""
        for atom in types:
            content = self._machine.contents.of(atom, state)
            inner = content.any() if isinstance(content, SequenceContent) else (atom,)
            if not all(isinstance(one, External) and one.name.startswith("builtins.") for one in inner):
                return False
        return bool(types)


def _is_checking(name: str) -> bool:
    """Whether a function or method is pydantic's, or builds one of the SDK's models."""
    package, _, rest = name.partition(".")
    if package in _PYDANTIC or name.rpartition(".")[2] in VALIDATING:
        return True
    return package == "sdk" and rest.partition(".")[0] in sdk.MODEL_FIELDS
