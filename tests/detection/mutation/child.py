"""The command line in a forked child, under limits: how it ended, and what it wrote where it should not."""

from __future__ import annotations

import importlib
import os
import resource
import select
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from orchestrator.cli.main import main

CPU_SECONDS = 5
"""Processor time of one inspection: other work on the machine does not count."""
WALL_SECONDS = 120.0
MEMORY = 2 << 30
CODES = frozenset((0, 1, 2, 4, 5))
"""What `inspect` may end with (docs/exit-codes.md)."""

_LATE = (
    "build.guards.catalogue",
    "cli.inspect_verb",
    "cli.parser",
    "report.reproduction",
    "report.terminal",
    "report.write",
    "verify.dynamic.catalogue",
    "verify.waivers",
)
for _late in _LATE:
    # Imported by the verb when it is asked: each child would do so anew, which takes longer than to inspect.
    importlib.import_module(f"orchestrator.{_late}")

_RAISED = 70
_STRAYED = 71
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = ("os.mkdir", "os.rename", "os.link", "os.symlink", "os.remove", "os.rmdir", "os.truncate", "os.chmod")


@dataclass
class Child:
    """An inspection that runs; its output goes to a file in its folder's parent."""

    name: str
    folder: Path
    pid: int
    handle: int
    started: float

    @property
    def output(self) -> Path:
        """What it printed."""
        return self.folder.with_suffix(".output")


def start(name: str, folder: Path, wheel: str) -> Child:
    """Inspect a wheel of that folder, from there."""
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        _inspect(folder, wheel)
    return Child(name, folder, pid, os.pidfd_open(pid), time.monotonic())


def _inspect(folder: Path, wheel: str) -> None:
    """Never returns."""
    code = _RAISED
    try:
        output = os.open(folder.with_suffix(".output"), os.O_WRONLY | os.O_CREAT, 0o644)
        for number in (1, 2):
            os.dup2(output, number)
        os.chdir(folder)
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        sys.dont_write_bytecode = True  # what others have just edited would be compiled in our place
        sys.argv = ["orchestrator", "inspect", wheel]
        strayed = _watch(folder)
        code = main(["inspect", "--json", wheel])
        if strayed:
            print("\n".join(strayed))
            code = _STRAYED
        sys.stdout.flush()
    except BaseException:  # noqa: BLE001 - shown by who waits
        traceback.print_exc()
        sys.stderr.flush()
        code = _RAISED
    finally:
        os._exit(code)


def _watch(folder: Path) -> list[str]:
    """Note whatever is written outside a folder, from now on (Python: audit events)."""
    strayed: list[str] = []
    allowed = (f"{folder}/", "/dev/")

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITES:
            paths = arguments[:1]
        elif event in _CHANGES:
            paths = arguments[:2]
        else:
            return
        found = [os.fspath(path) for path in paths if isinstance(path, str | os.PathLike)]
        strayed.extend(f"{event} {path}" for path in found if not os.path.realpath(path).startswith(allowed))

    sys.addaudithook(hook)
    return strayed


def ended(child: Child) -> str | None:
    """Wait for it: what is wrong with how it ended, or None."""
    left = max(0.0, child.started + WALL_SECONDS - time.monotonic())
    ready, _, _ = select.select([child.handle], [], [], left)
    if not ready:
        os.kill(child.pid, signal.SIGKILL)
    _, status, used = os.wait4(child.pid, 0)
    os.close(child.handle)
    code = os.waitstatus_to_exitcode(status)
    said = child.output.read_text(errors="replace")
    seconds = used.ru_utime + used.ru_stime
    if not ready or code in (-signal.SIGXCPU, -signal.SIGKILL):
        return f"took more than its time: {seconds:.1f} s of the processor"
    if code == _STRAYED:
        return f"wrote outside its folder: {said[-500:]}"
    if code not in CODES or "Traceback" in said or "could not judge" in said:
        return f"ended with {code}: {_last(said)}"
    return None


def _last(said: str) -> str:
    at = max(said.rfind("Traceback"), said.rfind("could not judge"))
    return said[at:][:3000] if at >= 0 else said[-1000:]


def run_all(
    count: int, jobs: int, make: Callable[[int], tuple[str, Path, str]]
) -> Iterator[tuple[int, str, str | None]]:
    """Run so many, some at a time: number, kind, and what is wrong or None; folders of the good are removed."""
    running: list[tuple[int, str, Child]] = []
    for number in range(count):
        if len(running) >= jobs:
            yield _finish(running.pop(0))
        kind, folder, wheel = make(number)
        running.append((number, kind, start(str(number), folder, wheel)))
    for one in running:
        yield _finish(one)


def _finish(one: tuple[int, str, Child]) -> tuple[int, str, str | None]:
    number, kind, child = one
    wrong = ended(child)
    if wrong is None:
        shutil.rmtree(child.folder)
        child.output.unlink()
    return number, kind, wrong
