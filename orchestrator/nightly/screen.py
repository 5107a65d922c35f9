"""A night for people, on a terminal or in a plain log."""

from __future__ import annotations

from rich.console import Console
from rich.filesize import decimal
from rich.table import Table
from rich.text import Text

from orchestrator.board import VERDICTS
from orchestrator.console import visible
from orchestrator.nightly.model import Change, NightReport, NightRow
from orchestrator.report.model import Verdict
from orchestrator.report.words import number

_STYLES = {Change.NEW_FAILURE: "bold red", Change.FLAKY: "bold magenta", Change.FIXED: "green"}


def render(report: NightReport, console: Console) -> None:
    """Print the rows, what is gone, and the verdict, which ends the output."""
    table = Table.grid(padding=(0, 2))
    for column in ("VERDICT", "ROW", "TIME", "MEMORY", "CHANGE"):
        table.add_column(column, no_wrap=True, justify="right" if column in ("TIME", "MEMORY") else "left")
    table.add_column("WHY", overflow="fold")
    table.add_row("VERDICT", "ROW", "TIME", "MEMORY", "CHANGE", "WHY", style="bold")
    for row in report.rows:
        word, style = VERDICTS[row.verdict]
        table.add_row(
            Text(word, style=style),
            visible(row.row, one_line=True),
            time_of(row),
            decimal(row.memory) if row.memory else "",
            Text(row.change or "", style=_STYLES.get(row.change, "") if row.change else ""),
            Text(why(row)),
        )
    console.print(table)
    for name in report.gone:
        console.print(Text(f"gone: {visible(name, one_line=True)}"))
    for error in report.errors:
        console.print(Text(f"not read: {visible(error)}"))
    word, style = VERDICTS[report.verdict]
    console.print()
    console.print(Text.assemble((f"{word:8}", style), (closing(report), "bold")))


def time_of(row: NightRow) -> str:
    """Its seconds; empty for a row that no process worked on, or that the store answered."""
    return "store" if row.remembered else f"{row.seconds:.0f} s" if row.seconds else ""


def why(row: NightRow) -> str:
    """What is to be known of a row that is no plain pass."""
    reason = visible(row.reason, one_line=True)
    if row.change is Change.SLOWER and row.before_seconds:
        return f"{row.seconds / row.before_seconds:.2f} times the {row.before_seconds:.0f} s of the last pass"
    if row.change is Change.FLAKY and row.before:
        told = f"{row.before} in night {row.before_night} on the same inputs"
        return f"{told}; {reason}" if reason else told
    return reason


def closing(report: NightReport) -> str:
    """How many rows have which verdict, and how long it took."""
    counts = [
        f"{sum(row.verdict is verdict for row in report.rows)} {words}"
        for verdict, words in ((Verdict.PASS, "pass"), (Verdict.FAIL, "fail"), (Verdict.NOT_RUN, "not run"))
    ]
    minutes = (report.finished - report.started).total_seconds() / 60
    over = f", {report.taken_over} of them before it was resumed" if report.taken_over else ""
    return f"{number(len(report.rows), 'rows')}: {', '.join(counts)}{over}; {minutes:.0f} min, night {report.night}"
