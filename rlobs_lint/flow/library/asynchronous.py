"""What runs coroutines, and what asks the environment."""

from __future__ import annotations

from typing import Dict

from rlobs_lint.flow.domain.arguments import Arguments
from rlobs_lint.flow.domain.heap import MappingContent
from rlobs_lint.flow.domain.observations import EnvironmentChange
from rlobs_lint.flow.domain.state import State
from rlobs_lint.flow.domain.values import (
    BOUNDED,
    NONE,
    NOTHING,
    UNKNOWN,
    Coroutine,
    Function,
    Site,
    Typed,
    Value,
    constant,
    join,
    strings,
    typed,
)
from rlobs_lint.flow.library.part import Handler, Part


class Asynchronous(Part):
    """Carries out calls that await, gather or run coroutines, or read the environment."""

    def functions(self) -> Dict[str, Handler]:
        """Returns what carries out a call, by the dotted name of what is called."""
        return {
            "asyncio.gather": self._gather,
            "asyncio.wait_for": self._first_coroutine,
            "asyncio.shield": self._first_coroutine,
            "asyncio.create_task": self._first_coroutine,
            "asyncio.ensure_future": self._first_coroutine,
            "asyncio.run": self._run,
            "asyncio.as_completed": self._as_completed,
            "asyncio.iscoroutinefunction": self._is_coroutine_function,
            "inspect.iscoroutinefunction": self._is_coroutine_function,
            "anyio.run": self._call_now,
            "os.getenv": self._environment,
            "os.environ.get": self._environment,
            "os.environ.update": self._environment_update,
        }

    def _gather(self, arguments: Arguments, site: Site, state: State) -> Value:
        expressions = self._machine.expressions
        elements = tuple(expressions.awaited(argument.value) for argument in arguments.positional)
        rest = UNKNOWN if arguments.open else NOTHING
        return (Coroutine(self._sequence("list", elements, rest, site, state)),)

    def _first_coroutine(self, arguments: Arguments, site: Site, state: State) -> Value:
        value = arguments.positional[0].value if arguments.positional else UNKNOWN
        return (Coroutine(self._machine.expressions.awaited(value)),)

    def _run(self, arguments: Arguments, site: Site, state: State) -> Value:
        value = arguments.positional[0].value if arguments.positional else UNKNOWN
        return self._machine.expressions.awaited(value)

    def _as_completed(self, arguments: Arguments, site: Site, state: State) -> Value:
        return self._sequence(
            "generator", (), self._machine.contents.element(arguments.value(0, "aws"), state), site, state
        )

    def _call_now(self, arguments: Arguments, site: Site, state: State) -> Value:
        if not arguments.positional:
            return UNKNOWN
        rest = Arguments(arguments.positional[1:])
        return self._machine.expressions.awaited(
            self._machine.calls.call(arguments.positional[0].value, rest, site, state)
        )

    def _is_coroutine_function(self, arguments: Arguments, site: Site, state: State) -> Value:
        answers = set()
        for atom in arguments.positional[0].value if arguments.positional else NOTHING:
            answers.add(self._machine.calls.is_async(atom) if isinstance(atom, Function) else None)
        if len(answers) == 1 and None not in answers:
            return constant(answers.pop())
        return typed("bool", BOUNDED)

    def _environment(self, arguments: Arguments, site: Site, state: State) -> Value:
        default = arguments.value(1, "default")
        return join(((Typed("str"),), default or NONE))

    def _environment_update(self, arguments: Arguments, site: Site, state: State) -> Value:
        machine = self._machine
        for argument in arguments.keywords:
            machine.ledger.note(
                EnvironmentChange(argument.site, argument.keyword or "", argument.value, machine.root)
            )
        for atom in arguments.value(0, "other"):
            content = machine.contents.of(atom, state)
            for entry in content.entries if isinstance(content, MappingContent) else ():
                for name in strings(entry.key):
                    machine.ledger.note(EnvironmentChange(entry.value_site, name, entry.value, machine.root))
        return NONE
