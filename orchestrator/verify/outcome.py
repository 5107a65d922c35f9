"""What a check answers: what it inspected, and what it found."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.report.rule import Fault

__all__ = ["Fault", "Outcome", "Remark"]


@dataclass(frozen=True)
class Remark:
    """An observation without a verdict; becomes a note of the report."""

    subject: str
    text: str


@dataclass(frozen=True)
class Outcome:
    """A check's answer.

    `inspected` counts what the check really looked at, `what` names it ('libraries'); a check that
    inspected nothing fails, whatever else it says.  `not_run` gives the reason why it could not run.
    """

    inspected: int
    what: str
    faults: tuple[Fault, ...] = ()
    remarks: tuple[Remark, ...] = ()
    evidence: tuple[str, ...] = ()
    not_run: str | None = None
