"""Plain HTTP: which requests go to a chat endpoint."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Optional, Tuple

from rlobs_lint import sdk
from rlobs_lint.flow.domain import heap
from rlobs_lint.flow.domain.heap import ObjectInfo
from rlobs_lint.flow.domain.state import ATTRIBUTE, State
from rlobs_lint.flow.domain.values import (
    BASE_URL,
    NOTHING,
    UNKNOWN,
    Constant,
    Object,
    Request,
    Site,
    Typed,
    Value,
    constant,
)

if TYPE_CHECKING:
    from rlobs_lint.flow.domain.arguments import Arguments
    from rlobs_lint.flow.interpreter.machine import Machine
    from rlobs_lint.flow.outside.knowledge import Knowledge

_PACKAGES = frozenset({"requests", "httpx", "aiohttp", "urllib3", "curl_cffi"})
_CLIENTS = frozenset(
    {"Session", "session", "Client", "AsyncClient", "ClientSession", "PoolManager", "AsyncSession"}
)
#: What servers of models offer beside chat.
_OTHER_SERVICES = re.compile(r"embed|token|rerank|model|file|health|audio|image|moderation|score|weight|lora")
#: Methods that send, and the position of the address.
_SENDERS = {"post": 0, "request": 1, "stream": 1}
HTTP_CLIENT, HTTP_REQUEST = "http-client", "http-request"


class Http:
    """Carries out calls of HTTP clients, for a machine."""

    def __init__(self, machine: Machine, outside: Knowledge) -> None:
        self._machine = machine
        self._outside = outside

    def call_external(self, name: str, arguments: Arguments, site: Site, state: State) -> Optional[Value]:
        """Carries out a call of a function or constructor of an HTTP package; `None` for another."""
        machine = self._machine
        package, last = name.partition(".")[0], name.rpartition(".")[2]
        if name == "urllib.request.Request" or (package in _PACKAGES and last == "Request"):
            made = machine.allocate("request", ObjectInfo(heap.OUTSIDE, site, name, family=HTTP_REQUEST))
            url = arguments.value(0 if name.startswith("urllib") else 1, "url")
            state.set((ATTRIBUTE, made.number, "url"), url)
            return (made,)
        if name == "urllib.parse.urljoin":
            parts = (arguments.value(0, "base"), constant("/"), arguments.value(1, "url"))
            return machine.operators.concatenate(parts)
        if name == "urllib.request.urlopen":
            self._sent(self._address(arguments.value(0, "url"), state), site, name)
            return UNKNOWN
        if package not in _PACKAGES:
            return None
        if last in _CLIENTS:
            made = machine.allocate("http", ObjectInfo(heap.OUTSIDE, site, name, family=HTTP_CLIENT))
            state.set((ATTRIBUTE, made.number, "base_url"), arguments.value(-1, "base_url"))
            return (made,)
        if last in _SENDERS:
            self._sent(arguments.value(_SENDERS[last], "url"), site, name)
            return UNKNOWN
        return None

    def call(
        self, atom: Object, path: Tuple[str, ...], arguments: Arguments, site: Site, state: State
    ) -> Optional[Value]:
        """Carries out a method of an HTTP client; `None` for another object."""
        machine = self._machine
        info = machine.heap.info(atom.number)
        if info.family != HTTP_CLIENT:
            return None
        name = path[-1]
        if name in _SENDERS:
            url = arguments.value(_SENDERS[name], "url")
            base = state.get((ATTRIBUTE, atom.number, "base_url"), NOTHING)
            whole = machine.operators.concatenate((base, url)) if base and url else url
            self._sent(whole, site, f"{info.name}.{name}")
        elif name == "send":
            self._sent(self._address(arguments.value(0, "request"), state), site, f"{info.name}.send")
        elif name == "build_request":
            made = machine.allocate("request", ObjectInfo(heap.OUTSIDE, site, name, family=HTTP_REQUEST))
            state.set((ATTRIBUTE, made.number, "url"), arguments.value(1, "url"))
            return (made,)
        return UNKNOWN

    def unknown_call(self, name: str, arguments: Arguments, site: Site) -> None:
        """Carries out `post(...)` of something that is not known: the address tells what it is."""
        if name == "post" and any(
            argument.keyword in ("json", "data", "content") for argument in arguments.keywords
        ):
            self._sent(arguments.value(0, "url"), site, "post")

    def _address(self, value: Value, state: State) -> Value:
        if len(value) == 1 and isinstance(value[0], Object):
            found: Value = state.get((ATTRIBUTE, value[0].number, "url"), NOTHING)
            return found
        return value

    def _sent(self, url: Value, site: Site, name: str) -> None:
        if url and all(_is_chat(atom) for atom in url):
            self._outside.clients.bare(site, "http", name)


def _is_chat(atom: object) -> bool:
    """Whether an address is surely one of a chat endpoint."""
    if isinstance(atom, Constant):
        return isinstance(atom.value, str) and _ends_in_endpoint(atom.value)
    if isinstance(atom, Request):
        return atom.path[-2:] == ("model_resource", "base_url")
    if isinstance(atom, Typed) and atom.text:
        last = atom.text[-1]
        if last is not None and last != BASE_URL:
            return _ends_in_endpoint(last) or (BASE_URL in atom.text and _OTHER_SERVICES.search(last) is None)
        return last == BASE_URL
    return False


def _ends_in_endpoint(text: str) -> bool:
    return text.split("?")[0].rstrip("/").endswith(sdk.CHAT_ENDPOINTS)
