"""What a person sees before there is an environment: failures, and long steps with their time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

from orchestrator.errors import OrchestratorError, process_detail
from orchestrator.secrets import secrets


def say(text: str) -> None:
    """One line on standard error, without secrets: pip and uv quote the address of the index in their errors."""
    print(secrets().hide(text), file=sys.stderr, flush=True)


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
    error: type[OrchestratorError] = OrchestratorError,
    advice: str = "",
) -> None:
    """Run a command as a step, its output appended to `log`.

    Raises:
        OrchestratorError: it failed; of the class `error`, with the command, its status and the end of its output.
    """
    words = [str(word) for word in command]
    with step(title):
        with log.open("a+b") as output:
            begin = output.tell()
            try:
                status: int | str = subprocess.run(
                    words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment, check=False
                ).returncode
            except OSError as refusal:
                status = str(refusal)
            output.seek(begin)
            text = output.read().decode(errors="replace")
        if status != 0:
            detail = f"{process_detail(words, status, text)}\n(all of it in {log})"
            raise error(f"{title}: failed", detail=detail, advice=advice)
