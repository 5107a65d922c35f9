"""Rows' processes: several at a time, shown while they run, ended with us."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from orchestrator.console import STEP_FILE, RowHandle, get_console
from orchestrator.errors import tail
from orchestrator.files import writing
from orchestrator.ground.leash import leashed
from orchestrator.nightly.room import Room
from orchestrator.report.model import Verdict
from orchestrator.shown import in_seconds

LOG = "row.log"
OUTPUT = "row.json"
STEP = "row.step"
"""What the process does just now; gone when it has ended."""

CLEANUP_SECONDS = 90.0
"""How long interrupted children may take to remove their containers: less than whoever started us waits for us."""

_LOOK_SECONDS = 0.2
_FOLDED_LINES = 200
_FOLDED_BYTES = 64 << 10


@dataclass(frozen=True, kw_only=True)
class Job:
    """A row's process: its command, and the folder that gets its output and its log."""

    row: str
    command: tuple[str, ...]
    folder: Path


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How it ended: its exit code, or the signal as a negative number; wall-clock seconds; bytes of memory."""

    job: Job
    code: int
    seconds: float
    memory: int | None


@dataclass(eq=False)
class _Child:
    job: Job
    process: subprocess.Popen[bytes]
    handle: RowHandle
    shown: ExitStack
    started: float
    own_memory: int = 0

    def look(self) -> None:
        """See which step it runs and since when, and how much memory the process itself has had."""
        step = _step(self.job.folder / STEP)
        self.handle.update(step.replace(f" for {self.job.row}", "").replace(f" {self.job.row}", ""))
        self.own_memory = max(self.own_memory, _peak_memory(self.process.pid))


def run_jobs(
    jobs: Sequence[Job],
    room: Room,
    *,
    tell: Callable[[Ended], tuple[str, str]],
    memory_of: Callable[[int], int | None],
    environment: Mapping[str, str],
) -> None:
    """Run all, as many at a time as there is room for, in their order.

    `tell` is given each as it ends, and answers its verdict and what is shown beside it; `memory_of` gives the bytes
    that containers of a process had.  However this ends, by an interrupt too, no child is left: they get SIGTERM and
    time to clean up, and if we are killed the kernel sends it.

    Raises:
        DiskError: a log cannot be written.
    """
    if not jobs:
        return
    waiting, running = list(jobs), list[_Child]()
    with ExitStack() as screen:
        screen.enter_context(get_console().rows([job.row for job in jobs], steps=False))
        try:
            while waiting or running:
                while waiting and room.has_place(waiting[0].row, [child.job.row for child in running]):
                    running.append(_start(waiting.pop(0), environment, screen))
                time.sleep(_LOOK_SECONDS)
                for child in [child for child in running if _has_ended(child)]:
                    running.remove(child)
                    child.handle.verdict, child.handle.why = tell(_ended(child, memory_of))
                    child.shown.close()
                    if child.handle.verdict == Verdict.FAIL:
                        get_console().folded(f"log of {child.job.row}", _end_of_log(child.job.folder / LOG))
        finally:
            _stop(running)


def _start(job: Job, environment: Mapping[str, str], screen: ExitStack) -> _Child:
    with writing(job.folder):
        job.folder.mkdir(parents=True, exist_ok=True)
        # New files: a process of a night that was killed may still write to the old ones.
        for name in (OUTPUT, LOG, STEP):
            (job.folder / name).unlink(missing_ok=True)
        with (job.folder / OUTPUT).open("wb") as output, (job.folder / LOG).open("wb") as log:
            # In a session of its own: a terminal's Ctrl-C reaches us alone, and we pass it on once.
            process = subprocess.Popen(
                leashed(job.command),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=log,
                env={**environment, STEP_FILE: str((job.folder / STEP).absolute())},
                start_new_session=True,
            )
    shown = screen.enter_context(ExitStack())
    handle = shown.enter_context(get_console().row(job.row, alone=False))
    return _Child(job=job, process=process, handle=handle, shown=shown, started=time.monotonic())


def _has_ended(child: _Child) -> bool:
    child.look()
    return child.process.poll() is not None


def _ended(child: _Child, memory_of: Callable[[int], int | None]) -> Ended:
    (child.job.folder / STEP).unlink(missing_ok=True)
    containers = memory_of(child.process.pid)
    return Ended(
        job=child.job,
        code=child.process.returncode,
        seconds=round(time.monotonic() - child.started, 1),
        memory=None if containers is None else containers + child.own_memory,
    )


def _stop(children: Sequence[_Child]) -> None:
    """Tell them to end, and wait; who does not hear is killed."""
    for child in children:
        child.process.send_signal(signal.SIGTERM)
    deadline = time.monotonic() + CLEANUP_SECONDS
    for child in children:
        try:
            child.process.wait(max(deadline - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            child.process.kill()
            child.process.wait()
        (child.job.folder / STEP).unlink(missing_ok=True)


def _step(file: Path) -> str:
    """The step that a process wrote last, and for how long it has run; nothing where it wrote none."""
    try:
        title, since = file.read_text("utf-8", errors="replace"), file.stat().st_mtime
    except OSError:
        return ""
    return f"{title}  {in_seconds(max(time.time() - since, 0))}" if title else ""


def _end_of_log(log: Path) -> str:
    """The end of a log as text; nothing of one that cannot be read."""
    try:
        with log.open("rb") as stream:
            stream.seek(max(stream.seek(0, os.SEEK_END) - _FOLDED_BYTES, 0))
            return tail(stream.read().decode(errors="replace"), _FOLDED_LINES)
    except OSError:
        return ""


def _peak_memory(pid: int) -> int:
    """Bytes of the most that a process held at once, itself alone (VmHWM, proc(5)); 0 if it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(errors="replace")
    except OSError:
        return 0
    words = next((line.split() for line in status.splitlines() if line.startswith("VmHWM:")), None)
    return int(words[1]) * 1024 if words else 0
