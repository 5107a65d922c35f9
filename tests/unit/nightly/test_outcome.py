"""What a row's process left, read as a result."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from orchestrator.nightly.children import LOG, OUTPUT, Ended, Job
from orchestrator.nightly.outcome import reason_of, result_of
from orchestrator.report.model import CheckRecord, Note, RowReport, RunReport, Verdict, WheelFacts

ROW = "tiny/cpu/x86_64/cp311"
WHEEL = WheelFacts(name="tiny.whl", sha256="0" * 64, size=3, tag_claimed="linux")


def check(id_: str, verdict: Verdict, reason: str = "", waived: str | None = None) -> CheckRecord:
    return CheckRecord(id=id_, name="name", subject="s", verdict=verdict, reason=reason, waived=waived)


def report(verdict: Verdict, *checks: CheckRecord, notes: tuple[Note, ...] = ()) -> RowReport:
    return RowReport(row=ROW, verdict=verdict, checks=checks, wheel=WHEEL, notes=notes)


def left(folder: Path, row: RowReport | None, *, log: str = "", code: int = 0) -> Ended:
    folder.mkdir(exist_ok=True)
    now = datetime.now(UTC)
    text = ""
    if row:
        text = RunReport(
            run="run-1", command="c", started=now, finished=now, verdict=row.verdict, exit=code, tool="t", rows=(row,)
        ).model_dump_json(by_alias=True)
    (folder / OUTPUT).write_text(text)
    (folder / LOG).write_text(log)
    return Ended(job=Job(row=ROW, command=("x",), folder=folder), code=code, seconds=3.0, memory=5)


def test_a_pass_names_its_wheel(tmp_path: Path) -> None:
    found = result_of(left(tmp_path, report(Verdict.PASS, check("B1", Verdict.PASS))), "k", jobs=1)
    assert (found.verdict, found.wheel, found.sha256, found.run) == (Verdict.PASS, "tiny.whl", "0" * 64, "run-1")
    assert (found.told, found.reason, found.remembered, found.memory) == (True, "", False, 5)


def test_a_failure_says_its_first_check_and_has_no_wheel(tmp_path: Path) -> None:
    checks = (
        check("A1", Verdict.FAIL, "let be", waived="until then"),
        check("B1", Verdict.FAIL, "twice"),
        check("B2", Verdict.FAIL, "none"),
    )
    found = result_of(left(tmp_path, report(Verdict.FAIL, *checks), code=1), "k", jobs=1)
    assert (found.verdict, found.code, found.wheel, found.told) == (Verdict.FAIL, 1, None, True)
    assert found.reason == "B1 name: twice (and 1 more)"


def test_an_answer_of_the_store_is_known_as_such(tmp_path: Path) -> None:
    note = Note(id="store", subject="tiny.whl", text="answered from the store")
    assert result_of(
        left(tmp_path, report(Verdict.PASS, check("B1", Verdict.PASS), notes=(note,))), "k", jobs=1
    ).remembered


def test_without_a_report_a_row_did_not_run_and_the_log_says_why(tmp_path: Path) -> None:
    log = "a step  1 s\nengine error: No engine answers.\n  Start one.\n"
    found = result_of(left(tmp_path, None, log=log, code=6), "k", jobs=1)
    assert (found.verdict, found.told, found.code) == (Verdict.NOT_RUN, False, 6)
    assert found.reason == "its process ended with exit code 6: No engine answers."
    killed = result_of(left(tmp_path, None, code=-9), "k", jobs=1)
    assert killed.reason == "its process ended with signal 9"


def test_a_report_of_another_row_is_none_and_no_good_end(tmp_path: Path) -> None:
    other = report(Verdict.PASS, check("B1", Verdict.PASS)).model_copy(update={"row": "other"})
    found = result_of(left(tmp_path, other, log="last words"), "k", jobs=1)
    assert (found.told, found.verdict, found.code) == (False, Verdict.NOT_RUN, 1)
    assert found.reason == "its process ended with exit code 0 and no report of the row: last words"


def test_why_a_row_did_not_run() -> None:
    assert reason_of(report(Verdict.NOT_RUN, check("A0", Verdict.NOT_RUN, "no interpreter"))) == (
        "A0 name: no interpreter"
    )
    assert reason_of(report(Verdict.NOT_RUN)) == "no check ran"
