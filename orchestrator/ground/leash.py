"""Runs a program that ends when the process that started it does, however that one ends.

    python leash.py PARENT COMMAND...

The kernel sends it SIGTERM then (PR_SET_PDEATHSIG, prctl(2)), upon which it cleans up as if it had been asked to end.
Run by its path, since only what follows sets up where modules are found.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

_PR_SET_PDEATHSIG = 1
"""<linux/prctl.h>; what it sets outlasts execve."""

_PARENT_GONE = 130


def leashed(command: Sequence[str | Path]) -> list[str]:
    """The command line that runs `command` for as long as this process lives.

    The kernel goes by threads: whichever starts the program must live as long as it.
    """
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), *(str(word) for word in command)]


def main(arguments: Sequence[str]) -> int:
    """Become the command; the exit code if that is not to be any more."""
    parent, *command = arguments
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:  # Linux
        prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)
    if os.getppid() != int(parent):  # it ended before the kernel was asked
        return _PARENT_GONE
    return os.execvp(command[0], command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
