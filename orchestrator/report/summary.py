"""The report as GitHub-flavoured Markdown: the verdict first, then what fails and why."""

from __future__ import annotations

from collections.abc import Iterator

from rich.filesize import decimal

from orchestrator.report.grouping import (
    CheckFindings,
    Finding,
    count,
    environments,
    explaining,
    failed_by_absence,
    findings,
    passed_in_words,
    passes,
    toolchains_in_words,
)
from orchestrator.report.markdown import cell, code, longest_ticks, plain, prose
from orchestrator.report.model import RowReport, RunReport, Verdict
from orchestrator.report.words import METHODS

VERDICTS = {Verdict.PASS: "✅ pass", Verdict.FAIL: "❌ fail", Verdict.NOT_RUN: "⚠️ not run"}
"""Verdicts in Markdown."""
_MOST_EVIDENCE = 30
_MOST_FINDINGS = 40


def summary_markdown(report: RunReport) -> str:
    """The summary.  A continuous integration server shows it on the page of the job."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: RunReport) -> Iterator[str]:
    yield f"# {VERDICTS[report.verdict]}: {prose(report.command)}"
    yield ""
    yield f"Run {code(report.run)}, {(report.finished - report.started).total_seconds():.1f} s, {prose(report.tool)}"
    yield ""
    for row in report.rows:
        yield from _failures(row)
    if command := explaining(report):
        yield f"What a check asserts, and why: {code(command)}"
        yield ""
    yield from _counts(report)
    for row in report.rows:
        yield from _not_run(row)
    for row in report.rows:
        yield from _passes(row)
        yield from _origins(row)
        yield from _notes(row)


def _failures(row: RowReport) -> Iterator[str]:
    if lacking := failed_by_absence(row):
        yield from (f"## Failing: {prose(row.row)}", "", prose(lacking), "")
    for waived, title in ((False, "Failing"), (True, "Waived")):
        failing = findings(row.checks, Verdict.FAIL, waived=waived)
        if failing:
            yield f"## {title}: {prose(row.row)}"
            yield ""
            for check in failing:
                yield from _check(check, environments(row))


def _check(check: CheckFindings, everywhere: tuple[str, ...]) -> Iterator[str]:
    yield f"### {prose(check.id)} {prose(check.name)}"
    yield ""
    for finding in check.findings[:_MOST_FINDINGS]:
        yield from _finding(finding, everywhere)
    if len(check.findings) > _MOST_FINDINGS:
        yield f"- {len(check.findings) - _MOST_FINDINGS} more in report.json"
    yield ""
    for fix in check.fixes:
        yield f"**To do:** {prose(fix)}"
        yield ""
    if check.reproduce:
        yield from ("Try again:", "", *_block(check.reproduce, "sh"), "")


def _finding(finding: Finding, everywhere: tuple[str, ...]) -> Iterator[str]:
    yield f"- {_subjects(finding)}: {prose(finding.first.reason)}{_where(finding, everywhere)}"
    if finding.first.waived:
        yield f"  waived: {prose(finding.first.waived)}"
    if finding.first.evidence:
        shown = [plain(line) for line in finding.first.evidence[:_MOST_EVIDENCE]]
        if len(finding.first.evidence) > _MOST_EVIDENCE:
            shown.append(f"... {len(finding.first.evidence) - _MOST_EVIDENCE} more lines in report.json")
        yield from (f"  {line}" for line in _block("\n".join(shown), "text"))


def _block(text: str, language: str) -> Iterator[str]:
    """A fenced block, which nothing in the text can end."""
    fence = "`" * max(3, 1 + longest_ticks(text))
    yield from (f"{fence}{language}", *text.split("\n"), fence)


def _subjects(finding: Finding) -> str:
    return ", ".join(code(subject) for subject in finding.subjects)


def _where(finding: Finding, everywhere: tuple[str, ...]) -> str:
    if not finding.environments:
        return ""
    if len(finding.environments) == len(everywhere) > 1:
        return f" (in all {len(everywhere)} environments)"
    return f" (in {', '.join(code(name) for name in finding.environments)})"


def _counts(report: RunReport) -> Iterator[str]:
    yield "| row | verdict | fail | waived | not run | pass | wheel | tag claimed | tag measured |"
    yield "|---|---|--:|--:|--:|--:|---|---|---|"
    for row in report.rows:
        counts = count(row.checks)
        wheel = ("", "", "")
        if row.wheel:
            name = f"{cell(row.wheel.name)} ({decimal(row.wheel.size)})"
            wheel = (name, cell(row.wheel.tag_claimed), cell(row.wheel.tag_measured or "nothing"))
        numbers = (counts.failed, counts.waived, counts.not_run, counts.passed)
        yield f"| {' | '.join([cell(row.row), VERDICTS[row.verdict], *map(str, numbers), *wheel])} |"
    yield ""
    methods = [(row.row, row.method) for row in report.rows if row.method]
    yield from (f"- {code(name)} is {method}: {METHODS[method]}" for name, method in methods)
    told = [(row.row, toolchains) for row in report.rows if (toolchains := toolchains_in_words(row))]
    yield from (f"- Toolchains of {code(name)}: {prose(toolchains)}" for name, toolchains in told)
    yield from [""] if told or methods else []


def _not_run(row: RowReport) -> Iterator[str]:
    missing = (*findings(row.checks, Verdict.NOT_RUN), *findings(row.checks, Verdict.NOT_RUN, waived=True))
    if missing:
        yield f"## Not run: {prose(row.row)}"
        yield ""
        for check in missing:
            for finding in check.findings:
                reason = f"{prose(finding.first.reason)}{_where(finding, environments(row))}"
                reason += f"; permitted: {prose(finding.first.waived)}" if finding.first.waived else ""
                yield f"- {prose(check.id)} {prose(check.name)}, {_subjects(finding)}: {reason}"
        yield ""


def _passes(row: RowReport) -> Iterator[str]:
    passed = passes(row.checks)
    if passed:
        yield from _folded(
            f"Passed: {row.row}",
            [f"- {group.title}: {group.results} results of {prose(', '.join(group.checks))}" for group in passed],
            passed_in_words(row.checks),
        )


def _origins(row: RowReport) -> Iterator[str]:
    lines = [f"- {image.role} {code(image.reference)}, {image.origin}, {code(image.digest)}" for image in row.images]
    for title, pins in (("toolchain", row.toolchains), ("input", row.inputs)):
        lines += [f"- {title} {code(f'{pin.name} {pin.version}')}, sha256 {code(pin.sha256)}" for pin in pins]
    if lines:
        yield from _folded(f"Images, toolchains, inputs: {row.row}", lines)


def _notes(row: RowReport) -> Iterator[str]:
    if row.notes:
        lines = [f"- {prose(note.id)} {code(note.subject)}: {prose(note.text)}" for note in row.notes]
        yield from _folded(f"Notes: {row.row}", lines)


def _folded(title: str, lines: list[str], number: str = "") -> Iterator[str]:
    """Lines that open when a person asks; the title says how many there are, or another `number`."""
    title = plain(title).replace("&", "&amp;").replace("<", "&lt;")
    yield from (f"<details><summary>{title} ({number or len(lines)})</summary>", "", *lines, "", "</details>", "")
