"""Results on standard output, for people in colour or in plain lines, for machines as JSON; errors on the other."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from orchestrator.console import get_console
from orchestrator.errors import OrchestratorError

PIPE_COLUMNS = 200
"""Width of what is printed elsewhere than on a terminal: wide enough that names stay whole and can be searched."""


@contextmanager
def standard_output() -> Iterator[Console]:
    """A console on standard output; elsewhere than on a terminal its lines are wide and end without blanks."""
    if sys.stdout.isatty():
        yield Console()
        return
    text = io.StringIO()
    yield Console(file=text, width=PIPE_COLUMNS)
    sys.stdout.writelines(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())


def print_json(value: object) -> None:
    """Print plain values as JSON, and nothing else."""
    json.dump(value, sys.stdout, indent=1)
    sys.stdout.write("\n")


def show_error(error: OrchestratorError) -> None:
    """Say on standard error what happened, the evidence, and what to do next."""
    console = get_console()
    console.message(f"{error.kind} error: {error.message}")
    for part in (error.detail, error.advice):
        if part:
            console.message("\n".join(f"  {line}" for line in part.splitlines()))
