"""What the parts that know other packages offer each other, and where they find one another."""

from __future__ import annotations

from typing import ContextManager, Optional, Protocol, Union

from rlobs_lint.flow.domain.arguments import Arguments
from rlobs_lint.flow.domain.state import Key, State
from rlobs_lint.flow.domain.values import Atom, Object, Site, Value
from rlobs_lint.flow.outside.answers import Answers
from rlobs_lint.flow.outside.result_models import Models
from rlobs_lint.flow.outside.traces import Traces


class Clients(Protocol):
    """Knows clients, for a machine."""

    def kept(self, owner: str, name: str, site: Site, state: State) -> None:
        """Hears of an attribute of a name outside that is taken to be kept: `Generation.call` is a use."""

    def base_of(self, number: int) -> int:
        """Returns the client that a view, or a view of a view, calls in the end."""

    def use(self, atom: Object, half: int, site: Site, state: State) -> bool:
        """Uses a client that stands inside something else (a chain, an agent); false for no client."""

    def inside_llm_span(self) -> bool:
        """Whether the code that is run stands in an LLM span of its own making."""

    def bare(self, site: Site, what: str, name: str, subject: Union[int, str] = "") -> None:
        """Notes a call that no `trace_client` can cover."""

    def trace(self, atom: Atom, site: Site, state: State) -> Optional[str]:
        """Traces what `trace_client` is given; returns what kind of thing it cannot patch, if so."""


class Tools(Protocol):
    """Knows tools, for a machine."""

    def is_tool(self, number: int) -> bool:
        """Whether an object is a tool or a collection of them from outside."""

    def use(self, atom: Object, site: Site, state: State, how: str) -> None:
        """Runs a tool: it should make a TOOL span, unless the function that runs it makes one."""

    def invoked_together(self, callee: Value, site: Site) -> None:
        """Notes that a call runs one of several tools: those of a collection, of which the first speaks."""

    def give(self, value: Value, site: Site, state: State, runs: bool = False) -> None:
        """Hands tools to a node or agent, which runs them later, or offers them to a model."""

    def trace(self, value: Value, argument: Site, call: Site, key: Optional[Key], state: State) -> str:
        """Traces what `trace_tool` is given."""

    def assigned(self, key: Key, value: Value, state: State) -> None:
        """Notes that a variable, attribute or collection which was traced empty gets its tools."""


class Parts(Protocol):
    """Runs what `@reward_func` makes of a class, for a machine. Measured."""

    def metrics_read(self) -> None:
        """Notes that the metrics of a reward are read: in an aggregate, those of its parts."""

    def handed_over(self, value: Value, state: State) -> None:
        """Notes that code which is not followed gets a result, or the parts of a class."""


class Handover(Protocol):
    """Hands values to code outside the workspace, for a machine."""

    def give(self, arguments: Arguments, site: Site, state: State) -> None:
        """Hands arguments to code outside the workspace, which may use and fill them from now on."""

    def lose(self, arguments: Arguments, state: State) -> None:
        """Gives up following arguments: nothing is said about them on this path."""

    def use(self, value: Value, half: int, site: Site, state: State) -> None:
        """Runs something that outside code was given: its clients, tools and functions are used."""

    def run_parts(self, atom: Object, site: Site, state: State) -> None:
        """Runs the functions inside a tool."""


class Threads(Protocol):
    """Runs code in other threads, for a machine."""

    def spanned(self, kind: str, site: Site, traced: bool) -> None:
        """Notes a call that makes a span, if it runs without the context of its trace."""

    def detached(self, site: Site, way: str) -> ContextManager[None]:
        """Runs code in another thread without its context; no `way`: with it."""


class Excuses(Protocol):
    """Excuses values, for a machine."""

    def excuse(self, atom: Atom, state: State, held: Optional[State] = None) -> None:
        """Notes that on this path nothing has to be traced in a value, or in what it holds."""

    def parts(self, value: Value, state: State) -> None:
        """Excuses something and what it is made of, such as the clients in a chain: another rule speaks."""


class Knowledge:
    """The parts that know other packages."""

    traces: Traces
    answers: Answers
    models: Models
    clients: Clients
    tools: Tools
    parts: Parts
    handover: Handover
    threads: Threads
    excuses: Excuses
