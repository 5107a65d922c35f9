"""Reports without secrets: every text of every record, and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime

from orchestrator.report.hidden import without_secrets
from orchestrator.report.model import CheckRecord, Given, ImageUse, Note, RowReport, RunReport, Verdict
from orchestrator.report.write import report_json
from orchestrator.secrets import Secrets

VALUE = "s3cr3t-of-some-length"
KNOWN = Secrets.of({"A_TOKEN": VALUE, "B_TOKEN": "stand-in"})


def report(value: str) -> RunReport:
    check = CheckRecord(
        id="B1", name="x", subject=value, verdict=Verdict.FAIL, reason=f"a {value}", evidence=("b", f"c {value}")
    )
    image = ImageUse(role="builder", reference="a:1", digest="sha256:0", origin="stand-in")
    row = RowReport(
        row="a/cpu/x86_64/cp311",
        verdict=Verdict.FAIL,
        checks=(check,),
        images=(image,),
        notes=(Note(id="n", subject="s", text=f"https://me:{value}@host/x"),),
        given=Given(verb="build", code="0", recipe=f"/home/{value}/x"),
    )
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return RunReport(
        schema=1, run="r", command=f"build {value}", started=now, finished=now,
        verdict=Verdict.FAIL, exit=1, tool="t", rows=(row,),
    )  # fmt: skip


def test_no_text_of_a_report_holds_a_secret() -> None:
    assert report_json(report(VALUE)).count(VALUE) == 6
    hidden = without_secrets(report(VALUE), KNOWN)
    assert VALUE not in report_json(hidden)
    assert hidden.rows[0].notes[0].text == "https://[hidden]@host/x"
    assert hidden.rows[0].checks[0].evidence == ("b", "c [hidden]")


def test_words_of_a_fixed_list_stay_so_that_the_report_can_be_read_again() -> None:
    hidden = without_secrets(report(VALUE), KNOWN)
    assert hidden.rows[0].images[0].origin == "stand-in"
    assert RunReport.model_validate_json(report_json(hidden)) == hidden


def test_a_report_without_any_is_the_same() -> None:
    clean = without_secrets(report("nothing"), KNOWN)
    assert without_secrets(clean, KNOWN) is clean
