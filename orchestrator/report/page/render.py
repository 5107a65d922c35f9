"""The page itself: the template with style and script put in, and a policy that lets nothing else in."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from rich.filesize import decimal

from orchestrator.console import visible
from orchestrator.report.grouping import Counts, count, counted, failed_by_absence
from orchestrator.report.model import LibraryFacts, RowReport, RunReport, Verdict
from orchestrator.report.page.beside import NOTHING, Beside, Remark
from orchestrator.report.page.logs import FEW_LINES, MOST_BYTES_OF_ROW, MOST_LINES, Excerpt, excerpts
from orchestrator.report.page.overview import grids, headline, missing, troubles
from orchestrator.report.page.view import STATES, GroupView, anchors, groups
from orchestrator.report.words import METHODS, number
from orchestrator.shown import in_seconds

_HERE = Path(__file__).parent
MOST_TROUBLES = 60
"""How many failures, and reasons of what did not run, the page tells before the rows."""
_MOST_LOG_BYTES = 4 * 1024 * 1024
"""How many bytes of logs a page has: a night of many rows shows less of each."""
MOST_WORDS = 12
"""How many entries of a library are shown unfolded."""
_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="{}"/>'
    '<path d="{}" fill="none" stroke="#fff" stroke-width="2"/></svg>'
)
_ICONS = {
    Verdict.PASS: _ICON.format("#1a7f42", "M4 8.5l2.8 2.8L12 5.5"),
    Verdict.FAIL: _ICON.format("#c5221f", "M5 5l6 6M11 5l-6 6"),
    Verdict.NOT_RUN: _ICON.format("#9a6700", "M4 8h8"),
}
"""What a browser's tab shows."""


@dataclass(frozen=True)
class RowView:
    """A row as the page shows it."""

    report: RowReport
    anchor: str
    groups: tuple[GroupView, ...]
    counts: Counts
    told: str
    absence: str | None
    logs: tuple[Excerpt, ...]
    next: str | None
    """Where the next row that fails begins, if another does."""
    remark: Remark | None


def report_page(report: RunReport, page: Path, beside: Beside = NOTHING) -> str:
    """The whole page; `page` is the folder in which it will lie."""
    named = tuple(zip(report.rows, anchors(row.row for row in report.rows), strict=True))
    failing = [anchor for row, anchor in named if row.verdict is Verdict.FAIL]
    most_bytes = min(MOST_BYTES_OF_ROW, _MOST_LOG_BYTES // max(1, len(named)))
    rows = tuple(
        _row(
            row,
            anchor,
            beside,
            _logs(row, beside.logs.get(row.row, page / row.row), page, most_bytes),
            _after(anchor, named, failing),
        )
        for row, anchor in named
    )
    style, script = f"{_text('page.css')}\n{_text('media.css')}", _text("page.js")
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            report=report,
            rows=rows,
            headline=headline(report),
            troubles=troubles(named, tuple(beside.rules)),
            missing=missing(named),
            grids=grids(named, beside.remarks),
            style=Markup(style),
            script=Markup(script),
            style_hash=_hash(style),
            script_hash=_hash(script),
            icons=_ICONS,
            most=MOST_TROUBLES,
            sections=_sections,
            notices=beside.notices,
            remarks=Counter(remark.word for remark in beside.remarks.values()),
            totals={state: sum(group.count(state) for row in rows for group in row.groups) for state in STATES},
        )
    )


def _row(row: RowReport, anchor: str, beside: Beside, logs: tuple[Excerpt, ...], after: str | None) -> RowView:
    counts = count(row.checks)
    return RowView(
        report=row,
        anchor=anchor,
        groups=groups(row, anchor, beside.rules),
        counts=counts,
        told=counted(counts),
        absence=failed_by_absence(row),
        logs=logs,
        next=after,
        remark=beside.remarks.get(row.row),
    )


def _logs(row: RowReport, folder: Path, page: Path, most_bytes: int) -> tuple[Excerpt, ...]:
    """Of a build that failed its log first, of a wheel that does those of the environments in which it does."""
    failing = (check.environment for check in row.checks if check.environment and check.verdict is Verdict.FAIL)
    return excerpts(
        folder,
        page,
        most_lines=FEW_LINES if row.verdict is Verdict.PASS else MOST_LINES,
        most_bytes=most_bytes,
        first=(*([] if row.wheel else ["build"]), *dict.fromkeys(failing)),
    )


def _after(anchor: str, rows: Sequence[tuple[RowReport, str]], failing: Sequence[str]) -> str | None:
    """The next of the failing rows behind this one, from the last the first again."""
    places = {each: place for place, (_, each) in enumerate(rows)}
    ahead = [other for other in failing if places[other] > places[anchor]]
    others = [other for other in (*ahead, *failing) if other != anchor]
    return others[0] if others else None


def _sections(row: RowReport, view: RowView) -> tuple[tuple[str, str, bool], ...]:
    """The parts of a row behind its checks: name in the address, title, and whether the row has it."""
    given = bool(row.images or row.toolchains or row.inputs or row.given)
    return (
        ("logs", "Logs", bool(view.logs)),
        ("composition", "Composition", bool(row.libraries)),
        ("notes", "Notes", bool(row.notes)),
        ("inputs", "Inputs", given),
        ("steps", "Steps", bool(row.steps)),
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(bytes=decimal, seconds=in_seconds, number=number, inside=_inside)
    environment.globals.update(METHODS=METHODS, STATES=STATES, most_words=MOST_WORDS)
    return environment


def _shown(value: Any) -> Any:
    """What is put into the page: text that cannot turn the direction of what stands beside it."""
    return visible(value) if type(value) is str else value


def _inside(needed: str, libraries: tuple[LibraryFacts, ...]) -> bool:
    """Whether a library that is needed is one of the wheel's."""
    return any(needed in (library.soname, library.path.rpartition("/")[2]) for library in libraries)


def _text(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8").strip()


def _hash(text: str) -> str:
    """A source expression of Content Security Policy level 3 for an inline element's content."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
