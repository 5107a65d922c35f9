"""Every error that a person can meet, one class for each exit code.

An error says what happened, where, and what to do next.  The command line prints it without a
traceback and ends with the class's exit code; anything else that escapes is a bug of ours.
"""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterable, Sequence
from typing import ClassVar

EXIT_PASS = 0
EXIT_VERDICT = 1
EXIT_INTERRUPTED = 130

TAIL_LINES = 40
"""How many lines of a failed process's output an error shows."""


class OrchestratorError(Exception):
    """Base of all expected errors.

    `message` says what happened and where; `advice` what to do next; `detail` carries longer
    evidence such as the end of a process's output.
    """

    exit_code: ClassVar[int] = 1
    kind: ClassVar[str] = "error"

    def __init__(self, message: str, *, advice: str = "", detail: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice
        self.detail = detail

    def __str__(self) -> str:
        return "\n".join(part for part in (self.message, self.detail, self.advice) if part)


class UsageError(OrchestratorError):
    """The command line asks for something that does not exist or does not fit together.

    Nothing was begun.  The message names the nearest word that is known; `-- --help` lists all of them.
    """

    exit_code = 2
    kind = "usage"


class RecipeError(OrchestratorError):
    """A recipe, policy or lock is missing, malformed or contradicts itself.

    The message names file and key, and what was expected there.  So ends, too, what could not be worked on at all,
    because this machine has no interpreter, engine or emulation for any of the rows.
    """

    exit_code = 3
    kind = "recipe"


class NotHereError(RecipeError):
    """This machine lacks what a row needs: the row was not worked on, and may be right."""


class WheelError(OrchestratorError):
    """A wheel cannot be read at all.

    It is no zip file, a damaged one, or lacks what makes a wheel: nothing could be judged.  Get it anew, or build it
    again.
    """

    exit_code = 4
    kind = "wheel"


class FetchError(OrchestratorError):
    """An input cannot be fetched, or does not have the hash that its lock gives.

    A network may be back in a minute: try again.  Another hash never is: somebody changed a file that was published, or
    a lock names one that it should not.
    """

    exit_code = 5
    kind = "fetch"


class DiskError(OrchestratorError):
    """A report, log or wheel cannot be written: the disk is full, or the folder forbids it.

    Nothing is left half written.  `nox -s doctor` shows what takes the room.
    """

    exit_code = 5
    kind = "disk"


class EngineError(OrchestratorError):
    """The container engine is absent, went away, or refused.

    `nox -s doctor` says which engine is asked and what it answers.
    """

    exit_code = 6
    kind = "engine"


class BuildError(OrchestratorError):
    """The wheel could not be built.

    The compiler's own lines come first in the report, and `build.log` has all of them.  Check A0 has the command that
    tries it again, with a shell if need be.
    """

    exit_code = 7
    kind = "build"


class MatrixError(OrchestratorError):
    """A release matrix was refused.

    Nothing was printed, so that no job can run with half of it.  `nox -s explain -- A2` and its neighbours say what a
    matrix must have.
    """

    exit_code = 8
    kind = "matrix"


def tail(output: str, lines: int = TAIL_LINES) -> str:
    """The last `lines` lines of `output`, saying how many were left out."""
    all_lines = output.rstrip().splitlines()
    if len(all_lines) <= lines:
        return "\n".join(all_lines)
    return "\n".join([f"... ({len(all_lines) - lines} lines before)", *all_lines[-lines:]])


def process_detail(command: Sequence[str], status: int | str, output: str) -> str:
    """What a failed process is shown as: its command, how it ended, the end of its output."""
    return f"command: {shlex.join(command)}\nended with: {status}\n{tail(output)}"


def nearest(word: str, known: Iterable[str]) -> str:
    """Advice that names the nearest known word, and all of them."""
    words = sorted(known)
    close = difflib.get_close_matches(word, words, n=1, cutoff=0.4)
    guess = f"Did you mean '{close[0]}'? " if close else ""
    return f"{guess}Known: {', '.join(words) if words else 'none'}."
