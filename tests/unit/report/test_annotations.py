"""Failures as annotations: which, how many, and beside which line of which file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from orchestrator.report.annotations import MOST, annotate, source_place
from orchestrator.report.model import CheckRecord, RowReport, RunReport, Verdict, row_verdict
from tests.support.runner import obey


def record(id_: str, verdict: Verdict, **more: Any) -> CheckRecord:
    return CheckRecord.model_validate({"id": id_, "name": "check", "subject": "x", "verdict": verdict, **more})


def row_of(*checks: CheckRecord, name: str = "tiny/cpu/x86_64/cp311", verdict: Verdict | None = None) -> RowReport:
    return RowReport(row=name, verdict=verdict or row_verdict(checks), checks=checks)


def report_of(*rows: RowReport, code: int) -> RunReport:
    now = datetime.now(UTC)
    verdict = Verdict.FAIL
    return RunReport(
        run="r", command="c", started=now, finished=now, verdict=verdict, exit=code, tool="t", rows=rows, schema=1
    )


def told(rows: list[RowReport], code: int = 0) -> list[tuple[dict[str, str], str]]:
    """Properties and messages of all annotations of a run that ends with that code."""
    lines = annotate(
        report_of(*rows, code=code),
        order=("B2", "B1"),
        folders=lambda _: (),
        workspace=Path("/nowhere"),
        whole="summary.md",
    )
    assert not any("\n" in line for line in lines)
    return obey("\n".join(lines)).named("error")


TWICE = {"reason": "twice", "evidence": ("1", "2"), "fix": "remove it", "reproduce": "again"}


def test_each_finding_is_told_once_the_strongest_first() -> None:
    row = row_of(
        record("B1", Verdict.FAIL, subject="a", **TWICE),
        record("B1", Verdict.FAIL, subject="b", **TWICE),
        record("B2", Verdict.FAIL, subject="c", reason="100%, ::x", environment="bookworm"),
        record("B3", Verdict.FAIL, subject="d", reason="old", waived="until spring"),
        record("B4", Verdict.PASS, subject="e"),
        record("B5", Verdict.NOT_RUN, subject="f", reason="no GPU"),
    )
    first, second = told([row])
    assert first == ({"title": f"B2 check: {row.row}"}, "c: 100%, ::x\nin bookworm")
    assert second == (
        {"title": f"B1 check: {row.row}"},
        "a, b: twice\n  1\n  2\nTo do: remove it\nTry it again: again",
    )


def test_more_than_github_shows_are_counted() -> None:
    rows = [
        row_of(*(record(f"B{number}", Verdict.FAIL, reason=f"{number}") for number in range(count)), name=f"r{count}")
        for count in (8, 7)
    ]
    found = told(rows)
    assert len(found) == MOST
    assert found[-1] == ({"title": "6 more failures"}, "6 more are in summary.md")
    assert len(told([row_of(*(record(f"B{number}", Verdict.FAIL, reason="x") for number in range(MOST)))])) == MOST


def test_a_release_that_lacks_checks_is_told_and_a_pass_is_not() -> None:
    ((_, message),) = told([row_of(record("B1", Verdict.NOT_RUN), verdict=Verdict.FAIL)])
    assert "1 check did not run: in a release" in message
    assert told([row_of(record("B1", Verdict.PASS))]) == []


def test_a_run_that_could_do_nothing_says_why() -> None:
    row = row_of(record("A0", Verdict.NOT_RUN, reason="no interpreter"))
    assert told([row], code=3) == [({"title": f"not run: {row.row}"}, "no interpreter")]
    assert told([row], code=0) == []


def test_long_evidence_is_bounded_and_the_command_is_not() -> None:
    again = "nox " + "x" * 2000
    row = row_of(record("B1", Verdict.FAIL, evidence=("y" * 5000, *("line",) * 90), reproduce=again))
    ((_, message),) = told([row])
    assert message.endswith(f"\nTry it again: {again}")
    assert "... 71 more lines in report.json" in message
    assert len(message) < len(again) + 1500


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with a recipe, and a file beside it that is none of its own."""
    for name in ("recipe/source/src/a.cpp", "recipe/consumers/app/main.cpp", "recipe/source/CMakeLists.txt", "x.py"):
        (tmp_path / "work" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "work" / name).touch()
    (tmp_path / "outside.cpp").touch()
    return tmp_path / "work"


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("/work/source/src/a.cpp:12:5: error: no", ("recipe/source/src/a.cpp", "12", "5")),
        ("src/a.cpp:12: fatal error: no", ("recipe/source/src/a.cpp", "12", "")),
        ("/work/source/tiny/src/a.cpp:12:5: error: no", ("recipe/source/src/a.cpp", "12", "5")),
        ("/work/e1/consumers/app/main.cpp:3:1: error: no", ("recipe/consumers/app/main.cpp", "3", "1")),
        ("/work/source/src/a.cpp(7): error: no", ("recipe/source/src/a.cpp", "7", "")),
        ("CMake Error at CMakeLists.txt:4 (find_package):", ("recipe/source/CMakeLists.txt", "4", "")),
        ("/usr/include/src/a.cpp:1:1: error: the image's own", None),
        ("/work/source/../../../outside.cpp:1:1: error: no", None),
        ("/work/source/b.cpp:1:1: error: no such file", None),
        ("src/a.cpp:12:5: note: no error", None),
        ("a.cpp:error", None),
    ],
)
def test_the_file_that_a_compiler_names_is_found(checkout: Path, line: str, place: tuple[str, str, str] | None) -> None:
    folders = (checkout / "recipe" / "source", checkout / "recipe")
    check = record("A23", Verdict.FAIL, evidence=("make: entering", line, "src/a.cpp:99:9: error: second"))
    found = source_place(check, folders, checkout)
    expected = dict(zip(("file", "line", "col"), place or ("recipe/source/src/a.cpp", "99", "9"), strict=True))
    assert found == expected
    assert source_place(check, (), checkout) == {}
    elsewhere = CheckRecord.model_validate({**check.model_dump(), "evidence": (line,)})
    assert source_place(elsewhere, folders, checkout / "consumers") == {}
