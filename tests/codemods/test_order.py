"""Tracing changes nothing but the traces: code is executed before and after, and what happens is compared."""

from __future__ import annotations

import sys
import textwrap
from typing import Any, Dict, List, Optional, Tuple

import libcst as cst
import pytest
from rlobs_lint.codemods._base import carry_out
from rlobs_lint.codemods._changes import CannotFixError, apply
from rlobs_lint.codemods._file import PythonFile
from rlobs_lint.codemods._merging import put_together

from rlobs_lint import sdk
from rlobs_lint.files.source import SourceFile, decode_python
from rlobs_lint.model import Target

Event = Tuple[Any, ...]

SHAPES = [
    "x = C()\nx.use()",
    "self.x = C()\nself.x.use()",
    "x: object = C()\nx.use()",
    "self.x = y = C()\ny.use()",
    "a, b = D(), C()\nb.use(); a.use()",
    "return C()",
    "return C().use()",
    "return take(C())",
    "return take(D, key=C())",
    "return take(D(), C())",
    "return take(say('first'), C())",
    "return [C(), say('then')]",
    "return [say('first'), C()]",
    "if flag: return C()\nreturn D()",
    "if flag: x = C(); x.use()\nelse: x = D(); x.use()",
    "x = C(); y = x.use(); return y",
    "x = C() if flag else None\nreturn x",
    "x = C() if flag else D()\nx.use()",
    "x = C() if say('test') and flag else make()\nx.use()",
    "x = make() if flag else C()\nreturn x.use()",
    "return C() if flag else make()",
    "return maybe(flag) or C()",
    "x = maybe(flag) or C()\nreturn x.use()",
    "x = given or C()\nreturn x.use()",
    "x = flag and C()\nreturn x",
    "xs = [C(), C()]\nfor x in xs: x.use()",
    "xs = [C() for _ in range(3)]\nreturn [x.use() for x in xs]",
    "xs = {n: C() for n in range(3)}\nreturn [x.use() for x in xs.values()]",
    "for x in [C(), C()]:\n    x.use()",
    "for x in (C() for _ in range(2)):\n    x.use()",
    "for x in C().parts(): say(x)",
    "while (x := C()).count(2): x.use()",
    "while (x := C()) is not None:\n    x.use()\n    break",
    "if (x := C()).use(): return x",
    "if flag: say('no')\nelif (x := C()) is not None: x.use()",
    "if flag or C().use(): say('yes')",
    "if C().use() or flag: say('yes')",
    "if not C(): say('never')",
    "with C() as x: x.use()",
    "with C() as x, D() as y: x.use(); y.use()",
    "with C() as x, wrap(x) as y: y.use()",
    "with D() as y, C() as x: x.use()",
    "with wrap(C()) as x: x.use()",
    "def inner(x=C()): return x.use()\nreturn inner()",
    "@take(C())\ndef inner(): return 1\nreturn inner",
    "inner = lambda: C()\nreturn inner().use()",
    "cache = {}\ncache[say('key')] = C()\nreturn cache['key'].use()",
    "x = say('first') + C().count(1)\nreturn x",
    "x = 1\nx += C().count(2)\nreturn x",
    "return f'{C().count(1)} {say(2)}'",
    "return f'{say(2)} {C().count(1)}'",
    "return {say('key'): C()}",
    "return {C().count(1): say('value')}",
    "return 1 < C().count(2) < say(3)",
    "return 0 < say(1) < C().count(2)",
    "return (yield C())",
    "try: return C().use()\nfinally: say('done')",
    "assert C().use(), say('never')",
    "raise ValueError(C())",
    "del [C()][0]",
    "x = y = [*C().parts(), say('last')]\nreturn x",
    "return await_(C().use)",
    "class Inner(take(C()), object): pass\nreturn 1",
    "return take(*C().parts(), **{'key': say(1)})",
    "return C().use().use(say(1))",
    "return C()[say(0)]",
    "return take(say(1), [say(2), take(say(3), key=C())])",
    "return take(self, 1, 'a', say(1), C(), say(2))",
    "return take(say(1))(C())",
    "return {say(1): say(2), 3: [C()]}",
    "return take(*[say(1)], C())",
    "return take([self.missing, say(1)], C())",
    "return take((y := say(1)), C(), y)",
    "x = C()\nx = take(D().use(), key=C().use())\nreturn x",
    "return take(C())[C().count(0):]",
]
if sys.version_info >= (3, 10):
    SHAPES.append("match C().count(2):\n    case 2: say('two')")


class _World:
    """Clients that note what happens to them."""

    def __init__(self) -> None:
        self.events: List[Event] = []
        self.built = 0
        world = self

        class Client:
            def __init__(self) -> None:
                self.number = world.built
                world.built += 1
                world.events.append(("built", type(self).__name__, self.number))

            def _note(self, *what: Any) -> None:
                world.events.append((*what, type(self).__name__, self.number))

            def use(self, *given: Any) -> Client:
                self._note("used", *given)
                return self

            def count(self, number: int) -> int:
                self._note("used", number)
                return number if self.number < 2 else 0

            def parts(self) -> List[int]:
                self._note("used")
                return [1, 2]

            def __getitem__(self, key: Any) -> Any:
                self._note("used", key if isinstance(key, (int, str)) else "slice")
                return 0

            def __enter__(self) -> Client:
                self._note("entered")
                return self

            def __exit__(self, *_: Any) -> None:
                self._note("left")

            def __repr__(self) -> str:
                return f"client {self.number}"

        class C(Client):
            pass

        class D(Client):
            pass

        self.names: Dict[str, Any] = {
            "C": C,
            "D": D,
            "trace_client": lambda client: self.events.append(
                ("traced", type(client).__name__, client.number)
            ),
            "say": self._say,
            "make": lambda: self._say(D()),
            "maybe": lambda flag: self._say(D() if flag else None),
            "take": self._take,
            "wrap": lambda client: client,
            "await_": lambda function: function(),
        }

    def _trace(self, client: Any) -> None:
        self.events.append(("traced", type(client).__name__, client.number))

    def _say(self, value: Any) -> Any:
        self.events.append(("said", repr(value)))
        return value

    def _take(self, *given: Any, **named: Any) -> Any:
        self.events.append(("took", repr(given), repr(named)))
        return type("Taken", (), {"__call__": lambda taken, x=None: x, "__getitem__": lambda taken, key: key})

    def run(self, code: str, flag: bool) -> Tuple[List[Event], str]:
        exec(compile(code, "shape.py", "exec"), self.names)
        holder = type("Self", (), {"__repr__": lambda _: "self"})()
        try:
            result = self.names["f"](holder, flag, None)
            result = list(result) if hasattr(result, "send") else result
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
        return self.events, str(result) if not isinstance(result, type) else "a class"


def _function(shape: str) -> str:
    body = textwrap.indent(shape, "    ")
    return f"from {sdk.OBSERVABILITY} import trace_client\n\n\ndef f(self, flag, given):\n{body}\n"


def _traced(code: str) -> Optional[str]:
    """Returns code with the first `C()` traced, or `None` where that is refused."""
    source = decode_python("/workspace/shape.py", code.encode())
    assert isinstance(source, SourceFile)
    file = PythonFile(source)
    call = next(one for one in file.nodes.of_kind((cst.Call,)) if file.nodes.text(one) == "C()")
    target = Target("add_trace_call", file.nodes.span(call), (("function", "trace_client"),))
    try:
        edits = put_together(file, (carry_out(file, (target,)),))
    except CannotFixError:
        return None
    assert edits is not None
    return apply(code, edits)


def _without_import(code: str) -> str:
    return code.split("\n", 1)[1]


@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_only_the_trace_is_new(shape: str, flag: bool) -> None:
    code = _function(shape)
    changed = _traced(code)
    if changed is None:
        return
    before, result = _World().run(_without_import(code), flag)
    after, new_result = _World().run(_without_import(changed), flag)
    assert new_result == result
    assert [event for event in after if event[0] != "traced"] == before
    traced = [event for event in after if event[0] == "traced"]
    assert len(set(traced)) == len(traced)
    built = [event[-1] for event in after if event[:2] == ("built", "C")]
    if built:
        assert any(event == ("traced", "C", built[0]) for event in traced), changed
    for event in traced:
        assert not any(
            other[0] == "used" and other[-2:] == event[-2:] for other in after[: after.index(event)]
        )


def test_most_shapes_can_be_traced() -> None:
    refused = [shape for shape in SHAPES if _traced(_function(shape)) is None]
    assert refused == [
        "while (x := C()).count(2): x.use()",
        "if flag or C().use(): say('yes')",
        "inner = lambda: C()\nreturn inner().use()",
        "return f'{say(2)} {C().count(1)}'",
        "return 0 < say(1) < C().count(2)",
        "del [C()][0]",
        "return take(*[say(1)], C())",
        "return take((y := say(1)), C(), y)",
    ]
