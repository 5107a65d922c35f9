"""The report as JUnit XML, as continuous integration servers read it.

One `testsuite` a row, one `testcase` a check record.  A waived failure counts as skipped: it does
not fail the row either.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from orchestrator.console import visible
from orchestrator.report.grouping import failed_by_absence, is_failure
from orchestrator.report.model import CheckRecord, RowReport, RunReport, Verdict

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even escaped (section 2.2, production Char)."""


def junit_xml(report: RunReport) -> bytes:
    """The XML document, UTF-8."""
    suites = ET.Element("testsuites", {"name": _clean(f"wheel-orchestrator {report.run}")})
    for row in report.rows:
        suites.append(_suite(row, report))
    for count in ("tests", "failures", "errors", "skipped"):
        suites.set(count, str(sum(int(suite.get(count, "0")) for suite in suites)))
    suites.set("time", f"{(report.finished - report.started).total_seconds():.3f}")
    ET.indent(suites)
    document: bytes = ET.tostring(suites, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _suite(row: RowReport, report: RunReport) -> ET.Element:
    suite = ET.Element("testsuite", {"name": _clean(row.row)})
    properties = ET.SubElement(suite, "properties")
    for name, value in _properties(row):
        ET.SubElement(properties, "property", {"name": name, "value": _clean(value)})
    lacking = failed_by_absence(row)
    for check in row.checks:
        suite.append(_case(row, check, missing_is_error=lacking is not None))
    if not row.checks:
        case = ET.SubElement(suite, "testcase", {"classname": _clean(row.row), "name": "row", "time": "0.000"})
        ET.SubElement(case, "error" if lacking else "skipped", {"message": lacking or "no check ran"})
    for count, tag in (
        ("tests", "testcase"),
        ("failures", "*/failure"),
        ("errors", "*/error"),
        ("skipped", "*/skipped"),
    ):
        suite.set(count, str(len(suite.findall(tag))))
    suite.set("time", f"{sum(check.seconds for check in row.checks):.3f}")
    suite.set("timestamp", report.started.isoformat(timespec="seconds"))
    return suite


def _properties(row: RowReport) -> list[tuple[str, str]]:
    found = [("verdict", row.verdict.value)]
    if row.wheel:
        found += [("wheel", row.wheel.name), ("wheel.sha256", row.wheel.sha256)]
    found += [("method", row.method)] if row.method else []
    found += [(f"image.{image.role}", f"{image.reference} {image.digest} {image.origin}") for image in row.images]
    return found


def _case(row: RowReport, check: CheckRecord, *, missing_is_error: bool) -> ET.Element:
    place = f"{row.row} ({check.environment})" if check.environment else row.row
    case = ET.Element(
        "testcase",
        {
            "classname": _clean(place),
            "name": _clean(f"{check.id} {check.name} {check.subject}"),
            "time": f"{check.seconds:.3f}",
        },
    )
    if is_failure(check):
        failure = ET.SubElement(case, "failure", {"message": _clean(check.reason), "type": check.id})
        failure.text = _clean(_body(check))
    elif check.verdict is not Verdict.PASS:
        word = "waived" if check.verdict is Verdict.FAIL else "permitted"
        reason = f"{word}: {check.waived}; {check.reason}" if check.waived else check.reason
        blamed = missing_is_error and check.waived is None
        message = f"did not run, which fails a release: {reason}" if blamed else reason
        ET.SubElement(case, "error" if blamed else "skipped", {"message": _clean(message)})
    elif check.reason or check.evidence:
        ET.SubElement(case, "system-out").text = _clean(_body(check))
    return case


def _body(check: CheckRecord) -> str:
    fix = [f"What to do: {check.fix}"] if check.fix and check.verdict is Verdict.FAIL else []
    again = [f"Try again: {check.reproduce}"] if check.reproduce else []
    return "\n".join(part for part in [check.reason, *check.evidence, *fix, *again] if part)


def _clean(text: str) -> str:
    """Text without what XML cannot hold (U+FFFD instead), control characters shown by their code."""
    return _NOT_XML.sub("\ufffd", visible(text))
