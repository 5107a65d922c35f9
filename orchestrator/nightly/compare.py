"""A night held against those before it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from orchestrator.errors import EXIT_PASS, EXIT_VERDICT, BuildError, EngineError, FetchError, RecipeError, WheelError
from orchestrator.nightly.model import Change, NightRow, Result
from orchestrator.report.model import Verdict

SLOWER = 1.25
"""From which ratio to the time before a row counts as slower."""

LEAST_SECONDS = 5.0
"""What a row must take longer at least: less is the machine's noise."""

GRAVEST = (EngineError, FetchError, RecipeError, WheelError, BuildError)
"""Errors whose exit code a night ends with, the first that any row met: what hides most is told first."""


def compare(result: Result, last: tuple[str, Result] | None, last_pass: Result | None, *, first: bool) -> NightRow:
    """A row's result with what changed.

    `last` is the last result that told a verdict, and its night; `last_pass` the last pass with as many rows at a
    time, by which its time is judged.  In the `first` night nothing is new.
    """
    night, before = last or (None, None)
    return NightRow(
        **result.model_dump(),
        change=_change(result, before, last_pass, first=first),
        before=before.verdict if before else None,
        before_night=night,
        before_seconds=last_pass.seconds if last_pass else None,
    )


def _change(result: Result, before: Result | None, last_pass: Result | None, *, first: bool) -> Change | None:
    if before is None:
        return None if first or result.verdict is Verdict.NOT_RUN else Change.NEW
    if result.verdict is Verdict.NOT_RUN:
        return Change.NOT_RUN
    if result.verdict is not before.verdict:
        if result.key == before.key:
            return Change.FLAKY
        return Change.FIXED if result.verdict is Verdict.PASS else Change.NEW_FAILURE
    if result.verdict is Verdict.FAIL or result.remembered or last_pass is None:
        return None
    return Change.SLOWER if _slower(result.seconds, last_pass.seconds) else None


def _slower(seconds: float, before: float) -> bool:
    return seconds > before * SLOWER and seconds > before + LEAST_SECONDS


def exit_code(rows: Iterable[Result], errors: Iterable[int]) -> int:
    """The exit code of a night: of the gravest error that a row met, else 1 where a verdict is fail, else 0.

    `errors` are exit codes of recipes that could not be read.  A row that reports why it did not run is no error; a
    process that ended by none of our codes is a failure.
    """
    found = list(rows)
    told = {row.code for row in found if not (row.told and row.verdict is Verdict.NOT_RUN)}
    codes = told | set(errors)
    for error in GRAVEST:
        if error.exit_code in codes:
            return error.exit_code
    return EXIT_VERDICT if codes - {0} or any(row.verdict is Verdict.FAIL for row in found) else EXIT_PASS


def gone(rows: Mapping[str, Result], before: Mapping[str, Result]) -> tuple[str, ...]:
    """Rows that the last night of the same scope had, and that are no more."""
    return tuple(row for row in before if row not in rows)
