"""What counts as the same failure, and what does not."""

from __future__ import annotations

import pytest

from orchestrator.report.model import CheckRecord, Verdict
from orchestrator.reproduce.compare import compare, normal

ERROR = "  tiny.c:6:27: error: 'undeclared_name' undeclared"


def record(
    reason: str = "'build wheel' failed with exit status 1.",
    *evidence: str,
    subject: str = "tiny",
    verdict: Verdict = Verdict.FAIL,
    check: str = "A0",
) -> CheckRecord:
    return CheckRecord(id=check, name="builds", subject=subject, verdict=verdict, reason=reason, evidence=evidence)


@pytest.mark.parametrize(
    ("then", "now"),
    [
        ("ended after 12.3 s", "ended after 4.0 s"),
        ("ended after 1 min 02 s", "ended after 7 s"),
        ("reports/20261130-180905-3fe4e7/x.log", "reports/20270101-000000-000000/x.log"),
        ("prepare /tmp/tmpp7yrygg9", "prepare /tmp/tmp_x0"),
        ("at 0x7f68ced03a60", "at 0x55d0"),
        ("in wheel-orchestrator-20261130-build-0a1b2c3d", "in wheel-orchestrator-20270101-build-ffffffff"),
        ("container 0123456789ab", "container fedcba987654"),
        ("at 2026-11-30 18:09:05.123", "at 2027-01-01 00:00:00"),
        ("pid 17 died", "pid 4711 died"),
    ],
)
def test_times_and_names_of_one_try_do_not_count(then: str, now: str) -> None:
    assert normal(then) == normal(now)
    assert compare([record(then)], [record(now)]) == ("same", ())


@pytest.mark.parametrize(
    ("then", "now"),
    [
        ("failed with exit status 1", "failed with exit status 2"),
        ("tiny.c:6:27: error", "tiny.c:7:27: error"),
        ("needs libcudart.so.12", "needs libcudart.so.13"),
        ("needs CMake 3.24", "needs CMake 3.25"),
        ("did not end within 5 minutes", "did not end within 6 minutes"),
    ],
)
def test_what_tells_faults_apart_counts(then: str, now: str) -> None:
    outcome, (detail,) = compare([record(then)], [record(now)])
    assert outcome == "other"
    assert detail == f"tiny: now: {now}; then: {then}"


def test_the_compilers_lines_must_have_one_in_common() -> None:
    other = "  tiny.c:6:27: error: 'another_name' undeclared"
    then = record("failed.", "the tools say:", ERROR, "ended with: 1")
    assert compare([then], [record("failed.", "noise", other, ERROR)]) == ("same", ())
    outcome, details = compare([then], [record("failed.", other)])
    assert outcome == "other"
    assert details == (
        "tiny: the tools say now: tiny.c:6:27: error: 'another_name' undeclared",
        "tiny: the tools said then: tiny.c:6:27: error: 'undeclared_name' undeclared",
    )
    assert compare([then], [record("failed.", "no tool says anything")])[0] == "other"


def test_it_is_gone_only_where_the_check_passes() -> None:
    assert compare([record()], [record("ran", verdict=Verdict.PASS)]) == ("gone", ())
    outcome, (detail,) = compare([record()], [])
    assert (outcome, detail) == ("other", "it was not asked this time: it does not apply any more")
    outcome, (detail,) = compare([record()], [record("no GPU", verdict=Verdict.NOT_RUN)])
    assert outcome == "other"
    assert detail.startswith("tiny: does not run now: no GPU; then it fails: 'build wheel'")


def test_each_subject_counts_for_itself() -> None:
    one, two = record(subject="liba.so"), record(subject="libb.so")
    assert compare([one, two], [two, one]) == ("same", ())
    outcome, (detail,) = compare([one, two], [one])
    assert outcome == "other"
    assert detail.startswith("libb.so: has no such fault now; then: ")
    outcome, (detail,) = compare([one], [one, two])
    assert outcome == "other"
    assert detail.startswith("A0: libb.so: fails now, and did not then: ")
    # The same subject under another check is another failure.
    outcome, details = compare([one], [record(subject="liba.so", check="A10")])
    assert outcome == "other"
    assert len(details) == 2


def test_one_subject_may_have_several_faults() -> None:
    relocations, segment = record("has text relocations", check="K9"), record("has a writable segment", check="K9")
    assert compare([relocations, segment], [relocations, segment]) == ("same", ())
    assert compare([relocations, segment], [segment, relocations]) == ("same", ())
    outcome, details = compare([relocations, segment], [segment])
    assert (outcome, details) == ("other", ("tiny: has no such fault now; then: has text relocations",))
    outcome, details = compare([segment], [segment, relocations])
    assert (outcome, details) == ("other", ("K9: tiny: fails now, and did not then: has text relocations",))
    outcome, details = compare([relocations, segment], [segment, record("is damaged", check="K9")])
    assert (outcome, details) == ("other", ("tiny: now: is damaged; then: has text relocations",))
    # Each of several that are alike counts.
    assert compare([segment, segment], [segment])[0] == "other"
