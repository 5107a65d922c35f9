"""The files of a report."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import jsonschema
import pytest

from orchestrator.errors import DiskError
from orchestrator.report.junit import junit_xml
from orchestrator.report.model import CheckRecord, RunReport, Verdict
from orchestrator.report.summary import summary_markdown
from orchestrator.report.write import (
    SCHEMA_FILE,
    point_latest,
    report_json,
    report_schema_text,
    write_report,
)
from tests.unit.report.samples import ENVIRONMENTS, HOSTILE, sample_report


def test_written_and_read_again(tmp_path: Path) -> None:
    report = sample_report()
    folder = tmp_path / "run-1"
    write_report(report, folder)
    assert sorted(path.name for path in folder.iterdir()) == ["junit.xml", "report.html", "report.json", "summary.md"]
    text = (folder / "report.json").read_text()
    assert RunReport.model_validate_json(text) == report
    assert text.startswith('{\n  "schema": 1,\n  "run": ')
    assert text.endswith("}\n")
    assert report_json(report) == text


def test_latest_follows_the_newest_run(tmp_path: Path) -> None:
    for name in ("run-1", "run-2"):
        write_report(sample_report(), tmp_path / name)
    assert (tmp_path / "latest").readlink() == Path("run-2")
    assert (tmp_path / "latest" / "report.json").read_text() == report_json(sample_report())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["latest", "run-1", "run-2"]


def test_latest_that_is_a_folder_of_somebody_is_not_destroyed(tmp_path: Path) -> None:
    (tmp_path / "latest").mkdir()
    (tmp_path / "run-1").mkdir()
    with pytest.raises(OSError, match="latest"):
        point_latest(tmp_path / "run-1")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["latest", "run-1"]


def test_unwritable_target_leaves_the_old_report(tmp_path: Path) -> None:
    folder = tmp_path / "run-1"
    write_report(sample_report(), folder)
    before = (folder / "report.json").read_bytes()
    (folder / "junit.xml").unlink()
    (folder / "junit.xml").mkdir()
    with pytest.raises(DiskError, match=r"junit\.xml' cannot be written"):
        write_report(sample_report(), folder)
    assert (folder / "report.json").read_bytes() == before
    assert sorted(path.name for path in folder.iterdir()) == ["junit.xml", "report.html", "report.json", "summary.md"]


def test_published_schema_is_the_models() -> None:
    assert SCHEMA_FILE.read_text() == report_schema_text(), (
        "the report model changed: python -m orchestrator.report.write rewrites the schema"
    )
    assert next(iter(json.loads(SCHEMA_FILE.read_text())["properties"])) == "schema"


def test_a_report_fits_the_published_schema_and_a_damaged_one_does_not() -> None:
    schema = jsonschema.Draft202012Validator(json.loads(SCHEMA_FILE.read_text()))
    document = json.loads(report_json(sample_report()))
    schema.validate(document)
    document["rows"][0]["checks"][0]["verdict"] = "skipped"
    (error,) = schema.iter_errors(document)
    assert list(error.absolute_path) == ["rows", 0, "checks", 0, "verdict"]


def test_junit_counts_and_texts() -> None:
    report = sample_report()
    root = ET.fromstring(junit_xml(report))
    suite = root.findall("testsuite")[0]
    row = report.rows[0]
    cases = suite.findall("testcase")
    assert len(cases) == len(row.checks) == int(suite.get("tests", ""))
    assert suite.get("failures") == str(10 + 5 + 2) == root.get("failures")
    assert suite.get("skipped") == str(1 + 5)
    assert suite.get("errors") == "0"
    failed = next(case for case in cases if case.get("name", "").startswith("D2") and case.find("failure") is not None)
    assert failed.get("classname") == f"sdk/cpu/x86_64/cp311 ({ENVIRONMENTS[0]})"
    failure = failed.find("failure")
    assert failure is not None
    assert failure.get("message") == "a range that excludes the version was accepted"
    assert "CMake Warning" in (failure.text or "")
    assert "What to do: Write the version file" in (failure.text or "")
    skipped = [element.get("message") or "" for element in suite.iterfind("testcase/skipped")]
    assert "no device here" in skipped
    assert any(message.startswith("waived: needed by old loaders") for message in skipped)


def test_junit_replaces_what_xml_cannot_hold() -> None:
    data = junit_xml(sample_report())
    assert not re.search(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]", data)
    assert "name\\u001b[31m[bold]&lt;b&gt;`|\\u0000" in data.decode()


def test_junit_is_red_where_a_release_lacks_a_check() -> None:
    report = sample_report()
    check = CheckRecord(id="H6", name="gpu", subject="app", verdict=Verdict.NOT_RUN, reason="no device")
    for checks, expected in (
        ((check,), "did not run, which fails a release: no device"),
        ((), "No check passed: in a release (--release) that fails the row."),
    ):
        row = report.rows[0].model_copy(update={"checks": checks, "verdict": Verdict.FAIL})
        root = ET.fromstring(junit_xml(report.model_copy(update={"rows": (row,)})))
        assert root.get("errors") == "1"
        error = root.find("testsuite/testcase/error")
        assert error is not None
        assert error.get("message") == expected


def test_summary_begins_with_the_verdict_and_escapes() -> None:
    text = summary_markdown(sample_report())
    assert text.startswith("# ❌ fail: verify --recipe sdk dist/sdk.whl\n")
    assert text.index("## Failing") < text.index("| row | verdict |") < text.index("<details>")
    assert text.count("a range that excludes the version was accepted (in all 5 environments)") == 1
    assert "bookworm:stand-in" in text
    assert "Passed: sdk/cpu/x86_64/cp313 (62 checks with 150 results)" in text
    assert "holds 1.2 MB of debug information" in text
    assert not re.search(r"[\x00-\x08\x0b-\x1f]", text)
    row = sample_report().rows[0]
    hostile = row.checks[0].model_copy(update={"verdict": Verdict.FAIL, "reason": HOSTILE, "evidence": ("````",)})
    text = summary_markdown(
        sample_report().model_copy(update={"rows": (row.model_copy(update={"checks": (hostile,)}),)})
    )
    assert r"\[bold\]\<b\>\`\|" in text
    assert "`````text\n  ````\n  `````" in text


def test_summary_escapes_underscores_only_where_they_would_be_emphasis() -> None:
    report = sample_report().model_copy(update={"command": "verify a_b __init__.py _x_"})
    text = summary_markdown(report)
    assert text.startswith("# ❌ fail: verify a_b \\_\\_init\\_\\_.py \\_x\\_\n")
    assert "## Failing: sdk/cpu/x86_64/cp311\n" in text


def test_summary_says_where_a_check_did_not_run() -> None:
    assert "`app`: no device here (in all 5 environments)\n" in summary_markdown(sample_report())
    row = sample_report().rows[0]
    checks = tuple(check for check in row.checks if check.id != "H9" or check.environment == ENVIRONMENTS[0])
    some = sample_report().model_copy(update={"rows": (row.model_copy(update={"checks": checks}),)})
    assert f"`app`: no device here (in `{ENVIRONMENTS[0]}`)\n" in summary_markdown(some)


def test_a_file_name_that_is_not_utf8_is_written_by_its_bytes(tmp_path: Path) -> None:
    check = CheckRecord(id="J7", name="record", subject="pkg\udcff.whl", verdict=Verdict.FAIL, reason="\u202e\x9b")
    assert check.subject == "pkg\\udcff.whl"
    row = sample_report().rows[0].model_copy(update={"checks": (check,)})
    write_report(sample_report().model_copy(update={"rows": (row,)}), tmp_path / "run")
    for name in ("junit.xml", "summary.md"):
        text = (tmp_path / "run" / name).read_text(encoding="utf-8")
        assert "\\udcff" in text.replace("\\\\", "\\")
        assert not set("\u202e\x9b").intersection(text)
