"""What runs, as it is shown to people: steps, transfers and rows with their times, and text that steers nothing."""

from __future__ import annotations

import threading
import time
import unicodedata
from dataclasses import dataclass, field

from rich.filesize import decimal

_STEERING = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Unicode categories of what moves the cursor, turns the direction of writing, or is no character."""


def visible(text: str, *, one_line: bool = False) -> str:
    """Text that cannot steer a terminal: control and direction characters are shown by their code.

    Names in a wheel and output of processes are not ours, and may hold anything.  `one_line` shows line
    ends so too, since a name of several lines could pass for lines of ours.
    """
    text = text.expandtabs(4)
    if text.isprintable():
        return text
    return "".join(
        c if (c == "\n" and not one_line) or unicodedata.category(c) not in _STEERING else f"\\u{ord(c):04x}"
        for c in text
    )


def in_seconds(value: float) -> str:
    """A time for people: `12.3 s`, `2 min 05 s`."""
    if value < 60:
        return f"{value:.1f} s"
    return f"{int(value // 60)} min {int(value % 60):02d} s"


@dataclass(eq=False)
class StepHandle:
    """A running step; `detail` is shown beside its title while it runs."""

    title: str
    depth: int = 0
    started: float = field(default_factory=time.monotonic)
    ended: float | None = None
    detail: str = ""
    thread: int = field(default_factory=threading.get_ident)
    """Who runs it: steps of one thread are within each other."""

    @property
    def seconds(self) -> float:
        """Wall-clock seconds from the step's start until now, or until its end if it has ended."""
        return (self.ended or time.monotonic()) - self.started

    def update(self, detail: str) -> None:
        """Say what the step is doing just now."""
        self.detail = detail

    def told(self) -> str:
        """Its line while it runs.  The time comes before what it does, which a narrow terminal may cut."""
        detail = f"  {self.detail}" if self.detail else ""
        return f"{self.title}  {in_seconds(self.seconds)}{detail}"


@dataclass(eq=False)
class Transfer(StepHandle):
    """A running transfer, counted in bytes."""

    total: int | None = None
    done: int = 0

    def told(self) -> str:
        """How much of it is done, and how fast."""
        of = f" of {decimal(self.total)}" if self.total else ""
        rate = f"  {decimal(int(self.done / max(self.seconds, 0.001)))}/s" if self.done else ""
        return f"{self.title}  {decimal(self.done)}{of}{rate}  {in_seconds(self.seconds)}"


@dataclass(eq=False)
class RowHandle(StepHandle):
    """A row of the matrix: it waits until it has begun, and has a verdict (`pass`, `fail`, `not-run`) at its end.

    Its title is the row's name; `why` is what its last line says beside the verdict.
    """

    begun: bool = False
    verdict: str = ""
    why: str = ""
