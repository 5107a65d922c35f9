"""Each form of a report says how its rows were built and ran."""

import io
from typing import get_args
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

from orchestrator.processor import Method
from orchestrator.report.junit import junit_xml
from orchestrator.report.model import RunReport
from orchestrator.report.summary import summary_markdown
from orchestrator.report.terminal import render
from orchestrator.report.words import METHODS
from tests.unit.report.samples import sample_report


def _report(method: Method | None) -> RunReport:
    report = sample_report()
    first, second = report.rows
    return report.model_copy(update={"rows": (first.model_copy(update={"method": method}), second)})


def _terminal(report: RunReport) -> str:
    file = io.StringIO()
    render(report, Console(file=file, width=200))
    return file.getvalue()


@pytest.mark.parametrize("method", get_args(Method))
def test_every_form_says_it_of_the_row(method: Method) -> None:
    report = _report(method)
    assert f"method        {method}: {METHODS[method]}" in _terminal(report)
    summary = summary_markdown(report)
    assert f"- `sdk/cpu/x86_64/cp311` is {method}: {METHODS[method]}\n" in summary
    assert "`sdk/cpu/x86_64/cp313` is" not in summary
    suites = ET.fromstring(junit_xml(report)).findall("testsuite")
    told = [[one.get("value") for one in suite.findall("properties/property[@name='method']")] for suite in suites]
    assert told == [[method], []]
    assert RunReport.model_validate_json(report.model_dump_json(by_alias=True)).rows[0].method == method


def test_nothing_is_said_of_a_row_that_no_container_saw() -> None:
    report = _report(None)
    assert "method" not in _terminal(report)
    assert " is native" not in summary_markdown(report)
    assert b'name="method"' not in junit_xml(report)
