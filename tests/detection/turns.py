"""Functions that take turns: each runs in a thread of its own, one at a time, until it asks something or ends."""

from __future__ import annotations

import contextlib
import io
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Q = TypeVar("Q")
A = TypeVar("A")
R = TypeVar("R")


class _LeftError(BaseException):
    """Ends a function whose question nobody answers any more."""


@dataclass
class Turn(Generic[Q, A, R]):
    """One function: what it asks now, or how it ended."""

    work: Callable[[Callable[[Q], A]], R]
    asked: Q | None = None
    result: R | None = None
    error: BaseException | None = None
    _answers: list[A] = field(default_factory=list)
    _go: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    _back: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def start(self) -> None:
        """Run it until it asks or ends."""
        threading.Thread(target=self._run, daemon=True).start()
        self._back.acquire()

    def answer(self, answer: A) -> None:
        """Answer, and run it on until it asks again or ends."""
        self._answers.append(answer)
        self._resume()

    def leave(self) -> None:
        """End it where it stands, if it stands at a question."""
        if self.asked is not None:
            self._resume()

    def _resume(self) -> None:
        self.asked = None
        self._go.release()
        self._back.acquire()

    def _run(self) -> None:
        try:
            self.result = self.work(self._ask)
        except BaseException as error:  # noqa: BLE001 - who started it learns of it
            self.error = error
        self._back.release()

    def _ask(self, question: Q) -> A:
        self.asked = question
        self._back.release()
        self._go.acquire()
        if not self._answers:
            raise _LeftError
        return self._answers.pop()


def take_turns(
    works: Mapping[str, Callable[[Callable[[Q], A]], R]],
    serve: Callable[[Mapping[str, Q]], Mapping[str, A]],
) -> dict[str, R | BaseException]:
    """Run them all; where each asks or has ended, `serve` answers some of the questions, one at least.

    What a function raised is its result.  What they write to standard error is dropped: it would stand in between.
    """
    turns: dict[str, Turn[Q, A, R]] = {name: Turn(work) for name, work in works.items()}
    try:
        for turn in turns.values():
            with _silence():
                turn.start()
        while asking := {name: turn.asked for name, turn in turns.items() if turn.asked is not None}:
            for name, answer in serve(asking).items():
                with _silence():
                    turns[name].answer(answer)
    finally:
        for turn in turns.values():
            turn.leave()
    found: dict[str, R | BaseException] = {}
    for name, turn in turns.items():
        ending = turn.error if turn.error is not None else turn.result
        assert ending is not None
        found[name] = ending
    return found


def _silence() -> contextlib.redirect_stderr[io.StringIO]:
    return contextlib.redirect_stderr(io.StringIO())
