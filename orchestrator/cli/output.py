"""Results on standard output, for people in colour or in plain lines, for machines as JSON; errors on the other."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO, cast

from rich.console import Console

from orchestrator.console import get_console
from orchestrator.errors import OrchestratorError
from orchestrator.hiding import HidingText
from orchestrator.secrets import secrets

PIPE_COLUMNS = 200
"""Width of what is printed elsewhere than on a terminal: wide enough that names stay whole and can be searched."""


@contextmanager
def standard_output() -> Iterator[Console]:
    """A console on standard output; elsewhere than on a terminal its lines are wide and end without blanks.

    What it prints is shown without secrets.
    """
    shown = HidingText(sys.stdout)
    if sys.stdout.isatty():
        yield Console(file=cast(TextIO, shown))
        return
    text = io.StringIO()
    yield Console(file=text, width=PIPE_COLUMNS)
    for line in text.getvalue().splitlines():
        shown.write(f"{line.rstrip()}\n")


def print_json(value: object) -> None:
    """Print plain values as JSON, without secrets, and nothing else."""
    json.dump(secrets().hide_within(value), sys.stdout, indent=1)
    sys.stdout.write("\n")


def show_error(error: OrchestratorError) -> None:
    """Say on standard error what happened, the evidence, and what to do next."""
    console = get_console()
    console.message(f"{error.kind} error: {error.message}")
    for part in (error.detail, error.advice):
        if part:
            console.message("\n".join(f"  {line}" for line in part.splitlines()))
