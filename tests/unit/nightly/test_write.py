"""A night's report, for people and for machines."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rich.console import Console

from orchestrator.nightly.model import Change, NightReport, NightRow
from orchestrator.nightly.screen import render
from orchestrator.nightly.write import write_night
from orchestrator.report.model import CheckRecord, RowReport, RunReport, Verdict

START = datetime(2026, 11, 30, 2, tzinfo=UTC)


def row(name: str, verdict: Verdict, **more: object) -> NightRow:
    return NightRow.model_validate({"row": f"tiny/{name}", "key": "k", "verdict": verdict, "seconds": 130, **more})


ROWS = (
    row("new", Verdict.FAIL, change=Change.NEW_FAILURE, reason="B1 owned-once: `a` | <b>\x1b[1m", run="run-1"),
    row("odd", Verdict.FAIL, change=Change.FLAKY, before=Verdict.PASS, before_night="night-0", reason="G1 models: no"),
    row("slow", Verdict.PASS, change=Change.SLOWER, before_seconds=100.0),
    row("quick", Verdict.PASS, remembered=True),
    row("here", Verdict.NOT_RUN, reason="no interpreter", seconds=0),
)
REPORT = NightReport(
    night="night-1",
    command="nox -s nightly",
    tool="tool 1",
    started=START,
    finished=START + timedelta(minutes=9),
    verdict=Verdict.FAIL,
    exit=1,
    jobs=2,
    taken_over=3,
    rows=ROWS,
    gone=("tiny/gone",),
    errors=("recipe.toml: is not TOML",),
)
CHECK = CheckRecord(id="B1", name="owned-once", subject="lib", verdict=Verdict.FAIL, reason="owned twice", fix="Once.")
DETAILS = RunReport(
    run="night-1",
    command="nox -s nightly",
    started=START,
    finished=START,
    verdict=Verdict.FAIL,
    exit=1,
    tool="tool 1",
    rows=(
        RowReport(row="tiny/new", verdict=Verdict.FAIL, checks=(CHECK,)),
        RowReport(row="tiny/slow", verdict=Verdict.PASS, checks=()),
    ),
)


def test_files_of_a_night(tmp_path: Path) -> None:
    folder = tmp_path / "reports" / "night-1"
    write_night(REPORT, DETAILS, folder)
    files = {"night.json", "report.json", "report.html", "junit.xml", "summary.md"}
    assert {path.name for path in folder.iterdir()} == files
    assert (tmp_path / "reports" / "latest").resolve() == folder
    assert NightReport.model_validate(json.loads((folder / "night.json").read_text())) == REPORT
    assert RunReport.model_validate_json((folder / "report.json").read_text()) == DETAILS


def test_the_page_of_a_night_shows_what_changed_and_the_logs_of_its_rows(tmp_path: Path) -> None:
    run = next(row.run for row in REPORT.rows if row.row == "tiny/new")
    logs = tmp_path / "reports" / str(run) / "tiny" / "new"
    logs.mkdir(parents=True)
    (logs / "build.log").write_text("main.cpp:1:1: error: of this row\n")
    write_night(REPORT, DETAILS, tmp_path / "reports" / "night-1")
    page = (tmp_path / "reports" / "night-1" / "report.html").read_text()
    assert "tiny/new: fail, new failure, 1 check fails" in page
    assert "tiny/gone is no more" in page
    assert "<mark>main.cpp:1:1: error: of this row" in page
    assert f'href="../{run}/tiny/new/build.log"' in page


def test_the_summary_begins_with_what_changed(tmp_path: Path) -> None:
    write_night(REPORT, DETAILS, tmp_path / "night-1")
    text = (tmp_path / "night-1" / "summary.md").read_text()
    assert text.startswith("# ❌ fail: night night-1\n\n5 rows: 2 pass, 2 fail, 1 not run, 3 of them before it was")
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings[:5] == ["## New failure", "## Flaky", "## Slower", "## Gone", "## Recipes that could not be read"]
    assert "- `tiny/odd`: pass in night night-0 on the same inputs; G1 models: no" in text
    assert "- `tiny/slow`: 1.30 times the 100 s of the last pass" in text
    # What a wheel's names hold means nothing to Markdown, nor to a terminal.
    assert r"\`a\` \| \<b\>\\u001b" in text
    # Those that fail are shown whole, and no others.
    assert "owned twice" in text
    assert "| `tiny/slow` | ✅ pass |" not in text


def test_people_see_each_row_and_the_verdict_last() -> None:
    out = io.StringIO()
    render(REPORT, Console(file=out, width=200))
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    assert [line.split()[0] for line in lines[1:5]] == ["FAIL", "FAIL", "PASS", "PASS"]
    assert lines[4].split()[1:3] == ["tiny/quick", "store"]
    assert lines[5].startswith("NOT RUN  tiny/here")
    assert "gone: tiny/gone" in lines
    assert "\x1b" not in out.getvalue()
    assert lines[-1].startswith("FAIL    5 rows: 2 pass, 2 fail, 1 not run")
