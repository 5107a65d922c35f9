"""From outcomes to the records and notes of a report."""

from __future__ import annotations

from orchestrator.report.model import CheckRecord, Note, Verdict
from orchestrator.report.words import number
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import KILLED, OUT_OF_MEMORY, STOPPED, Answers
from orchestrator.verify.dynamic.tables.row import DynamicCheck
from orchestrator.verify.outcome import Fault, Outcome

_ENDINGS = (STOPPED, OUT_OF_MEMORY, KILLED)

Results = tuple[tuple[CheckRecord, ...], tuple[Note, ...]]


def judged(check: DynamicCheck, context: Context, answers: Answers, batch_seconds: float) -> Results:
    """Judge one check in one environment.

    Its seconds are those of its probes, shared ones counted in each check, or those of the whole
    batch where the batch is the check's.  What judging raises on unexpected answers is the check's
    failure: no verdict may be lost with a traceback.
    """
    own = check.probes(context)
    shared = batch_seconds if check.scope == "runtime" else 0.0
    seconds = sum(answers[probe.id].seconds for probe in own) if own else shared
    try:
        outcome = check.judge(context, answers)
    except Exception as error:  # noqa: BLE001
        reason = f"could not judge: {type(error).__name__}: {error}"
        return (record(check, context, Verdict.FAIL, reason, seconds=seconds),), ()
    notes = tuple(check.note(remark.subject, remark.text) for remark in outcome.remarks)
    return _records(check, context, outcome, seconds), notes


def told(fault: Fault) -> str:
    """A fault's reason, with how the process of its evidence ended if its deadline or the memory limit ended it."""
    for command, ending in zip(fault.evidence, fault.evidence[1:], strict=False):
        stopped = ending.startswith(STOPPED) or ending.endswith(OUT_OF_MEMORY)
        if command.startswith("$ ") and stopped and ending not in fault.reason:
            return f"{fault.reason} ({ending})"
    return fault.reason


def _records(check: DynamicCheck, context: Context, outcome: Outcome, seconds: float) -> tuple[CheckRecord, ...]:
    if outcome.not_run is not None:
        made = record(check, context, Verdict.NOT_RUN, outcome.not_run, seconds=seconds)
        return (unanswered(made) if any(words in outcome.not_run for words in _ENDINGS) else made,)
    if outcome.faults:
        return tuple(
            record(check, context, Verdict.FAIL, told(fault), fault.subject, fault.evidence, seconds)
            for fault in outcome.faults
        )
    if outcome.inspected == 0:
        reason = f"inspected nothing: no {outcome.what} to judge"
        return (record(check, context, Verdict.FAIL, reason, seconds=seconds),)
    reason = f"inspected {number(outcome.inspected, outcome.what)}"
    return (record(check, context, Verdict.PASS, reason, evidence=outcome.evidence, seconds=seconds),)


def was_stopped(made: CheckRecord) -> bool:
    """Whether the record is about a process that a deadline or the memory limit ended: a busy machine can do it."""
    words = (made.reason, *made.evidence)
    ended = any(STOPPED in line or OUT_OF_MEMORY in line for line in words)
    return made.unanswered or (ended and made.verdict is not Verdict.PASS)


def unanswered(made: CheckRecord) -> CheckRecord:
    """The record of a check that did not run because what should have answered was ended instead."""
    return made.model_copy(update={"unanswered": True})


def record(
    check: DynamicCheck,
    context: Context,
    verdict: Verdict,
    reason: str,
    subject: str | None = None,
    evidence: tuple[str, ...] = (),
    seconds: float = 0.0,
) -> CheckRecord:
    """One record of that check; about the whole wheel unless a subject is given."""
    about = subject or context.subject.wheel.filename
    return check.record(verdict, about, reason, evidence, environment=context.name, seconds=seconds)
