"""Entry: parse, dispatch, and turn every ending into a documented exit code."""

from __future__ import annotations

import importlib
import signal
import sys
from collections.abc import Sequence
from types import FrameType

from orchestrator.console import get_console
from orchestrator.errors import EXIT_INTERRUPTED, OrchestratorError


def main(argv: Sequence[str]) -> int:
    """Run one verb and return the exit code (README, exit codes)."""
    from orchestrator.cli.parser import parse

    signal.signal(signal.SIGTERM, _interrupt)
    try:
        options = parse(argv)
        # Imported late: inspect must not pay for the engine's client, nor a cached build for anything.
        verb = importlib.import_module(f"orchestrator.cli.{options.verb}_verb")
        code: int = verb.run(options)
    except OrchestratorError as error:
        _show(error)
        return error.exit_code
    except KeyboardInterrupt:
        get_console().message("Interrupted; containers and volumes of this run are gone.")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # Who read our output has gone; nothing is left to say to anybody.
        sys.stderr.close()
        return EXIT_INTERRUPTED
    return code


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _show(error: OrchestratorError) -> None:
    console = get_console()
    console.message(f"{error.kind} error: {error.message}")
    for part in (error.detail, error.advice):
        if part:
            console.message("\n".join(f"  {line}" for line in part.splitlines()))
