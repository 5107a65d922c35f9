"""What a person sees while the orchestrator works: rows, steps, log lines, progress, messages.

Everything goes to standard error, so that standard output holds nothing but results.  On a
terminal a board shows the rows, the steps and downloads that run with the time they have taken, and
the end of what they print; without one, or in CI (the `CI` variable is set), there is one plain line
for each finished step.  On GitHub Actions the lines of a row are folded under its name.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TextIO

from rich.console import Console as RichConsole
from rich.console import Group
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from orchestrator.board import TAIL_LINES, VERDICTS, board, ended
from orchestrator.errors import NotHereError
from orchestrator.github import Silence, command, defused, is_github
from orchestrator.secrets import secrets
from orchestrator.shown import RowHandle, StepHandle, Transfer, in_seconds, visible

__all__ = ["STEP_FILE", "Console", "RowHandle", "StepHandle", "get_console", "visible"]

STEP_FILE = "WHEEL_ORCHESTRATOR_STEP_FILE"
"""A variable by which who starts this process, such as a night, learns what runs: a file with the step's title."""

_REFRESH_PER_SECOND = 6
_INDENT = "  "


class Console:
    """Writes to one stream, live on a terminal and plainly elsewhere; safe from several threads."""

    def __init__(
        self, stream: TextIO | None = None, *, environ: Mapping[str, str] = os.environ, verbose: bool = False
    ) -> None:
        self._rich = RichConsole(file=stream, stderr=stream is None, highlight=False, emoji=False, soft_wrap=True)
        self.github = is_github(environ)
        plain = self.github or environ.get("CI") or environ.get("TERM") == "dumb"
        self.live = self._rich.is_terminal and not plain
        self.verbose = verbose
        # Never held while rich prints: its refreshing thread holds rich's own lock when it takes this one.
        self._lock = threading.RLock()
        self._active: list[StepHandle] = []
        self._rows: list[RowHandle] = []
        self._several = False
        self._tail: deque[str] = deque(maxlen=TAIL_LINES)
        self._spinner = Spinner("dots")
        self._display: Live | None = None
        self._pauses = 0
        self._silence: Silence | None = None
        self._step_file = environ.get(STEP_FILE)

    @contextmanager
    def step(self, title: str, *, depth: int | None = None) -> Iterator[StepHandle]:
        """Show `title` with the time it takes; print both when the step ends, however it ends.

        `depth` says how far it is indented where steps run beside each other, and not one within the other.
        """
        with self._lock:
            handle = StepHandle(title)
            within = sum(type(other) is StepHandle and other.thread == handle.thread for other in self._active)
            handle.depth = within if depth is None else depth
        yield from self._run(handle)

    @contextmanager
    def progress(self, description: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
        """Show a transfer; the callable that this gives adds a number of bytes to it.

        Of transfers beside each other, each in a thread of its own, none is within another.
        """
        with self._lock:
            depth = int(any(type(other) is StepHandle for other in self._active))
        handle = Transfer(description, depth=depth, total=total)

        def advance(count: int) -> None:
            with self._lock:
                handle.done += count

        with self._shown(handle):
            yield advance
        if not self.live:
            self._print(f"{_INDENT * handle.depth}{handle.told()}")

    @contextmanager
    def rows(self, names: Sequence[str], *, steps: bool = True) -> Iterator[None]:
        """Rows that are going to be worked on: the board shows the state of each, and a line how it ended.

        A single one of which `steps` are shown needs neither.
        """
        with self._lock:
            self._rows = [RowHandle(name) for name in names]
            self._several = len(names) > 1 or not steps
            self._show()
        try:
            yield
        finally:
            with self._lock:
                self._rows, self._several = [], False
            self._hide()

    @contextmanager
    def row(self, name: str, *, alone: bool = True) -> Iterator[RowHandle]:
        """Work on one row, of those that were announced or the only one; its verdict is set on the handle.

        On GitHub its lines are a group, unless others run beside it and it is not `alone`.
        """
        with self._lock:
            handle = next((row for row in self._rows if row.title == name and not row.begun), RowHandle(name))
            handle.begun, handle.started = True, time.monotonic()
        if alone:
            self.commands([command("group", visible(name, one_line=True))])
        try:
            yield handle
        except BaseException as error:
            if not isinstance(error, Exception):
                handle.verdict, handle.why = "not-run", "interrupted"
            elif not handle.verdict:
                handle.verdict = "not-run" if isinstance(error, NotHereError) else "fail"
            raise
        finally:
            handle.ended = time.monotonic()
            if alone:
                self.commands([command("endgroup")])
            if handle.verdict in VERDICTS and self._several:
                self._print(ended(handle))

    def line(self, text: str) -> None:
        """One line of a running process's output: the board shows the last ones, a verbose console all."""
        if self.verbose:
            self._print(Text.from_ansi(secrets().hide(text.rstrip("\r\n"))), style="dim")
        elif self.live:
            self._tail.append(text.rstrip("\r\n"))

    def folded(self, title: str, text: str) -> None:
        """On GitHub, print what a person opens when it matters; elsewhere it is in a file."""
        if self.github:
            self.commands([command("group", visible(title, one_line=True))])
            self._print(text)
            self.commands([command("endgroup")])

    def message(self, text: str) -> None:
        """Something that is always shown."""
        self._print(text)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave the terminal to somebody else, such as a shell."""
        with self._lock:
            self._pauses += 1
        self._hide()
        try:
            yield
        finally:
            with self._lock:
                self._pauses -= 1
                self._show()

    @contextmanager
    def silence(self) -> Iterator[None]:
        """On GitHub, let nothing that is printed here be a workflow command but what `commands` is given."""
        if not self.github:
            yield
            return
        self._silence = Silence()
        self._rich.out(self._silence.begin())
        try:
            yield
        finally:
            self._rich.out(self._silence.end())
            self._silence = None

    def commands(self, lines: Sequence[str]) -> None:
        """Give workflow commands to GitHub; elsewhere there is nobody to obey them."""
        if self.github and lines:
            lines = [secrets().hide(line) for line in lines]
            self._rich.out(self._silence.around(lines) if self._silence else "\n".join(lines))

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
        self._print(f"{_INDENT * handle.depth}{handle.title}  {in_seconds(handle.seconds)}{how}")

    def _print(self, text: str | Text, style: str = "") -> None:
        if isinstance(text, str):
            text = visible(secrets().hide(text))
        if self.github:
            text = defused(text if isinstance(text, str) else text.plain)
        self._rich.print(text, style=style, markup=False)

    @contextmanager
    def _shown(self, handle: StepHandle) -> Iterator[None]:
        with self._lock:
            self._active.append(handle)
            self._tell_step()
            self._show()
        try:
            yield
        finally:
            with self._lock:
                handle.ended = time.monotonic()
                self._active.remove(handle)
                self._tail.clear()
                self._tell_step()
            self._hide()

    def _tell_step(self) -> None:
        """Write the newest step, which is the innermost, for who started us; the lock is held."""
        if self._step_file:
            with suppress(OSError):  # only shown, and whoever wants to see it may have gone
                title = self._active[-1].title if self._active else ""
                Path(self._step_file).write_text(secrets().hide(title), encoding="utf-8")

    def _show(self) -> None:
        """Begin the board if there is something to show; the lock is held."""
        if self.live and self._display is None and self._wanted():
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

    def _hide(self) -> None:
        """End the board if there is nothing to show."""
        with self._lock:
            ended = None if self._wanted() else self._display
            if ended:
                self._display = None
        # Outside the lock: stopping joins the refresh thread, which takes the lock to render.
        if ended:
            ended.stop()

    def _wanted(self) -> bool:
        return not self._pauses and (bool(self._active) or self._several)

    def _render(self) -> Group:
        with self._lock:
            rows = list(self._rows) if self._several else []
            steps, tail = list(self._active), list(self._tail)
        spin = self._spinner.render(time.monotonic())
        mark = spin.plain if isinstance(spin, Text) else "*"
        # One line is left to what is printed above, so that the board is never higher than what it replaces.
        return board(rows, steps, tail, height=self._rich.size.height - 1, mark=mark)


@cache
def get_console() -> Console:
    """The one console of this process, on standard error."""
    return Console()
