"""Who made a container or volume, written in a label, and whether that process still lives.

A process is identified by host, boot id, process id and start time, so that neither a reused
process id nor a reboot nor another machine on the same engine is mistaken for the owner.  /proc
is described in proc(5).
"""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Self

LABEL = "io.wheel-orchestrator"
LABEL_RUN = f"{LABEL}.run"
LABEL_ROW = f"{LABEL}.row"
LABEL_STEP = f"{LABEL}.step"
LABEL_OWNER = f"{LABEL}.owner"
LABEL_KIND = f"{LABEL}.kind"

_PROC = Path("/proc")


@dataclass(frozen=True, kw_only=True)
class Owner:
    """A process.  `start` is its start time in clock ticks since the boot."""

    host: str
    boot: str
    pid: int
    start: int

    def __str__(self) -> str:
        return f"{self.host}|{self.boot}|{self.pid}|{self.start}"

    @classmethod
    def parse(cls, label: str) -> Self | None:
        """The owner that a label names, or None if the label is not one of ours."""
        parts = label.split("|")
        if len(parts) != 4 or not all(parts) or not (parts[2].isdecimal() and parts[3].isdecimal()):
            return None
        return cls(host=parts[0], boot=parts[1], pid=int(parts[2]), start=int(parts[3]))

    @classmethod
    def of_process(cls, pid: int) -> Self:
        """The owner that a living process of this machine is.

        Raises:
            ProcessLookupError: there is no such process.
        """
        start = start_time(pid)
        if start is None:
            raise ProcessLookupError(f"no process {pid}")
        return cls(host=host_identity(), boot=boot_id(), pid=pid, start=start)

    @classmethod
    def current(cls) -> Self:
        """This process."""
        return cls.of_process(os.getpid())

    def is_dead(self) -> bool:
        """Whether the owner surely lives no more; False if it belongs to another host."""
        if self.host != host_identity():
            return False
        return self.boot != boot_id() or start_time(self.pid) != self.start


def host_identity() -> str:
    """Name, machine id and process id namespace: process ids mean the same where all three agree."""
    try:
        machine = Path("/etc/machine-id").read_text().strip()[:12]
    except OSError:
        machine = ""
    namespace = str((_PROC / "self/ns/pid").readlink()).removeprefix("pid:").strip("[]")
    return f"{socket.gethostname()}/{machine}/{namespace}"


def boot_id() -> str:
    """Changes with every boot of the machine."""
    return (_PROC / "sys/kernel/random/boot_id").read_text().strip()


def start_time(pid: int) -> int | None:
    """When a process started, in clock ticks since the boot; None if it is gone or a zombie."""
    try:
        stat = (_PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return None
    # The second field is the program's name in parentheses and may itself hold spaces and parentheses.
    fields = stat[stat.rindex(")") + 2 :].split()
    return None if fields[0] in "ZX" else int(fields[19])
