"""Facts of many files: from the cache where their bytes are known, else by scanning them."""

from __future__ import annotations

from typing import Dict, Iterable, Optional

from rlobs_lint.cache import FactsCache, dump_facts
from rlobs_lint.ir import ModuleFacts
from rlobs_lint.source import SourceFile


class Scanner:
    """Scans files.

    Args:
        jobs: How many processes may work at once.
    """

    def __init__(self, jobs: int = 1) -> None:
        self._jobs = jobs

    def scan(self, sources: Iterable[SourceFile], cache: Optional[FactsCache] = None) -> Dict[str, ModuleFacts]:
        """Returns the facts of files by path.

        Args:
            sources: The files.
            cache: Facts of earlier runs; what is new is added to it.
        """
        known: Dict[str, ModuleFacts] = {}
        for source in sources:
            facts = cache.get(source.digest) if cache is not None else None
            if facts is None:
                from rlobs_lint.scan import scan

                facts = scan(source)
                if cache is not None:
                    cache.put(source.digest, dump_facts(facts))
            known[source.path] = facts
        return known
