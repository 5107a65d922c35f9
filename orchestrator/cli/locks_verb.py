"""`locks`: refresh every lock, Python's and Debian's, and show what changed."""

from __future__ import annotations

import argparse

from orchestrator.cli.output import standard_output
from orchestrator.cli.run_context import IMAGES
from orchestrator.errors import EXIT_PASS
from orchestrator.ground.sessions import ROOT
from orchestrator.images.refresh import refresh_debian_locks
from orchestrator.store.refresh import LockResult, changes_table, refresh_locks


def run(options: argparse.Namespace) -> int:
    """Refresh, or with --check only show the difference; return the exit code."""
    results: tuple[LockResult, ...] = ()
    if not options.debian:
        results += refresh_locks(ROOT, check=options.check, only=options.name)
    if options.debian or not options.name:
        results += refresh_debian_locks(IMAGES, check=options.check, only=options.name)
    with standard_output() as console:
        console.print(changes_table(results, ROOT))
    return EXIT_PASS
