"""The table of published wheels, and how a report is held against it."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.cli.explanations import explanations
from orchestrator.errors import RecipeError, UsageError
from orchestrator.report.model import CheckRecord, Note, RowReport, Verdict
from tests.corpus.__main__ import chosen, main, show
from tests.corpus.compare import differences
from tests.corpus.expected import Expected, read_table
from tests.corpus.judge import Judged

ROWS = read_table()
GIVEN = 15
"""So many rows are about wheels of which it was known beforehand what is wrong with them."""


def expected(**changes: object) -> Expected:
    table = {
        "name": "demo",
        "version": "1.0",
        "sha256": "0" * 64,
        "verdict": "fail",
        "fails": [{"id": "C2", "words": ["libx.so", "needs liby.so"]}],
        "passes": ["K1"],
        "notes": [{"id": "K2", "words": ["identical copies"]}],
        "seen": "ldd of libx.so in an empty environment: liby.so => not found",
    }
    return Expected.model_validate(table | changes)


def record(id_: str, verdict: Verdict, subject: str = "libx.so", reason: str = "", *evidence: str) -> CheckRecord:
    return CheckRecord(id=id_, name="name", subject=subject, verdict=verdict, reason=reason, evidence=evidence)


MISSING = record("C2", Verdict.FAIL, "lib/libx.so", "needs liby.so, absent")
STACK = record("K1", Verdict.PASS)
COPIES = Note(id="K2", subject="libx.so", text="identical copies: libx.so, libx.so.1")


def report(*checks: CheckRecord, verdict: Verdict = Verdict.FAIL, notes: tuple[Note, ...] = (COPIES,)) -> RowReport:
    return RowReport(row="demo/-/x86_64/cp312", verdict=verdict, checks=checks, notes=notes)


def test_a_report_that_agrees_differs_in_nothing() -> None:
    assert differences(expected(), report(MISSING, STACK)) == ()


@pytest.mark.parametrize(
    ("told", "difference"),
    [
        (report(STACK, verdict=Verdict.PASS), "the verdict is pass, not fail"),
        (report(STACK), "C2 does not fail"),
        (report(MISSING, STACK, record("K9", Verdict.FAIL, "liby.so", "has")), "K9 fails: liby.so has"),
        (
            report(record("C2", Verdict.FAIL, "lib/libx.so", "needs libz.so"), STACK),
            "C2 does not say libx.so … needs liby.so; it says: lib/libx.so needs libz.so",
        ),
        (report(MISSING), "K1 does not pass: not asked"),
        (report(MISSING, record("K1", Verdict.NOT_RUN)), "K1 does not pass: not-run"),
        (report(MISSING, STACK, notes=()), "K2 says nothing of identical copies"),
    ],
)
def test_each_difference_is_told(told: RowReport, difference: str) -> None:
    assert difference in differences(expected(), told)


def test_words_must_stand_in_one_record() -> None:
    torn = (record("C2", Verdict.FAIL, "libx.so", "needs a"), record("C2", Verdict.FAIL, "libz.so", "needs liby.so"))
    assert any("does not say" in line for line in differences(expected(), report(*torn, STACK)))


def test_the_table_names_checks_that_exist_and_says_how_it_was_seen() -> None:
    known = {one.id for one in explanations()}
    for row in ROWS:
        ids = {said.id for said in (*row.fails, *row.notes)} | set(row.passes)
        assert ids <= known, row.title
        assert bool(row.fails) == (row.verdict is Verdict.FAIL), row.title
        assert not {said.id for said in row.fails}.intersection(row.passes), row.title
    assert len({row.sha256 for row in ROWS}) == len(ROWS)
    assert len(ROWS) >= GIVEN + 12
    chosen_here = ROWS[GIVEN:]
    assert {row.verdict for row in chosen_here} == {Verdict.PASS, Verdict.FAIL}


def test_a_malformed_table_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "wheels.toml"
    table.write_text('[[wheel]]\nname = "demo"\n')
    with pytest.raises(RecipeError, match="sha256"):
        read_table(table)


def test_rows_are_chosen_by_distribution_or_title() -> None:
    assert {row.name for row in chosen(["networkit"])} == {"networkit"}
    assert [row.version for row in chosen(["networkit==11.1"])] == ["11.1"]
    assert chosen([]) == ROWS
    with pytest.raises(UsageError, match="There is no wheel 'netwrkit'"):
        chosen(["netwrkit"])


def test_the_command_refuses_a_wheel_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "netwrkit"]) == 2
    assert "Did you mean 'networkit'?" in capsys.readouterr().err


def test_the_result_table_and_the_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    right = Judged(expected(), report(MISSING, STACK), (), 1.0)
    assert show([right]) == 0
    assert "as expected  demo==1.0  fail" in capsys.readouterr().out
    assert show([right, Judged(expected(version="2.0"), report(STACK), ("C2 does not fail",), 1.0)]) == 1
    out = capsys.readouterr().out
    assert "DIFFERENT" in out
    assert "    C2 does not fail\n1 of 2 wheels as expected" in out
