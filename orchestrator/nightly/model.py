"""What a night is: its rows' results, what changed since, and the report of it."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

from pydantic import ConfigDict, Field

from orchestrator.report.model import Record, Verdict

SCHEMA_VERSION = 1

RESUMED_FOR = timedelta(hours=24)
"""How old a night may be that is resumed: a later one is another night."""


class Change(StrEnum):
    """How a row's result differs from the last one that told something."""

    NEW_FAILURE = "new failure"
    FIXED = "fixed"
    FLAKY = "flaky"
    SLOWER = "slower"
    NOT_RUN = "no longer run"
    NEW = "new"


class Result(Record):
    """One row's result in a night.

    `code` is the exit code of the process that worked on it.  Without a `run` there is no report, as of a row that
    cannot be worked on here, or whose process ended by an error.
    """

    row: str
    key: str = Field(description="SHA-256 over all that the result depends on.")
    verdict: Verdict
    code: int = Field(default=0, description="Exit code of the row's process; negative: the signal that ended it.")
    reason: str = Field(default="", description="Why it is no pass.")
    run: str | None = Field(default=None, description="The run below reports/ that holds the row's report.")
    remembered: bool = Field(default=False, description="Whether the store answered, so that nothing was worked on.")
    seconds: float = Field(default=0.0, description="Wall-clock seconds of the row's process.")
    jobs: int = Field(default=1, description="How many rows were worked on at a time.")
    memory: int | None = Field(default=None, description="Most bytes of memory that it and its containers had.")
    wheel: str | None = Field(default=None, description="File name of the wheel in dist/, if the verdict is pass.")
    sha256: str | None = Field(default=None, description="Of the wheel.")

    @property
    def told(self) -> bool:
        """Whether there is a report: such a row is not worked on again when the night is resumed."""
        return self.run is not None


class Night(Record):
    """One night: what was asked, where, and when.  `scope` is equal for nights that ask the same."""

    id: str
    scope: str
    folder: str = Field(description="Where its reports/ and dist/ lie.")
    started: datetime
    finished: datetime | None = None
    exit: int | None = None


class NightRow(Result):
    """A row's result held against the last one."""

    change: Change | None = None
    before: Verdict | None = Field(default=None, description="The last verdict that was pass or fail.")
    before_night: str | None = None
    before_seconds: float | None = Field(
        default=None, description="Of the last night that passed with as many rows at a time."
    )


class NightReport(Record):
    """A night, for machines: reports/NIGHT/night.json."""

    schema_: int = Field(default=SCHEMA_VERSION, alias="schema")
    night: str
    command: str
    tool: str
    started: datetime
    finished: datetime
    verdict: Verdict
    exit: int
    jobs: int
    taken_over: int = Field(description="Rows whose result is of before the night was resumed.")
    rows: tuple[NightRow, ...]
    gone: tuple[str, ...] = Field(default=(), description="Rows of the last night of this scope that are no more.")
    errors: tuple[str, ...] = Field(default=(), description="Recipes that could not be read, and why.")

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)
