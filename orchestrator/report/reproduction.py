"""The command that tries again what failed: one line that a person copies."""

from __future__ import annotations

import shlex
from pathlib import Path

from orchestrator.report.model import CheckRecord, RowReport, RunReport, Verdict

PINNED_DIGITS = 16
"""How much of a row's digest a command names: enough that no other row has it."""


def reproduction(bundle: Path, row: RowReport, check: CheckRecord) -> str:
    """The command, with all that it takes: `bundle` is the run's bundle or report.

    The digest of all inputs is among its words, so that another bundle is refused.
    """
    words = ["nox", "-s", "reproduce", "--", str(bundle), "--row", row.row, "--check", check.id]
    if check.environment:
        words += ["--environment", check.environment]
    words += ["--pinned", row.pinned[:PINNED_DIGITS]]
    if row.given and row.given.gpus:
        words += ["--gpus", row.given.gpus]
    for arch in row.given.engines if row.given else ():
        words += ["--engine", f"{arch}=ADDRESS"]
    return shlex.join(words)


def can_be_tried_again(row: RowReport, check: CheckRecord) -> bool:
    """Whether a check's result is worth a command: it failed, or containers that should have answered did not."""
    failed = check.verdict is Verdict.FAIL
    return row.given is not None and (failed or (check.verdict is Verdict.NOT_RUN and bool(check.environment)))


def with_reproduction(report: RunReport, bundle: Path) -> RunReport:
    """The report with the command beside each result that is worth one."""
    rows = []
    for row in report.rows:
        checks = tuple(
            check.model_copy(update={"reproduce": reproduction(bundle, row, check)})
            if can_be_tried_again(row, check)
            else check
            for check in row.checks
        )
        rows.append(row.model_copy(update={"checks": checks}))
    return report.model_copy(update={"rows": tuple(rows)})
