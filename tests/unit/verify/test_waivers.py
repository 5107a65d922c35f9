"""Waivers cover failures, end, and must be used."""

from __future__ import annotations

import datetime
from typing import Any

from orchestrator.recipe.model import Waiver
from orchestrator.report.model import CheckRecord, Verdict, row_verdict
from orchestrator.verify.waivers import apply_waivers

TODAY = datetime.date(2027, 3, 1)


def waiver(**changes: Any) -> Waiver:
    values = {"check": "C1", "subject": "a/lib*.so", "reason": "repaired upstream", "until": TODAY, **changes}
    return Waiver.model_validate(values)


def record(id_: str = "C1", subject: str = "a/libx.so", verdict: Verdict = Verdict.FAIL) -> CheckRecord:
    return CheckRecord(id=id_, name="search-path", subject=subject, verdict=verdict)


def test_covers_until_its_last_day() -> None:
    (one,) = apply_waivers([record()], [waiver()], TODAY)
    assert one.waived == "repaired upstream (until 2027-03-01)"
    assert one.verdict is Verdict.FAIL
    assert row_verdict([one, record(verdict=Verdict.PASS)]) is Verdict.PASS


def test_expired_covers_nothing_and_fails() -> None:
    first, second = apply_waivers([record()], [waiver()], TODAY + datetime.timedelta(days=1))
    assert first.waived is None
    assert (second.id, second.subject, second.verdict) == ("W1", "C1 a/lib*.so", Verdict.FAIL)
    assert second.reason == "the waiver ended on 2027-03-01: repaired upstream"


def test_unused_fails() -> None:
    others = [record("C2"), record(subject="b/libx.so"), record(verdict=Verdict.PASS)]
    *kept, last = apply_waivers(others, [waiver()], TODAY)
    assert kept == others
    assert (last.id, last.reason) == ("W2", "the waiver covers no failure any more: repaired upstream")


def test_subject_with_brackets_is_taken_as_it_is() -> None:
    (one,) = apply_waivers([record(subject="a/[x].so")], [waiver(subject="a/[x].so")], TODAY)
    assert one.waived is not None
