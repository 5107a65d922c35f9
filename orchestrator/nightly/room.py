"""How many rows are worked on at a time: as many as there are cores, while their memory lasts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rich.filesize import decimal

NEED = 2 << 30
"""Bytes that a row is taken to need which was never measured."""

SPARE = 1 << 30
"""Bytes of the machine that are left to everything else."""

MARGIN = 1.25
"""What a measured need is multiplied by: samples miss the very peak."""


@dataclass(frozen=True, kw_only=True)
class Room:
    """What rows share: `jobs` at a time at most, and `memory` bytes; `needs` are measured bytes by row."""

    jobs: int
    memory: int
    needs: Mapping[str, int]

    def need(self, row: str) -> int:
        """Bytes that a row is taken to need."""
        return int(self.needs[row] * MARGIN) if row in self.needs else NEED

    def has_place(self, row: str, running: Iterable[str]) -> bool:
        """Whether a row may start beside those that run; alone any may."""
        beside = list(running)
        if not beside:
            return True
        return len(beside) < self.jobs and sum(map(self.need, [*beside, row])) <= self.memory

    def told(self, rows: Iterable[str]) -> str:
        """One line for people about these rows."""
        needs = {row: self.need(row) for row in rows}
        measured = sum(row in self.needs for row in needs)
        most = decimal(max(needs.values(), default=NEED))
        how = f"measured of {measured} of {len(needs)}" if measured else "not measured yet"
        return f"up to {self.jobs} at a time, in {decimal(self.memory)} of memory: a row needs up to {most} ({how})"


def make_room(*, cores: int, memory: int, jobs: int | None, needs: Mapping[str, int]) -> Room:
    """The room on a machine with so many cores and bytes; `jobs` is what was asked for."""
    return Room(jobs=jobs or max(cores, 1), memory=max(memory - SPARE, 0), needs=needs)
