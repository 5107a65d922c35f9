"""Which failure of a report is meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from orchestrator.errors import UsageError, nearest
from orchestrator.report.model import CheckRecord, RowReport, RunReport, Verdict
from orchestrator.report.reproduction import can_be_tried_again
from orchestrator.reproduce.model import NOTE


@dataclass(frozen=True)
class Chosen:
    """A row, and the failures of one check in one environment: one for each subject."""

    row: RowReport
    records: tuple[CheckRecord, ...]

    @property
    def check(self) -> str:
        """The check's id."""
        return self.records[0].id

    @property
    def environment(self) -> str | None:
        """Where it failed; None for a check that needs no container."""
        return self.records[0].environment


def choose(
    report: RunReport, *, row: str | None = None, check: str | None = None, environment: str | None = None
) -> Chosen:
    """The first failure that fits what was named; what failed comes before what did not run, or is waived.

    Raises:
        UsageError: what was named is not in the report, or did not fail; the known ones are named.
    """
    rows = report.rows if row is None else _named_row(report.rows, row)
    if check is not None:
        _known((one.id for each in rows for one in each.checks), check, "check")
    if environment is not None:
        _known((one.environment or "" for each in rows for one in each.checks), environment, "environment")
    found = [(each, one) for each in rows for one in each.checks if _is_worth_it(one)]
    fitting = [
        (each, one)
        for each, one in found
        if check in (None, one.id) and (environment is None or one.environment == environment)
    ]
    if not fitting:
        raise _nothing(found, row=row, check=check, environment=environment)
    chosen, first = min(fitting, key=lambda pair: _urgency(*pair))
    if chosen.given is None and any(note.id == NOTE for note in chosen.notes):
        raise UsageError(
            f"This is the report of a try: it does not say what {chosen.row} depended on.",
            advice="Give the bundle, or the report, of the run that failed.",
        )
    if chosen.given is None:
        raise UsageError(
            f"The report does not say what {chosen.row} depended on: it is of a run before this tool told that.",
            advice="Run the command of the report again, and reproduce what that writes.",
        )
    alike = (one for each, one in fitting if each is chosen)
    records = tuple(one for one in alike if (one.id, one.environment) == (first.id, first.environment))
    return Chosen(chosen, records)


def _is_worth_it(record: CheckRecord) -> bool:
    """Whether it failed, or containers that should have answered did not."""
    return record.verdict is Verdict.FAIL or (record.verdict is Verdict.NOT_RUN and bool(record.environment))


def _urgency(row: RowReport, record: CheckRecord) -> tuple[bool, bool]:
    """What is tried first, the lowest first; of equals the first of the report."""
    return not can_be_tried_again(row, record), record.verdict is not Verdict.FAIL


def _named_row(rows: Sequence[RowReport], name: str) -> list[RowReport]:
    _known((one.row for one in rows), name, "row")
    return [one for one in rows if one.row == name]


def _known(names: Iterable[str], name: str, what: str) -> None:
    known = dict.fromkeys(one for one in names if one)
    if name not in known:
        raise UsageError(f"The report has no {what} '{name}'.", advice=nearest(name, known))


def _nothing(
    failed: Sequence[tuple[RowReport, CheckRecord]], *, row: str | None, check: str | None, environment: str | None
) -> UsageError:
    what = " ".join(word for word in (check, f"in {environment}" if environment else "") if word)
    where = f" of {row}" if row else ""
    if not failed:
        return UsageError(
            f"Nothing failed{where or ' in that run'}: there is nothing to reproduce.",
            advice="Give the report, or the bundle, of a run that failed.",
        )
    places = dict.fromkeys(f"{one.id}{f' in {one.environment}' if one.environment else ''}" for _, one in failed)
    return UsageError(f"{what or 'Nothing'}{where} did not fail.", advice=f"What failed: {'; '.join(places)}.")
