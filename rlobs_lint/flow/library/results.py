"""What calls return of which only the type is known."""

from __future__ import annotations

from typing import Dict, FrozenSet

#: What time, chance and identity give is another value each time.
VARYING: Dict[str, str] = {
    "time.time": "float",
    "time.time_ns": "int",
    "time.perf_counter": "float",
    "time.monotonic": "float",
    "time.strftime": "str",
    "random.random": "float",
    "random.randint": "int",
    "random.uniform": "float",
    "secrets.token_hex": "str",
    "uuid.uuid4": "uuid",
    "uuid.uuid1": "uuid",
    "uuid.uuid4.hex": "str",
    "datetime.datetime.now": "datetime",
    "datetime.datetime.utcnow": "datetime",
    "datetime.datetime.today": "datetime",
    "datetime.date.today": "datetime",
    "os.getpid": "int",
    "threading.get_ident": "int",
    "time.monotonic_ns": "int",
    "time.perf_counter_ns": "int",
    "time.process_time": "float",
    "time.ctime": "str",
    "time.asctime": "str",
    "random.gauss": "float",
    "random.randrange": "int",
    "random.getrandbits": "int",
    "secrets.token_urlsafe": "str",
    "uuid.uuid3": "uuid",
    "uuid.uuid5": "uuid",
    "builtins.id": "int",
    "os.urandom": "bytes",
    "socket.gethostname": "str",
}
TYPED: Dict[str, str] = {
    "json.dumps": "str",
    "datetime.datetime": "datetime",
    "datetime.date": "datetime",
    "datetime.timedelta": "timedelta",
    "datetime.datetime.fromtimestamp": "datetime",
    "decimal.Decimal": "number",
    "fractions.Fraction": "number",
    "math.sqrt": "float",
    "math.log": "float",
    "math.exp": "float",
    "math.fsum": "float",
    "math.floor": "int",
    "math.ceil": "int",
    "statistics.mean": "float",
    "statistics.median": "float",
    "statistics.stdev": "float",
    "builtins.ord": "int",
    "builtins.hash": "int",
    "builtins.hex": "str",
    "builtins.chr": "str",
    "builtins.complex": "complex",
    "builtins.bytes": "bytes",
    "builtins.input": "str",
    "builtins.ascii": "str",
    "os.path.basename": "str",
    "os.path.join": "str",
}
#: Not handing a client to outside code, and returning nothing.
HARMLESS: FrozenSet[str] = frozenset(
    """
    builtins.print logging.info logging.debug logging.warning logging.error logging.exception pprint.pprint
    """.split()
)
#: These only look at their arguments as well, and return what is not followed.
LOOKING: FrozenSet[str] = frozenset(
    "builtins.dir weakref.ref weakref.finalize gc.collect inspect.signature".split()
)
