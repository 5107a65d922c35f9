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
from orchestrator.github import command, defused
from orchestrator.hiding import HidingText
from orchestrator.secrets import secrets

PIPE_COLUMNS = 200
"""Width of what is printed elsewhere than on a terminal: wide enough that names stay whole and can be searched."""


@contextmanager
def standard_output() -> Iterator[Console]:
    """A console on standard output; elsewhere than on a terminal its lines are wide and end without blanks.

    What it prints is shown without secrets, and on GitHub no line of it is a workflow command.
    """
    shown = HidingText(sys.stdout)
    if sys.stdout.isatty():
        yield Console(file=cast(TextIO, shown))
        return
    text = io.StringIO()
    yield Console(file=text, width=PIPE_COLUMNS)
    lines = "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())
    shown.write(defused(lines) if get_console().github else lines)


def print_json(value: object) -> None:
    """Print plain values as JSON, without secrets, and nothing else."""
    text = json.dumps(secrets().hide_within(value), indent=1)
    # The same JSON, of which GitHub obeys nothing: none of its lines begins with a text.
    sys.stdout.write((text.replace("##[", "\\u0023#[") if get_console().github else text) + "\n")


def annotate_error(error: OrchestratorError) -> None:
    """On GitHub, put an error that ended the run before it had a report on the run's page."""
    get_console().commands([command("error", secrets().hide(str(error)), {"title": f"{error.kind} error"})])


def show_error(error: OrchestratorError) -> None:
    """Say on standard error what happened, the evidence, and what to do next."""
    console = get_console()
    console.message(f"{error.kind} error: {error.message}")
    for part in (error.detail, error.advice):
        if part:
            console.message("\n".join(f"  {line}" for line in part.splitlines()))
