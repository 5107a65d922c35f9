"""What the page tells first."""

from __future__ import annotations

import pytest

from orchestrator.report.model import CheckRecord, RowReport, RunReport, Verdict, run_verdict
from orchestrator.report.page.beside import Remark
from orchestrator.report.page.overview import grids, headline, missing, troubles
from tests.unit.report.samples import whole_report

REPORT = whole_report()
NAMED = tuple((row, row.row) for row in REPORT.rows)


def check(id_: str, verdict: Verdict, reason: str = "") -> CheckRecord:
    return CheckRecord(id=id_, name=f"n-{id_}", subject="s", verdict=verdict, reason=reason)


def row(name: str, *checks: CheckRecord, verdict: Verdict = Verdict.PASS) -> RowReport:
    return RowReport(row=name, verdict=verdict, checks=checks)


def run(*rows: RowReport) -> RunReport:
    return REPORT.model_copy(update={"rows": rows, "verdict": run_verdict(rows)})


PASSES = check("B1", Verdict.PASS)
FAILS = check("B2", Verdict.FAIL, "broken")
IDLE = check("H9", Verdict.NOT_RUN, "no device")


@pytest.mark.parametrize(
    ("rows", "news"),
    [
        ((), "No row was worked on"),
        ((row("a", PASSES),), "1 check passes, nothing fails"),
        ((row("a", FAILS, verdict=Verdict.FAIL),), "1 check fails"),
        ((row("a", FAILS, check("B3", Verdict.FAIL), verdict=Verdict.FAIL),), "2 checks fail"),
        ((row("a", check("A0", Verdict.FAIL), verdict=Verdict.FAIL),), "The build fails"),
        ((row("a", IDLE, verdict=Verdict.NOT_RUN),), "Nothing ran"),
        (
            (row("a", PASSES, IDLE, verdict=Verdict.FAIL),),
            "Nothing fails, but 1 check did not run: in a release (--release) that fails the row.",
        ),
        ((row("a", PASSES), row("b", PASSES)), "All 2 rows pass"),
        ((row("a", PASSES), row("b", FAILS, verdict=Verdict.FAIL)), "1 of 2 rows fails"),
        ((row("a", FAILS, verdict=Verdict.FAIL),) * 2, "All 2 rows fail"),
        ((row("a", PASSES), row("b", verdict=Verdict.NOT_RUN)), "1 of 2 rows did not run"),
        (
            (row("a", FAILS, verdict=Verdict.FAIL),) * 2 + (row("b", verdict=Verdict.NOT_RUN),),
            "2 of 3 rows fail, 1 did not run",
        ),
    ],
)
def test_the_news_on_one_line(rows: tuple[RowReport, ...], news: str) -> None:
    assert headline(run(*rows)) == news


def test_what_fails_is_told_once_with_all_rows_that_have_it() -> None:
    named = [(row(name, FAILS, PASSES, verdict=Verdict.FAIL), name) for name in ("x/a", "x/b")]
    other = check("B2", Verdict.FAIL, "otherwise").model_copy(update={"subject": "t"})
    waived = check("A1", Verdict.FAIL).model_copy(update={"waived": "until then"})
    named.append((row("x/c", other, waived, check("A9", Verdict.FAIL, "worse")), "x/c"))
    found = troubles(named, ("A9", "B2"))
    assert [one.id for one in found] == ["A9", "B2"]
    assert [(said.reason, said.subjects) for said in found[1].findings] == [("broken", ("s",)), ("otherwise", ("t",))]
    assert [place.anchor for place in found[1].places] == ["x/a/B2", "x/b/B2", "x/c/B2"]
    assert [one.id for one in troubles(NAMED, ("E1", "C1"))] == ["E1", "C1", "D2"]
    assert troubles(NAMED[1:], ()) == ()


def test_what_did_not_run_is_told_by_reason() -> None:
    named = [
        (row("a", IDLE, check("G1", Verdict.NOT_RUN, "see C6")), "a"),
        (row("b", IDLE, check("H10", Verdict.NOT_RUN, "no device")), "b"),
    ]
    first, second = missing(named)
    assert (first.reason, first.rows, first.places) == ("no device", 2, (("H9", "a/H9"), ("H10", "b/H10")))
    assert (second.reason, second.rows) == ("see C6", 1)


def test_the_grid_has_variants_and_processors_down_and_pythons_across() -> None:
    names = ("m/cpu/x86_64/cp310", "m/cpu/x86_64/cp39", "m/cuda-13.0/aarch64/cp310", "e/-/x86_64/-", "odd", "odd")
    remarks = {"m/cpu/x86_64/cp39": Remark("fixed")}
    first, second, third = grids(((row(name, PASSES), name) for name in names), remarks)
    assert (first.recipe, first.columns) == ("m", ("cp39", "cp310"))
    (_, _, cells), (variant, arch, others) = first.lines
    assert [[cell.row for cell in place] for place in cells] == [["m/cpu/x86_64/cp39"], ["m/cpu/x86_64/cp310"]]
    assert (variant, arch, [len(place) for place in others]) == ("cuda-13.0", "aarch64", [0, 1])
    assert (second.recipe, second.lines[0][:2]) == ("e", ("-", "x86_64"))
    assert (third.recipe, len(third.lines[0][2][0])) == ("odd", 2)
    assert (cells[0][0].told, cells[0][0].remark, cells[1][0].remark) == ("1 check passes", "fixed", "")
