"""Running the orchestrator's process for a session, signals and exit codes passed on as they are."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType

from orchestrator.errors import EXIT_INTERRUPTED
from orchestrator.ground.leash import leashed

CLEANUP_SECONDS = 120.0
"""How long an interrupted child may take to remove its containers."""

_FORWARD_AFTER_SECONDS = 1.0

_codes: list[int] = []


def run_child(command: Sequence[str | Path], *, folder: Path, environment: Mapping[str, str]) -> int:
    """Run a command on our own streams and return its exit code, 128 + the signal that ended it.

    When we are interrupted, terminated or hung up, the child gets an interrupt and time to clean
    up; the code is then 130.  When we are killed, it is terminated.
    """
    process = subprocess.Popen(leashed(command), cwd=folder, env=environment)
    before = {number: signal.signal(number, _terminate) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        code = process.wait()
    except KeyboardInterrupt as interrupt:
        for number in (signal.SIGINT, *before):
            signal.signal(number, signal.SIG_IGN)
        _let_clean_up(process, reached=not isinstance(interrupt, _TerminatedError) and _on_terminal())
        return EXIT_INTERRUPTED
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number, handler in before.items():
            signal.signal(number, handler)
    return code if code >= 0 else 128 - code


class _TerminatedError(KeyboardInterrupt):
    """A signal that, unlike a terminal's Ctrl-C, may have been sent to us alone."""


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise _TerminatedError


def _let_clean_up(process: subprocess.Popen[bytes], *, reached: bool) -> None:
    """Wait for an interrupted child to end; interrupt it if it was not `reached` by the signal."""
    if not reached:
        # The whole process group may have got the signal: then the child is cleaning up already,
        # and deaf to more by now.
        with suppress(subprocess.TimeoutExpired):
            process.wait(_FORWARD_AFTER_SECONDS)
            return
        process.send_signal(signal.SIGINT)
    try:
        process.wait(CLEANUP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _on_terminal() -> bool:
    """Whether a terminal has us in the foreground, so that its Ctrl-C went to our child too."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


def exit_with(code: int) -> None:
    """End this process with `code` when it ends, whatever nox makes of a failed session.

    nox ends with 1 for every failure; the first code that is given here wins.
    """
    if not _codes:
        atexit.register(_exit)
    _codes.append(code)


def _exit() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(_codes[0])
