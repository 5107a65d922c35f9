"""Writing a run's report: report.json, junit.xml, summary.md and report.html in one folder.

Every file is written aside and renamed, so that a reader never meets half of one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from orchestrator.files import aside, writing
from orchestrator.report.junit import junit_xml
from orchestrator.report.model import RunReport
from orchestrator.report.page.beside import NOTHING, Beside
from orchestrator.report.page.render import report_page
from orchestrator.report.summary import summary_markdown

REPORT_FILE = "report.json"
JUNIT_FILE = "junit.xml"
SUMMARY_FILE = "summary.md"
PAGE_FILE = "report.html"
LATEST = "latest"
SCHEMA_FILE = Path(__file__).with_name("report.schema.json")


def write_report(report: RunReport, folder: Path, beside: Beside = NOTHING) -> None:
    """Write all files of the report into `folder`, and let `latest` beside it point there.

    The page shows more than the report has: `beside`.

    Raises:
        DiskError: the folder cannot be written.
    """
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    _write(folder / JUNIT_FILE, junit_xml(report))
    _write(folder / SUMMARY_FILE, summary_markdown(report).encode())
    _write(folder / PAGE_FILE, report_page(report, folder, beside).encode())
    _write(folder / REPORT_FILE, report_json(report).encode())  # last: who finds it finds the others
    with writing(folder.parent / LATEST):
        point_latest(folder)


def report_json(report: RunReport) -> str:
    """The report as JSON, keys in the order of the model, with a final newline."""
    return report.model_dump_json(by_alias=True, indent=2) + "\n"


def report_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of report.json."""
    schema = RunReport.model_json_schema(by_alias=True, mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def report_schema_text() -> str:
    """The content of the published schema file."""
    return json.dumps(report_schema(), indent=2) + "\n"


def point_latest(folder: Path) -> None:
    """Let the link `latest` beside `folder` name it.

    Where the file system has no symbolic links, `latest` is a text file that holds the name.
    """
    with aside(folder.parent / LATEST) as hidden:
        hidden.unlink(missing_ok=True)
        try:
            hidden.symlink_to(folder.name, target_is_directory=True)
        except OSError:
            hidden.write_text(folder.name + "\n", encoding="utf-8")


def _write(path: Path, data: bytes) -> None:
    with writing(path), aside(path) as hidden:
        hidden.write_bytes(data)


if __name__ == "__main__":
    SCHEMA_FILE.write_text(report_schema_text(), encoding="utf-8")
