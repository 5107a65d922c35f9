"""`locks`: refresh every lock, Python's and Debian's, and show what changed."""

from __future__ import annotations

import argparse

from rich.console import Console as RichConsole

from orchestrator.cli.run_context import IMAGES, ROOT
from orchestrator.errors import EXIT_PASS
from orchestrator.images.refresh import refresh_debian_locks
from orchestrator.store.refresh import changes_table, refresh_locks


def run(options: argparse.Namespace) -> int:
    """Refresh, or with --check only show the difference; return the exit code."""
    console = RichConsole()
    if not options.debian:
        console.print(changes_table(refresh_locks(ROOT, check=options.check, only=options.name), ROOT))
    if options.debian or not options.name:
        for change in refresh_debian_locks(IMAGES, names=options.name or None, write=not options.check):
            console.print(f"{change.path.relative_to(ROOT)}: {'; '.join(change.lines) or 'unchanged'}", soft_wrap=True)
    return EXIT_PASS
