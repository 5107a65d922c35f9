"""Running the orchestrator's process for a session, signals and exit codes passed on as they are."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType

EXIT_INTERRUPTED = 130
CLEANUP_SECONDS = 120.0
"""How long an interrupted child may take to remove its containers."""

_FORWARD_AFTER_SECONDS = 1.0

_codes: list[int] = []


def run_child(command: Sequence[str | Path], *, folder: Path, environment: Mapping[str, str]) -> int:
    """Run a command on our own streams and return its exit code, 128 + the signal that ended it.

    When we are interrupted, terminated or hung up, the child gets an interrupt and time to clean
    up; the code is then 130.
    """
    process = subprocess.Popen([str(word) for word in command], cwd=folder, env=environment)
    interrupted = False

    def forward(number: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        interrupted = True
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGINT)

    before = {number: signal.signal(number, forward) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        code = process.wait()
    except KeyboardInterrupt:
        interrupted = True
        code = _wait_for_cleanup(process)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if interrupted:
        return EXIT_INTERRUPTED
    return code if code >= 0 else 128 - code


def _wait_for_cleanup(process: subprocess.Popen[bytes]) -> int:
    """Let an interrupted child end by itself; a terminal has interrupted it already."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        deadline = time.monotonic() + CLEANUP_SECONDS
        if not _on_terminal():
            with suppress(subprocess.TimeoutExpired):
                return process.wait(_FORWARD_AFTER_SECONDS)
            process.send_signal(signal.SIGINT)
        try:
            return process.wait(max(deadline - time.monotonic(), 1))
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()
    finally:
        signal.signal(signal.SIGINT, before)


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
