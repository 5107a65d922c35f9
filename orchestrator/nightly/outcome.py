"""What a row's process left, as a result of the night."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import ValidationError

from orchestrator.errors import EXIT_VERDICT
from orchestrator.nightly.children import LOG, OUTPUT, Ended
from orchestrator.nightly.model import Result
from orchestrator.report.model import RowReport, RunReport, Verdict

_STORE_NOTE = "store"
"""Id of the note by which a row's report says that the store answered."""


def read_report(folder: Path, row: str) -> tuple[str, RowReport] | None:
    """The run and the report of a row whose process printed them; None where it printed none, or another's."""
    try:
        report = RunReport.model_validate_json((folder / OUTPUT).read_bytes())
    except (OSError, ValidationError):
        return None
    found = next((one for one in report.rows if one.row == row), None)
    return (report.run, found) if found else None


def result_of(ended: Ended, key: str, *, jobs: int) -> Result:
    """The result of a process that ended, one of `jobs` at a time.

    Without a report the row did not run, and its log says why; then the code of a process that ended as if all were
    well is that of a failure.
    """
    folder, row = ended.job.folder, ended.job.row
    known = Result(row=row, key=key, verdict=Verdict.NOT_RUN, code=ended.code, seconds=ended.seconds, jobs=jobs)
    found = read_report(folder, row)
    if found is None:
        reason = _why_no_report(folder / LOG, ended.code)
        return known.model_copy(update={"reason": reason, "code": ended.code or EXIT_VERDICT})
    run, report = found
    passed = report.verdict is Verdict.PASS and report.wheel is not None
    return known.model_copy(
        update={
            "verdict": report.verdict,
            "reason": reason_of(report),
            "run": run,
            "remembered": any(note.id == _STORE_NOTE for note in report.notes),
            "memory": ended.memory,
            "wheel": report.wheel.name if passed and report.wheel else None,
            "sha256": report.wheel.sha256 if passed and report.wheel else None,
        }
    )


def reason_of(report: RowReport) -> str:
    """Why a row is no pass: its first check that fails, or else that did not run, and how many more there are."""
    if report.verdict is Verdict.PASS:
        return ""
    unwaived = [check for check in report.checks if check.waived is None or report.verdict is Verdict.NOT_RUN]
    for verdict in (Verdict.FAIL, Verdict.NOT_RUN):
        found = [check for check in unwaived if check.verdict is verdict]
        if found:
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            return f"{found[0].id} {found[0].name}: {found[0].reason}{more}"
    return "no check ran"


def _why_no_report(log: Path, code: int) -> str:
    how = f"signal {-code}" if code < 0 else f"exit code {code}" if code else "exit code 0 and no report of the row"
    try:
        text = log.read_text("utf-8", errors="replace")
    except OSError:
        text = ""
    told = re.findall(r"^\w+ error: (.*)$", text, re.MULTILINE)
    lines = told or [line for line in text.splitlines() if line.strip()]
    return f"its process ended with {how}: {lines[-1].strip()}" if lines else f"its process ended with {how}"
