"""What a person sees before there is an environment: failures, and long steps with their time."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

_TAIL_LINES = 25


class GroundError(Exception):
    """Something that the person must mend; `exit_code` is the command line's."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def say(text: str) -> None:
    """One line on standard error."""
    print(text, file=sys.stderr, flush=True)


@contextmanager
def step(title: str) -> Iterator[None]:
    """Show `title` with its seconds while it lasts, and one plain line when it ends."""
    live = sys.stderr.isatty() and not os.environ.get("CI")
    started = time.monotonic()
    done = Event()

    def tick() -> None:
        while not done.wait(0.2):
            print(f"\r{title}  {time.monotonic() - started:.0f} s ", end="", file=sys.stderr, flush=True)

    thread = Thread(target=tick, daemon=True)
    if live:
        thread.start()
    how = " failed"
    try:
        yield
        how = ""
    finally:
        done.set()
        if live:
            thread.join()
        back = "\r" if live else ""
        say(f"{back}{title}  {time.monotonic() - started:.1f} s{how}")


def run_logged(
    title: str,
    command: Sequence[str | Path],
    log: Path,
    *,
    environment: Mapping[str, str] | None = None,
    exit_code: int = 1,
    advice: str = "",
) -> None:
    """Run a command as a step, its output appended to `log`.

    Raises:
        GroundError: it failed; the message has the command, its status and the end of its output.
    """
    words = [str(word) for word in command]
    with step(title):
        with log.open("a+b") as output:
            begin = output.tell()
            try:
                status: int | str = subprocess.run(
                    words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment, check=False
                ).returncode
            except OSError as error:
                status = str(error)
            output.seek(begin)
            text = output.read().decode(errors="replace")
        if status != 0:
            parts = [
                f"{title}: failed",
                f"command: {shlex.join(words)}",
                f"ended with: {status}",
                end_of(text),
                f"(all of it in {log})",
                advice,
            ]
            raise GroundError("\n".join(part for part in parts if part), exit_code)


def end_of(text: str) -> str:
    """The last lines of an output."""
    return "\n".join(text.rstrip().splitlines()[-_TAIL_LINES:])
