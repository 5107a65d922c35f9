"""Which failure a person means."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from orchestrator.errors import UsageError
from orchestrator.report.model import CheckRecord, Given, RowReport, RunReport, Verdict, run_verdict
from orchestrator.reproduce.choose import choose

MAKE, NINJA = "bookworm/cmake-4.4.5/make", "bookworm/cmake-4.4.5/ninja"
GIVEN = Given(verb="verify", code="c" * 64)


def check(
    id_: str, verdict: Verdict = Verdict.FAIL, environment: str | None = None, subject: str = "x", waived: str = ""
) -> CheckRecord:
    return CheckRecord(
        id=id_, name="n", subject=subject, verdict=verdict, environment=environment, waived=waived or None
    )


def report(*rows: tuple[str, tuple[CheckRecord, ...]], given: Given | None = GIVEN) -> RunReport:
    time = datetime(2026, 1, 1, tzinfo=UTC)
    made = tuple(RowReport(row=name, verdict=Verdict.FAIL, checks=checks, given=given) for name, checks in rows)
    return RunReport(
        schema=1, run="r", command="c", started=time, finished=time, verdict=run_verdict(made), exit=1, tool="t",
        rows=made,
    )  # fmt: skip


BOTH = report(
    (
        "a/cpu/x86_64/cp311",
        (check("B1", Verdict.PASS), check("B2", waived="known"), check("G9", Verdict.NOT_RUN, MAKE)),
    ),
    (
        "a/cpu/x86_64/cp313",
        (
            check("B1", Verdict.PASS),
            check("G1", environment=NINJA),
            check("G1", environment=NINJA, subject="y"),
            check("G1", environment=MAKE),
            check("C1"),
            check("J1", Verdict.NOT_RUN),
        ),
    ),
)


def test_by_itself_the_first_failure_that_counts_is_meant_with_all_its_subjects() -> None:
    chosen = choose(BOTH)
    assert (chosen.row.row, chosen.check, chosen.environment) == ("a/cpu/x86_64/cp313", "G1", NINJA)
    assert [record.subject for record in chosen.records] == ["x", "y"]


@pytest.mark.parametrize(
    ("named", "meant"),
    [
        ({"row": "a/cpu/x86_64/cp311"}, ("B2", None)),
        ({"check": "C1"}, ("C1", None)),
        ({"check": "G9"}, ("G9", MAKE)),
        ({"environment": MAKE, "row": "a/cpu/x86_64/cp313"}, ("G1", MAKE)),
        ({"environment": MAKE, "check": "G1"}, ("G1", MAKE)),
    ],
)
def test_what_is_named_is_meant(named: dict[str, str], meant: tuple[str, str | None]) -> None:
    chosen = choose(BOTH, **named)
    assert (chosen.check, chosen.environment) == meant


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"row": "a/cpu/x86_64/cp312"}, r"no row 'a/cpu/x86_64/cp312'.\nDid you mean"),
        ({"check": "G2"}, r"no check 'G2'.\n.*Known: B1, B2, C1, G1, G9, J1\."),
        ({"environment": "bookworm"}, rf"no environment 'bookworm'.\n.*Known: {MAKE}, {NINJA}\."),
        ({"check": "B1"}, rf"^B1 did not fail.\nWhat failed: B2; G9 in {MAKE}; G1 in {NINJA}; G1 in {MAKE}; C1\."),
        ({"check": "C1", "environment": MAKE}, f"^C1 in {MAKE} did not fail"),
        ({"check": "J1"}, "^J1 did not fail"),
    ],
)
def test_what_did_not_fail_or_is_not_there_is_refused(named: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        choose(BOTH, **named)


def test_a_run_without_failures_says_so() -> None:
    passed = report(("a/cpu/x86_64/cp311", (check("B1", Verdict.PASS), check("J1", Verdict.NOT_RUN))))
    with pytest.raises(UsageError, match=r"^Nothing failed in that run: there is nothing to reproduce\."):
        choose(passed)
    with pytest.raises(UsageError, match=r"^Nothing failed of a/cpu/x86_64/cp311"):
        choose(passed, row="a/cpu/x86_64/cp311")


def test_a_report_that_does_not_tell_the_inputs_is_refused() -> None:
    with pytest.raises(UsageError, match="does not say what a/cpu/x86_64/cp311 depended on"):
        choose(report(("a/cpu/x86_64/cp311", (check("C1"),)), given=None))
