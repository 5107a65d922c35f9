"""Run the static checks over one wheel and write their records."""

from __future__ import annotations

import time

from orchestrator.console import visible
from orchestrator.report.model import CheckRecord, Note, Verdict
from orchestrator.report.words import number
from orchestrator.verify.catalogue import STATIC_CHECKS
from orchestrator.verify.outcome import Outcome
from orchestrator.verify.static import b16_no_duplicates, device_code
from orchestrator.verify.static.tables.row import StaticCheck
from orchestrator.verify.subject import StaticSubject

MOST_FAULTS = 1000
"""More findings of one check than these are counted, not written."""

Results = tuple[tuple[CheckRecord, ...], tuple[Note, ...]]


def run_static(subject: StaticSubject, checks: tuple[StaticCheck, ...] = STATIC_CHECKS) -> Results:
    """Every check that applies, in the catalogue's order: its records, and the notes beside them.

    A check writes one record for each thing that it faults, or one that it passes.  What names in the
    wheel hold is written so that it cannot steer a terminal.
    """
    records: list[CheckRecord] = []
    notes: list[Note] = []
    for check in checks:
        more_records, more_notes = run_check(check, subject)
        records += more_records
        notes += more_notes
    return tuple(records), (*notes, *_observations(subject))


def run_check(check: StaticCheck, subject: StaticSubject) -> Results:
    """One check; nothing where it does not apply.

    What it raises on damaged input is its failure: no verdict may be lost with a traceback.
    """
    started = time.perf_counter()
    try:
        if not check.applies(subject):
            return (), ()
        outcome = check.check(subject)
    except Exception as error:  # noqa: BLE001
        reason = f"could not judge: {type(error).__name__}: {error}"
        return (_record(check, subject, Verdict.FAIL, reason, started),), ()
    notes = tuple(check.note(remark.subject, remark.text) for remark in outcome.remarks[:MOST_FAULTS])
    return _records(check, subject, outcome, started), notes


def _records(check: StaticCheck, subject: StaticSubject, outcome: Outcome, started: float) -> tuple[CheckRecord, ...]:
    if outcome.not_run is not None:
        return (_record(check, subject, Verdict.NOT_RUN, outcome.not_run, started),)
    if outcome.faults:
        found = [
            _record(check, subject, Verdict.FAIL, fault.reason, started, fault.subject, fault.evidence)
            for fault in outcome.faults[:MOST_FAULTS]
        ]
        if (more := len(outcome.faults) - MOST_FAULTS) > 0:
            found.append(_record(check, subject, Verdict.FAIL, f"{more} more findings are left out here", started))
        return tuple(found)
    if outcome.inspected == 0:
        reason = f"inspected nothing: no {outcome.what} to judge"
        return (_record(check, subject, Verdict.FAIL, reason, started),)
    reason = f"inspected {number(outcome.inspected, outcome.what)}"
    return (_record(check, subject, Verdict.PASS, reason, started, evidence=outcome.evidence),)


def _record(
    check: StaticCheck,
    subject: StaticSubject,
    verdict: Verdict,
    reason: str,
    started: float,
    about: str | None = None,
    evidence: tuple[str, ...] = (),
) -> CheckRecord:
    seconds = time.perf_counter() - started
    return check.record(verdict, about or subject.wheel.filename, reason, evidence, seconds=seconds)


def _observations(subject: StaticSubject) -> tuple[Note, ...]:
    """Notes that belong to no check: device code, and double symbols where no recipe judges them."""
    notes = device_code.notes(subject.wheel)
    if subject.recipe is None and (double := b16_no_duplicates.note(subject.wheel)) is not None:
        notes = (*notes, double)
    return tuple(
        Note(id=note.id, subject=visible(note.subject, one_line=True), text=visible(note.text, one_line=True))
        for note in notes
    )
