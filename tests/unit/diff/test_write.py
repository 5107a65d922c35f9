"""The schema of `diff --json`."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest

from orchestrator.diff.model import Diff
from orchestrator.diff.rows import compare_reports
from orchestrator.diff.wheels import compare_wheels
from orchestrator.diff.write import SCHEMA_FILE, diff_schema, diff_schema_text
from tests.support.wheel_sides import split
from tests.unit.diff.test_rows import report, row


def test_the_published_schema_is_current() -> None:
    assert SCHEMA_FILE.read_text() == diff_schema_text(), "run: .venv/bin/python -m orchestrator.diff.write"


def test_what_is_printed_fits_the_schema(tmp_path: Path) -> None:
    wheels = Diff(schema=1, before="a", after="b", wheel=compare_wheels(*split(tmp_path)))
    reports = compare_reports(report(row()), report(row(wheel="demo-1.1-x.whl")), ("a", "b"), lambda _: None)
    for diff in (wheels, reports):
        printed = diff.model_dump(mode="json", by_alias=True)
        jsonschema.validate(printed, diff_schema())
        assert Diff.model_validate(printed) == diff
    printed = wheels.model_dump(mode="json", by_alias=True)
    printed["wheel"]["libraries"][0]["how"] = "sideways"
    with pytest.raises(jsonschema.ValidationError, match="'sideways' is not one of"):
        jsonschema.validate(printed, diff_schema())
