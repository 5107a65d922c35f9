"""Writing a night's report: night.json and what every run has, report.json, junit.xml and summary.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from orchestrator.files import aside, writing
from orchestrator.nightly.model import Change, NightReport, NightRow
from orchestrator.nightly.screen import closing, time_of, why
from orchestrator.report.markdown import cell, code, prose
from orchestrator.report.model import RunReport, Verdict
from orchestrator.report.page.beside import Beside, Remark
from orchestrator.report.rule import Rule
from orchestrator.report.summary import VERDICTS, summary_markdown
from orchestrator.report.write import SUMMARY_FILE, write_report

NIGHT_FILE = "night.json"

_FIRST = (Change.NEW_FAILURE, Change.FLAKY, Change.NOT_RUN, Change.FIXED, Change.SLOWER, Change.NEW)
"""Which changes a reader wants to meet first."""


def write_night(
    report: NightReport, details: RunReport, folder: Path, *, rules: Mapping[str, Rule] | None = None
) -> None:
    """Write all files; `details` are the rows' whole reports: the summary shows those that fail.

    `rules` are the texts of checks by id, for the page; each row's logs lie with its own run.

    Raises:
        DiskError: the folder cannot be written.
    """
    failing = [row for row in details.rows if row.verdict is Verdict.FAIL]
    more = summary_markdown(details.model_copy(update={"rows": tuple(failing)})) if failing else ""
    logs = {row.row: folder.parent / row.run / row.row for row in report.rows if row.run}
    remarks = {row.row: Remark(change, why(row)) for change in _FIRST for row in report.rows if row.change is change}
    notices = (*(f"{row} is no more" for row in report.gone), *report.errors)
    write_report(details, folder, Beside(rules or {}, logs, remarks, notices))
    _write(folder / SUMMARY_FILE, night_markdown(report) + more)
    _write(folder / NIGHT_FILE, report.model_dump_json(by_alias=True, indent=2) + "\n")


def night_markdown(report: NightReport) -> str:
    """The night as GitHub-flavoured Markdown: what changed, then all rows."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: NightReport) -> Iterator[str]:
    yield from (f"# {VERDICTS[report.verdict]}: night {report.night}", "", prose(closing(report)), "")
    for change in _FIRST:
        if rows := [row for row in report.rows if row.change is change]:
            yield from (f"## {change.capitalize()}", "")
            yield from (f"- {code(row.row)}{_told(row)}" for row in rows)
            yield ""
    if report.gone:
        yield from ("## Gone", "", *(f"- {code(row)}" for row in report.gone), "")
    if report.errors:
        yield from ("## Recipes that could not be read", "", *(f"- {prose(error)}" for error in report.errors), "")
    yield "| verdict | row | time | change | report | why |"
    yield "|---|---|--:|---|---|---|"
    for row in report.rows:
        run = cell(f"reports/{row.run}") if row.run else ""
        words = (VERDICTS[row.verdict], cell(row.row), time_of(row), row.change or "", run, prose(why(row)))
        yield f"| {' | '.join(words)} |"
    yield ""


def _told(row: NightRow) -> str:
    return f": {prose(text)}" if (text := why(row)) else ""


def _write(path: Path, text: str) -> None:
    with writing(path), aside(path) as hidden:
        hidden.write_text(text, encoding="utf-8")
