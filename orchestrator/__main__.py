"""`python -m orchestrator VERB …`: what every nox session runs."""

from __future__ import annotations

import sys


def run() -> None:
    """Run the command line and end with its exit code."""
    from orchestrator.cli.main import main

    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    run()
