"""Refusing a matrix in the words of the rule that it breaks."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.console import visible
from orchestrator.errors import MatrixError
from orchestrator.report.model import CheckRecord, Verdict
from orchestrator.report.rule import Rule

SHOWN = 20
"""How many lines of evidence a refusal shows."""


class RefusedMatrixError(MatrixError):
    """A matrix that breaks a rule; `record` is what a report would say of it."""

    def __init__(self, rule: Rule, source: str, reason: str, evidence: Sequence[str] = ()) -> None:
        self.record: CheckRecord = rule.record(Verdict.FAIL, source, reason, tuple(evidence))
        more = len(evidence) - SHOWN
        shown = [*self.record.evidence[:SHOWN], *([f"and {more} more"] if more > 0 else [])]
        super().__init__(
            f"{visible(source, one_line=True)} is refused ({rule.id} {rule.name}): {self.record.reason}.",
            detail="\n".join(shown),
            advice=rule.fix,
        )
