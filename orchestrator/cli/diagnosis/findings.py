"""What a look at something ends with: problems, which a person must repair, and notices, which are worth knowing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from orchestrator.errors import OrchestratorError


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Something that a person must repair."""

    kind: str
    message: str
    advice: str
    exit_code: int


@dataclass(frozen=True, kw_only=True)
class Notice:
    """Something that is not broken, may stand in the way, and can be helped as `advice` says."""

    kind: str
    message: str
    advice: str


def problem_of(error: OrchestratorError) -> Problem:
    """An error as a problem."""
    message = "\n".join(part for part in (error.message, error.detail) if part)
    return Problem(kind=error.kind, message=message, advice=error.advice, exit_code=error.exit_code)


@contextmanager
def noting(problems: list[Problem]) -> Iterator[None]:
    """Within, an error becomes a problem, and what follows is still looked at."""
    try:
        yield
    except OrchestratorError as error:
        problems.append(problem_of(error))


def ago(seconds: float) -> str:
    """A time for people: `5 minutes`, `3 hours`, `12 days`."""
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'s' if count > 1 else ''}"
    return "moments"
