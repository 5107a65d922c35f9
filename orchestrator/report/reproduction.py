"""The command that tries again what failed: one line that a person copies."""

from __future__ import annotations

import shlex
from pathlib import Path

from orchestrator.report.model import CheckRecord, RowReport, RunReport, Verdict

PINNED_DIGITS = 16
"""How much of a row's digest a command names: enough that no other row has it."""


def reproduction(bundle: Path, row: RowReport, check: CheckRecord, pinned: str) -> str:
    """The command, with all that it takes: `bundle` is the run's bundle or report.

    `pinned` is the digest of all inputs of the row: it is among the words, so that another bundle is refused.
    """
    # A row of a wheel called `-` begins with what an option begins with.
    named = [f"--row={row.row}"] if row.row.startswith("-") else ["--row", row.row]
    words = ["nox", "-s", "reproduce", "--", str(bundle), *named, "--check", check.id]
    if check.environment:
        words += ["--environment", check.environment]
    words += ["--pinned", pinned[:PINNED_DIGITS]]
    if row.given and row.given.gpus:
        words += ["--gpus", row.given.gpus]
    for arch in row.given.engines if row.given else ():
        words += ["--engine", f"{arch}=ADDRESS"]
    return shlex.join(words)


def can_be_tried_again(row: RowReport, check: CheckRecord) -> bool:
    """Whether a check's result is worth a command.

    It is not waived, and failed, or what should have answered did not, or it did not run where a release needs it.
    """
    if row.given is None or check.waived is not None or check.verdict is Verdict.PASS:
        return False
    return check.verdict is Verdict.FAIL or check.unanswered or (row.given.release and check.environment is not None)


def with_reproduction(report: RunReport, bundle: Path) -> RunReport:
    """The report with the command beside each result that is worth one."""
    rows = []
    for row in report.rows:
        pinned = row.pinned
        checks = tuple(
            check.model_copy(update={"reproduce": reproduction(bundle, row, check, pinned)})
            if can_be_tried_again(row, check)
            else check
            for check in row.checks
        )
        rows.append(row.model_copy(update={"checks": checks}))
    return report.model_copy(update={"rows": tuple(rows)})


def commands(report: RunReport) -> tuple[str, ...]:
    """One command for each check of each row that has any, as people are told."""
    found: dict[tuple[str, str], str] = {}
    for row in report.rows:
        for check in row.checks:
            if check.reproduce:
                found.setdefault((row.row, check.id), check.reproduce)
    return tuple(found.values())
