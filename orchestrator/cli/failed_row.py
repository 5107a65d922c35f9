"""The report of a row of which there is no wheel: it could not be built, or not here."""

from __future__ import annotations

from orchestrator.errors import OrchestratorError
from orchestrator.plan.policy import Policy
from orchestrator.plan.rows import Row
from orchestrator.report.model import RowReport, Verdict, row_verdict


def not_run_row(row: Row, reason: str, policy: Policy | None = None, *, release: bool = False) -> RowReport:
    """A report of a row that did not run: of a `release` it fails, unless the policy permits that by name."""
    from orchestrator.build.guards.catalogue import BUILDS

    permitted = policy.permits(row.id) if release and policy else None
    record = BUILDS.record(Verdict.NOT_RUN, row.id, reason).model_copy(update={"waived": permitted})
    return RowReport(row=row.id, verdict=row_verdict((record,), release=release), checks=(record,))


def permit(report: RowReport, policy: Policy | None) -> RowReport:
    """The report with those checks marked that did not run and, as the policy says, need not."""
    if policy is None:
        return report
    checks = tuple(
        check.model_copy(update={"waived": policy.permits(report.row, check.id)})
        if check.verdict is Verdict.NOT_RUN and check.waived is None
        else check
        for check in report.checks
    )
    return report.model_copy(update={"checks": checks})


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
