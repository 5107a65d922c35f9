"""What a guard answers."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.report.rule import Fault


@dataclass(frozen=True)
class Answer:
    """What was looked at and found; without faults it passes, and `reason` says what was inspected.

    One with a `remark` neither passes nor fails: it becomes a note.
    """

    subject: str
    reason: str = ""
    evidence: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    remark: str = ""

    @classmethod
    def fault(cls, subject: str, reason: str, *evidence: str) -> Answer:
        """One fault."""
        return cls(subject, faults=(Fault(subject, reason, evidence),))
