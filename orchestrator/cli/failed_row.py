"""The report of a row whose wheel could not be built."""

from __future__ import annotations

from orchestrator.errors import OrchestratorError
from orchestrator.plan.rows import Row
from orchestrator.report.model import RowReport, Verdict


def failed_row(row: Row, error: OrchestratorError) -> RowReport:
    """A report whose verdict is fail: what guards said, the steps that ran, and why there is no wheel."""
    # Imported here: a row that the store answers needs none of it.
    from orchestrator.build.failure import FailedBuildError
    from orchestrator.build.guards.catalogue import BUILDS

    checks, steps = (error.checks, error.steps) if isinstance(error, FailedBuildError) else ((), ())
    if not any(check.verdict is Verdict.FAIL for check in checks):
        failure = BUILDS.record(Verdict.FAIL, row.id, error.message, tuple(error.detail.splitlines()))
        checks = (*checks, failure.model_copy(update={"fix": error.advice or BUILDS.fix}))
    return RowReport(row=row.id, verdict=Verdict.FAIL, steps=steps, checks=checks)
