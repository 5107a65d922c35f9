"""Two reports compared: verdicts and what they depend on."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from orchestrator.diff.rows import check_changes, compare_reports
from orchestrator.report.model import (
    CheckRecord,
    Given,
    ImageUse,
    LibraryFacts,
    Pinned,
    RowReport,
    RunReport,
    Verdict,
    WheelFacts,
)

OLD, NEW = "demo-1.0-cp311-cp311-linux_x86_64.whl", "demo-1.1-cp311-cp311-linux_x86_64.whl"
FAIL, PASS, NOT_RUN = Verdict.FAIL, Verdict.PASS, Verdict.NOT_RUN
WHERE = "bookworm/cmake-4.4.5/ninja"


def record(check: str, subject: str, verdict: Verdict, reason: str = "", **more: Any) -> CheckRecord:
    return CheckRecord(id=check, name=f"name-{check}", subject=subject, verdict=verdict, reason=reason, **more)


def row(*checks: CheckRecord, wheel: str = OLD, name: str = "demo/cpu/x86_64/cp311", **more: Any) -> RowReport:
    facts = WheelFacts(name=wheel, sha256=wheel[7] * 64, size=1, tag_claimed="linux_x86_64")
    failed = any(one.verdict is FAIL and one.waived is None for one in checks)
    return RowReport(row=name, verdict=FAIL if failed else PASS, wheel=facts, checks=checks, **more)


def report(*rows: RowReport) -> RunReport:
    now = datetime(2026, 11, 30, tzinfo=UTC)
    return RunReport(
        schema=1, run="x", command="c", started=now, finished=now, verdict=PASS, exit=0, tool="t", rows=rows
    )


def changes(before: list[CheckRecord], after: list[CheckRecord]) -> list[tuple[str, str, str]]:
    found = check_changes(row(*before), row(*after, wheel=NEW))
    return [(one.how, one.id, one.subject) for one in found]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([record("B1", OLD, PASS)], [record("B1", "libx", FAIL, "two")], [("new failure", "B1", "libx")]),
        ([], [record("B1", "libx", FAIL, "two")], [("new failure", "B1", "libx")]),
        ([record("B1", "libx", FAIL, "two")], [record("B1", NEW, PASS)], [("fixed", "B1", "libx")]),
        (
            [record("B1", "libx", FAIL, "two"), record("B1", "liby", FAIL, "two")],
            [record("B1", "libx", FAIL, "three")],
            [("other reason", "B1", "libx"), ("fixed", "B1", "liby")],
        ),
        ([record("B1", "libx", FAIL, "two")], [record("B1", "libx", FAIL, "two")], []),
        ([record("J6", OLD, FAIL, f"{OLD} is old")], [record("J6", NEW, FAIL, f"{NEW} is old")], []),
        ([record("B1", "libx", FAIL, "two")], [record("B1", NEW, NOT_RUN, "no")], [("no longer run", "B1", "")]),
        ([record("B1", OLD, PASS)], [record("B1", NEW, NOT_RUN, "no")], [("no longer run", "B1", "")]),
        ([record("B1", OLD, NOT_RUN)], [record("B1", NEW, PASS)], [("runs again", "B1", "")]),
        ([record("B1", OLD, NOT_RUN)], [record("B1", NEW, NOT_RUN)], []),
        ([record("B1", "libx", FAIL, "two")], [], [("gone", "B1", "")]),
        ([], [record("B1", NEW, PASS)], [("new", "B1", "")]),
        ([record("B1", OLD, PASS)], [record("B1", NEW, PASS)], []),
        (
            [record("B1", "libx", FAIL, "two")],
            [record("B1", "libx", FAIL, "two", waived="until May")],
            [("waived", "B1", "libx")],
        ),
        (
            [record("B1", "libx", FAIL, "two", waived="until May")],
            [record("B1", "libx", FAIL, "two")],
            [("new failure", "B1", "libx")],
        ),
    ],
)
def test_changes(before: list[CheckRecord], after: list[CheckRecord], expected: list[tuple[str, str, str]]) -> None:
    assert changes(before, after) == expected


def test_environments_are_apart_and_reasons_are_told() -> None:
    before = row(record("D2", "app", PASS, environment=WHERE), record("D2", "app", PASS, environment="other"))
    after = row(record("D2", "app", FAIL, "bad", environment=WHERE), record("D2", "app", PASS, environment="other"))
    (one,) = check_changes(before, after)
    assert (one.environment, one.before, one.after) == (WHERE, PASS, FAIL)
    assert (one.reason_before, one.reason_after, one.name) == ("", "bad", "name-D2")


def test_what_matters_comes_first() -> None:
    before = [record("A1", "x", FAIL), record("A2", OLD, PASS), record("A3", OLD, PASS)]
    after = [record("A1", NEW, PASS), record("A3", "y", FAIL), record("A4", NEW, PASS)]
    assert [how for how, _, _ in changes(before, after)] == ["new failure", "gone", "fixed", "new"]


def test_rows_are_paired_by_their_ids() -> None:
    old = report(row(name="demo/cpu/x86_64/cp310"), row())
    new = report(row(wheel=NEW), row(name="demo/cpu/x86_64/cp313"))
    diff = compare_reports(old, new, ("a", "b"), lambda _: None)
    assert (diff.before, diff.after, diff.wheel) == ("a", "b", None)
    assert [one.row for one in diff.rows] == ["demo/cpu/x86_64/cp311"]
    assert (diff.rows_removed, diff.rows_added) == (("demo/cpu/x86_64/cp310",), ("demo/cpu/x86_64/cp313",))


def test_libraries_are_compared_from_the_reports_alone() -> None:
    libraries = [LibraryFacts(path=f"demo/lib{name}.so", sha256=name, size=9, exports=3) for name in "ab"]
    old = report(row(libraries=tuple(libraries[:1])))
    new = report(row(libraries=tuple(libraries), wheel=NEW))
    (one,) = compare_reports(old, new, ("a", "b"), lambda _: None).rows
    assert one.wheel
    assert [(library.path, library.how) for library in one.wheel.libraries] == [("demo/libb.so", "added")]
    assert one.wheel.not_compared
    (same,) = compare_reports(new, new, ("a", "b"), lambda _: None).rows
    assert same.wheel
    assert (same.wheel.same, same.wheel.differs, same.wheel.not_compared, same.checks) == (True, False, (), ())


def test_libraries_that_an_older_report_does_not_tell_are_not_new() -> None:
    told = (LibraryFacts(path="demo/liba.so", sha256="a", size=9, exports=3),)
    for name in (OLD, NEW):
        (one,) = compare_reports(
            report(row()), report(row(libraries=told, wheel=name)), ("a", "b"), lambda _: None
        ).rows
        assert one.wheel
        assert one.wheel.libraries == ()
        assert bool(one.wheel.not_compared) is (name == NEW)


def test_a_row_without_a_wheel_has_verdicts_alone() -> None:
    failed = RowReport(row="demo/cpu/x86_64/cp311", verdict=FAIL, checks=(record("G0", "build", FAIL, "stopped"),))
    (one,) = compare_reports(report(row()), report(failed), ("a", "b"), lambda _: None).rows
    assert one.wheel is None
    assert [(change.how, change.id) for change in one.checks] == [("new failure", "G0")]


def test_inputs_that_are_others() -> None:
    def with_inputs(digest: str, version: str, code: str) -> RowReport:
        image = ImageUse(role="test", reference="r", digest=digest, origin="stand-in", name="bookworm")
        cmake = Pinned(name="cmake", version=version, sha256=version * 8)
        return row(images=(image,), toolchains=(cmake,), given=Given(verb="verify", code=code, revision="r"))

    old, new = with_inputs("sha256:1", "3.24.3", "a"), with_inputs("sha256:2", "4.4.5", "b")
    (one,) = compare_reports(report(old), report(new), ("a", "b"), lambda _: None).rows
    assert [(change.name, change.before, change.after) for change in one.inputs] == [
        ("this tool", "a", "b"),
        ("test image bookworm", "sha256:1", "sha256:2"),
        ("toolchain cmake", "3.24.3 (3.24.33.24.3)", "4.4.5 (4.4.54.4.54.)"),
    ]
    (same,) = compare_reports(report(old), report(old), ("a", "b"), lambda _: None).rows
    assert same.inputs == ()
