"""The claims: what each rule says about the SDK at run time, with a project that shows it.

A claim is a folder `claims/RLO201/<name>/` with

- `broken/`: a project; marks (`# expect: RLO201`, or lines of a file `EXPECT`: `requirements.txt:1 RLO501`)
  say where the linter has to report what,
- `claim.toml`: how the project is fixed, and what is to be seen of it before and after:

      fix = "safe"           # by `--fix`; "unsafe": with `--unsafe-fixes`; "hand": the files in `fixed/`
      also = ["RLO205"]      # where another rule has to say something about the same mistake
      documented = true      # where only a document asks for it, and both runs are to be the same
      requirements = false   # where the project has no requirements.txt with the documented pins

      [[run]]
      claim = "One sentence: what happens because of the mistake."
      processor = "functions.processor.ChatRollout"
      broken = '''          # as `tests.sdk.outcome.text` shows it
      HTTP 200
      CHAIN invoke_agentic_rl
      '''
      fixed = '''...'''

  and where they are needed the fields of `tests.sdk.harness.Run` (`absent`: in the broken run only), and
  `says`: a part of an error's message or of the log of the broken run.
- `fixed/`: files that stand in place of those in `broken/`, where there is no fix.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Dict, List, Mapping, NamedTuple, Tuple

from rlobs_lint.cli import commands
from tests.linting import REQUIREMENTS, Expected, Project, expectations, read_files
from tests.sdk.harness import Run

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).parent / "claims"
FIXES = {"safe": ("--fix",), "unsafe": ("--fix", "--unsafe-fixes")}
_OF_RUN = frozenset(Run._fields)


class Show(NamedTuple):
    """One run of a claim's project.

    Attributes:
        claim: What happens because of the mistake.
        run: How the project is run.
        broken: What is to be seen of the broken project, as text.
        fixed: What is to be seen of the fixed one.
        says: A part of the broken run's error message or log.
    """

    claim: str
    run: Run
    broken: str
    fixed: str
    says: str

    @property
    def fixed_run(self) -> Run:
        """How the fixed project is run: with all that it requires."""
        return self.run._replace(absent=())


class Claim(NamedTuple):
    """A claim.

    Attributes:
        folder: Where it is.
        fix: How its project is fixed: `safe`, `unsafe` or `hand`.
        shows: Its runs.
        also: Rules that the project breaks by the same mistake.
        documented: Whether only a document asks for it: the SDK does the same in both runs.
        requirements: Whether the project has the documented pins, unless it brings its own file.
    """

    folder: Path
    fix: str
    shows: Tuple[Show, ...]
    also: Tuple[str, ...] = ()
    documented: bool = False
    requirements: bool = True

    @property
    def code(self) -> str:
        """The rule."""
        return self.folder.parent.name

    @property
    def name(self) -> str:
        """The name by which tests and the table call it."""
        return f"{self.code}/{self.folder.name}"

    @property
    def expected(self) -> Expected:
        """What the linter has to report of the broken project."""
        return expectations(read_files(self.folder / "broken"))

    def write_broken(self, folder: Path) -> Project:
        """Writes the broken project into an empty folder."""
        return Project(folder).write(_broken_files(self.folder, self.requirements))

    def write_fixed(self, folder: Path) -> Project:
        """Writes the fixed project into an empty folder: by the tool, or as it was fixed by hand."""
        return Project(folder).write(_fixed_files(self.folder, self.requirements, self.fix))


def _broken_files(folder: Path, with_requirements: bool) -> Dict[str, bytes]:
    files = {"requirements.txt": REQUIREMENTS.encode("utf-8")} if with_requirements else {}
    files.update(read_files(folder / "broken"))
    files.pop("EXPECT", None)
    return files


@cache
def _fixed_files(folder: Path, with_requirements: bool, fix: str) -> Mapping[str, bytes]:
    files = _broken_files(folder, with_requirements)
    if fix == "hand":
        return {**files, **read_files(folder / "fixed")}
    with TemporaryDirectory() as place:
        project = Project(Path(place)).write(files)
        options = ["check", "--isolated", "--no-cache", "--quiet", *FIXES[fix]]
        assert commands.run([*options, place]) == 0, "something is left after the fix"
        return read_files(project.root)


def load() -> Tuple[Claim, ...]:
    """Returns all claims, rule by rule."""
    return tuple(_claim(path.parent) for path in sorted(FOLDER.glob("*/*/claim.toml")))


def _claim(folder: Path) -> Claim:
    told = tomllib.loads((folder / "claim.toml").read_text(encoding="utf-8"))
    shows: List[Show] = [_show(run) for run in told.pop("run")]
    return Claim(folder, shows=tuple(shows), also=tuple(told.pop("also", ())), **told)


def _show(told: Dict[str, Any]) -> Show:
    run = _run({name: told.pop(name) for name in sorted(_OF_RUN & set(told))})
    return Show(run=run, says=told.pop("says", ""), **told)


def _run(told: Mapping[str, Any]) -> Run:
    run = Run(**told)
    return run._replace(inputs=tuple(run.inputs), absent=tuple(run.absent))
