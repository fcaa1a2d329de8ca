"""What makes a codemod a command of `libcst.tool`: the rules are run, and the fixes that name it made."""

from __future__ import annotations

import importlib
from abc import ABC

import libcst as cst
from libcst.codemod import CodemodCommand, SkipFile


class Command(CodemodCommand, ABC):
    """The base of every codemod where `libcst.tool` runs it."""

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        """Carries out the safe fixes that name this codemod, in the file or in the module alone."""
        # By its name, since fixes are made of codemods: only a command needs them the other way round.
        fixes = importlib.import_module("rlobs_lint.fixes.fix")
        name = type(self).__module__.rpartition(".")[2]
        outcome = fixes.run_codemod(name, self.context.filename, tree.bytes)
        for warning in outcome.warnings:
            self.warn(warning)
        if outcome.data is None:
            raise SkipFile("; ".join(outcome.warnings))
        return cst.parse_module(outcome.data)
