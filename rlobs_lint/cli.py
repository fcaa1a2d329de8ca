"""The command line: options in, exit status out."""

from __future__ import annotations

import os
import sys
from typing import List, Optional, Tuple

import click

from rlobs_lint import __version__


class _Group(click.Group):
    def parse_args(self, ctx: click.Context, args: List[str]) -> List[str]:
        if not args or args[0] not in {*self.commands, "--help", "--version"}:
            args = ["check", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_Group)
@click.version_option(__version__)
def main() -> None:
    """Thin."""


@main.command()
@click.argument("paths", nargs=-1)
@click.option("--output-format", default="text")
@click.option("--no-cache", is_flag=True)
@click.option("--lang")
def check(paths: Tuple[str, ...], output_format: str, no_cache: bool, lang: Optional[str]) -> None:
    from rlobs_lint.config import Overrides, SettingsReader
    from rlobs_lint.engine import Engine
    from rlobs_lint.paths import Finder
    from rlobs_lint.report import render
    from rlobs_lint.report.outcome import Outcome
    from rlobs_lint.running import with_deep_stack

    def work() -> Tuple[str, bool]:
        found = Finder(SettingsReader(Overrides())).discover(paths or ["."])
        engine = Engine(use_cache=not no_cache)
        checked = tuple(engine.check(files) for files in found.workspaces)
        for one in checked:
            for crash in one.crashes:
                sys.stderr.write(f"{crash}\n")
        text = render(output_format, Outcome(checked, lang or "en", os.getcwd()))
        return text, any(one.findings for one in checked)

    text, found = with_deep_stack(work)
    sys.stdout.write(text)
    sys.exit(1 if found else 0)
