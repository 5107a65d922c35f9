"""The report on a terminal, or in a plain log: what fails, why, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console, Group, RenderableType
from rich.filesize import decimal
from rich.table import Table
from rich.text import Text

from orchestrator.board import VERDICTS
from orchestrator.report.grouping import (
    CheckFindings,
    Finding,
    count,
    counted,
    environments,
    explaining,
    failed_by_absence,
    findings,
    passed_in_words,
    passes,
    toolchains_in_words,
)
from orchestrator.report.literal import indent, literal
from orchestrator.report.model import Note, RowReport, RunReport, Verdict
from orchestrator.report.words import METHODS, number

_MOST_EVIDENCE = 12
_MOST_FINDINGS = 15
_MOST_SUBJECTS = 8
_MOST_NOTES = 20
_LONGEST = 4000
"""Characters of one text."""
_REST = "in report.json"


def render(report: RunReport, console: Console, *, order: Sequence[str] = ()) -> None:
    """Print the report: each row's failures first, then what did not run, passes and notes.

    `order` gives the ids of checks from the strongest to the weakest.
    """
    for row in report.rows:
        console.print(_row(row, order), crop=False)  # a command is copied whole
        console.print()
    console.print(_closing(report, order))


def _row(row: RowReport, order: Sequence[str]) -> RenderableType:
    everywhere = environments(row)
    parts: list[RenderableType] = [_heading(row), _facts(row, everywhere)]
    if lacking := failed_by_absence(row):
        parts += [Text(), literal(("FAIL", "bold red"), (f"  {lacking}", "bold"))]
    for style, word, chosen in (
        ("bold red", "FAIL", findings(row.checks, Verdict.FAIL, order=order)),
        ("yellow", "WAIVED", findings(row.checks, Verdict.FAIL, order=order, waived=True)),
        ("yellow", "NOT RUN", findings(row.checks, Verdict.NOT_RUN, order=order)),
        ("yellow", "PERMITTED", findings(row.checks, Verdict.NOT_RUN, order=order, waived=True)),
    ):
        parts += [_check(check, word, style, everywhere) for check in chosen]
    passed = passes(row.checks)
    if passed:
        heading = literal(("PASS", "bold green"), (f"  {passed_in_words(row.checks)}", ""))
        parts += [Text(), heading, indent(_passes_table(row), 2)]
    if row.notes:
        parts += [Text(), Text("NOTES", style="bold"), *_notes(row.notes)]
    return Group(*parts)


def _heading(row: RowReport) -> Text:
    word, style = VERDICTS[row.verdict]
    return literal((word, style), ("  ", ""), (row.row, "bold"), (f"  {counted(count(row.checks))}", ""))


def _facts(row: RowReport, everywhere: tuple[str, ...]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    if row.wheel:
        measured = row.wheel.tag_measured or "nothing"
        table.add_row("  wheel", literal(f"{row.wheel.name} ({decimal(row.wheel.size)})"))
        table.add_row("  tag", literal(f"claims {row.wheel.tag_claimed}, measures {measured}"))
    if row.method:
        table.add_row("  method", literal(f"{row.method}: {METHODS[row.method]}"))
    for image in row.images:
        table.add_row(f"  {image.role}", literal(f"{image.reference} ({image.origin})"))
    if toolchains := toolchains_in_words(row):
        table.add_row("  toolchains", literal(toolchains))
    for place, environment in enumerate(everywhere):
        table.add_row("" if place else "  environments", literal(environment))
    for step in row.steps:
        if step.exit != 0:
            table.add_row("  failed step", literal(f"{step.name}: exit {step.exit} after {step.seconds:.1f} s"))
    return table


def _check(check: CheckFindings, word: str, style: str, everywhere: tuple[str, ...]) -> RenderableType:
    parts: list[RenderableType] = [Text(), literal((word, style), (f"  {check.id} {check.name}", "bold"))]
    shown = check.findings[:_MOST_FINDINGS]
    parts += [indent(_finding(finding, everywhere), 2) for finding in shown]
    if len(check.findings) > len(shown):
        parts.append(indent(literal((f"... {len(check.findings) - len(shown)} more findings {_REST}", "dim")), 2))
    parts += [indent(literal(("To do: ", "bold"), (fix, "")), 2) for fix in check.fixes]
    if check.reproduce:
        parts.append(_command(check.reproduce))
    return Group(*parts)


def _finding(finding: Finding, everywhere: tuple[str, ...]) -> RenderableType:
    parts: list[RenderableType] = [literal((_cut(subject), "cyan")) for subject in finding.subjects[:_MOST_SUBJECTS]]
    if len(finding.subjects) > _MOST_SUBJECTS:
        parts.append(literal((f"... {len(finding.subjects) - _MOST_SUBJECTS} more subjects {_REST}", "dim")))
    if finding.first.reason:
        parts.append(indent(literal(_cut(finding.first.reason)), 2))
    if finding.first.waived:
        word = "waived" if finding.first.verdict is Verdict.FAIL else "permitted"
        parts.append(indent(literal(f"{word}: {finding.first.waived}"), 2))
    evidence = finding.first.evidence
    parts += [_evidence(line) for line in evidence[:_MOST_EVIDENCE]]
    if len(evidence) > _MOST_EVIDENCE:
        parts.append(indent(literal((f"... {len(evidence) - _MOST_EVIDENCE} more lines {_REST}", "dim")), 4))
    if finding.environments:
        parts.append(indent(literal((_where(finding.environments, everywhere), "dim")), 2))
    return Group(*parts)


def _command(command: str) -> Text:
    """A command on one line however narrow the terminal is: who copies it must get no line ends."""
    text = literal(("  Try again: ", "bold"), (command, "cyan"))
    text.no_wrap, text.overflow = True, "ignore"
    return text


def _evidence(line: str) -> RenderableType:
    """A line of evidence behind a mark, so that its wrapped parts stay recognisable."""
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("    -", literal(_cut(line)))
    return table


def _cut(text: str) -> str:
    """The beginning of a text that is longer than people read: a damaged wheel can have a name of any length."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text)} characters, {_REST})"


def _where(found: tuple[str, ...], everywhere: tuple[str, ...]) -> str:
    if len(found) == len(everywhere) > 1:
        return f"in all {len(everywhere)} environments"
    return f"in {', '.join(found)}"


def _passes_table(row: RowReport) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold")
    for group in passes(row.checks):
        table.add_row(group.title, f"{group.results}", literal(", ".join(group.checks)))
    return table


def _notes(notes: Sequence[Note]) -> Iterable[RenderableType]:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for note in notes[:_MOST_NOTES]:
        table.add_row(literal(note.id), literal((_cut(note.subject), "cyan"), (f": {_cut(note.text)}", "")))
    yield indent(table, 2)
    if len(notes) > _MOST_NOTES:
        yield indent(literal((f"... {len(notes) - _MOST_NOTES} more notes {_REST}", "dim")), 2)


def _closing(report: RunReport, order: Sequence[str]) -> RenderableType:
    """How to learn more, one line a row where there are several, and the run's verdict, which ends the output."""
    lines: list[RenderableType] = []
    if command := explaining(report, order):
        lines += [literal("What a check asserts, and why: ", (command, "bold")), Text()]
    if len(report.rows) > 1:
        for row in report.rows:
            word, style = VERDICTS[row.verdict]
            lines.append(literal((f"{word:8}", style), (f"{row.row}  {counted(count(row.checks))}", "")))
    word, style = VERDICTS[report.verdict]
    seconds = (report.finished - report.started).total_seconds()
    rows = number(len(report.rows), "rows")
    lines.append(literal((f"{word:8}", style), (f"{rows}, {seconds:.1f} s, run {report.run}", "bold")))
    return Group(*lines)
