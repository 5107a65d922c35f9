"""What an engine's machine has, and the memory that running containers use."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from orchestrator.containers.connect import open_session
from orchestrator.containers.failures import engine_errors
from orchestrator.containers.model import EngineInfo
from orchestrator.containers.owner import LABEL_OWNER, Owner, host_identity
from orchestrator.containers.session import Session
from orchestrator.errors import EngineError

_EVERY_SECONDS = 2.0


@dataclass(frozen=True, kw_only=True)
class Capacity:
    """An engine's machine: its cores, and its memory in bytes."""

    info: EngineInfo
    cores: int
    memory: int


class Meter:
    """The most memory that containers of each process of this machine used together, sampled while it is open."""

    def __init__(self, session: Session, capacity: Capacity) -> None:
        self._session = session
        self.capacity = capacity
        self._most: dict[int, int] = {}
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def most(self, pid: int) -> int | None:
        """Bytes, or None for a process that was not seen to have a container."""
        return self._most.get(pid)

    def _watch(self) -> None:
        while not self._closing.wait(_EVERY_SECONDS):
            try:
                used = memory_by_owner(self._session)
            except EngineError:
                continue  # those who need the engine say so
            for pid, size in used.items():
                self._most[pid] = max(size, self._most.get(pid, 0))


@contextmanager
def metered(address: str | None = None) -> Iterator[Meter]:
    """Watch an engine.

    Raises:
        EngineError: no engine, no permission, or no answer; with what to do.
    """
    session = open_session("meter", address)
    try:
        with engine_errors("asking what the engine's machine has"):
            described = session.api.info()
        capacity = Capacity(info=session.info, cores=int(described["NCPU"]), memory=int(described["MemTotal"]))
        meter = Meter(session, capacity)
        meter._thread.start()
        try:
            yield meter
        finally:
            meter._closing.set()
            meter._thread.join()
    finally:
        session.api.close()


def memory_by_owner(session: Session) -> dict[int, int]:
    """Bytes that running containers use now, by the process of this machine that they belong to.

    Raises:
        EngineError: the engine refuses or is gone.
    """
    used: dict[int, int] = defaultdict(int)
    with engine_errors("asking what containers use"):
        for container in session.api.containers(filters={"label": LABEL_OWNER}):
            owner = Owner.parse(container["Labels"][LABEL_OWNER])
            if owner and owner.host == host_identity():
                stats = session.api.stats(container["Id"], stream=False, one_shot=True)
                used[owner.pid] += used_memory(stats.get("memory_stats") or {})
    return dict(used)


def used_memory(stats: Mapping[str, Any]) -> int:
    """Bytes in use: without pages of files that the kernel may drop at once, as the engine's own client counts.

    The engine hands on what the kernel's version of control groups says (Docker Engine API, ContainerStats).
    """
    details = stats.get("stats") or {}
    droppable = details.get("total_inactive_file", details.get("inactive_file", 0))
    return max(int(stats.get("usage", 0)) - int(droppable), 0)
