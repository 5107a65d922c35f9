"""Entry: parse, dispatch, and turn every ending into a documented exit code."""

from __future__ import annotations

import errno
import importlib
import io
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

from orchestrator.cli.output import annotate_error, show_error
from orchestrator.console import get_console
from orchestrator.errors import EXIT_INTERRUPTED, DiskError, OrchestratorError, UsageError
from orchestrator.files import IN_THE_WAY

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
GONE = frozenset({errno.EPIPE, errno.EIO})
"""What writing gives when who read our output, or the terminal, has gone."""

DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM}) | IN_THE_WAY
"""What the operating system refuses because of a disk, its permissions or what lies there, wherever it is met."""


def main(argv: Sequence[str]) -> int:
    """Run one verb and return the exit code (docs/exit-codes.md)."""
    for number in ENDING:
        # Who started us under nohup, or in the background of a script, wants it ignored.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    _usable_output()
    with get_console().silence():
        return _ended(argv)


def _usable_output() -> None:
    """Standard output that takes any text, also where it is closed, or its encoding lacks letters."""
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until the end
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _ended(argv: Sequence[str]) -> int:
    """Run the verb; the exit code, however it ends."""
    from orchestrator.cli.parser import parse

    try:
        options = parse(argv)
        # Imported late: inspect must not pay for the engine's client, nor a cached build for anything.
        verb = importlib.import_module(f"orchestrator.cli.{options.verb}_verb")
        code: int = verb.run(options)
        sys.stdout.flush()
    except OrchestratorError as error:
        return _refused(error)
    except KeyboardInterrupt:
        get_console().message("Interrupted; containers and volumes of this run are gone.")
        return EXIT_INTERRUPTED
    except OSError as error:
        if error.errno in GONE:
            # Nothing is left to say to anybody, at the interpreter's end neither.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return EXIT_INTERRUPTED
        if error.errno == errno.ENAMETOOLONG:
            return _refused(
                UsageError(
                    f"A path is longer than this system has any: '{str(error.filename)[:80]}…'.",
                    advice="Correct it, or give what it names a shorter name.",
                )
            )
        if error.errno not in DISK:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        first = "Move away what stands there" if error.errno in IN_THE_WAY else "Free space or correct permissions"
        show_error(DiskError(f"{error}.", advice=f"{first}, then run the command again."))
        return DiskError.exit_code
    return code


def _refused(error: OrchestratorError) -> int:
    show_error(error)
    annotate_error(error)
    return error.exit_code


def _interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    """Begin to clean up; from now on nothing cuts that short."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt
