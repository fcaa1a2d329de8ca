"""Where the program starts: `rlobs-lint`, and `python -m rlobs_lint`."""

import os
import sys


def _distrust_path() -> None:
    """Keeps a linted folder from standing in for a library.

    `python -m` puts the working directory first on the path, where a linted folder that holds a
    `yaml.py` would be imported in place of the library. What `PYTHONPATH` adds, often that folder too,
    comes after what is installed.
    """
    if not getattr(sys.flags, "safe_path", False) and sys.path and sys.path[0] not in sys.path[1:]:
        del sys.path[0]
    variable = os.environ.get("PYTHONPATH")
    added = {os.path.abspath(entry) for entry in variable.split(os.pathsep)} if variable else set()
    # A stable sort: the rest keeps its order.
    sys.path.sort(key=lambda entry: os.path.abspath(entry) in added)


_distrust_path()

from rlobs_lint.cli.commands import main  # noqa: E402 - the path comes first

if __name__ == "__main__":
    main()
