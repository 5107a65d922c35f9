"""Waivers: failures that a recipe accepts for a while, each with its reason and its last day."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from fnmatch import fnmatchcase

from orchestrator.recipe.model import Waiver
from orchestrator.report.model import CheckRecord, Verdict
from orchestrator.report.rule import Rule

EXPIRED = Rule(
    id="W1",
    name="waiver-in-force",
    asserts="No waiver is past the day until which it was granted.",
    about="each [[waiver]] of the recipe",
    fix="Repair the fault, or argue anew.",
    why="A waiver without an end stays for ever, and its fault with it.",
    source="this project's catalogue",
)
UNUSED = Rule(
    id="W2",
    name="waiver-used",
    asserts="Every waiver covers a failure.",
    about="each [[waiver]] of the recipe",
    fix="Remove the waiver from the recipe.",
    why="A waiver that outlives its fault lets the fault come back unseen.",
    source="this project's catalogue",
)
WAIVER_CHECKS = (EXPIRED, UNUSED)
"""The rules about the waivers themselves."""


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
            result.append(_failure(EXPIRED, waiver, reason))
        elif not covered:
            reason = f"the waiver covers no failure any more: {waiver.reason}"
            result.append(_failure(UNUSED, waiver, reason))
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


def _failure(rule: Rule, waiver: Waiver, reason: str) -> CheckRecord:
    return rule.record(Verdict.FAIL, f"{waiver.check} {waiver.subject}", reason)
