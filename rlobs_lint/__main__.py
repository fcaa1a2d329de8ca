"""Lets `python -m rlobs_lint` do what the command `rlobs-lint` does."""

import sys

# `python -m` puts the working directory first on the path: a linted folder that holds a
# `yaml.py` would be imported in place of the library.
if sys.path and sys.path[0] not in sys.path[1:]:
    del sys.path[0]

from rlobs_lint.cli import main

if __name__ == "__main__":
    main()
