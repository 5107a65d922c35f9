"""Waivers: failures that a recipe accepts for a while, each with its reason and its last day."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from fnmatch import fnmatchcase

from orchestrator.recipe.model import Waiver
from orchestrator.report.model import CheckRecord, Verdict

EXPIRED, UNUSED = "W1", "W2"


def apply_waivers(
    records: Sequence[CheckRecord], waivers: Sequence[Waiver], today: datetime.date
) -> tuple[CheckRecord, ...]:
    """Mark the failures that a waiver covers, and fail each waiver that is expired or covers nothing.

    A waiver covers the failures of its check whose subject its glob matches, up to and including the
    day that it names.
    """
    result = list(records)
    for waiver in waivers:
        covered = [index for index, record in enumerate(result) if _covers(waiver, record)]
        if waiver.until < today:
            reason = f"the waiver ended on {waiver.until}: {waiver.reason}"
            result.append(_failure(EXPIRED, "waiver-in-force", waiver, reason, "Repair the fault, or argue anew."))
        elif not covered:
            reason = f"the waiver covers no failure any more: {waiver.reason}"
            result.append(_failure(UNUSED, "waiver-used", waiver, reason, "Remove the waiver from the recipe."))
        else:
            for index in covered:
                text = f"{waiver.reason} (until {waiver.until})"
                result[index] = result[index].model_copy(update={"waived": text})
    return tuple(result)


def _covers(waiver: Waiver, record: CheckRecord) -> bool:
    return (
        record.verdict is Verdict.FAIL
        and record.id == waiver.check
        and (record.subject == waiver.subject or fnmatchcase(record.subject, waiver.subject))
    )


def _failure(id_: str, name: str, waiver: Waiver, reason: str, fix: str) -> CheckRecord:
    subject = f"{waiver.check} {waiver.subject}"
    return CheckRecord(id=id_, name=name, subject=subject, verdict=Verdict.FAIL, reason=reason, fix=fix)
