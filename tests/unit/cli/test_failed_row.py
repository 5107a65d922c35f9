"""The report of a row that could not be built."""

from __future__ import annotations

from orchestrator.build.failure import FailedBuildError
from orchestrator.cli.failed_row import failed_row
from orchestrator.errors import BuildError
from orchestrator.plan.rows import Row
from orchestrator.report.model import CheckRecord, StepRecord, Verdict

ROW = Row(recipe="demo", variant="cpu", arch="x86_64", python="cp311")
STEP = StepRecord(name="build wheel", command="pip wheel", seconds=2.0, exit=1)


def record(verdict: Verdict) -> CheckRecord:
    return CheckRecord(id="A11", name="cuda-says-on", subject="nvcc", verdict=verdict, reason="it is so")


def test_a_build_that_failed_is_a_record_with_its_evidence() -> None:
    error = FailedBuildError(
        "'build wheel' failed.", detail="one\ntwo", advice="See the log.", checks=[record(Verdict.PASS)], steps=[STEP]
    )
    report = failed_row(ROW, error)
    assert (report.row, report.verdict, report.wheel, report.steps) == (ROW.id, Verdict.FAIL, None, (STEP,))
    passed, failure = report.checks
    assert passed.verdict is Verdict.PASS
    assert (failure.id, failure.verdict, failure.reason) == ("A0", Verdict.FAIL, "'build wheel' failed.")
    assert (failure.evidence, failure.fix) == (("one", "two"), "See the log.")


def test_what_a_guard_refused_is_that_guards_failure() -> None:
    report = failed_row(ROW, FailedBuildError("refused", checks=[record(Verdict.FAIL)]))
    assert [check.id for check in report.checks] == ["A11"]


def test_any_build_error_gives_a_failing_row() -> None:
    (failure,) = failed_row(ROW, BuildError("nothing came out")).checks
    assert (failure.id, failure.reason) == ("A0", "nothing came out")
    assert failure.fix
