"""What a person sees while the orchestrator works: steps, log lines, progress, messages.

Everything goes to standard error, so that standard output holds nothing but results.  On a
terminal the running steps and downloads are shown live with the time they have taken; without
one, or in CI (the `CI` variable is set), there is one plain line for each finished step.
"""

from __future__ import annotations

import os
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import TextIO

from rich.console import Console as RichConsole
from rich.console import Group
from rich.filesize import decimal
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

_REFRESH_PER_SECOND = 6
_INDENT = "  "


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


def _seconds(value: float) -> str:
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

    @property
    def seconds(self) -> float:
        """Wall-clock seconds from the step's begin until now, or until its end if it has ended."""
        return (self.ended or time.monotonic()) - self.started

    def update(self, detail: str) -> None:
        """Say what the step is doing just now."""
        self.detail = detail

    def _text(self) -> str:
        detail = f"  {self.detail}" if self.detail else ""
        return f"{self.title}{detail}  {_seconds(self.seconds)}"


@dataclass(eq=False)
class _Transfer(StepHandle):
    """A running transfer, counted in bytes."""

    total: int | None = None
    done: int = 0

    def _text(self) -> str:
        of = f" of {decimal(self.total)}" if self.total else ""
        rate = f"  {decimal(int(self.done / max(self.seconds, 0.001)))}/s" if self.done else ""
        return f"{self.title}  {decimal(self.done)}{of}{rate}  {_seconds(self.seconds)}"


class Console:
    """Writes to one stream, live on a terminal and plainly elsewhere; safe from several threads."""

    def __init__(
        self, stream: TextIO | None = None, *, environ: Mapping[str, str] = os.environ, verbose: bool = False
    ) -> None:
        self._rich = RichConsole(file=stream, stderr=stream is None, highlight=False, soft_wrap=True)
        self.live = self._rich.is_terminal and not environ.get("CI") and environ.get("TERM") != "dumb"
        self.verbose = verbose
        self._lock = threading.RLock()
        self._active: list[StepHandle] = []
        self._spinner = Spinner("dots")
        self._display: Live | None = None

    @contextmanager
    def step(self, title: str, *, depth: int | None = None) -> Iterator[StepHandle]:
        """Show `title` with the time it takes; print both when the step ends, however it ends.

        `depth` says how far it is indented where steps run beside each other, and not one within the other.
        """
        with self._lock:
            within = sum(type(other) is StepHandle for other in self._active)
            handle = StepHandle(title, depth=within if depth is None else depth)
        yield from self._run(handle)

    @contextmanager
    def progress(self, description: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
        """Show a transfer; the callable that this gives adds a number of bytes to it."""
        handle = _Transfer(description, depth=len(self._active), total=total)

        def advance(count: int) -> None:
            with self._lock:
                handle.done += count

        with self._shown(handle):
            yield advance
        if not self.live:
            self._print(f"{_INDENT * handle.depth}{handle._text()}")

    def line(self, text: str) -> None:
        """One line of a running process's output; plain consoles drop it unless they are verbose."""
        if self.live or self.verbose:
            self._print(Text.from_ansi(text.rstrip("\r\n")), style="dim")

    def message(self, text: str) -> None:
        """Something that is always shown."""
        self._print(text)

    def _run(self, handle: StepHandle) -> Iterator[StepHandle]:
        try:
            with self._shown(handle):
                yield handle
        except BaseException as error:
            how = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
            self._finished(handle, f"  {how}")
            raise
        self._finished(handle, "")

    def _finished(self, handle: StepHandle, how: str) -> None:
        self._print(f"{_INDENT * handle.depth}{handle.title}  {_seconds(handle.seconds)}{how}")

    def _print(self, text: str | Text, style: str = "") -> None:
        with self._lock:
            self._rich.print(visible(text) if isinstance(text, str) else text, style=style, markup=False)

    @contextmanager
    def _shown(self, handle: StepHandle) -> Iterator[None]:
        with self._lock:
            self._active.append(handle)
            if self.live and self._display is None:
                self._display = Live(
                    get_renderable=self._render,
                    console=self._rich,
                    refresh_per_second=_REFRESH_PER_SECOND,
                    transient=True,
                    # A result printed to standard output must stay the caller's.
                    redirect_stdout=False,
                    redirect_stderr=False,
                )
                self._display.start()
        try:
            yield
        finally:
            with self._lock:
                handle.ended = time.monotonic()
                self._active.remove(handle)
                ended = self._display if not self._active else None
                if ended:
                    self._display = None
            # Outside the lock: stopping joins the refresh thread, which takes the lock to render.
            if ended:
                ended.stop()

    def _render(self) -> Group:
        with self._lock:
            active = list(self._active)
        spin = self._spinner.render(time.monotonic())
        mark = spin.plain if isinstance(spin, Text) else "*"
        return Group(
            *(
                Text(visible(f"{_INDENT * handle.depth}{mark} {handle._text()}"), no_wrap=True, overflow="ellipsis")
                for handle in active
            )
        )


@cache
def get_console() -> Console:
    """The one console of this process, on standard error."""
    return Console()
