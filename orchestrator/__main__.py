"""`python -m orchestrator VERB …`: what every nox session runs."""

from __future__ import annotations

import sys
import traceback
from types import TracebackType


def run() -> None:
    """Run the command line and end with its exit code."""
    from orchestrator.cli.main import main

    sys.excepthook = _show
    sys.exit(main(sys.argv[1:]))


def _show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print what only a mistake of ours lets escape, without secrets."""
    from orchestrator.secrets import secrets

    sys.stderr.write(secrets().hide("".join(traceback.format_exception(kind, error, trace))))


if __name__ == "__main__":
    run()
