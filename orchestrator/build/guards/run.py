"""Asking guards and writing their records; a failure before the compiler runs stops the build."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from orchestrator.build.failure import FailedBuildError
from orchestrator.build.guards.answer import Answer
from orchestrator.build.guards.catalogue import GUARDS, Guard
from orchestrator.build.guards.facts import Asked, Built, Equipped, Left
from orchestrator.plan.rows import Row
from orchestrator.report.model import CheckRecord, Note, Verdict


@dataclass
class Findings:
    """What guards wrote so far."""

    checks: list[CheckRecord] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


def ask(facts: Asked | Equipped | Left | Built, findings: Findings) -> None:
    """Ask all guards that judge such facts, and add what they find."""
    for guard in GUARDS:
        started = time.perf_counter()
        answer = _answer(guard, facts)
        if answer is None:
            continue
        seconds = time.perf_counter() - started
        if answer.remark:
            findings.notes.append(guard.note(answer.subject, answer.remark))
        else:
            findings.checks += _records(guard, answer, seconds)


def refuse(row: Row, findings: Findings, *, what: str = "may not be built") -> None:
    """Stop a build in which a guard failed; `what` says so of the row.

    Raises:
        FailedBuildError: one did; with all that failed, and the records.
    """
    failed = [check for check in findings.checks if check.verdict is Verdict.FAIL]
    if not failed:
        return
    lines = [f"{check.id} {check.name}: {check.subject}: {check.reason}" for check in failed]
    evidence = [f"  {line}" for check in failed for line in check.evidence]
    raise FailedBuildError(
        f"{row.id} {what}: {lines[0]}.",
        detail="\n".join([*lines[1:], *evidence]),
        advice="\n".join(dict.fromkeys(check.fix for check in failed)),
        checks=tuple(findings.checks),
    )


def _answer(guard: Guard, facts: Asked | Equipped | Left | Built) -> Answer | None:
    match facts:
        case Asked():
            return guard.asked(facts) if guard.asked else None
        case Equipped():
            return guard.equipped(facts) if guard.equipped else None
        case Left():
            return guard.left(facts) if guard.left else None
        case Built():
            return guard.built(facts) if guard.built else None


def _records(guard: Guard, answer: Answer, seconds: float) -> Sequence[CheckRecord]:
    """One record for each fault, or one that it passes."""
    if not answer.faults:
        return [guard.record(Verdict.PASS, answer.subject, answer.reason, answer.evidence, seconds=seconds)]
    return [
        guard.record(Verdict.FAIL, fault.subject, fault.reason, fault.evidence, seconds=seconds)
        for fault in answer.faults
    ]
